// The rate limit for each caller's network: a token bucket, full at first and refilled at a steady
// rate. An IPv6 network also takes from larger buckets of the /56 and the /48 around it, so that
// one customer's 65,536 networks are not as many callers. Buckets are limited in number. A network
// whose bucket was evicted begins with a full one again, which gains an attacker too little to be
// worth it. Packages such as rate-limiter-flexible count in windows, and a union of their limits
// takes from all of them even when one is used up.

import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../domain/clock-and-random.ts'
import { WIDER_SHARES, widerNetworks } from '../domain/limits/fair-shares.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'

export type Rate = { perSecond: number; burst: number }

const MOST_REMEMBERED = 10_000

type Bucket = { tokens: number; filledAt: number }

/** With a burst of five seconds' worth; 0 means no limit. */
export const rateOf = (perSecond: number): Rate => ({ perSecond, burst: 5 * perSecond })

/**
 * Takes one token from the bucket of an address, or with 0 only looks; false when the bucket is
 * empty.
 */
export function rateLimit(
  clock: Pick<Clock, 'now'>,
  { perSecond, burst }: Rate,
  mostRemembered = MOST_REMEMBERED,
): (address: string, tokens?: 0 | 1) => boolean {
  const caches = [1, ...WIDER_SHARES].map((share) => ({
    share,
    buckets: new LRUCache<string, Bucket>({ max: mostRemembered }),
  }))

  function bucketOf(
    { share, buckets }: (typeof caches)[number],
    network: string,
    now: number,
  ): Bucket {
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

/**
 * The network that a caller is in, for limits and logs: an IPv4 address, or the /64 of an IPv6
 * address, which a home or a phone has for itself, so that one client cannot pose as many. Without
 * a port or a zone.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const bare = withoutPort(address)
  if (isIP(bare) !== 6) return bare
  // Normalised by the URL parser first: ipaddr.js misreads `::1.2.3.4` as `::ffff:1.2.3.4`.
  const ip = ipaddr.process(new URL(`http://[${bare}]/`).hostname.slice(1, -1))
  if (ip instanceof ipaddr.IPv4) return ip.toString()
  const first = ip.parts.slice(0, 4).map((part) => part.toString(16))
  return `${first.join(':')}::/64`
}

/**
 * `1.2.3.4:5678` and `[2001:db8::1]:5678`, as some proxies write them; the zone of a link-local
 * address as well.
 */
function withoutPort(address: string): string {
  const inBrackets = /^\[([^\]]*)\]/.exec(address)?.[1]
  const bare =
    inBrackets ?? (/^[\d.]+:\d+$/.test(address) ? address.slice(0, address.indexOf(':')) : address)
  return bare.replace(/%.*$/, '')
}

/** Whether an address is in one of the networks of a list such as `10.0.0.0/8,::1`. */
export function networkList(list: string): (address: string) => boolean {
  const networks = new BlockList()
  for (const item of list.split(',').filter((each) => each !== '')) {
    const [address = '', bits] = item.trim().split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
