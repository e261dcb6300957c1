// Creates and reads with many stored payments, relative to few. Runs on the large and on the small
// store alternate. Each size has its own small store, because a measurement adds tens of thousands
// of payments to it.
import { fillPlace } from './filled-payments.ts'
import { type Bench, inPlace, type Part, progress, running } from './part.ts'
import { type Figure, machineText, markdownTable, writeBlock } from './report.ts'
import { load, type Measured, startKarba } from './servers.ts'
import type { Settings, Store } from './stores.ts'

const FEW = 10_000
/** The first is as large as its baseline: a difference from 1 there is noise. */
const SIZES = [FEW, 100_000, 1_000_000, 10_000_000]
/**
 * Many short rounds: a shared machine is slow for seconds at a time, which must affect both stores
 * alike.
 */
const ROUNDS = 30
const QUICK_ROUNDS = 5
const WARM_UP = 8_000

/** Merchants read recent payments: only that has an aim. No cache holds ten million payments. */
const KINDS = ['create', 'read', 'read of any age'] as const
type Kind = (typeof KINDS)[number]
const LOADS: Record<
  Kind,
  {
    kind: 'create' | 'read'
    requests: number
    order: { newest?: number }
    hasAim: boolean
  }
> = {
  create: { kind: 'create', requests: 2_000, order: {}, hasAim: true },
  read: { kind: 'read', requests: 3_000, order: { newest: FEW }, hasAim: true },
  'read of any age': { kind: 'read', requests: 3_000, order: {}, hasAim: false },
}

type GrowthPoint = { size: number; ratio: number; perSecond: number }

const lines: { store: string; kind: string; points: readonly GrowthPoint[] }[] = []

export const growth: Part = { name: 'growth', isLong: true, measure, finish }

async function measure({ store, most, isQuick }: Bench): Promise<Figure[]> {
  const points: Record<Kind, GrowthPoint[]> = { create: [], read: [], 'read of any age': [] }
  for (const size of SIZES.filter((each) => each <= most)) {
    await withSizes(store, size, async (few, many) => {
      for (const kind of KINDS) {
        progress(`${many.name}: ${kind} against few`)
        points[kind].push({
          size,
          ...(await compareSizes(kind, isQuick ? QUICK_ROUNDS : ROUNDS, few, many)),
        })
      }
    })
  }
  for (const kind of KINDS) lines.push({ store: store.name, kind, points: points[kind] })
  return KINDS.flatMap((kind) => points[kind].map((point) => figureOf(store, kind, point)))
}

const withSizes = (
  store: Store,
  size: number,
  work: (few: Measured, many: Measured) => Promise<void>,
) =>
  inPlace(store, (ofFew) =>
    inPlace(store, (ofMany) =>
      running(startFilled(store, ofFew, FEW), (few) =>
        running(startFilled(store, ofMany, size), (many) => work(few, many)),
      ),
    ),
  )

async function startFilled({ name }: Store, place: Settings, size: number): Promise<Measured> {
  progress(`${name}: writing ${size.toLocaleString('en')} payments`)
  const { secretKey } = await fillPlace(place, size)
  const settings = { ...place, KARBA_ROLE: 'api' }
  const server = await startKarba(`${name} with ${size.toLocaleString('en')}`, settings, secretKey)
  server.stored = size
  await load(server, 'create', WARM_UP)
  await load(server, 'read', WARM_UP, { byReference: true })
  return server
}

/**
 * The ratio over all rounds: a median would hide the checkpoint that falls into about every third
 * round.
 */
async function compareSizes(of: Kind, rounds: number, few: Measured, many: Measured) {
  const { kind, requests, order } = LOADS[of]
  const seconds = { few: 0, many: 0 }
  const run = async (
    name: keyof typeof seconds,
    server: Measured,
    round: number,
  ): Promise<void> => {
    // Each round reads other payments than the last.
    const others = kind === 'read' ? { first: (round + 1) * requests, byReference: true } : {}
    seconds[name] += (await load(server, kind, requests, { ...order, ...others })).seconds
  }
  for (let round = 0; round < rounds; round++) {
    // The first run of a round finds the machine as the other left it, so the order alternates too.
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

function finish(): void {
  const isComplete =
    lines.length === 2 * KINDS.length && lines.every(({ points }) => points.length === SIZES.length)
  if (!isComplete) {
    progress('docs/scaling.md is unchanged: not all sizes of both stores were measured')
    return
  }
  const heads = ['stored payments', ...lines.map(({ store, kind }) => `${store}, ${kind}`)]
  const rows = SIZES.map((size, at) => [
    size.toLocaleString('en'),
    ...lines.map(({ points }) => (points[at] as GrowthPoint).ratio.toFixed(2)),
  ])
  writeBlock('scaling.md', 'growth', [
    `Measured on ${machineText()}.`,
    '',
    ...markdownTable(heads, rows),
  ])
}
