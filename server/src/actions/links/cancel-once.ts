// A merchant closes one of its links by the API. Asking again gets the same answer; a link that was paid, or is being paid, stays as it is
// (D-60, D-88).
import type { MerchantCaller } from '../../domain/caller.ts'
import { looksLikeLinkReference } from '../../domain/link-reference.ts'
import type { PublicLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { closePoster, findPoster } from '../../store/links/posters.ts'
import { type CloseLinkDeps, closePaymentLink } from './close-payment-link.ts'
import { readPaymentLink } from './read-payment-link.ts'

export async function cancelOnce(
  deps: CloseLinkDeps,
  caller: MerchantCaller,
  /** Undefined when it could not be decoded. */
  { linkReference }: { linkReference: string | undefined },
): Promise<PublicLink | RefusedAs<'payment_not_found' | 'link_being_paid' | 'link_paid'>> {
  if (linkReference === undefined || !looksLikeLinkReference(linkReference)) return { refused: 'payment_not_found' }
  const closed = await closePaymentLink(deps, caller, { linkReference, because: 'cancelled' })
  if (isRefused(closed)) {
    if (closed.refused === 'link_not_found') return cancelPoster(deps, caller, linkReference)
    if (closed.refused === 'link_being_paid') return { refused: 'link_being_paid' }
    if (closed.refused !== 'link_closed') throw new Error(`closing a link was refused: ${closed.refused}`)
    if (closed.state === 'succeeded' || closed.state === 'refunded') return { refused: 'link_paid' }
  }
  return readPaymentLink(deps, { is: 'payer', linkReference })
}

async function cancelPoster(
  deps: CloseLinkDeps,
  caller: MerchantCaller,
  linkReference: string,
): Promise<PublicLink | RefusedAs<'payment_not_found'>> {
  const { db, clock } = deps
  const poster = await findPoster(db, caller, linkReference)
  if (poster === undefined) return { refused: 'payment_not_found' }
  const { accountId } = caller
  if (poster.status === 'initiated') {
    await db.transaction(async (tx) => {
      const at = clock.now()
      await closePoster(tx, caller, linkReference, at)
      const record = { at, action: 'link.cancel', subject: linkReference, accountId }
      await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
    })
  }
  return readPaymentLink(deps, { is: 'payer', linkReference })
}
