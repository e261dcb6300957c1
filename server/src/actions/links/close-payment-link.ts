// Closes a link that was not paid: its time is over, or the payer does not want it any more. While an attempt is under way nothing is
// closed: its outcome decides, and a success that comes late is still a success (D-22).
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { closeUnpaid, findLinkIn, setLinkDue } from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { writeEvent } from '../webhooks/write-event.ts'
import { eventPaymentOf } from './link-state.ts'

export interface CloseLinkDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

/** How soon to look again at a link whose time is over while somebody is paying. */
const LOOK_AGAIN_MS = 10_000

/** True when this closed it. */
export async function closePaymentLink(
  deps: CloseLinkDeps,
  linkReference: string,
  because: FailureReason & ('expired' | 'cancelled'),
  /** Who did it by hand. */
  actor?: string,
): Promise<boolean> {
  const entry = await deps.nextStoryEntry()
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now()
    const row = await findLinkIn(tx, linkReference)
    if (row === undefined) return false
    const name = { accountId: row.account_id, number: row.number }
    const { status: from } = row
    const isOpen = from === 'initiated' || from === 'pending'
    if (!isOpen) await setLinkDue(tx, name, null)
    if (!isOpen || (because === 'expired' && (row.expires_at ?? now + 1) > now)) return false
    if (!(await closeUnpaid(tx, name, from, because))) {
      await setLinkDue(tx, name, row.expires_at === null ? null : Math.max(row.expires_at, now + LOOK_AGAIN_MS))
      return false
    }
    await setLinkDue(tx, name, null)
    const detail = { from, to: 'failed', failureReason: because }
    await insertStory(tx, name.accountId, name.number, entry, { at: now, kind: 'moved', detail })
    await writeEvent(
      tx,
      deps.random,
      eventPaymentOf(row),
      { to: 'failed', validatedAt: null, failureReason: because },
      now,
    )
    if (actor !== undefined) {
      const noted = { at: now, actor, action: 'link.cancel', subject: linkReference }
      await insertAudit(tx, { ...noted, detail: { account: row.account_id } })
    }
    return true
  })
}
