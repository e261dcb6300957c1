// Keeps what was read for a while: a reading that asks the store costs the same however often it is asked for, by whomever.
import type { Clock } from '../domain/clock-and-random.ts'

/** Reads at most once in `ms`; callers in between share the last reading, also while it is under way. */
export function keptFor<Reading>(
  clock: Pick<Clock, 'now'>,
  ms: number,
  read: () => Promise<Reading>,
): () => Promise<Reading> {
  let reading: Promise<Reading> | undefined
  let readAt = 0
  return () => {
    const now = clock.now()
    // A clock that is set back must not keep a reading for longer.
    if (reading === undefined || Math.abs(now - readAt) >= ms) {
      readAt = now
      reading = read()
    }
    return reading
  }
}
