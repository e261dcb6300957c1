// A simulated world: one to three processes of the service that can crash and freeze, networks and
// receivers that fail, merchants and payers. One random source decides everything, so that a run
// can be repeated step by step.
import type { Service } from '../../src/service/compose.ts'
import {
  type CrashingOptions,
  type CrashingProcess,
  type CrashingService,
  openCrashingService,
  openSurroundings,
  type Surroundings,
} from '../kit/crashing-service.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { newMerchant } from '../kit/service.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { type FaultyLines, faultyLines, storeFaultOf } from './faulty-network.ts'
import { type LateNetwork, lateMoney } from './late-money.ts'
import { type Merchants, merchantsOf, type Receivers, receiversOf } from './merchants.ts'
import type { DrawnNetwork } from './network-kinds.ts'
import { enterConnections, ownedIn } from './owners.ts'
import { type Payers, payersOf } from './payers.ts'
import { type WireNetworks, wireNetworks } from './wire-networks.ts'

export interface World extends Omit<Surroundings, 'network'> {
  /** Several on one database, or one on its own file. */
  members: CrashingService[]
  network: LateNetwork
  /** The networks with their real wire format; none in half of the worlds. */
  wire: WireNetworks
  lines: FaultyLines
  merchants: Merchants
  receivers: Receivers
  payers: Payers
  random: SeededRandom
  /** The percentage of calls to the store that fail. */
  storeFaultPercent: number
  /** A running process; undefined while all have crashed or are frozen. */
  anyService(): Service | undefined
  /** Events with their times: for people, and for comparing runs. */
  story: string[]
  note(line: string): void
  counts: Counts
}

const noCounts = () => ({
  crashes: 0,
  freezes: 0,
  sleeps: 0,
  clockChanges: 0,
  fullDisks: 0,
  storeFaults: 0,
  refundsByHand: 0,
  /** Faults of real networks that were switched on. */
  wireFaults: 0,
  /** Connections that merchants own, and what their owners did to them. */
  ownConnections: 0,
  connectionChanges: 0,
})

export type Counts = ReturnType<typeof noCounts>

/** A service on its own file is as frequent as several on a database. */
const MEMBERS = [1, 1, 2, 3] as const

export async function openWorld(
  random: SeededRandom,
  networkKinds: readonly DrawnNetwork[],
): Promise<World> {
  const story: string[] = []
  const note = (line: string): void => {
    story.push(`${new Date(around.clock.now()).toISOString().slice(8, 23)} ${line}`)
  }
  const counts = noCounts()
  const howMany = random.pick(MEMBERS)
  const lines = faultyLines(random.fork(), () => world as World)
  const receivers = receiversOf(random.fork())
  const around = await openSurroundings({ sendCallback: lines.sendCallback, isShared: howMany > 1 })
  const { clock } = around
  const network = lateMoney({
    network: around.network,
    clock,
    random: random.fork(),
    deliver: lines.deliver,
  })
  const wire = wireNetworks(networkKinds, {
    clock,
    random: networkKinds.length > 0 ? random.fork() : random,
    line: lines.wire,
    sendCallback: lines.sendWireCallback,
  })
  const faults = random.fork()
  const watch = (process: CrashingProcess): void => {
    process.storeFault = (during) => {
      const fault = storeFaultOf(faults, world?.storeFaultPercent ?? 0, during)
      if (fault !== undefined) counts.storeFaults++
      return fault
    }
  }
  let world: World | undefined
  const openMember = (name: string): Promise<CrashingService> => {
    const options: CrashingOptions = {
      random: random.fork(),
      line: lines.line,
      senderOf: receivers.senderOf,
      connectAlso: wire.connect,
      openNetwork: wire.openNetwork,
      // Some crash before they are open: in a migration, or during their first statements.
      starting: (process) => {
        if (counts.crashes > 0 && random.percent(10)) process.crashAfter(random.between(1, 20))
      },
      started: watch,
      crashed: () => {
        counts.crashes++
        note(`${name} crashes`)
      },
    }
    return openCrashingService(options, { ...around, network })
  }
  const members: CrashingService[] = []
  for (let at = 1; at <= howMany; at++) members.push(await openMember(`process ${at}`))
  const { service } = members[0] as CrashingService
  const made = [await newMerchant(service), await newMerchant(service, { name: 'Pharmacie Sani' })]
  const isOwned = networkKinds.some(({ merchant }) => merchant !== undefined)
  if (isOwned) {
    made.push(await newMerchant(service, { name: 'École de Zinder' }))
    await enterConnections(
      service,
      wire,
      (merchant) => made[merchant]?.accounts.live.accountId as string,
    )
    counts.ownConnections = ownedIn(wire).length
  }
  const merchants = merchantsOf(made, random.fork(), wire.phones)
  const { accounts } = merchants
  const { provider } = around
  const payers = payersOf({
    accounts,
    random: random.fork(),
    provider,
    sessions: lines.sessions,
    phones: wire.phones,
  })
  for (const { accountId } of accounts)
    await newEndpoint(service, accountId, `https://shop.example/${accountId}`)
  const choosing = random.fork()
  world = {
    ...around,
    members,
    network,
    wire,
    lines,
    merchants,
    receivers,
    payers,
    random,
    story,
    note,
    counts,
    storeFaultPercent: 0,
    anyService: () => {
      const awake = members.filter(({ process }) => !process.hasCrashed() && !process.isFrozen())
      return awake.length === 0 ? undefined : choosing.pick(awake).service
    },
    close: async () => {
      for (const member of members) await member.close()
      await around.close()
    },
  }
  return world
}
