// Creates and reads with more and more stored payments, relative to a store with few. Runs on the large and on the small store take turns.
// Each size has a small store of its own: measuring adds some tens of thousands of payments to it.
import { writeFileSync } from 'node:fs'
import { fillPlace } from './filled-payments.ts'
import { documentPath, machineText, markdownTable, writeBlock } from './generated-block.ts'
import { type GrowthLine, type GrowthPoint, growthChart } from './growth-chart.ts'
import { type Bench, inPlace, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { load, type Measured, startKarba } from './servers.ts'
import type { Settings, Store } from './stores.ts'

const FEW = 10_000
/** The first is as large as what it is compared with: what differs from 1 there is noise. */
const SIZES = [FEW, 100_000, 1_000_000, 10_000_000]
/** Many short turns: a machine that others share is slow for seconds, and that must fall on both alike. */
const ROUNDS = 30
const QUICK_ROUNDS = 5
const WARM_UP = 8_000

/**
 * The same requests on both stores, and reads of payments of any age. A merchant's server reads what it has just created: with ten million
 * stored that must cost what it costs with few. Payments of any age are many more with many stored, and no cache holds them.
 */
const KINDS = ['create', 'read', 'read of any age'] as const
type Kind = (typeof KINDS)[number]
const LOADS: Record<Kind, { kind: 'create' | 'read'; requests: number; order: { newest?: number }; hasAim: boolean }> =
  {
    create: { kind: 'create', requests: 2_000, order: {}, hasAim: true },
    read: { kind: 'read', requests: 3_000, order: { newest: FEW }, hasAim: true },
    'read of any age': { kind: 'read', requests: 3_000, order: {}, hasAim: false },
  }

/** What was measured in this run. */
const lines: GrowthLine[] = []

const IMAGE =
  '![Speed with ten thousand to ten million stored payments, relative to few; the table has the same figures](growth.svg)'

export const growth: Part = { name: 'growth', isLong: true, measure, finish }

async function measure({ store, most, isQuick }: Bench): Promise<Figure[]> {
  const points: Record<Kind, GrowthPoint[]> = { create: [], read: [], 'read of any age': [] }
  for (const size of SIZES.filter((each) => each <= most)) {
    await withSizes(store, size, async (few, many) => {
      for (const kind of KINDS) {
        progress(`${many.name}: ${kind} against few`)
        points[kind].push({ size, ...(await compareSizes(kind, isQuick ? QUICK_ROUNDS : ROUNDS, few, many)) })
      }
    })
  }
  for (const kind of KINDS) lines.push({ store: store.name, kind, points: points[kind] })
  return KINDS.flatMap((kind) => points[kind].map((point) => figureOf(store, kind, point)))
}

const withSizes = (store: Store, size: number, work: (few: Measured, many: Measured) => Promise<void>) =>
  inPlace(store, (ofFew) =>
    inPlace(store, (ofMany) =>
      running(startFilled(store, ofFew, FEW), (few) =>
        running(startFilled(store, ofMany, size), (many) => work(few, many)),
      ),
    ),
  )

async function startFilled({ name }: Store, place: Settings, size: number): Promise<Measured> {
  progress(`${name}: writing ${size.toLocaleString('en')} payments`)
  const secretKey = await fillPlace(place, size)
  const settings = { ...place, KARBA_ROLE: 'api' }
  const server = await startKarba(`${name} with ${size.toLocaleString('en')}`, settings, secretKey)
  server.stored = size
  await load(server, 'create', WARM_UP)
  await load(server, 'read', WARM_UP, { byReference: true })
  return server
}

/**
 * The ratio of all requests a second, not the median of the rounds: a checkpoint of the large store falls into every third round or so, and
 * the median would leave it out.
 */
async function compareSizes(of: Kind, rounds: number, few: Measured, many: Measured) {
  const { kind, requests, order } = LOADS[of]
  const seconds = { few: 0, many: 0 }
  const run = async (name: keyof typeof seconds, server: Measured, round: number): Promise<void> => {
    // Each round reads others than the round before.
    const others = kind === 'read' ? { first: (round + 1) * requests, byReference: true } : {}
    seconds[name] += (await load(server, kind, requests, { ...order, ...others })).seconds
  }
  for (let round = 0; round < rounds; round++) {
    // Whichever comes first finds the machine as the other left it, so they take turns in that too.
    if (round % 2 === 0) await run('few', few, round)
    await run('many', many, round)
    if (round % 2 === 1) await run('few', few, round)
  }
  return { ratio: seconds.few / seconds.many, perSecond: (rounds * requests) / seconds.many }
}

function figureOf(store: Store, kind: Kind, { size, ratio, perSecond }: GrowthPoint): Figure {
  const what = `${store.name}: ${kind} with ${size.toLocaleString('en')} stored, of with few`
  const figure = { what, value: ratio, detail: `${Math.round(perSecond)} a second` }
  return size === FEW || !LOADS[kind].hasAim ? figure : { ...figure, atLeast: 0.95 }
}

/** Only a whole measurement is written down: both stores, all sizes. */
function finish(): void {
  const isWhole = lines.length === 2 * KINDS.length && lines.every(({ points }) => points.length === SIZES.length)
  if (!isWhole) {
    progress('docs/growth.svg is left as it is: not both stores with all sizes were measured')
    return
  }
  writeFileSync(documentPath('growth.svg'), growthChart(lines))
  const heads = ['stored payments', ...lines.map(({ store, kind }) => `${store}, ${kind}`)]
  const rows = SIZES.map((size, at) => [
    size.toLocaleString('en'),
    ...lines.map(({ points }) => (points[at] as GrowthPoint).ratio.toFixed(2)),
  ])
  writeBlock('scaling.md', 'growth', [IMAGE, '', `Measured on ${machineText()}.`, '', ...markdownTable(heads, rows)])
}
