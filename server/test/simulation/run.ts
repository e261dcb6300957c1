// One run of a simulated world: a seed decides everything that happens in it, and its story ends in a digest, so that a run
// which found something can be had again, step by step.
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { addEndpoint } from '../../src/actions/webhooks/add-endpoint.ts'
import { readConfig } from '../../src/config.ts'
import { openService, type Service } from '../../src/service/compose.ts'
import { secretsBox, targetRules } from '../../src/service/webhook-worker.ts'
import type { SimulatedCallback } from '../../src/simulator/network.ts'
import { callbackMessage, SIGNATURE_HEADER } from '../../src/simulator/server.ts'
import { findByRequestReference } from '../../src/store/payments/pending-payments.ts'
import { granted, TESTER } from '../kit/callers.ts'
import { newMerchant } from '../kit/merchant.ts'
import { brokenInvariants } from './invariants.ts'
import { type Merchants, merchantsOf } from './merchants.ts'
import { beginLife, type Life } from './mortal-store.ts'
import { type Payers, payersOf } from './payers.ts'
import { type Receivers, receiversOf } from './receivers.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'
import { type Outside, openOutside, type Weather } from './simulated-outside.ts'
import { type WorldClock, worldClock } from './world-clock.ts'

export interface World {
  clock: WorldClock
  outside: Outside
  merchants: Merchants
  receivers: Receivers
  payers: Payers
  random: SeededRandom
  service: Service
  life: Life
  /** Told for people, and digested for comparing. */
  tell(line: string): void
  /** Ends the service without a word and starts it again on what it left. */
  crash(): Promise<void>
  restart(): Promise<void>
  /** Lets go of everything that a service which will never be asked again still holds. */
  bury(): Promise<void>
  counts: { crashes: number; sleeps: number; settings: number; fullDisks: number }
}

export interface RunResult {
  seed: number
  broken: string[]
  digest: string
  story: string[]
  orders: number
  crashes: number
}

const config = readConfig({ KARBA_MASTER_KEY: 'ab'.repeat(32), KARBA_LOG_LEVEL: 'silent' })
const START = Date.UTC(2026, 10, 15, 9, 30)

/** In memory where the system has a folder for that: a run writes and syncs thousands of times. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export async function run(seed: number, steps: number): Promise<RunResult> {
  const folder = mkdtempSync(join(FOLDER, 'karba-world-'))
  try {
    return await live(folder, seed, steps)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function live(folder: string, seed: number, steps: number): Promise<RunResult> {
  const story: string[] = []
  const world = await openWorld(folder, seededRandom(seed), (line) => story.push(`${clockTime(world)} ${line}`))
  const deeds = DEEDS.filter(({ unless }) => unless === undefined || !world.random.percent(unless))
  for (let step = 0; step < steps; step++) {
    await draw(world.random, deeds).does(world)
    await world.clock.settle()
    if (world.life.isOver()) await world.crash()
  }
  await calmDown(world)
  const broken = await brokenInvariants(world)
  const digest = await digestOf(world, story)
  await world.bury()
  await world.outside.close()
  return { seed, broken, digest, story, orders: world.merchants.orders.length, crashes: world.counts.crashes }
}

interface Deed {
  weight: number
  /** In so many of a hundred worlds it never happens. */
  unless?: number
  does(world: World): unknown
}

const DEEDS: readonly Deed[] = [
  {
    weight: 30,
    does: ({ merchants, service, random }) => {
      for (let count = random.between(1, 4); count > 0; count--) merchants.buy(service.app as never)
    },
  },
  { weight: 12, does: ({ merchants, service }) => merchants.look(service.app as never) },
  { weight: 6, does: askForRefund },
  { weight: 5, does: ({ payers, service }) => payers.offer(service.app as never) },
  { weight: 12, does: ({ payers, service }) => payers.choose(service.app as never) },
  { weight: 7, does: ({ payers }) => payers.decide() },
  { weight: 25, does: ({ clock, random }) => clock.advance(random.between(0, 6_000)) },
  {
    weight: 4,
    unless: 20,
    does: ({ clock, random, counts, tell }) => {
      const ms = random.pick([20_000, 120_000, 1_000_000, 7_200_000])
      tell(`sleeps ${ms} ms`)
      counts.sleeps++
      return clock.sleep(ms)
    },
  },
  {
    weight: 3,
    unless: 40,
    does: ({ clock, random, counts, tell }) => {
      const ms = random.between(-120_000, 120_000)
      tell(`the clock is set by ${ms} ms`)
      counts.settings++
      clock.setWalls(ms)
    },
  },
  {
    weight: 6,
    does: ({ outside, random, tell }) => {
      outside.weather = random.pick<Weather>([0, 30, 30, 100])
      tell(`${outside.weather} % of calls go wrong`)
    },
  },
  {
    weight: 4,
    does: ({ receivers, random, tell }) => {
      receivers.weather = random.pick<Weather>([0, 30, 100])
      tell(`${receivers.weather} % of webhooks go wrong`)
    },
  },
  {
    weight: 3,
    unless: 40,
    does: ({ life, random, counts, tell }) => {
      life.diskIsFull = random.percent(40)
      counts.fullDisks++
      tell(`the disk is ${life.diskIsFull ? 'full' : 'well'}`)
    },
  },
  { weight: 5, unless: 25, does: ({ life, random }) => life.endAfter(random.between(1, 80)) },
  { weight: 2, unless: 25, does: ({ life }) => life.end() },
  { weight: 1, does: (world) => world.restart() },
]

