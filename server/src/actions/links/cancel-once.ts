// A merchant closes one of its links by the API. Asking again gets the same answer; a link that was paid, or is being paid, stays as it is
// (D-60, D-88).
import type { MerchantCaller } from '../../domain/caller.ts'
import { looksLikeLinkReference, type PublicLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { findPoster } from '../../store/links/posters.ts'
import { cancelPoster } from './cancel-poster.ts'
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
    if (closed.refused === 'link_not_found') return cancelPosterOnce(deps, caller, linkReference)
    if (closed.refused === 'link_being_paid') return { refused: 'link_being_paid' }
    if (closed.refused !== 'link_closed') throw new Error(`closing a link was refused: ${closed.refused}`)
    if (closed.state === 'succeeded' || closed.state === 'refunded') return { refused: 'link_paid' }
  }
  return readPaymentLink(deps, { is: 'payer', linkReference })
}

async function cancelPosterOnce(
  deps: CloseLinkDeps,
  caller: MerchantCaller,
  linkReference: string,
): Promise<PublicLink | RefusedAs<'payment_not_found'>> {
  const poster = await findPoster(deps.db, caller, linkReference)
  if (poster === undefined) return { refused: 'payment_not_found' }
  await cancelPoster(deps, caller, poster)
  return readPaymentLink(deps, { is: 'payer', linkReference })
}
