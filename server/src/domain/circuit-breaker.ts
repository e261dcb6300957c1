// The circuit breaker in front of an operator or a webhook receiver: closed while calls succeed, open for a while after
// too many failures in a row, then half-open, where single calls are made until one succeeds. Pure: state, outcome,
// time and limits are arguments.

export interface CircuitBreaker {
  /** Consecutive failures. */
  failures: number
  openUntil: number
}

export interface BreakerLimits {
  failuresUntilOpen: number
  /** How long it is open the first time. Each failure after that doubles it. */
  shortestOpenMs: number
  longestOpenMs: number
}

export const CLOSED: CircuitBreaker = { failures: 0, openUntil: 0 }

/** A failure while open restarts the open time. A success resets the count, not the open time. */
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

/** A clock that is set back does not keep it open for longer. */
export const isOpen = ({ openUntil }: CircuitBreaker, now: number, { longestOpenMs }: BreakerLimits): boolean =>
  openUntil > now && openUntil - now <= longestOpenMs

/** Open or half-open: the last calls failed, and none has succeeded since. */
export const isTripped = ({ failures }: CircuitBreaker, { failuresUntilOpen }: BreakerLimits): boolean =>
  failures >= failuresUntilOpen
