// A part of the bench: one subject with its figures for each store, and the comparison of its runs
// with a baseline.
import type { LoadResult } from './load.ts'
import type { Figure } from './report.ts'
import type { Measured } from './servers.ts'
import type { Settings, Store } from './stores.ts'

export interface Bench {
  store: Store
  bare: Measured
  rounds: number
  requests: number
  isQuick: boolean
  most: number
}

export interface Part {
  name: string
  /** Takes minutes: only in a full run, or when named. */
  isLong?: true
  measure(bench: Bench): Promise<Figure[]>
  finish?(): void
}

export async function inPlace<T>(store: Store, work: (place: Settings) => Promise<T>): Promise<T> {
  const place = await store.newPlace()
  try {
    return await work(place)
  } finally {
    await store.remove(place)
  }
}

export async function running<T>(
  started: Promise<Measured>,
  work: (server: Measured) => Promise<T>,
): Promise<T> {
  const server = await started
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

interface Compared<Result> {
  /** The median of the ratios of each run to the mean of the baseline before and after it. */
  ratioOf(figureOf: (result: Result) => number): number
  /** The last measured run. */
  last: Result
}

/** Runs and baseline alternate, because the machine is shared and its speed drifts. */
export async function compare<Result>(
  rounds: number,
  baseline: () => Promise<Result>,
  measured: () => Promise<Result>,
): Promise<Compared<Result>> {
  const bases = [await baseline()]
  const runs: Result[] = []
  for (let round = 0; round < rounds; round++) {
    runs.push(await measured())
    bases.push(await baseline())
  }
  return {
    ratioOf: (figureOf) => {
      const base = bases.map(figureOf)
      const around = (round: number) => ((base[round] as number) + (base[round + 1] as number)) / 2
      return median(runs.map((run, round) => figureOf(run) / around(round)))
    },
    last: runs.at(-1) as Result,
  }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

export const perSecond = (result: LoadResult): number => result.perSecond

export const speedOf = ({ perSecond, times }: LoadResult): string =>
  `${Math.round(perSecond)} a second, p99 ${times.p99Ms.toFixed(1)} ms at 64 connections`

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
