// Creates and reads on a process that does everything, as `npm start` starts it, while it settles what was created. The baseline is only
// measured once nothing is left to settle: on two cores, settling would slow it down too.
import { compare, progress, speedOf } from './compare.ts'
import type { LoadResult } from './load.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import type { Figure } from './report.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUpAll } from './servers.ts'

/** Of the requests: so many are created just before the others, so that there is something to settle from the first to the last. */
const LEAD = 0.3
/** Of the reads: so many payments are created beside them, by a shop with two connections, and settled at once. */
const BESIDE_READS = { share: 0.2, connections: 2 } as const

const AIMS = { SQLite: { create: { atLeast: 0.45 }, read: { atLeast: 0.65 } }, PostgreSQL: { create: {}, read: {} } }
const BARE = { create: 'a bare POST', read: 'a bare GET' } as const

export const roleAll: Part = {
  name: 'all',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        const figures: Figure[] = []
        for (const kind of ['create', 'read'] as const) {
          progress(`${karba.name}: ${kind} against ${BARE[kind]} while payments are being settled`)
          let settledMeanwhile = 0
          const measured = async (): Promise<LoadResult> => {
            const { result, settled } = await whileSettling(karba, kind, requests)
            settledMeanwhile = settled / result.seconds
            return result
          }
          const { ratio, last } = await compare(rounds, () => load(bare, kind, requests), measured)
          const what = `${store.name}: ${kind}, role all, while settling, of ${BARE[kind]}`
          const detail = `${speedOf(last)}, ${Math.round(settledMeanwhile)} settled a second meanwhile`
          figures.push({ what, value: ratio, detail, ...AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}

async function whileSettling(karba: Measured, kind: 'create' | 'read', requests: number) {
  const order = { msisdn: AT_ONCE }
  const before = await karba.counter(SETTLED)
  const lead = requests * LEAD
  if (kind === 'create') await load(karba, 'create', lead, order)
  const begun = await karba.counter(SETTLED)
  const { share, connections } = BESIDE_READS
  const beside = kind === 'read' ? load(karba, 'create', requests * share, { ...order, connections }) : undefined
  if (kind === 'read') await karba.hasCounted(SETTLED, before + 1)
  const result = await load(karba, kind, requests, kind === 'create' ? order : {})
  const settled = (await karba.counter(SETTLED)) - begun
  if (settled === 0) throw new Error(`nothing was settled during the ${kind}s`)
  await beside
  await karba.hasCounted(SETTLED, before + (kind === 'create' ? lead + requests : requests * share))
  return { result, settled }
}
