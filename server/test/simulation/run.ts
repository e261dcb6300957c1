// One run of a simulated world: a seed decides everything, and its log ends in a digest, so that a
// failing run can be repeated step by step.

import { createHash } from 'node:crypto'
import type { Service } from '../../src/service/compose.ts'
import type { Queries } from '../../src/store/engine/database.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { brokenInvariants, wireCounts } from './invariants.ts'
import { drawNetworks, drawOwned } from './network-kinds.ts'
import { OWNED_STEPS } from './owners.ts'
import { drawStep, stepsOf } from './steps.ts'
import { endRefundsByHand, leftToPersons, payersDecide } from './wire-networks.ts'
import { type Counts, openWorld, type World } from './world.ts'

export interface RunResult {
  seed: number
  broken: string[]
  digest: string
  story: string[]
  /** The names of its real networks. */
  networkKinds: string[]
  counts: Counts & ReturnType<typeof wireCounts> & { orders: number; lateMoney: number }
}

/** A separate random source, so that real networks do not change a world without them. */
const NETWORKS_SEED = 0x77_69_72
const OWNED_SEED = 0x6f_77_6e
/** In a world in which some own connections. */
const MERCHANTS = 3

export async function run(seed: number, steps: number): Promise<RunResult> {
  const networkKinds = [
    ...drawNetworks(seededRandom(seed ^ NETWORKS_SEED)),
    ...drawOwned(seededRandom(seed ^ OWNED_SEED), MERCHANTS),
  ]
  const world = await openWorld(seededRandom(seed), networkKinds)
  try {
    const possible = stepsOf(world, OWNED_STEPS)
    for (let step = 0; step < steps; step++) {
      await drawStep(world.random, possible).take(world)
      await world.clock.settle()
      await startCrashed(world)
    }
    const db = await stopFaults(world)
    const broken = await brokenInvariants(world, db)
    const { story, merchants, counts, network } = world
    const digest = await digestOf(world, db)
    const sums = {
      ...counts,
      orders: merchants.orders.length,
      lateMoney: network.late.size,
      ...wireCounts(world, await leftToPersons(world, db)),
    }
    return {
      seed,
      broken,
      digest,
      story,
      counts: sums,
      networkKinds: networkKinds.map(({ networkKind }) => networkKind.name),
    }
  } finally {
    await world.close()
  }
}

async function startCrashed({ members }: World): Promise<void> {
  for (const member of members) if (member.process.hasCrashed()) await member.crash()
}

const HOUR_MS = 3_600_000
/**
 * Time passes from one due time to the next, in longer steps once only rechecks over days are left.
 */
const PENDING_STEP_MS = { least: 1_000, most: HOUR_MS }
const RECHECK_STEP_MS = { least: 60_000, most: 6 * HOUR_MS }
/**
 * A payment that is pending for more steps than this waits for the network: then one of four steps
 * is long, after which all payments are due at once.
 */
const MOST_CLOSE_SLEEPS = 150
const LONG_SLEEP_EVERY = 4
const MOST_SLEEPS = 400
const QUEUED_MS = 10_000
const DECIDED_EVERY_SLEEPS = 20
/** A real network's late changes come within three hours of the request. */
const LATEST_WIRE_MS = 4 * HOUR_MS

const lateTimes = ({ late }: World['network']): number[] => [...late.values()].map(({ at }) => at)

/**
 * Four days without faults are more than enough for everything to settle, to be delivered, and to
 * be checked again.
 */
