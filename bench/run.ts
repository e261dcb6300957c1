// npm run bench: Karba's throughput, as ratios within one run. Creates and reads are measured on a process that only answers merchants
// (KARBA_ROLE=api), whole payments on one that does everything. The baseline is a bare Fastify with bodies of the same size; each
// measurement of Karba is made between two of the baseline, because the machine is shared and its speed drifts.
//   --quick   leaves out the million payments (which takes about ten minutes)
//   --store   sqlite or postgres: only that one
//   --only    payments, webhooks, pages or lists: only those figures
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makePostgres } from '../server/test/kit/postgres.ts'
import { until } from '../server/test/kit/waiting.ts'
import { measureLists } from './lists.ts'
import { type Figure, printFigures } from './report.ts'
import { fill, LONGEST_RUN_MS, load, loadPage, type Measured, startBare, startKarba } from './servers.ts'
import { measureDeliveries, measureHanging } from './webhooks.ts'

const ROUNDS = 5
const REQUESTS = 10_000
const WARM_UP = 10_000
const FEW = 1_000
const MANY = 1_000_000

/** Succeeds in the answer to the request: the least that a whole payment can cost. */
const AT_ONCE = '40410000100'
/** Approved after ten minutes and without a callback: polled again and again until then. */
const SLOW = '40410000124'
const LIVES = 15_000
const BACKLOG = 50_000
const PAGES = 4_000
const PAGE_ROUNDS = 3

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean' }, store: { type: 'string' }, only: { type: 'string' } },
})

const API_ONLY = { KARBA_ROLE: 'api' }

const TARGETS = {
  SQLite: {
    create: 0.4,
    read: 0.6,
    life: { outcomes: { atLeast: 0.25 }, beside: { atLeast: 0.6 } },
    webhooks: { atLeast: 0.5 },
  },
  // Recording outcomes on PostgreSQL is not yet as fast as it could be: it runs statement by statement.
  PostgreSQL: { create: 0.28, read: 0.4, life: { outcomes: {}, beside: {} }, webhooks: {} },
} as const

const figures: Figure[] = []
let runs = 0
const postgres = options.store === 'sqlite' ? undefined : await makePostgres()
const bare = await startBare()
try {
  await warmUp(bare)
  if (options.store !== 'postgres') await measureStore('SQLite', async () => ({}))
  if (postgres !== undefined) {
    let databases = 0
    await measureStore('PostgreSQL', async () => ({
      DATABASE_URL: await postgres.createDatabase(`bench${++databases}`),
    }))
  }
} finally {
  await bare.stop()
  await postgres?.stop()
}
process.exitCode = printFigures(figures) ? 0 : 1

async function measureStore(
  store: keyof typeof TARGETS,
  settings: () => Promise<Record<string, string>>,
): Promise<void> {
  if (options.only === undefined || options.only === 'pages') await measurePage(store, await settings())
  if (options.only === undefined || options.only === 'webhooks') await measureWebhooks(store, settings)
  if (options.only === 'lists' || (options.only === undefined && !options.quick))
    await measureStoreLists(store, settings)
  if (options.only !== undefined && options.only !== 'payments') return
  const few = await startKarba(store, { ...(await settings()), ...API_ONLY })
  try {
    await pause(1_000)
    figures.push({ what: `${store}: memory when idle, MB`, value: await few.residentMb(), atMost: 150 })
    await storeFew(few)
    const create = await ratio('create', few, bare)
    const read = await ratio('read', few, bare)
    figures.push({ what: `${store}: create, of a bare POST`, ...create, atLeast: TARGETS[store].create })
    figures.push({ what: `${store}: read, of a bare GET`, ...read, atLeast: TARGETS[store].read })
    await measureLife(store, few, await settings())
    if (!options.quick) await measureMany(store, await settings())
  } finally {
    await few.stop()
  }
}

/** The page behind a payment link, relative to a bare answer of the same size. */
async function measurePage(store: keyof typeof TARGETS, settings: Record<string, string>): Promise<void> {
  const karba = await startKarba(`${store}, pages`, { ...settings, ...API_ONLY, KARBA_PUBLIC_RATE: '0' })
  try {
    const { path, size } = await makeLink(karba)
    const ratios: number[] = []
    let speed = 0
    for (let round = 0; round <= PAGE_ROUNDS; round++) {
      progress(`${store}: the page of a link, round ${round} of ${PAGE_ROUNDS} (the first only warms up)`)
      const before = await loadPage(bare, `/page/${size}`, PAGES)
      speed = (await loadPage(karba, path, PAGES)).perSecond
      const after = await loadPage(bare, `/page/${size}`, PAGES)
      if (round > 0) ratios.push(speed / ((before.perSecond + after.perSecond) / 2))
    }
    figures.push({
      what: `${store}: page of a link, of a bare answer of ${size} bytes`,
      value: median(ratios),
      detail: `${Math.round(speed)} a second`,
      atLeast: 0.3,
    })
  } finally {
    await karba.stop()
  }
}

async function makeLink({ port, secretKey }: Measured): Promise<{ path: string; size: number }> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${secretKey}`,
    'svc-target-environment': 'sandbox',
    'svc-payment-type': 'external_payment',
  }
  const body = JSON.stringify({ amount: 15_000, title: 'Commande 12', shouldExpire: false })
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/external_payments`, { method: 'POST', headers, body })
  const { reference } = (await answer.json()) as { reference: string }
  const page = await fetch(`http://127.0.0.1:${port}/pay/${reference}`)
  return { path: `/pay/${reference}`, size: (await page.arrayBuffer()).byteLength }
}

