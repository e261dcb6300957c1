// One run of a simulated world: a seed decides everything that happens in it, and its story ends in a digest, so that a run
// which found something can be had again, step by step.
import { createHash } from 'node:crypto'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { TESTER } from '../kit/callers.ts'
import { type SeededRandom, seededRandom } from '../kit/seeded-random.ts'
import type { FaultPercent } from './faulty-network.ts'
import { brokenInvariants } from './invariants.ts'
import { openWorld, type World } from './world.ts'

export interface RunResult {
  seed: number
  broken: string[]
  digest: string
  story: string[]
  orders: number
  crashes: number
}

export async function run(seed: number, steps: number): Promise<RunResult> {
  const world = await openWorld(seededRandom(seed))
  try {
    const possible = STEPS.filter(({ unless }) => unless === undefined || !world.random.percent(unless))
    for (let step = 0; step < steps; step++) {
      await draw(world.random, possible).take(world)
      await world.clock.settle()
      if (world.process.hasCrashed()) await world.crash()
    }
    await stopFaults(world)
    const broken = await brokenInvariants(world)
    const { story, merchants, counts } = world
    return {
      seed,
      broken,
      digest: await digestOf(world),
      story,
      orders: merchants.orders.length,
      crashes: counts.crashes,
    }
  } finally {
    await world.close()
  }
}

interface Step {
  weight: number
  /** In so many of a hundred worlds it never happens. */
  unless?: number
  take(world: World): unknown
}

const STEPS: readonly Step[] = [
  {
    weight: 30,
    take: ({ merchants, service, random }) => {
      for (let count = random.between(1, 4); count > 0; count--) merchants.createPayment(service.app)
    },
  },
  { weight: 12, take: ({ merchants, service }) => merchants.readPayment(service.app) },
  { weight: 6, take: requestRefund },
  { weight: 5, take: ({ payers, service }) => payers.createLink(service.app) },
  { weight: 12, take: ({ payers, service }) => payers.pay(service.app) },
  { weight: 7, take: ({ payers }) => payers.decide() },
  { weight: 25, take: ({ clock, random }) => clock.advance(random.between(0, 6_000)) },
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
    weight: 3,
    unless: 40,
    take: ({ wall, random, counts, note }) => {
      const ms = random.between(-120_000, 120_000)
      note(`the clock is set by ${ms} ms`)
      counts.clockChanges++
      wall.aheadMs += ms
    },
  },
  {
    weight: 6,
    take: ({ lines, random, note }) => {
      lines.faultPercent = random.pick<FaultPercent>([0, 30, 30, 100])
      note(`${lines.faultPercent} % of calls go wrong`)
    },
  },
  {
    weight: 4,
    take: ({ receivers, random, note }) => {
      receivers.faultPercent = random.pick<FaultPercent>([0, 30, 100])
      note(`${receivers.faultPercent} % of webhooks go wrong`)
    },
  },
  {
    weight: 3,
    unless: 40,
    take: ({ process, random, counts, note }) => {
      process.diskIsFull = random.percent(40)
      counts.fullDisks++
      note(`the disk is ${process.diskIsFull ? 'full' : 'well'}`)
    },
  },
  { weight: 5, unless: 25, take: ({ process, random }) => process.crashAfter(random.between(1, 80)) },
  { weight: 2, unless: 25, take: ({ process }) => process.crash() },
  {
    weight: 1,
    take: (world) => {
      world.note('the service is restarted')
      return world.restart()
    },
  },
]

function draw(random: SeededRandom, steps: readonly Step[]): Step {
  let left = random.below(steps.reduce((sum, { weight }) => sum + weight, 0))
  for (const step of steps) {
    left -= step.weight
    if (left < 0) return step
  }
  throw new Error('the weights do not add up')
}

function requestRefund({ merchants, random, service }: World): void {
  const known = merchants.orders.filter(({ answered }) => answered?.code === 200)
  if (known.length === 0) return
  const name = random.pick(known).answered?.reference as string
  // A full disk refuses it, as it refuses anything.
  void refundPayment(service, TESTER, { name }).catch(() => {})
}

/** Three days without faults are more than enough for everything to settle and to be delivered. */
async function stopFaults({ lines, receivers, process, service, clock, note }: World): Promise<void> {
  lines.faultPercent = 0
  receivers.faultPercent = 0
  process.diskIsFull = false
  process.crashAfter(Number.POSITIVE_INFINITY)
  note('the faults stop')
  // What is under way ends before the first sleep, so that no lease expires over it.
  await clock.advance(20_000)
  // Half a minute at a time for the first hour, as often as anything is asked about, then an hour at a time.
  const sleeps = [...Array(120).fill(30_000), ...Array(80).fill(3_600_000)] as number[]
  for (const ms of sleeps) {
    await clock.sleep(ms)
    const [left] = await service.db.rows<{ left: number }>(
      `select (select count(*) from payments where status in ('initiated', 'pending')) +
         (select count(*) from refunds where status = 'pending') +
         (select count(*) from webhook_deliveries where status = 'waiting') as left`,
    )
    if (left?.left === 0) return
  }
}

const DIGESTED = [
  'payments',
  'payment_story',
  'events',
  'payment_anomalies',
  'refunds',
  'payment_attempts',
  'webhook_attempts',
] as const

async function digestOf({ service, merchants, receivers, story }: World): Promise<string> {
  const hash = createHash('sha256').update(story.join('\n'))
  for (const table of DIGESTED) hash.update(JSON.stringify(await service.db.rows(`select * from ${table}`)))
  return hash
    .update(JSON.stringify([merchants.orders, merchants.readings, receivers.received]))
    .digest('hex')
    .slice(0, 16)
}
