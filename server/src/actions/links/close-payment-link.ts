// Closes a link that was not paid: it has expired, or its merchant cancels it. A payer cannot: whoever has the link could close it (D-60).
// While an attempt is under way nothing is closed: its outcome decides, and a success that comes late is still a success (D-22).
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { closeUnpaid, findLink, setLinkDue } from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-story.ts'
import { eventPaymentOf, writeEvents } from '../webhooks/write-event.ts'

export interface CloseLinkDeps {
  db: Database
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
}

export interface CloseLinkInput {
  linkReference: string
  because: FailureReason & ('expired' | 'cancelled')
}

/** How soon to check again a link that has expired while a payer is paying. */
const RECHECK_MS = 10_000

export async function closePaymentLink(
  deps: CloseLinkDeps,
  caller: AccountCaller,
  { linkReference, because }: CloseLinkInput,
): Promise<{ accountId: string } | Refused> {
  const entry = await deps.nextStoryEntry()
  return deps.db.transaction(async (tx): Promise<{ accountId: string } | Refused> => {
    const now = deps.clock.now()
    const link = await findLink(tx, scopeOf(caller), linkReference)
    if (link === undefined) return { refused: 'link_not_found' }
    const { status: from, accountId, number } = link
    if (from !== 'initiated' && from !== 'pending') {
      await setLinkDue(tx, link, null)
      return { refused: 'link_closed', state: closedState(link) }
    }
    if (because === 'expired' && (link.expiresAt ?? now + 1) > now) return { refused: 'link_not_due' }
    if (!(await closeUnpaid(tx, link, from, because))) {
      await setLinkDue(tx, link, link.expiresAt === null ? null : Math.max(link.expiresAt, now + RECHECK_MS))
      return { refused: 'link_being_paid' }
    }
    await setLinkDue(tx, link, null)
    const detail = { from, to: 'failed', failureReason: because }
    await insertStory(tx, [{ accountId, number, entry, at: now, kind: 'moved', detail }])
    const move = { to: 'failed', validatedAt: null, failureReason: because } as const
    await writeEvents(tx, deps.random, [{ payment: eventPaymentOf(link), move }], now)
    await auditCancellation(tx, caller, link, now)
    return { accountId }
  })
}

function closedState({ status, failureReason }: PaymentLink): Extract<Refused, { refused: 'link_closed' }>['state'] {
  if (status === 'succeeded' || status === 'refunded') return status
  return failureReason === 'expired' || failureReason === 'cancelled' ? failureReason : 'failed'
}

/** Expiry is in the payment's story alone; the audit log is for what was done by hand. */
async function auditCancellation(tx: Queries, caller: AccountCaller, link: PaymentLink, now: number): Promise<void> {
  if (caller.is === 'service') return
  const { accountId, linkReference } = link
  const record = { at: now, action: 'link.cancel', subject: linkReference, accountId }
  await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
}
