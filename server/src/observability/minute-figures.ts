// The last hour of this process, minute by minute, for the console's charts: what was created and settled, how long creates took, what waits for
// receivers. Plain numbers in a ring: a create costs one more increment.
import type { Clock } from '../domain/clock-and-random.ts'

const MINUTES = 60
const MINUTE_MS = 60_000
const BUCKETS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 1_000, 5_000]

interface Minute {
  /** Minutes since 1970. */
  minute: number
  created: number
  settled: number
  failed: number
  webhookBacklog: number
  latencies: number[]
}

interface MinuteFigure extends Omit<Minute, 'minute' | 'latencies'> {
  at: number
  /** In milliseconds, to the bucket's upper end; null when nothing was created. */
  createP50: number | null
  createP99: number | null
}

interface OperatorFigure {
  name: string
  succeeded: number
  failed: number
}

export interface MinuteFigures {
  created(seconds: number): void
  settled(status: string, operator: string): void
  backlog(count: number): void
  /** The oldest minute first; minutes without anything are there too. */
  read(): { minutes: MinuteFigure[]; operators: OperatorFigure[] }
}

const emptyMinute = (minute: number): Minute => ({
  ...{ minute, created: 0, settled: 0, failed: 0, webhookBacklog: 0 },
  latencies: new Array<number>(BUCKETS_MS.length + 1).fill(0),
})

export function minuteFigures(clock: Pick<Clock, 'now'>): MinuteFigures {
  const ring = new Array<Minute | undefined>(MINUTES).fill(undefined)
  const operators = new Map<string, OperatorFigure>()

  function now(): Minute {
    const minute = Math.floor(clock.now() / MINUTE_MS)
    const place = minute % MINUTES
    const held = ring[place]
    if (held?.minute === minute) return held
    const fresh = emptyMinute(minute)
    ring[place] = fresh
    return fresh
  }

  return {
    created(seconds) {
      const minute = now()
      minute.created++
      let at = 0
      while (at < BUCKETS_MS.length && seconds * 1_000 > (BUCKETS_MS[at] as number)) at++
      minute.latencies[at] = (minute.latencies[at] as number) + 1
    },
    settled(status, operator) {
      const minute = now()
      const figure = operators.get(operator) ?? { name: operator, succeeded: 0, failed: 0 }
      operators.set(operator, figure)
      if (status === 'succeeded') {
        minute.settled++
        figure.succeeded++
      } else if (status === 'failed') {
        minute.failed++
        figure.failed++
      }
    },
    backlog: (count) => {
      now().webhookBacklog = count
    },
    read() {
      const last = Math.floor(clock.now() / MINUTE_MS)
      const minutes = Array.from({ length: MINUTES }, (_, at) => {
        const minute = last - MINUTES + 1 + at
        const held = ring[minute % MINUTES]
        return figureOf(held?.minute === minute ? held : emptyMinute(minute))
      })
      return { minutes, operators: [...operators.values()] }
    },
  }
}

function figureOf({ minute, latencies, ...counts }: Minute): MinuteFigure {
  const [createP50, createP99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return { at: minute * MINUTE_MS, ...counts, createP50, createP99 }
}

function quantile(counts: readonly number[], share: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return null
  let below = 0
  for (const [at, count] of counts.entries()) {
    below += count
    if (below >= all * share) return BUCKETS_MS[at] ?? (BUCKETS_MS.at(-1) as number)
  }
  return BUCKETS_MS.at(-1) as number
}
