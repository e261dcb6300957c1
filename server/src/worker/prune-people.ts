// Removes what is over: ended sessions, expired tokens, forgotten tries, old emails.
import type { Clock } from '../domain/clock-and-random.ts'
import { FORGOTTEN_AFTER_MS } from '../domain/try-limit.ts'
import type { Database } from '../store/engine/database.ts'
import { removeEndedResets } from '../store/people/credentials.ts'
import { removeOldMails } from '../store/people/mails.ts'
import { removeEndedSessions } from '../store/people/sessions.ts'
import { removeOldTries } from '../store/people/sign-in-tries.ts'

const SLICE = 500
const MAILS_KEPT_MS = 30 * FORGOTTEN_AFTER_MS

/** One round; true when there may be more. */
export async function prunePeople({ db, clock }: { db: Database; clock: Clock }): Promise<boolean> {
  const now = clock.now()
  const removed = [
    await removeEndedSessions(db, now, SLICE),
    await removeEndedResets(db, now, SLICE),
    await removeOldTries(db, now - FORGOTTEN_AFTER_MS, SLICE),
    await removeOldMails(db, now - MAILS_KEPT_MS, SLICE),
  ]
  return removed.includes(SLICE)
}