async function measureWebhooks(
  store: keyof typeof TARGETS,
  settings: () => Promise<Record<string, string>>,
): Promise<void> {
  await withDataFolders(settings, async (newSettings) => {
    figures.push(await measureDeliveries(store, newSettings, TARGETS[store].webhooks))
    figures.push(await measureHanging(store, newSettings))
  })
}

async function measureStoreLists(
  store: keyof typeof TARGETS,
  settings: () => Promise<Record<string, string>>,
): Promise<void> {
  await withDataFolders(settings, async (newSettings) => {
    figures.push(...(await measureLists(store, newSettings, progress)))
  })
}

/** For services that are opened in this process: each gets its own data folder. */
async function withDataFolders(
  settings: () => Promise<Record<string, string>>,
  work: (newSettings: () => Promise<Record<string, string>>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'karba-bench-'))
  let folders = 0
  try {
    await work(async () => ({ ...(await settings()), PORT: '0', KARBA_DATA_DIR: join(folder, `${++folders}`) }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Creates that count only once their outcome is recorded, and creates while a backlog of pending payments is being polled. */
async function measureLife(
  store: keyof typeof TARGETS,
  alone: Measured,
  settings: Record<string, string>,
): Promise<void> {
  const whole = await startKarba(`${store}, whole`, settings)
  try {
    const speeds: number[] = []
    for (let round = 0; round < 4; round++) {
      progress(`${store}: whole lives, round ${round} of 3 (the first only warms up)`)
      const startedAt = performance.now()
      const before = await whole.outcomes()
      await load(whole, 'create', LIVES, `life-${round}-`, AT_ONCE)
      const haveOutcomes = async () => (await whole.outcomes()) >= before + LIVES
      await until(`outcome of ${LIVES} payments`, haveOutcomes, LONGEST_RUN_MS, 50)
      speeds.push(LIVES / ((performance.now() - startedAt) / 1_000))
    }
    const outcomes = median(speeds.slice(1))
    const { perSecond } = await load(alone, 'create', LIVES, `run-${++runs}-`)
    const detail = `${Math.round(outcomes)} settled a second`
    figures.push({
      what: `${store}: settled, of create alone`,
      value: outcomes / perSecond,
      detail,
      ...TARGETS[store].life.outcomes,
    })

    progress(`${store}: a backlog of ${BACKLOG} pending payments`)
    await load(whole, 'create', BACKLOG, 'slow-', SLOW)
    const busy: number[] = []
    for (let round = 0; round < 3; round++)
      busy.push((await load(whole, 'create', REQUESTS, `busy-${round}-`)).perSecond)
    const beside = median(busy)
    figures.push({
      what: `${store}: create beside ${BACKLOG} pending, of create alone`,
      value: beside / perSecond,
      detail: `${Math.round(beside)} a second`,
      ...TARGETS[store].life.beside,
    })
  } finally {
    await whole.stop()
  }
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
}

/** A million creates through the API, then the same measurements, relative to a store with about a thousand payments. */
async function measureMany(store: keyof typeof TARGETS, settings: Record<string, string>): Promise<void> {
  const many = await startKarba(`${store} with a million`, { ...settings, ...API_ONLY })
  const fewAgain = await startKarba(
    `${store} with few`,
    store === 'SQLite' ? API_ONLY : { ...(await freshPostgres()), ...API_ONLY },
  )
  try {
    for (let part = 0; part < 10; part++) {
      progress(`${store}: creating a million payments, ${part * 10} %`)
      await fill(many, MANY / 10)
    }
    figures.push({ what: `${store}: memory after a million creates, MB`, value: await many.residentMb(), atMost: 300 })
    await storeFew(fewAgain)
    await load(many, 'read', WARM_UP)
    figures.push({
      what: `${store}: create with a million stored, of create with few`,
      ...(await ratio('create', many, fewAgain)),
      atLeast: 0.9,
    })
    figures.push({
      what: `${store}: read with a million stored, of read with few`,
      ...(await ratio('read', many, fewAgain)),
      atLeast: 0.9,
    })
  } finally {
    await many.stop()
    await fewAgain.stop()
  }
}

async function freshPostgres(): Promise<Record<string, string>> {
  return { DATABASE_URL: (await postgres?.createDatabase('few_again')) as string }
}

async function warmUp(server: Measured): Promise<void> {
  await load(server, 'create', WARM_UP, 'warm-up-')
  await load(server, 'read', WARM_UP)
}

/** Warming up and measuring add more: a few tens of thousands by the end. */
async function storeFew(server: Measured): Promise<void> {
  await fill(server, FEW)
  await warmUp(server)
}

/** The median of several ratios, each of a run of Karba to the runs of the baseline before and after it. */
async function ratio(
  kind: 'create' | 'read',
  karba: Measured,
  baseline: Measured,
): Promise<{ value: number; detail: string }> {
  const ratios: number[] = []
  let speed = 0
  let p99 = 0
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`${karba.name}: ${kind} against ${baseline.name}, round ${round} of ${ROUNDS}`)
    const prefix = () => (kind === 'create' ? `run-${++runs}-` : undefined)
    const reference = await load(baseline, kind, REQUESTS, prefix())
    const ours = await load(karba, kind, REQUESTS, prefix())
    const again = await load(baseline, kind, REQUESTS, prefix())
    ratios.push(ours.perSecond / ((reference.perSecond + again.perSecond) / 2))
    speed = ours.perSecond
    p99 = ours.p99Ms
  }
  return { value: median(ratios), detail: `${Math.round(speed)} a second, p99 ${p99.toFixed(1)} ms at 64 connections` }
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
