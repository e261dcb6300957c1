// Creates until their outcome is recorded, and creates while a backlog of pending payments is
// polled. Both relative to creates on a process that does nothing else.
import { type Bench, inPlace, median, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { settledBetween } from './resources.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUp, warmUpAll } from './servers.ts'
import type { Settings } from './stores.ts'

/** Approved after ten minutes without a callback: polled until then. */
const SLOW = '40410000124'
const BACKLOG = 50_000
const REQUESTS_FACTOR = 2

const AIMS = {
  SQLite: { settled: { atLeast: 0.4 }, duringBacklog: { atLeast: 0.6 } },
  PostgreSQL: { settled: { atLeast: 0.4 }, duringBacklog: {} },
} as const

export const settling: Part = {
  name: 'settled',
  measure: (bench) => {
    const { store, requests } = bench
    return inPlace(store, (ofAlone) =>
      running(
        startKarba(`${store.name}, creates alone`, { ...ofAlone, KARBA_ROLE: 'api' }),
        (alone) =>
          inPlace(store, (ofWhole) =>
            running(startKarba(`${store.name}, whole payments`, ofWhole), async (whole) => {
              await warmUp(alone)
              await warmUpAll(whole)
              const speeds: number[] = []
              const settled = await measureSettled(bench, whole, ofWhole, async () => {
                const { perSecond } = await load(alone, 'create', requests)
                speeds.push(perSecond)
                return perSecond
              })
              return [settled, await measureDuringBacklog(bench, whole, median(speeds))]
            }),
          ),
      ),
    )
  },
}

async function measureSettled(
  { store, rounds, requests }: Bench,
  whole: Measured,
  place: Settings,
  speedOfCreates: () => Promise<number>,
): Promise<Figure> {
  const ratios: number[] = []
  let speed = 0
  for (let round = 1; round <= rounds; round++) {
    progress(`${whole.name}: settling, round ${round} of ${rounds}`)
    const creates = await speedOfCreates()
    const before = await whole.counter(SETTLED)
    const { startedAt } = await load(whole, 'create', REQUESTS_FACTOR * requests, {
      msisdn: AT_ONCE,
    })
    await whole.hasCounted(SETTLED, before + REQUESTS_FACTOR * requests)
    const { count, last } = await settledBetween(place, startedAt, Date.now())
    speed = count / ((last - startedAt) / 1_000)
    ratios.push(speed / creates)
  }
  const what = `${store.name}: settled, of create alone`
  return {
    what,
    value: median(ratios),
    detail: `${Math.round(speed)} settled a second`,
    ...AIMS[store.name].settled,
  }
}

async function measureDuringBacklog(
  { store, rounds, requests }: Bench,
  whole: Measured,
  createsAlone: number,
) {
  progress(`${whole.name}: creates during a backlog of ${BACKLOG} pending payments`)
  await load(whole, 'create', BACKLOG, { msisdn: SLOW })
  const speeds: number[] = []
  for (let round = 0; round < rounds; round++)
    speeds.push((await load(whole, 'create', requests)).perSecond)
  const speed = median(speeds)
  const what = `${store.name}: create with ${BACKLOG} pending, of create alone`
  return {
    what,
    value: speed / createsAlone,
    detail: `${Math.round(speed)} a second`,
    ...AIMS[store.name].duringBacklog,
  }
}
