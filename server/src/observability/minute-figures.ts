// What this process counted in each minute of the last hour. Plain numbers in a ring: a create costs one more increment.
import type { Clock } from '../domain/clock-and-random.ts'
import { bucketOf, emptyMinute, MINUTE_MS, MINUTES, type MinuteCounts } from '../domain/minute-figures.ts'

export interface MinuteFigures {
  created(seconds: number): void
  settled(status: string, operator: string): void
  backlog(count: number): void
  /** Those of the last hour in which anything was counted. */
  counted(): MinuteCounts[]
}

/** `changed` is told of each minute that counts something, at every count. */
export function minuteFigures(clock: Pick<Clock, 'now'>, changed: (minute: MinuteCounts) => void): MinuteFigures {
  const ring = new Array<MinuteCounts | undefined>(MINUTES).fill(undefined)

  function now(): MinuteCounts {
    const minute = Math.floor(clock.now() / MINUTE_MS)
    const held = ring[minute % MINUTES]
    if (held?.minute === minute) return held
    const fresh = emptyMinute(minute)
    ring[minute % MINUTES] = fresh
    return fresh
  }

  return {
    created(seconds) {
      const minute = now()
      minute.created++
      const bucket = bucketOf(seconds)
      minute.latencies[bucket] = (minute.latencies[bucket] as number) + 1
      changed(minute)
    },
    settled(status, operator) {
      if (status !== 'succeeded' && status !== 'failed') return
      const minute = now()
      const outcomes = minute.operators[operator] ?? { succeeded: 0, failed: 0 }
      minute.operators[operator] = outcomes
      outcomes[status]++
      minute[status === 'succeeded' ? 'settled' : 'failed']++
      changed(minute)
    },
    backlog(count) {
      const minute = now()
      if (minute.webhookBacklog === count) return
      minute.webhookBacklog = count
      changed(minute)
    },
    counted: () => ring.filter((held) => held !== undefined),
  }
}
