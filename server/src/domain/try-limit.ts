// Exponential backoff of sign-in tries: a few are free, and each further one makes the next wait twice as long. Counted
// by account and by network; both are forgotten after a quiet day (ADR-0014).

export type Tries = { failures: number; lastAt: number; blockedUntil: number }

export type TryLimit = { free: number; firstWaitMs: number; longestWaitMs: number }

const MINUTE_MS = 60_000

/** A stranger who knows the address can make its owner wait, so the longest wait is short. */
export const ACCOUNT_TRIES: TryLimit = { free: 5, firstWaitMs: MINUTE_MS / 2, longestWaitMs: 15 * MINUTE_MS }
/** Many people may share an address (carrier NAT). */
export const NETWORK_TRIES: TryLimit = { free: 50, firstWaitMs: MINUTE_MS / 2, longestWaitMs: 60 * MINUTE_MS }
/** Emails and new merchants that one network may request; none is given back. */
export const EMAIL_TRIES: TryLimit = { free: 10, firstWaitMs: MINUTE_MS, longestWaitMs: 60 * MINUTE_MS }

/** Emails that ask one address for its confirmation: strangers can sign up with it. */
export const CONFIRMATION_TRIES: TryLimit = { free: 3, firstWaitMs: 5 * MINUTE_MS, longestWaitMs: 60 * MINUTE_MS }

/** Invitations to one address, from all merchants together. */
export const INVITED_TRIES: TryLimit = { free: 3, firstWaitMs: 10 * MINUTE_MS, longestWaitMs: 24 * 60 * MINUTE_MS }
/** Invitations of one merchant: a whole team may be invited in one go. */
export const INVITING_TRIES: TryLimit = { free: 20, firstWaitMs: MINUTE_MS, longestWaitMs: 60 * MINUTE_MS }

export const FORGOTTEN_AFTER_MS = 24 * 60 * MINUTE_MS

export const NO_TRIES: Tries = { failures: 0, lastAt: 0, blockedUntil: 0 }

/** As it is after one more try, which counts as a failure until it is given back. */
export function afterTry(before: Tries, now: number, { free, firstWaitMs, longestWaitMs }: TryLimit): Tries {
  const failures = (now - before.lastAt > FORGOTTEN_AFTER_MS ? 0 : before.failures) + 1
  const over = failures - free
  const waitMs = over < 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(over, 20))
  return { failures, lastAt: now, blockedUntil: waitMs === 0 ? 0 : now + waitMs }
}
