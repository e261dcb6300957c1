// The last hour minute by minute, for the console: what a process counts, and the sum over all
// processes.

export const MINUTES = 60
export const MINUTE_MS = 60_000
const BUCKETS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 5_000]

type Outcomes = { succeeded: number; failed: number }

export interface MinuteCounts {
  /** Minutes since 1970. */
  minute: number
  created: number
  settled: number
  failed: number
  webhookBacklog: number
  /** How many creates took how long, by bucket; the last is for those that took longer. */
  latencies: number[]
  operators: Record<string, Outcomes>
}

interface MinuteFigure extends Omit<MinuteCounts, 'minute' | 'latencies' | 'operators'> {
  at: number
  /** In milliseconds, to the bucket's upper end; null when nothing was created. */
  createP50: number | null
  createP99: number | null
}

export const emptyMinute = (minute: number): MinuteCounts => ({
  minute,
  created: 0,
  settled: 0,
  failed: 0,
  webhookBacklog: 0,
  operators: {},
  latencies: new Array<number>(BUCKETS_MS.length + 1).fill(0),
})

export function bucketOf(seconds: number): number {
  const at = BUCKETS_MS.findIndex((most) => seconds * 1_000 <= most)
  return at === -1 ? BUCKETS_MS.length : at
}

/**
 * The hour that ends with `last`, over all processes. The oldest minute first; minutes without
 * anything are there too.
 */
export function sumHour(counts: readonly MinuteCounts[], last: number) {
  const hour = Array.from({ length: MINUTES }, (_, at) => emptyMinute(last - MINUTES + 1 + at))
  const operators = new Map<string, Outcomes & { name: string }>()
  for (const each of counts) {
    const sum = hour[each.minute - last + MINUTES - 1]
    if (sum === undefined) continue
    sum.created += each.created
    sum.settled += each.settled
    sum.failed += each.failed
    // Every worker counts what waits in the whole store.
    sum.webhookBacklog = Math.max(sum.webhookBacklog, each.webhookBacklog)
    sum.latencies = sum.latencies.map((count, at) => count + (each.latencies[at] ?? 0))
    for (const [name, { succeeded, failed }] of Object.entries(each.operators)) {
      const before = operators.get(name) ?? { name, succeeded: 0, failed: 0 }
      operators.set(name, {
        name,
        succeeded: before.succeeded + succeeded,
        failed: before.failed + failed,
      })
    }
  }
  const byName = (one: { name: string }, other: { name: string }) =>
    one.name < other.name ? -1 : 1
  return { minutes: hour.map(figureOf), operators: [...operators.values()].sort(byName) }
}

function figureOf({ minute, latencies, operators: _, ...counts }: MinuteCounts): MinuteFigure {
  const [createP50, createP99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return { at: minute * MINUTE_MS, ...counts, createP50, createP99 }
}

function quantile(counts: readonly number[], share: number): number | null {
  let all = 0
  const sums = counts.map((count) => {
    all += count
    return all
  })
  const at = sums.findIndex((sum) => sum >= all * share)
  return all === 0 ? null : (BUCKETS_MS[at] ?? (BUCKETS_MS.at(-1) as number))
}
