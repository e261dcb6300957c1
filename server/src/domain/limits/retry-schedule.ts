// When a failed call is made again: retry schedules, and the circuit breaker. Packages such as
// opossum and cockatiel wrap the call and use the clock of the process; here time is an argument.

// A failed webhook delivery (D-28): ten attempts over about three days, with a jitter of a fifth,
// so that a receiver that recovers does not get everything at once. Pure: time and random fraction
// are arguments.
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delays between attempts. */
const DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
const JITTER = 0.2

/**
 * A receiver that asks for a year gets a day: the merchant must learn of the failure while it can
 * still be fixed.
 */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR_MS

/** `fraction` is random, from 0 to 1. Undefined after the last attempt. */
export function nextAttemptInMs(
  attemptsMade: number,
  fraction: number,
  retryAfterMs: number | null = null,
): number | undefined {
  if (attemptsMade === 0) return 0
  const delay = DELAYS_MS[attemptsMade - 1]
  if (delay === undefined) return undefined
  const jittered = Math.round(delay * (1 - JITTER + 2 * JITTER * fraction))
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS))
}

/**
 * A Retry-After header, in seconds or as an HTTP date, as milliseconds from now; null when it is
 * neither.
 */
export function readRetryAfter(text: string, now: number): number | null {
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : httpDate(text) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/**
 * Only the form of an HTTP date: Date.parse alone would read `-1` or `5 minutes` as a year or a
 * month.
 */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
}

// The circuit breaker in front of an operator or a webhook receiver: closed while calls succeed,
// open for a while after too many failures in a row, then half-open, where single calls are made
// until one succeeds. Pure: state, outcome, time and limits are arguments.

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
  return {
    failures: failures + 1,
    openUntil: now + Math.min(shortestOpenMs * 2 ** doublings, longestOpenMs),
  }
}

/** A clock that is set back does not keep it open for longer. */
export const isOpen = (
  { openUntil }: CircuitBreaker,
  now: number,
  { longestOpenMs }: BreakerLimits,
): boolean => openUntil > now && openUntil - now <= longestOpenMs

/** Open or half-open: the last calls failed, and none has succeeded since. */
export const isTripped = (
  { failures }: CircuitBreaker,
  { failuresUntilOpen }: BreakerLimits,
): boolean => failures >= failuresUntilOpen
