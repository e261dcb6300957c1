// When a request that failed as never_received is asked about again: soon at first, then ever more rarely, for three days. Some networks take
// hours to say what they did; nobody looks at a payment that failed, so we do.

const MINUTE_MS = 60_000

export const LONGEST_RECHECK_MS = 6 * 60 * MINUTE_MS
export const RECHECKED_FOR_MS = 72 * 60 * MINUTE_MS

/** A quarter of the time that has passed since the failure: about 30 checks in all. */
export const nextRecheckInMs = (sinceFailureMs: number): number =>
  Math.min(Math.max(MINUTE_MS, Math.round(sinceFailureMs / 4)), LONGEST_RECHECK_MS)
