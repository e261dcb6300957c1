// Compares what is measured with its baseline: their runs take turns, because the machine is shared and its speed drifts.
import type { LoadResult } from './load.ts'

export interface Compared {
  /** The median of the ratios of each run to the mean of the baseline's runs before and after it. */
  ratio: number
  /** The last run of what is measured. */
  last: LoadResult
}

export async function compare(
  rounds: number,
  baseline: () => Promise<LoadResult>,
  measured: () => Promise<LoadResult>,
  figureOf: (result: LoadResult) => number = ({ perSecond }) => perSecond,
): Promise<Compared> {
  const ratios: number[] = []
  let last: LoadResult | undefined
  let before = figureOf(await baseline())
  for (let round = 0; round < rounds; round++) {
    last = await measured()
    const after = figureOf(await baseline())
    ratios.push(figureOf(last) / ((before + after) / 2))
    before = after
  }
  return { ratio: median(ratios), last: last as LoadResult }
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

export const speedOf = ({ perSecond, times }: LoadResult): string =>
  `${Math.round(perSecond)} a second, p99 ${times.p99Ms.toFixed(1)} ms at 64 connections`

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}
