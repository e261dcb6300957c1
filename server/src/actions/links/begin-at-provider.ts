// A payer pays by a method that a provider serves: on its page, or by its instructions. Asking for
// these is the hand-over: from then on the provider is only polled.
import { isRefused } from '../../domain/refusals/refusal.ts'
import { setPayerStep } from '../../store/links/payment-links.ts'
import { keepNetworkId } from '../../store/payments/payment-moves.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import { type Begin, begin, browserProof } from './begin-attempt.ts'

export const beginAtProvider: Begin = async (deps, payable, method, input) => {
  const { opened: link, reference, linkReference, publicReference, amountXof } = payable
  const provider = deps.hosted(link.environment, method, link.accountId)
  if (provider === undefined) return { refused: 'page_behind' }
  const now = deps.clock.now()
  const unknown = { country: '', msisdn: null, msisdnWritten: null, promptedMsisdn: null }
  const payer = { operator: method, connection: provider.name, ...unknown }
  const { browserHash, given } = browserProof(deps, input)
  const handOver = { handedOverAt: now, dueAt: now + deps.leaseMs }
  const begun = await begin(deps, payable, input, { method, ...payer, browserHash, ...handOver })
  if (isRefused(begun)) return begun
  const page = input.page.replace(link.linkReference, linkReference)
  const step = await provider.open({
    reference: begun.attemptReference,
    amountXof,
    publicReference,
    merchantName: link.merchantName,
    title: link.createdBy === 'page' ? link.pageWording || link.merchantName : link.title,
    returnUrl: returnUrlOf(page, deps.pageUrl(linkReference), browserHash),
    keepNetworkId: (networkId) =>
      keepNetworkId(
        deps.db,
        { ...begun, reference, environment: link.environment, connection: provider.name },
        { networkId, claimedDueAt: begun.dueAt, now: deps.clock.now() },
      ),
  })
  if (step === undefined) {
    // No payer has the page's address or the instructions, so no payment can follow: the link is
    // open again at once.
    const payment = await findOperatorPayment(deps.db, link, reference)
    const answer = { is: 'declined', reason: 'operator_error' } as const
    if (payment?.attemptReference === begun.attemptReference)
      await deps.recordOutcome({ payment, via: 'request', calledAt: now, answer })
    return { refused: 'provider_unreachable' }
  }
  await setPayerStep(deps.db, begun.attemptReference, step)
  return { linkReference, ...('goTo' in step && { goTo: step.goTo }), ...given }
}

/** The hash identifies the payer in another browser too. No address carries the token itself. */
function returnUrlOf(page: string, pageUrl: string, browserHash: string): string {
  const address = new URL(page, pageUrl)
  address.searchParams.set('payer', browserHash)
  // The provider is polled at once, and not at the next scheduled time.
  address.searchParams.set('returned', '1')
  return address.href
}
