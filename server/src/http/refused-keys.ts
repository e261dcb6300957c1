// Counts the keys that are refused, by the network they come from: one that tries many is told in the log, once a minute.
import type { Logger } from 'pino'
import { boundedCache } from '../domain/bounded-cache.ts'
import type { Clock } from '../domain/clock-and-random.ts'

const MOST_NETWORKS = 10_000
const MINUTE_MS = 60_000
/** A merchant's shop with an old key tries it as often as it sells; more than this in a minute is worth a look. */
const TOLD_AT = 30

interface Tries {
  since: number
  count: number
}

/** Returns a function that counts one refused key of a network. */
export function refusedKeys(clock: Pick<Clock, 'now'>, log: Pick<Logger, 'warn'>): (network: string) => void {
  const networks = boundedCache<Tries>(MOST_NETWORKS)
  return (network) => {
    const now = clock.now()
    let tries = networks.get(network)
    if (tries === undefined || Math.abs(now - tries.since) >= MINUTE_MS) {
      tries = { since: now, count: 0 }
      networks.set(network, tries)
    }
    tries.count++
    if (tries.count === TOLD_AT) log.warn({ network }, `${TOLD_AT} keys of this network were refused within a minute`)
  }
}
