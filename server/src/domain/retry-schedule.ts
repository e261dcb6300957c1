// Retry schedules. A failed webhook delivery (D-28): ten attempts over about three days, with a jitter of a fifth, so
// that a receiver that recovers does not get everything at once. Pure: time and random fraction are arguments.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** Delays between attempts. */
const DELAYS_MS: readonly number[] = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
]
const JITTER = 0.2

/** A receiver that asks for a year gets a day: the merchant must learn of the failure while it can still be fixed. */
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

/** A Retry-After header, in seconds or as an HTTP date, as milliseconds from now; null when it is neither. */
export function readRetryAfter(text: string, now: number): number | null {
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : httpDate(text) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/** Only the form of an HTTP date: Date.parse alone would read `-1` or `5 minutes` as a year or a month. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}
