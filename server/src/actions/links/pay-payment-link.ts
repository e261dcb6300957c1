// A payer chooses how to pay a link. Of several browser tabs one begins the attempt, and no other
// until it has ended. The amount is the link's, never the browser's. Any payer can type any number:
// prompts are limited (D-60).

import { availableMethods, hasBegun, linkState } from '../../domain/links/link-state.ts'
import {
  LINK_LIFE_MS,
  LINK_REFERENCE_BYTES,
  makeLinkReference,
  type PaymentLink,
  readTypedAmount,
} from '../../domain/links/payment-link.ts'
import { isHosted, isLinkMethod } from '../../domain/methods/methods.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorReport } from '../../domain/payments/operator-report.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import type { Payer } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { HostedMethod } from '../../operators/operator.ts'
import type { NewLink } from '../../store/links/payment-links.ts'
import { findOperatorPayment } from '../../store/payments/payments.ts'
import type { AskOperator, Deps } from '../deps.ts'
import { beginAtProvider } from './begin-at-provider.ts'
import type { BegunPayment, Payable, PayInput, PayLinkDeps, PayRefused } from './begin-attempt.ts'
import { beginPrompt } from './begin-prompt.ts'
import { openLink } from './read-payment-link.ts'

export async function payPaymentLink(
  deps: PayLinkDeps,
  caller: Payer,
  input: PayInput,
): Promise<BegunPayment | PayRefused> {
  const link = await openLink(deps, caller)
  if (isRefused(link)) return link
  const { method } = input
  const possible = deps.linkMethods(link.environment, link.accountId)
  if (!isLinkMethod(method) || !availableMethods(link, possible).includes(method))
    return { refused: 'page_behind' }
  const amountXof =
    link.minimumAmountXof === null
      ? link.amountXof
      : readTypedAmount(input.amount, link.minimumAmountXof)
  if (amountXof === undefined) return { refused: 'amount_not_valid' }
  const payable = await payableOf(deps, link, amountXof)
  const begin = isHosted(method) ? beginAtProvider : beginPrompt
  return begin(deps, payable, method, input)
}

async function payableOf(
  deps: PayLinkDeps,
  opened: PaymentLink,
  amountXof: number,
): Promise<Payable> {
  const { number, reference, publicReference, linkReference, collected } = opened
  if (collected === null)
    return { opened, made: undefined, number, reference, publicReference, linkReference, amountXof }
  const made = await linkFromPoster(deps, opened, amountXof)
  return { ...made, opened, made }
}

async function linkFromPoster(
  deps: PayLinkDeps,
  poster: PaymentLink,
  amountXof: number,
): Promise<NewLink> {
  const number = await deps.nextNumber()
  const createdAt = deps.clock.now()
  const linkReference = makeLinkReference(deps.random.bytes(LINK_REFERENCE_BYTES))
  return {
    ...poster,
    amountXof,
    number,
    posterNumber: poster.number,
    reference: makeReference(deps.random.bytes(REFERENCE_BYTES)),
    publicReference: deps.publicReferences.of(number),
    linkReference,
    externalReference: linkReference,
    customerName: null,
    openAmount: null,
    isReusable: false,
    createdAt,
    expiresAt: createdAt + LINK_LIFE_MS,
  }
}

// A payer abandons an attempt on a provider's page, to pay in another way. Only the browser that
// began the attempt can end it (D-60). The provider is asked to cancel, and its answer counts: it
// may say that the payer has paid.

export interface AbandonDeps extends Pick<Deps, 'db' | 'clock'> {
  hostedAt(connection: ConnectionKey): HostedMethod | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
}

/** By then the provider's page is open, or never will be: longer than opening it may take. */
const PAGE_OPENED_WITHIN_MS = 30_000

export async function abandonAttempt(
  { db, clock, hostedAt, recordOutcome }: AbandonDeps,
  caller: Payer,
  { browserTokens }: { browserTokens: readonly string[] },
): Promise<
  | Record<never, never>
  | RefusedAs<'link_not_found' | 'no_attempt_to_abandon' | 'provider_unreachable'>
> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  const state = linkState(link, clock.now())
  // A prompt on a phone cannot be cancelled: it expires by itself.
  if (state.is !== 'under_way' || !isHosted(state.method) || !hasBegun(link, browserTokens))
    return { refused: 'no_attempt_to_abandon' }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment?.attemptReference == null) return { refused: 'no_attempt_to_abandon' }
  const calledAt = clock.now()
  const answer = await hostedAt(payment)?.cancel(payment.attemptReference, payment.networkId)
  if (answer === undefined) return { refused: 'provider_unreachable' }
  // The page was deleted, or never opened, so no payer has its address: no payment can follow
  // there.
  const isGone = answer.is === 'not_known' && calledAt - payment.requestedAt > PAGE_OPENED_WITHIN_MS
  const mayChange = state.payerStep === null ? {} : { mayChange: true as const }
  const report = isGone ? ({ is: 'declined', reason: 'cancelled', ...mayChange } as const) : answer
  await recordOutcome({ payment, via: 'status', calledAt, answer: report })
  return {}
}

// A payer is back from the provider's page: the provider is polled now, so that the link's page
// shows the outcome.

export interface ReturnDeps extends Pick<Deps, 'db'> {
  askOperator: AskOperator
}

export async function returnFromProvider(
  { db, askOperator }: ReturnDeps,
  caller: Payer,
): Promise<{ asked: boolean } | RefusedAs<'link_not_found'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  if (link.attemptStatus !== 'pending' || link.method === null || !isHosted(link.method))
    return { asked: false }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment !== undefined) await askOperator(payment)
  return { asked: true }
}
