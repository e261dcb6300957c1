// The possible next steps of a simulated world, and their frequencies.

import type { FastifyInstance } from 'fastify'
import type { PayerDecision } from '../../../simulators/src/network.ts'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import type { Service } from '../../src/service/compose.ts'
import { TESTER } from '../kit/callers.ts'
import type { CrashingService } from '../kit/crashing-service.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'
import type { World } from './world.ts'

/** At a running process; no request reaches the others. */
export const atAny =
  (come: (world: World, app: FastifyInstance, service: Service) => void) =>
  (world: World): void => {
    const service = world.anyService()
    if (service !== undefined) come(world, service.app, service)
  }

export function requestRefund(
  { merchants, random }: World,
  _app: FastifyInstance,
  service: Service,
): void {
  const known = merchants.orders.filter(({ answered }) => answered?.code === 200)
  if (known.length === 0) return
  const name = random.pick(known).answered?.reference as string
  // A full disk refuses it, like any write.
  void refundPayment(service, TESTER, { name }).catch(() => {})
}

/** Some are longer than the quarter of an hour after which `not_known` is believed. */
export const LAGS_MS = [0, 40_000, 120_000, 600_000, 1_200_000] as const

const DECISIONS: readonly PayerDecision[] = [
  'approve',
  'approve',
  'approve',
  'decline',
  'ignore',
  'no_funds',
]

export const WIRE_STEPS: readonly Step[] = [
  { weight: 30, take: atAny(({ merchants }, app) => merchants.createPayment(app)) },
  { weight: 15, take: atAny(requestRefund) },
  {
    weight: 16,
    take: ({ wire, random, counts, note }) => {
      const { networkKind, network } = random.pick(wire.all)
      const faults = Object.keys(network.faults.known)
      for (let count = random.between(1, 3); count > 0; count--) {
        const name = random.pick(random.percent(50) ? networkKind.worst : faults)
        const times = random.pick([1, 2, 5, undefined])
        if (!network.faults.on(name, times))
          throw new Error(`${networkKind.name} has no fault ${name}`)
        counts.wireFaults++
        note(
          `${networkKind.name}: ${name}, ${times === undefined ? 'until it is mended' : `${times} times`}`,
        )
      }
    },
  },
  {
    weight: 10,
    take: ({ wire, random, note }) => {
      const each = random.pick(wire.all)
      each.lagMs = random.pick(LAGS_MS)
      note(`look-ups at ${each.networkKind.name} lag by ${each.lagMs} ms`)
    },
  },
  {
    weight: 15,
    take: ({ wire, random, note }) => {
      const each = random.pick(wire.all)
      const isPreparation = each.networkKind.prepares !== undefined && random.percent(40)
      const by = random.pick(['line', 'crash'] as const)
      const loses = { answerTo: isPreparation ? 'preparation' : 'money', by } as const
      each.loses = loses
      // Both together: the network has it, and the service cannot see that yet.
      if (random.percent(70)) each.lagMs = random.pick(LAGS_MS)
      const { networkKind, lagMs } = each
      note(
        `${networkKind.name} lags by ${lagMs} ms, and its next answer about ${loses.answerTo} is lost by a ${loses.by}`,
      )
    },
  },
  {
    weight: 7,
    take: ({ wire, random, note }) => {
      const { networkKind, network } = random.pick(wire.all)
      const active = Object.keys(network.faults.active())
      if (active.length === 0) return
      const mended = random.percent(60) ? active : [random.pick(active)]
      for (const name of mended) network.faults.off(name)
      note(`${networkKind.name} has mended ${mended.join(', ')}`)
    },
  },
  {
    weight: 10,
    take: ({ wire, random, note }) => {
      const { networkKind, network } = random.pick(wire.all)
      const asked = network.books().filter((each) => networkKind.isTaken(each))
      if (asked.length === 0) return
      const [{ id }, decision] = [random.pick(asked), random.pick(DECISIONS)]
      if (network.decide(id, decision))
        note(`the payer of ${id} at ${networkKind.name}: ${decision}`)
    },
  },
]

export interface Step {
  weight: number
  /** The percentage of worlds in which it never happens. */
  unless?: number
  take(world: World): unknown
}

/** The steps that happen in this world; `ownedSteps` where merchants own connections. */
export function stepsOf({ random, wire }: World, ownedSteps: readonly Step[]): Step[] {
  const ofOwners = wire.all.some(({ owned }) => owned !== undefined) ? ownedSteps : []
  const possible = wire.all.length > 0 ? [...STEPS, ...WIRE_STEPS, ...ofOwners] : STEPS
  return possible.filter(({ unless }) => unless === undefined || !random.percent(unless))
}

export function drawStep(random: SeededRandom, steps: readonly Step[]): Step {
  let left = random.below(steps.reduce((sum, { weight }) => sum + weight, 0))
  for (const step of steps) {
    left -= step.weight
    if (left < 0) return step
  }
  throw new Error('the weights do not add up')
}

