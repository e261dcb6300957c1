// Whole payments: creates that count only once their outcome is recorded, and creates while a backlog of pending payments is being polled.
// Both relative to creates on a process that does nothing else.
import { median, progress } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import type { Figure } from './report.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUp, warmUpAll } from './servers.ts'

/** Approved after ten minutes and without a callback: polled again and again until then. */
const SLOW = '40410000124'
const LIVES = 12_000
const BACKLOG = 50_000
const BESIDE = 10_000

const AIMS = {
  SQLite: { settled: { atLeast: 0.45 }, beside: { atLeast: 0.6 } },
  PostgreSQL: { settled: { atLeast: 0.4 }, beside: {} },
} as const

export const settling: Part = {
  name: 'settled',
  measure: ({ store, rounds }: Bench) =>
    inPlace(store, (ofAlone) =>
      running(startKarba(`${store.name}, creates alone`, { ...ofAlone, KARBA_ROLE: 'api' }), (alone) =>
        inPlace(store, (ofWhole) =>
          running(startKarba(`${store.name}, whole payments`, ofWhole), async (whole) => {
            await warmUp(alone)
            await warmUpAll(whole)
            const speeds: number[] = []
            const settled = await measureSettled(store.name, rounds, whole, async () => {
              const { perSecond } = await load(alone, 'create', LIVES)
              speeds.push(perSecond)
              return perSecond
            })
            return [settled, await measureBeside(store.name, rounds, whole, median(speeds))]
          }),
        ),
      ),
    ),
}

type Name = Bench['store']['name']

async function measureSettled(
  store: Name,
  rounds: number,
  whole: Measured,
  speedOfCreates: () => Promise<number>,
): Promise<Figure> {
  const ratios: number[] = []
  let speed = 0
  for (let round = 1; round <= rounds; round++) {
    progress(`${whole.name}: settling, round ${round} of ${rounds}`)
    const creates = await speedOfCreates()
    const before = await whole.counter(SETTLED)
    const startedAt = performance.now()
    await load(whole, 'create', LIVES, { msisdn: AT_ONCE })
    await whole.hasCounted(SETTLED, before + LIVES)
    speed = LIVES / ((performance.now() - startedAt) / 1_000)
    ratios.push(speed / creates)
  }
  const what = `${store}: settled, of create alone`
  return { what, value: median(ratios), detail: `${Math.round(speed)} settled a second`, ...AIMS[store].settled }
}

async function measureBeside(store: Name, rounds: number, whole: Measured, createsAlone: number): Promise<Figure> {
  progress(`${whole.name}: creates beside a backlog of ${BACKLOG} pending payments`)
  await load(whole, 'create', BACKLOG, { msisdn: SLOW })
  const speeds: number[] = []
  for (let round = 0; round < rounds; round++) speeds.push((await load(whole, 'create', BESIDE)).perSecond)
  const speed = median(speeds)
  const what = `${store}: create beside ${BACKLOG} pending, of create alone`
  return { what, value: speed / createsAlone, detail: `${Math.round(speed)} a second`, ...AIMS[store].beside }
}
