// Creates and reads on a process that does everything, as `npm start` starts it, while it settles what was created. The baseline is only
// measured once nothing is left to settle: on two cores, settling would slow it down too.
import { compare, progress, speedOf } from './compare.ts'
import type { LoadResult } from './load.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import type { Figure } from './report.ts'
import { settledBetween } from './resources.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUpAll } from './servers.ts'
import type { Settings } from './stores.ts'

/** Of the requests: so many payments are created just before, so that there is something to settle from the first to the last. */
const LEAD = { create: 0.3, read: 1.5 } as const

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
          let meanwhile = ''
          const measured = async (): Promise<LoadResult> => {
            const { result, settled, until } = await whileSettling(karba, place, kind, requests)
            meanwhile = `${Math.round(settled / result.seconds)} settled a second during ${Math.round(100 * until)} % of it`
            return result
          }
          const { ratio, last } = await compare(rounds, () => load(bare, kind, requests), measured)
          const what = `${store.name}: ${kind}, role all, while settling, of ${BARE[kind]}`
          const detail = `${speedOf(last)}, ${meanwhile}`
          figures.push({ what, value: ratio, detail, ...AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}

async function whileSettling(karba: Measured, place: Settings, kind: 'create' | 'read', requests: number) {
  const order = { msisdn: AT_ONCE }
  const before = await karba.counter(SETTLED)
  const lead = requests * LEAD[kind]
  await load(karba, 'create', lead, order)
  const result = await load(karba, kind, requests, kind === 'create' ? order : {})
  const { startedAt, seconds } = result
  const { count: settled, last } = await settledBetween(place, startedAt, startedAt + seconds * 1_000)
  if (settled === 0) throw new Error(`nothing was settled during the ${kind}s`)
  await karba.hasCounted(SETTLED, before + lead + (kind === 'create' ? requests : 0))
  return { result, settled, until: (last - startedAt) / (seconds * 1_000) }
}