const MINUTE_MS = 60_000
const STEP_MINUTES = [-120, -16, 16, 120, 1_440]
const OFF_MINUTES = [0, -1, 1, -31, 31, -60, 60]
const CLAIMED = ['payments', 'payments', 'refunds', 'refunds', 'rechecks', 'webhook_endpoints']
const FREEZES_MS = [3_000, 20_000, MINUTE_MS, 5 * MINUTE_MS, 17 * MINUTE_MS, 60 * MINUTE_MS]
/** A little more than the lease of a payment. */
const PAST_LEASE_MS = 16_000

/** A step that draws a property of the world, and notes it. */
const sets = <Part extends 'lines' | 'receivers' | 'network', Name extends keyof World[Part]>(
  step: Omit<Step, 'take'>,
  part: Part,
  name: Name,
  values: readonly World[Part][Name][],
  words: string,
): Step => ({
  ...step,
  take: (world) => {
    const value = world.random.pick(values)
    world[part][name] = value
    world.note(`${value} ${words}`)
  },
})

const STEPS: readonly Step[] = [
  {
    weight: 30,
    take: (world) => {
      for (let count = world.random.between(1, 4); count > 0; count--) {
        atAny(({ merchants }, app) => merchants.createPayment(app))(world)
      }
    },
  },
  { weight: 12, take: atAny(({ merchants }, app) => merchants.readPayment(app)) },
  { weight: 10, take: atAny(requestRefund) },
  { weight: 5, take: atAny(({ payers }, app) => payers.createLink(app)) },
  { weight: 12, take: atAny(({ payers }, app) => payers.pay(app)) },
  { weight: 7, take: ({ payers }) => payers.decide() },
  { weight: 25, take: ({ clock, random }) => clock.advance(random.between(0, 6_000)) },
  {
    // Leases expire, and the other processes continue.
    weight: 6,
    take: async ({ clock, random }) => {
      for (let times = random.between(1, 4); times > 0; times--) await clock.sleep(PAST_LEASE_MS)
    },
  },
  {
    weight: 4,
    unless: 20,
    take: ({ clock, random, counts, note }) => {
      const ms = random.pick([20_000, 120_000, 1_000_000, 7_200_000])
      note(`sleeps ${ms} ms`)
      counts.sleeps++
      return clock.sleep(ms)
    },
  },
  {
    weight: 4,
    unless: 40,
    take: ({ members, random, counts, note, databaseWall }) => {
      counts.clockChanges++
      // With a database that has its own clock, one of several machines may be far off. A single
      // process on a file trusts its machine's clock.
      if (members.length > 1 && random.percent(60)) {
        const [ms, at] = [random.pick(OFF_MINUTES) * MINUTE_MS, random.below(members.length)]
        note(`the clock of process ${at + 1} is now off by ${ms} ms`)
        const { wall } = members[at] as CrashingService
        wall.aheadMs = databaseWall.aheadMs + ms
        return
      }
      const ms = random.percent(50)
        ? random.between(-120_000, 120_000)
        : random.pick(STEP_MINUTES) * MINUTE_MS
      note(`the time server sets every clock by ${ms} ms`)
      databaseWall.aheadMs += ms
      for (const { wall } of members) wall.aheadMs += ms
    },
  },
  sets({ weight: 6 }, 'lines', 'faultPercent', [0, 30, 30, 100], '% of calls go wrong'),
  sets({ weight: 4 }, 'receivers', 'faultPercent', [0, 30, 100], '% of webhooks go wrong'),
  sets({ weight: 7, unless: 30 }, 'network', 'percent', [0, 30, 60], '% of money moves late'),
  sets({ weight: 4, unless: 30 }, 'network', 'lagMs', LAGS_MS, 'ms is the lag of look-ups'),
  {
    weight: 2,
    take: ({ lines, random, note }) => {
      lines.refundsAreSlow = random.percent(60)
      note(`refunds are ${lines.refundsAreSlow ? 'slow' : 'quick'}`)
    },
  },
  {
    weight: 3,
    unless: 40,
    take: ({ members, random, counts, note }) => {
      const { process } = random.pick(members)
      process.diskIsFull = random.percent(40)
      counts.fullDisks++
      note(`the disk is ${process.diskIsFull ? 'full' : 'well'}`)
    },
  },
  {
    weight: 3,
    unless: 40,
    take: (world) => {
      world.storeFaultPercent = world.random.pick([0, 0, 5, 30])
      world.note(`${world.storeFaultPercent} % of calls to the store fail`)
    },
  },
  {
    weight: 7,
    unless: 25,
    take: ({ members, random, counts, note }) => {
      const [at, ms] = [random.below(members.length), random.pick(FREEZES_MS)]
      const { process } = members[at] as CrashingService
      if (random.percent(50)) process.freezeAfter(random.between(1, 40), ms)
      else process.freezeAtClaim(random.pick(CLAIMED), ms)
      counts.freezes++
      note(`process ${at + 1} is about to freeze for ${ms} ms`)
    },
  },
  {
    weight: 5,
    unless: 25,
    take: ({ members, random }) => random.pick(members).process.crashAfter(random.between(1, 80)),
  },
  { weight: 2, unless: 25, take: ({ members, random }) => random.pick(members).process.crash() },
  {
    weight: 1,
    take: ({ members, random, note }) => {
      const member = random.pick(members)
      if (member.process.isFrozen()) return
      note('a process is restarted')
      return member.restart()
    },
  },
]
