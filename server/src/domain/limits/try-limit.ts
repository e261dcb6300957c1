// Limits of tries: secrets at the sign-in, and prompts to phones.

// Exponential backoff of sign-in tries: a few are free, and each further one makes the next wait
// twice as long. Counted by account and by network; both are forgotten after a quiet day
// (ADR-0014).
export type Tries = { failures: number; lastAt: number; blockedUntil: number }

export type TryLimit = { free: number; firstWaitMs: number; longestWaitMs: number }

const MINUTE_MS = 60_000

/** A stranger who knows the address can make its owner wait, so the longest wait is short. */
export const ACCOUNT_TRIES: TryLimit = {
  free: 5,
  firstWaitMs: MINUTE_MS / 2,
  longestWaitMs: 15 * MINUTE_MS,
}
/** Many people may share an address (carrier NAT). */
export const NETWORK_TRIES: TryLimit = {
  free: 50,
  firstWaitMs: MINUTE_MS / 2,
  longestWaitMs: 60 * MINUTE_MS,
}
/** Emails and new merchants that one network may request; none is given back. */
export const EMAIL_TRIES: TryLimit = {
  free: 10,
  firstWaitMs: MINUTE_MS,
  longestWaitMs: 60 * MINUTE_MS,
}

/** Emails that ask one address for its confirmation: strangers can sign up with it. */
export const CONFIRMATION_TRIES: TryLimit = {
  free: 3,
  firstWaitMs: 5 * MINUTE_MS,
  longestWaitMs: 60 * MINUTE_MS,
}

/** Invitations to one address, from all merchants together. */
export const INVITED_TRIES: TryLimit = {
  free: 3,
  firstWaitMs: 10 * MINUTE_MS,
  longestWaitMs: 24 * 60 * MINUTE_MS,
}
/** Invitations of one merchant: a whole team may be invited in one go. */
export const INVITING_TRIES: TryLimit = {
  free: 20,
  firstWaitMs: MINUTE_MS,
  longestWaitMs: 60 * MINUTE_MS,
}

/**
 * Tests of credentials of one account's connections, which are calls to a network; none is given
 * back.
 */
export const CONNECTION_TRIES: TryLimit = {
  free: 20,
  firstWaitMs: MINUTE_MS,
  longestWaitMs: 15 * MINUTE_MS,
}

/**
 * Test events of one account: anyone may register the address of somebody else. None is given back.
 */
export const WEBHOOK_TEST_TRIES: TryLimit = {
  free: 20,
  firstWaitMs: MINUTE_MS,
  longestWaitMs: MINUTE_MS,
}

export const FORGOTTEN_AFTER_MS = 24 * 60 * MINUTE_MS

export const NO_TRIES: Tries = { failures: 0, lastAt: 0, blockedUntil: 0 }

/** As it is after one more try, which counts as a failure until it is given back. */
export function afterTry(
  before: Tries,
  now: number,
  { free, firstWaitMs, longestWaitMs }: TryLimit,
): Tries {
  const failures = (now - before.lastAt > FORGOTTEN_AFTER_MS ? 0 : before.failures) + 1
  const over = failures - free
  const waitMs = over < 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(over, 20))
  return { failures, lastAt: now, blockedUntil: waitMs === 0 ? 0 : now + waitMs }
}

// How often pages may send prompts to phones. Any payer with a link can type any number, so prompts
// are limited by number, link and account, not by caller (D-60). Payments made with a secret key
// have no such limit.

/** An attempt to pay from a page, as far as the limits need it. */
export type PastAttempt = { status: 'pending' | 'succeeded' | 'failed'; createdAt: number }

/** Which limit was reached, and when it is worth trying again. */
export type Cooldown = { why: 'number_pending' | 'number' | 'link' | 'account'; until: number }

const WINDOW_MS = 10 * MINUTE_MS

/** Prompts to one number that were not approved, in ten minutes. */
const UNAPPROVED_FOR_NUMBER = 3
/** Older prompts do not lengthen the pause of a number. */
export const NUMBER_MEMORY_MS = 24 * 60 * MINUTE_MS
const LONGEST_NUMBER_REST_MS = 120 * MINUTE_MS
/** Enough prompts for the longest pause: more need not be read. */
export const NUMBER_MEMORY = 18

const ATTEMPTS_FOR_LINK = 10
const LONGEST_LINK_REST_MS = 60 * MINUTE_MS

/** Plus one for each approved attempt: a busy shop may have many at a time. */
const UNAPPROVED_FOR_PAGES = 60
export const PAGES_MEMORY_MS = WINDOW_MS
/** Enough of the newest to tell a shop from an attack. */
export const PAGES_MEMORY = 400

/** Attempts newest first. The pause doubles with every three unapproved attempts. */
export function numberCooldown(
  attempts: readonly PastAttempt[],
  now: number,
): Cooldown | undefined {
  if (attempts.some(({ status }) => status === 'pending'))
    return { why: 'number_pending', until: now + MINUTE_MS }
  const approved = attempts.findIndex(({ status }) => status === 'succeeded')
  const unapproved = approved === -1 ? attempts : attempts.slice(0, approved)
  const [newest, , third] = unapproved
  if (newest === undefined || third === undefined) return undefined
  const rounds = Math.floor(unapproved.length / UNAPPROVED_FOR_NUMBER)
  const grown =
    rounds > 1
      ? newest.createdAt + Math.min(WINDOW_MS * 2 ** (rounds - 1), LONGEST_NUMBER_REST_MS)
      : 0
  return cooldownUntil('number', Math.max(third.createdAt + WINDOW_MS, grown), now)
}

/** A minute after the tenth attempt, and twice as long after each one more. */
export function linkCooldown(
  { attempts, attemptAt }: { attempts: number; attemptAt: number | null },
  now: number,
): Cooldown | undefined {
  if (attempts < ATTEMPTS_FOR_LINK || attemptAt === null) return undefined
  const restMs = Math.min(MINUTE_MS * 2 ** (attempts - ATTEMPTS_FOR_LINK), LONGEST_LINK_REST_MS)
  return cooldownUntil('link', attemptAt + restMs, now)
}

/** Of an account whose payers can make any number of links. Attempts newest first. */
export function accountCooldown(
  attempts: readonly PastAttempt[],
  now: number,
): Cooldown | undefined {
  const unapproved = attempts.filter(({ status }) => status !== 'succeeded')
  const most = UNAPPROVED_FOR_PAGES + attempts.length - unapproved.length
  const nextToLeave = unapproved[most - 1]
  return nextToLeave && cooldownUntil('account', nextToLeave.createdAt + WINDOW_MS, now)
}

const cooldownUntil = (why: Cooldown['why'], until: number, now: number): Cooldown | undefined =>
  until > now ? { why, until } : undefined
