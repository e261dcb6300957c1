// How often an address may ask: a bucket of tokens for each, full at first and filled again at a steady rate. Remembers a limited
// number of addresses; one that is forgotten begins with a full bucket again, which an attacker gains nothing worth having by.
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'

export interface Rate {
  perSecond: number
  burst: number
}

const MOST_REMEMBERED = 10_000

interface Bucket {
  tokens: number
  filledAt: number
}

/** So many a second, five times as many at once; none at all when it is 0. */
export const rateOf = (perSecond: number): Rate => ({ perSecond, burst: 5 * perSecond })

/** Gives back what takes one token of an address, and says false when there is none. */
export function rateLimit(
  clock: Pick<Clock, 'now'>,
  { perSecond, burst }: Rate,
  mostRemembered = MOST_REMEMBERED,
): (address: string) => boolean {
  const buckets = boundedCache<Bucket>(mostRemembered)

  function bucketOf(address: string, now: number): Bucket {
    let bucket = buckets.get(address)
    if (bucket === undefined) {
      bucket = { tokens: burst, filledAt: now }
      buckets.set(address, bucket)
    }
    return bucket
  }

  if (burst === 0) return () => true
  return (address) => {
    const now = clock.now()
    const bucket = bucketOf(address, now)
    // A clock that is set back fills nothing and takes nothing away.
    const passedMs = Math.max(0, now - bucket.filledAt)
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs * perSecond) / 1_000)
    bucket.filledAt = now
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }
}
