// A simulated world: a service that can crash, a network and receivers that fail, merchants and payers. One random source decides
// everything that happens in it, so that a run can be had again, step by step.
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { newMerchant } from '../kit/merchant.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import { newEndpoint } from '../kit/webhooks.ts'
import { type FaultyLines, faultyLines } from './faulty-network.ts'
import { type Merchants, merchantsOf } from './merchants.ts'
import { type Payers, payersOf } from './payers.ts'
import { type Receivers, receiversOf } from './receivers.ts'

export interface World extends CrashingService {
  lines: FaultyLines
  merchants: Merchants
  receivers: Receivers
  payers: Payers
  random: SeededRandom
  /** What happened, with its time: for people, and for comparing. */
  story: string[]
  note(line: string): void
  counts: { crashes: number; sleeps: number; clockChanges: number; fullDisks: number }
}

export async function openWorld(random: SeededRandom): Promise<World> {
  const story: string[] = []
  const note = (line: string): void => {
    story.push(`${new Date(world.clock.now()).toISOString().slice(8, 23)} ${line}`)
  }
  const counts: World['counts'] = { crashes: 0, sleeps: 0, clockChanges: 0, fullDisks: 0 }
  const lines = faultyLines(random.fork(), () => world)
  const receivers = receiversOf(random.fork())
  const service = await openCrashingService({
    random: random.fork(),
    line: lines.line,
    sendCallback: lines.sendCallback,
    senderOf: receivers.senderOf,
    // Some crash before they are open: in a migration, or over their first statements.
    starting: (process) => {
      if (counts.crashes > 0 && random.percent(10)) process.crashAfter(random.between(1, 20))
    },
    crashed: () => {
      counts.crashes++
      note('the service crashes')
    },
  })
  const made = [await newMerchant(service.service), await newMerchant(service.service, { name: 'Pharmacie Sani' })]
  const merchants = merchantsOf(made, random.fork())
  const { accounts } = merchants
  const payers = payersOf({ accounts, random: random.fork(), provider: service.provider, sessions: lines.sessions })
  for (const { accountId } of accounts) {
    await newEndpoint(service.service, accountId, `https://shop.example/${accountId}`)
  }
  // The same object: which service and process are the current ones changes in it.
  const world: World = Object.assign(service, { lines, merchants, receivers, payers, random, story, note, counts })
  return world
}
