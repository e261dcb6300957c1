// How often pages may send prompts to phones. Any payer with a link can type any number, so prompts are limited by
// number, link and account, not by caller (D-60). Payments made with a secret key have no such limit.

/** An attempt to pay from a page, as far as the limits need it. */
export type PastAttempt = { status: 'pending' | 'succeeded' | 'failed'; createdAt: number }

/** Which limit was reached, and when it is worth trying again. */
export type Rest = { why: 'number_pending' | 'number' | 'link' | 'account'; until: number }

const MINUTE_MS = 60_000
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
export function numberRest(attempts: readonly PastAttempt[], now: number): Rest | undefined {
  if (attempts.some(({ status }) => status === 'pending')) return { why: 'number_pending', until: now + MINUTE_MS }
  const approved = attempts.findIndex(({ status }) => status === 'succeeded')
  const unapproved = approved === -1 ? attempts : attempts.slice(0, approved)
  const [newest, , third] = unapproved
  if (newest === undefined || third === undefined) return undefined
  const rounds = Math.floor(unapproved.length / UNAPPROVED_FOR_NUMBER)
  const grown = rounds > 1 ? newest.createdAt + Math.min(WINDOW_MS * 2 ** (rounds - 1), LONGEST_NUMBER_REST_MS) : 0
  return restUntil('number', Math.max(third.createdAt + WINDOW_MS, grown), now)
}

/** A minute after the tenth attempt, and twice as long after each one more. */
export function linkRest(
  { attempts, attemptAt }: { attempts: number; attemptAt: number | null },
  now: number,
): Rest | undefined {
  if (attempts < ATTEMPTS_FOR_LINK || attemptAt === null) return undefined
  const restMs = Math.min(MINUTE_MS * 2 ** (attempts - ATTEMPTS_FOR_LINK), LONGEST_LINK_REST_MS)
  return restUntil('link', attemptAt + restMs, now)
}

/** Of an account whose payers can make any number of links. Attempts newest first. */
export function accountRest(attempts: readonly PastAttempt[], now: number): Rest | undefined {
  const unapproved = attempts.filter(({ status }) => status !== 'succeeded')
  const most = UNAPPROVED_FOR_PAGES + attempts.length - unapproved.length
  const nextToLeave = unapproved[most - 1]
  return nextToLeave && restUntil('account', nextToLeave.createdAt + WINDOW_MS, now)
}

const restUntil = (why: Rest['why'], until: number, now: number): Rest | undefined =>
  until > now ? { why, until } : undefined
