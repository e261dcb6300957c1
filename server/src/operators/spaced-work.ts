// Work that is asked for by a key, once in a while and no more: who asks again meanwhile shares the next turn.
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'

/** Returns a function that does the work for a key once `everyMs` have passed since it was last begun. With `most` keys waiting, one more is dropped. */
export function spacedWork(
  clock: Clock,
  everyMs: number,
  most: number,
): (key: string, work: () => Promise<void>) => Promise<void> {
  const waiting = new Map<string, Promise<void>>()
  const begunAt = boundedCache<number>(most)

  function begin(key: string, work: () => Promise<void>): Promise<void> {
    begunAt.set(key, clock.now())
    return work()
  }

  return (key, work) => {
    const passedMs = clock.now() - (begunAt.get(key) ?? Number.NEGATIVE_INFINITY)
    const already = waiting.get(key)
    if (already !== undefined) return already
    // A clock that is set back does not make anybody wait longer.
    if (passedMs >= everyMs || passedMs < 0) return begin(key, work)
    if (waiting.size >= most) return Promise.resolve()
    const turn = new Promise<void>((resolve) => clock.after(everyMs - passedMs, resolve)).then(() => {
      waiting.delete(key)
      return begin(key, work)
    })
    waiting.set(key, turn)
    return turn
  }
}
