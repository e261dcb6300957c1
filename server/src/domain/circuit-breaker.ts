// The circuit breaker in front of whoever we call: closed while calls go well, open for a while after too many failures in a row, then half-open,
// which lets single calls through until one goes well. Pure: the state, what happened, the time and the limits are arguments.

export interface CircuitBreaker {
  /** In a row. */
  failures: number
  /** Nobody is called before this time. */
  openUntil: number
}

export interface BreakerLimits {
  failuresUntilOpen: number
  /** How long it is open the first time. Each failure after that doubles it. */
  shortestOpenMs: number
  longestOpenMs: number
}

export const CLOSED: CircuitBreaker = { failures: 0, openUntil: 0 }

/** A failure while it is open counts and opens it anew; a success ends the count, and lets the time that was set run out. */
export function afterCall(
  { failures, openUntil }: CircuitBreaker,
  outcome: 'success' | 'failure',
  now: number,
  { failuresUntilOpen, shortestOpenMs, longestOpenMs }: BreakerLimits,
): CircuitBreaker {
  if (outcome === 'success') return { failures: 0, openUntil }
  const doublings = failures + 1 - failuresUntilOpen
  if (doublings < 0) return { failures: failures + 1, openUntil }
  return { failures: failures + 1, openUntil: now + Math.min(shortestOpenMs * 2 ** doublings, longestOpenMs) }
}

export const isOpen = ({ openUntil }: CircuitBreaker, now: number): boolean => openUntil > now

/** Open or half-open: the last calls failed, and none has gone well since. */
export const isTripped = ({ failures }: CircuitBreaker, { failuresUntilOpen }: BreakerLimits): boolean =>
  failures >= failuresUntilOpen
