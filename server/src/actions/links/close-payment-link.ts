// Closes an unpaid link: it has expired, or its merchant cancels it. A payer cannot: anyone with
// the link could (D-60). While an attempt is in progress nothing is closed: a late success is still
// a success (D-22).

import {
  looksLikeLinkReference,
  type PaymentLink,
  type PublicLink,
} from '../../domain/links/payment-link.ts'
import { type AccountCaller, type MerchantCaller, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  closePoster,
  closeUnpaid,
  findLink,
  findPoster,
  setLinkDue,
} from '../../store/links/payment-links.ts'
import { insertStory } from '../../store/payments/payment-moves.ts'
import type { MoveDeps } from '../deps.ts'
import { writeEvents } from '../events/write-event.ts'
import type { FindPaymentDeps } from '../payments/read-payment.ts'
import { findNamedLink, readPaymentLink } from './read-payment-link.ts'

export async function closePaymentLink(
  deps: MoveDeps,
  caller: AccountCaller,
  { linkReference, because }: { linkReference: string; because: 'expired' | 'cancelled' },
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
    if (because === 'expired' && (link.expiresAt ?? now + 1) > now)
      return { refused: 'link_not_due' }
    if (!(await closeUnpaid(tx, link, from, because))) return { refused: 'link_being_paid' }
    await setLinkDue(tx, link, null)
    const detail = { from, to: 'failed', failureReason: because }
    await insertStory(tx, [{ accountId, number, entry, at: now, kind: 'moved', detail }])
    const move = { to: 'failed', validatedAt: null, failureReason: because } as const
    await writeEvents(tx, deps.random, [{ payment: { ...link, msisdnWritten: null }, move }], now)
    await auditCancellation(tx, caller, link, now)
    return { accountId }
  })
}

function closedState({
  status,
  failureReason,
}: PaymentLink): Extract<Refused, { refused: 'link_closed' }>['state'] {
  if (status === 'succeeded' || status === 'refunded') return status
  return failureReason === 'expired' || failureReason === 'cancelled' ? failureReason : 'failed'
}

/** Expiry is only in the payment's history; the audit log is for actions of people. */
async function auditCancellation(
  tx: Queries,
  caller: AccountCaller,
  link: PaymentLink,
  now: number,
): Promise<void> {
  if (caller.is === 'service') return
  const { accountId, linkReference } = link
  const record = { at: now, action: 'link.cancel', subject: linkReference, accountId }
  await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
}

export async function cancelLink(
  deps: FindPaymentDeps & MoveDeps,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<{ linkReference: string } | Refused> {
  const link = await findNamedLink(deps, caller, name)
  if (isRefused(link)) return link
  const { linkReference } = link
  if (link.collected !== null) {
    await cancelPoster(deps, caller, link)
    return { linkReference }
  }
  const closed = await closePaymentLink(deps, caller, { linkReference, because: 'cancelled' })
  return isRefused(closed) ? closed : { linkReference }
}

/** For the API: idempotent. A paid link, or one being paid, stays as it is (D-60, D-88). */
export async function cancelOnce(
  deps: MoveDeps,
  caller: MerchantCaller,
  /** Undefined when it could not be decoded. */
  { linkReference }: { linkReference: string | undefined },
): Promise<PublicLink | RefusedAs<'payment_not_found' | 'link_being_paid' | 'link_paid'>> {
  if (linkReference === undefined || !looksLikeLinkReference(linkReference))
    return { refused: 'payment_not_found' }
  const closed = await closePaymentLink(deps, caller, { linkReference, because: 'cancelled' })
  if (isRefused(closed)) {
    if (closed.refused === 'link_not_found') return cancelPosterOnce(deps, caller, linkReference)
    if (closed.refused === 'link_being_paid') return { refused: 'link_being_paid' }
    if (closed.refused !== 'link_closed')
      throw new Error(`closing a link was refused: ${closed.refused}`)
    if (closed.state === 'succeeded' || closed.state === 'refunded') return { refused: 'link_paid' }
  }
  return readPaymentLink(deps, { is: 'payer', linkReference })
}

async function cancelPosterOnce(
  deps: MoveDeps,
  caller: MerchantCaller,
  linkReference: string,
): Promise<PublicLink | RefusedAs<'payment_not_found'>> {
  const poster = await findPoster(deps.db, caller, linkReference)
  if (poster === undefined) return { refused: 'payment_not_found' }
  await cancelPoster(deps, caller, poster)
  return readPaymentLink(deps, { is: 'payer', linkReference })
}

async function cancelPoster(
  { db, clock }: Pick<MoveDeps, 'db' | 'clock'>,
  caller: AccountCaller,
  { linkReference, accountId, status }: Pick<PaymentLink, 'linkReference' | 'accountId' | 'status'>,
): Promise<void> {
  if (status !== 'initiated') return
  await db.transaction(async (tx) => {
    const at = clock.now()
    await closePoster(tx, scopeOf(caller), linkReference, at)
    const record = { at, action: 'link.cancel', subject: linkReference, accountId }
    await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
  })
}
