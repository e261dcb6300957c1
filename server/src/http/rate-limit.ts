// A rate limit for each caller's network: a token bucket that is full at first and refilled at a steady rate. Keeps a limited number of buckets; a
// network whose bucket was evicted begins with a full one again, which gains an attacker too little to be worth it.
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { networkOf } from './caller-network.ts'

export interface Rate {
  perSecond: number
  burst: number
}

const MOST_REMEMBERED = 10_000

interface Bucket {
  tokens: number
  filledAt: number
}

/** With a burst of five seconds' worth; 0 means no limit. */
export const rateOf = (perSecond: number): Rate => ({ perSecond, burst: 5 * perSecond })

/** Returns a function that takes one token from the bucket of an address, or with 0 only looks; it is false when the bucket is empty. */
export function rateLimit(
  clock: Pick<Clock, 'now'>,
  { perSecond, burst }: Rate,
  mostRemembered = MOST_REMEMBERED,
): (address: string, tokens?: 0 | 1) => boolean {
  const buckets = boundedCache<Bucket>(mostRemembered)

  function bucketOf(network: string, now: number): Bucket {
    let bucket = buckets.get(network)
    if (bucket === undefined) {
      bucket = { tokens: burst, filledAt: now }
      buckets.set(network, bucket)
    }
    return bucket
  }

  if (burst === 0) return () => true
  return (address, tokens = 1) => {
    const now = clock.now()
    const bucket = bucketOf(networkOf(address), now)
    // A clock that is set back neither adds nor removes tokens.
    const passedMs = Math.max(0, now - bucket.filledAt)
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs * perSecond) / 1_000)
    bucket.filledAt = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= tokens
    return true
  }
}
