// Creates and reads on a process that only answers merchants (KARBA_ROLE=api), relative to a bare Fastify with bodies of the same size.
import { compare, progress, speedOf } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import { load, startKarba, warmUp } from './servers.ts'

const AIMS = { SQLite: { create: 0.55, read: 0.75 }, PostgreSQL: { create: 0.28, read: 0.4 } } as const
const BARE = { create: 'a bare POST', read: 'a bare GET' } as const

export const roleApi: Part = {
  name: 'api',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role api`, { ...place, KARBA_ROLE: 'api' }), async (karba) => {
        await warmUp(karba)
        const figures = []
        for (const kind of ['create', 'read'] as const) {
          progress(`${karba.name}: ${kind} against ${BARE[kind]}`)
          const { ratio, last } = await compare(
            rounds,
            () => load(bare, kind, requests),
            () => load(karba, kind, requests),
          )
          const what = `${store.name}: ${kind}, role api, of ${BARE[kind]}`
          figures.push({ what, value: ratio, detail: speedOf(last), atLeast: AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}
