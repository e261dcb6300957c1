// The slowest answers of a process that does everything: 64 connections are opened at once, and create. The first answers of new
// connections count, and so does whatever the process does meanwhile: settling, checkpoints, collecting garbage.
import { median, progress } from './compare.ts'
import type { Times } from './load.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import { AT_ONCE, load, SETTLED, startKarba, warmUpAll } from './servers.ts'

/** At least: of fewer, the first answers of the 64 connections would be more than one in a hundred. */
const LEAST_REQUESTS = 10_000

const p99 = ({ p99Ms, p50Ms }: Times): number => p99Ms / p50Ms
const max = ({ maxMs, p50Ms }: Times): number => maxMs / p50Ms

export const tails: Part = {
  name: 'tails',
  measure: ({ store, bare, rounds, ...bench }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        const requests = Math.max(bench.requests, LEAST_REQUESTS)
        const ours: Times[] = []
        const bares: Times[] = []
        for (let round = 1; round <= rounds; round++) {
          progress(`${karba.name}: the slowest answers, round ${round} of ${rounds}`)
          bares.push((await load(bare, 'create', requests)).times)
          const before = await karba.counter(SETTLED)
          ours.push((await load(karba, 'create', requests, { msisdn: AT_ONCE })).times)
          await karba.hasCounted(SETTLED, before + requests)
        }
        const ms = (of: (times: Times) => number) => median(ours.map(of)).toFixed(1)
        const figure = (name: string, ratio: (times: Times) => number, slowMs: (times: Times) => number) => ({
          what: `${store.name}: ${name} of creates, role all, of p50`,
          value: median(ours.map(ratio)),
          detail: `${ms(slowMs)} and ${ms(({ p50Ms }) => p50Ms)} ms; on the bare server ${median(bares.map(ratio)).toFixed(2)}`,
        })
        return [
          { ...figure('p99', p99, ({ p99Ms }) => p99Ms), atMost: 4 },
          { ...figure('slowest', max, ({ maxMs }) => maxMs), atMost: 12 },
        ]
      }),
    ),
}