async function stopFaults(world: World): Promise<Queries> {
  const { lines, receivers, members, clock, databaseWall, network, wire, note } = world
  lines.faultPercent = 0
  lines.refundsAreSlow = false
  receivers.faultPercent = 0
  world.storeFaultPercent = 0
  network.percent = 0
  network.lagMs = 0
  for (const each of wire.all) {
    each.network.faults.allOff()
    each.lagMs = 0
    each.loses = undefined
  }
  for (const { process, wall } of members) {
    if (members.length > 1) wall.aheadMs = databaseWall.aheadMs
    process.diskIsFull = false
    process.crashAfter(Number.POSITIVE_INFINITY)
    process.freezeAfter(Number.POSITIVE_INFINITY, 0)
  }
  note('the faults stop')
  await startCrashed(world)
  // In-flight work ends before the first sleep, so that no lease expires during it.
  await clock.advance(20_000)
  const latest = Math.max(
    wire.all.length > 0 ? clock.now() + LATEST_WIRE_MS : 0,
    ...lateTimes(network),
  )
  for (let sleeps = 0; sleeps < MOST_SLEEPS; sleeps++) {
    // Again for requests sent only now.
    if (sleeps % DECIDED_EVERY_SLEEPS === 0) payersDecide(world)
    const service = world.anyService()
    const left = service === undefined ? NOT_KNOWN : await whatIsLeft(service, world)
    const isOver =
      left.pending + left.rechecks + network.pendingCallbacks.size === 0 && clock.now() > latest
    if (isOver && service !== undefined && members.every(({ process }) => !process.isFrozen())) {
      if (!(await endRefundsByHand(world, service))) return service.db
    }
    const { least, most } = left.pending > 0 ? PENDING_STEP_MS : RECHECK_STEP_MS
    const isClose = sleeps < MOST_CLOSE_SLEEPS || sleeps % LONG_SLEEP_EVERY > 0
    await clock.sleep(isClose ? Math.min(Math.max(left.dueInMs, least), most) : most)
    // The calls that wait for each other: after a sleep only the first is made, always of the same
    // payment.
    if (!isClose) await clock.advance(QUEUED_MS)
  }
  const db = world.anyService()?.db
  if (db === undefined) throw new Error('no process is awake')
  return db
}

interface Left {
  pending: number
  rechecks: number
  /** Until the next of what is pending, or else of the rechecks. */
  dueInMs: number
}

const NOT_KNOWN: Left = { pending: 1, rechecks: 0, dueInMs: 60_000 }

async function whatIsLeft({ db, clock }: Service, world: World): Promise<Left> {
  const [left] = await db.read<{
    pending: number
    rechecks: number
    next_at: number | null
    recheck_at: number | null
  }>(
    `select (select count(*) from payments where status in ('initiated', 'pending')) +
       (select count(*) from refunds where status = 'pending' and by_hand_since is null) +
       (select count(*) from webhook_deliveries where status = 'waiting') as pending,
       (select count(*) from rechecks) as rechecks,
       (select min(due_at) from rechecks) as recheck_at,
       (select min(due_at) from (
         select due_at from payments where due_at is not null union all
         select due_at from refunds where due_at is not null union all
         select due_at from payment_links where due_at is not null union all
         select due_at from webhook_endpoints where due_at is not null)) as next_at`,
  )
  const {
    pending: all = 0,
    rechecks = 0,
    next_at: nextAt = null,
    recheck_at: recheckAt = null,
  } = left ?? {}
  const pending = all - (await leftToPersons(world, db)).length
  const dueAt = pending > 0 ? nextAt : (recheckAt ?? clock.now() + RECHECK_STEP_MS.most)
  return { pending, rechecks, dueInMs: (dueAt ?? 0) - clock.now() }
}

const DIGESTED = [
  'payments',
  'payment_story',
  'events',
  'payment_anomalies',
  'refunds',
  'payment_attempts',
  'webhook_attempts',
]

async function digestOf(
  { merchants, receivers, story, wire }: World,
  db: Queries,
): Promise<string> {
  const hash = createHash('sha256').update(story.join('\n'))
  for (const table of DIGESTED) hash.update(JSON.stringify(await db.read(`select * from ${table}`)))
  return hash
    .update(JSON.stringify([merchants.orders, merchants.readings, receivers.received]))
    .update(JSON.stringify(wire.all.map(({ network }) => network.books())))
    .digest('hex')
    .slice(0, 16)
}
