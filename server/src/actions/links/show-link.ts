// Shows a link with its state and every attempt to pay it, or cancels it. The link is found by any reference of its payment.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type LinkState, linkState } from '../../domain/link-state.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { type LinkAttempt, listLinkAttempts } from '../../store/links/link-attempts.ts'
import { findLinkOfPayment } from '../../store/links/payment-links.ts'
import { findPoster } from '../../store/links/posters.ts'
import { type FindPaymentDeps, findNamedPayment } from '../payments/find-payment.ts'
import { cancelPoster } from './cancel-poster.ts'
import { type CloseLinkDeps, closePaymentLink } from './close-payment-link.ts'

export interface ShownLink {
  link: PaymentLink
  state: LinkState
  attempts: LinkAttempt[]
}

export async function showLink(
  deps: FindPaymentDeps & Pick<CloseLinkDeps, 'clock'>,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<ShownLink | Refused> {
  const link = await findNamedLink(deps, caller, name)
  if (isRefused(link)) return link
  const attempts = await listLinkAttempts(deps.db, link.accountId, link.number)
  return { link, state: linkState(link, deps.clock.now()), attempts }
}

export async function cancelLink(
  deps: FindPaymentDeps & CloseLinkDeps,
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

async function findNamedLink(
  deps: FindPaymentDeps,
  caller: AccountCaller,
  name: string,
): Promise<PaymentLink | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) {
    if (payment.refused !== 'payment_not_found') return payment
    // A poster is no payment.
    return (await findPoster(deps.db, scopeOf(caller), name)) ?? { refused: 'link_not_found' }
  }
  return (await findLinkOfPayment(deps.db, payment.accountId, payment.number)) ?? { refused: 'link_not_found' }
}
