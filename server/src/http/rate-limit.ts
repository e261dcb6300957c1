// A rate limit for each caller's network: a token bucket that is full at first and refilled at a steady rate. An IPv6
// network also takes from larger buckets of the /56 and the /48 around it, so that one customer's 65,536 networks are
// not as many callers. Keeps a limited number of buckets; a network whose bucket was evicted begins with a full one
// again, which gains an attacker too little to be worth it.
import { boundedCache, getOrMake } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import { WIDER_SHARES, widerNetworks } from '../domain/fair-shares.ts'
import { networkOf } from './caller-network.ts'

export type Rate = { perSecond: number; burst: number }

const MOST_REMEMBERED = 10_000

type Bucket = { tokens: number; filledAt: number }

/** With a burst of five seconds' worth; 0 means no limit. */
export const rateOf = (perSecond: number): Rate => ({ perSecond, burst: 5 * perSecond })

/** Takes one token from the bucket of an address, or with 0 only looks; false when the bucket is empty. */
export function rateLimit(
  clock: Pick<Clock, 'now'>,
  { perSecond, burst }: Rate,
  mostRemembered = MOST_REMEMBERED,
): (address: string, tokens?: 0 | 1) => boolean {
  const caches = [1, ...WIDER_SHARES].map((share) => ({ share, buckets: boundedCache<Bucket>(mostRemembered) }))

  function bucketOf({ share, buckets }: (typeof caches)[number], network: string, now: number): Bucket {
    const bucket = getOrMake(buckets, network, () => ({ tokens: share * burst, filledAt: now }))
    // A clock that is set back neither adds nor removes tokens.
    const passedMs = Math.max(0, now - bucket.filledAt)
    bucket.tokens = Math.min(share * burst, bucket.tokens + (passedMs * share * perSecond) / 1_000)
    bucket.filledAt = now
    return bucket
  }

  if (burst === 0) return () => true
  return (address, tokens = 1) => {
    const now = clock.now()
    const network = networkOf(address)
    // The widest first: when it is empty, its many networks make no buckets of their own.
    const networks = [network, ...widerNetworks(network)]
    const taken: Bucket[] = []
    for (let at = networks.length - 1; at >= 0; at--) {
      const bucket = bucketOf(caches[at] as (typeof caches)[number], networks[at] as string, now)
      if (bucket.tokens < 1) return false
      taken.push(bucket)
    }
    for (const bucket of taken) bucket.tokens -= tokens
    return true
  }
}