function draw(random: SeededRandom, deeds: readonly Deed[]): Deed {
  let left = random.below(deeds.reduce((sum, { weight }) => sum + weight, 0))
  for (const deed of deeds) {
    left -= deed.weight
    if (left < 0) return deed
  }
  throw new Error('the weights do not add up')
}

function askForRefund({ merchants, random, service }: World): void {
  const known = merchants.orders.filter(({ answered }) => answered?.code === 200)
  if (known.length === 0) return
  const reference = random.pick(known).answered?.reference as string
  // A full disk refuses it, as it refuses anything.
  void refundPayment(service, TESTER, { name: reference }).catch(() => {})
}

/** The faults stop, and three days are more than enough for everything to settle and to be told. */
async function calmDown(world: World): Promise<void> {
  world.outside.weather = 0
  world.receivers.weather = 0
  world.life.diskIsFull = false
  world.life.endAfter(Number.POSITIVE_INFINITY)
  world.tell('the faults stop')
  // What is under way ends before the first nap, so that no lease runs out over it.
  await world.clock.advance(20_000)
  // Half a minute at a time for the first hour, as often as anything is asked about, then an hour at a time.
  const naps = [...Array(120).fill(30_000), ...Array(80).fill(3_600_000)] as number[]
  for (const ms of naps) {
    await world.clock.sleep(ms)
    const [left] = await world.service.db.rows<{ left: number }>(
      `select (select count(*) from payments where status in ('initiated', 'pending')) +
         (select count(*) from refunds where status = 'pending') +
         (select count(*) from webhook_deliveries where status = 'waiting') as left`,
    )
    if (left?.left === 0) return
  }
}

async function openWorld(folder: string, random: SeededRandom, tell: (line: string) => void): Promise<World> {
  const clock = worldClock(START)
  const files = { ours: join(folder, 'ours.db'), network: join(folder, 'network.db') }
  const counts = { crashes: 0, sleeps: 0, settings: 0, fullDisks: 0 }
  const ownChance = random.fork()
  const outside = await openOutside({ file: files.network, world: clock, random: random.fork(), knock })

  async function begin(): Promise<void> {
    const life = beginLife(files.ours, clock)
    world.life = life
    // Some die before they are born: in a migration, or over their first words with the store.
    if (counts.crashes > 0 && random.percent(10)) life.endAfter(random.between(1, 20))
    const opened = openService(config, {
      clock: clock.clockOf(life, true),
      random: ownChance,
      store: life.store,
      sender: world.receivers.senderOf(life),
      connect: async ({ token, config: { operatorTimeoutMs } }) => {
        callbackToken = token
        return { operators: outside.operators(life, token, operatorTimeoutMs), close: async () => {} }
      },
    })
    const service = await Promise.race([opened, life.over])
    if (service === undefined || life.isOver()) return world.crash()
    life.endAfter(Number.POSITIVE_INFINITY)
    world.service = service
  }

  let callbackToken = ''
  function knock(callback: SimulatedCallback): void {
    const { service, life } = world
    if (life === undefined || life.isOver()) return
    const [payload, signature] = callbackMessage(callbackToken, callback)
    async function deliver(): Promise<void> {
      const payment = await findByRequestReference(service.db, callback.reference)
      if (payment === undefined) return
      const url = `/operators/${payment.environment}/${payment.operator}/callback`
      const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signature }
      await service.app.inject({ method: 'POST', url, headers, payload })
    }
    // At a door that is being closed it is lost.
    void deliver().catch(() => {})
  }

  const world = { clock, outside, random, tell, counts, receivers: receiversOf(random.fork()) } as World
  world.bury = async () => {
    world.life.end()
    clock.forget(world.life)
    await world.life.bury()
    // It never listened, but looks after its connections by the system's timer.
    world.service?.app.server.close()
  }
  world.crash = async () => {
    await world.bury()
    counts.crashes++
    tell('the service dies')
    await begin()
  }
  world.restart = async () => {
    tell('the service is restarted')
    const closed = world.service.close()
    await clock.advance(15_000)
    await Promise.race([closed, world.life.over])
    if (world.life.isOver()) return
    clock.forget(world.life)
    await begin()
  }
  await begin()
  const made = [await newMerchant(world.service), await newMerchant(world.service, { name: 'Pharmacie Sani' })]
  world.merchants = merchantsOf(made, random.fork())
  world.payers = payersOf({ ...outside, accounts: world.merchants.accounts, random: random.fork() })
  for (const { accountId } of world.merchants.accounts) {
    const { service } = world
    const deps = { ...service, box: secretsBox(service.master, ownChance), rules: targetRules(config) }
    const input = { accountId, url: `https://shop.example/${accountId}`, secretHash: 'shared', events: [] }
    granted(await addEndpoint(deps, TESTER, input))
  }
  return world
}

const clockTime = ({ clock }: World): string => new Date(clock.now()).toISOString().slice(8, 23)

async function digestOf({ service, merchants, receivers }: World, story: string[]): Promise<string> {
  const hash = createHash('sha256').update(story.join('\n'))
  for (const table of [
    'payments',
    'payment_story',
    'events',
    'anomalies',
    'refunds',
    'payment_attempts',
    'webhook_attempts',
  ]) {
    hash.update(JSON.stringify(await service.db.rows(`select * from ${table}`)))
  }
  return hash
    .update(JSON.stringify([merchants.orders, merchants.seen, receivers.taken]))
    .digest('hex')
    .slice(0, 16)
}
