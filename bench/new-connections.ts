// How long new clients wait at a busy server: 500 connections are opened at once while 64 others create at full speed, each sent the next
// request as soon as it has its answer. Relative to the bare server under the same load.
import type { LoadResult } from './load.ts'
import { type Bench, compare, inPlace, type Part, progress, running } from './part.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUpAll } from './servers.ts'

const BURST = 500

export const newConnections: Part = {
  name: 'connections',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        progress(`${karba.name}: ${BURST} new connections at a busy server`)
        let bareP99Ms = 0
        const ofBare = async (): Promise<LoadResult> => {
          const result = await load(bare, 'create', requests, { burst: BURST })
          bareP99Ms = result.burst.p99Ms
          return result
        }
        const { ratio, last } = await compare(
          rounds,
          ofBare,
          () => burstAt(karba, requests),
          ({ burst }) => burst.p99Ms,
        )
        const { perSecond, burst } = last
        const what = `${store.name}: p99 to the first answer of ${BURST} new connections, role all, of bare`
        const detail = `${burst.p99Ms.toFixed(0)} and ${bareP99Ms.toFixed(0)} ms, beside ${Math.round(perSecond)} creates a second on 64 connections`
        return [{ what, value: ratio, detail, atMost: 6 }]
      }),
    ),
}

async function burstAt(karba: Measured, requests: number): Promise<LoadResult> {
  const before = await karba.counter(SETTLED)
  const result = await load(karba, 'create', requests, { msisdn: AT_ONCE, burst: BURST })
  await karba.hasCounted(SETTLED, before + result.answered)
  return result
}
