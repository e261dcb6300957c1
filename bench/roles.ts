// Creates and reads relative to a bare Fastify with bodies of the same size: on a process that only answers merchants (KARBA_ROLE=api), and on
// one that does everything, as `npm start` starts it, while it settles what was created.

import type { LoadResult } from './load.ts'
import { type Bench, compare, inPlace, type Part, progress, running, speedOf } from './part.ts'
import type { Figure } from './report.ts'
import { settledBetween } from './resources.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUp, warmUpAll } from './servers.ts'
import type { Settings } from './stores.ts'

const KINDS = ['create', 'read'] as const
type Kind = (typeof KINDS)[number]
const BARE = { create: 'a bare POST', read: 'a bare GET' } as const

const API_AIMS = { SQLite: { create: 0.45, read: 0.65 }, PostgreSQL: { create: 0.28, read: 0.4 } } as const

export const roleApi: Part = {
  name: 'api',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role api`, { ...place, KARBA_ROLE: 'api' }), async (karba) => {
        await warmUp(karba)
        const figures: Figure[] = []
        for (const kind of KINDS) {
          progress(`${karba.name}: ${kind} against ${BARE[kind]}`)
          const { ratio, last } = await compare(
            rounds,
            () => load(bare, kind, requests),
            () => load(karba, kind, requests),
          )
          const what = `${store.name}: ${kind}, role api, of ${BARE[kind]}`
          figures.push({ what, value: ratio, detail: speedOf(last), atLeast: API_AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}

/** Payments created just before a run, per request of it, so that there is something to settle from the first to the last. */
const LEAD = { create: 0.3, read: 1.5 } as const

const ALL_AIMS = { SQLite: { create: { atLeast: 0.35 }, read: { atLeast: 0.6 } }, PostgreSQL: { create: {}, read: {} } }

/** The baseline is measured only when nothing is left to settle: on two cores, settling would slow it down too. */
export const roleAll: Part = {
  name: 'all',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        const figures: Figure[] = []
        for (const kind of KINDS) {
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
          figures.push({ what, value: ratio, detail, ...ALL_AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}

async function whileSettling(karba: Measured, place: Settings, kind: Kind, requests: number) {
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
