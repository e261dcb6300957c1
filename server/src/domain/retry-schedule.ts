// When a webhook that was not taken is tried again (D-28): ten attempts over about three days, spread by a fifth either way so
// that a receiver that comes back is not met by everything at once. Pure: the time and the draw are arguments.

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** What lies between one attempt and the next. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
const SPREAD = 0.2

/** A receiver that asks for a year gets a day: the merchant must hear of it while it can still be mended. */
const LONGEST_RETRY_AFTER_MS = 24 * HOUR_MS

/** How long to wait when so many attempts were made, with `fraction` drawn from 0 to 1; undefined when that was the last. */
export function nextAttemptInMs(
  attemptsMade: number,
  fraction: number,
  retryAfterMs: number | null = null,
): number | undefined {
  if (attemptsMade === 0) return 0
  const pause = PAUSES_MS[attemptsMade - 1]
  if (pause === undefined) return undefined
  const spread = Math.round(pause * (1 - SPREAD + 2 * SPREAD * fraction))
  return Math.max(spread, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS))
}

/** A Retry-After header, in seconds or as an HTTP date, as milliseconds from now; null when it is neither. */
export function readRetryAfter(text: string, now: number): number | null {
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : httpDate(text) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS)
}

/** Only the form that HTTP asks for: left to itself, Date.parse takes `-1` or `5 minutes` for a year or a month. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN
}
