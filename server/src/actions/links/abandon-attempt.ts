// A payer gives up an attempt on a provider's page, to pay in another way. Only the browser that began it can: others with the link must not
// end what somebody is doing (D-60). The provider is asked to cancel, and its answer counts: it may say that the payer has paid.
import type { Payer } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { hasBegun, linkState } from '../../domain/link-state.ts'
import type { ConnectionKey, OperatorReport } from '../../domain/operator-report.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { HostedMethod } from '../../operators/operator.ts'
import type { Database } from '../../store/engine/database.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import { openLink } from './find-link.ts'

export interface AbandonDeps {
  db: Database
  clock: Clock
  hostedAt(connection: ConnectionKey): HostedMethod | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
}

/** By then the provider's page is open, or never will be: longer than opening it may take. */
const PAGE_OPENED_WITHIN_MS = 30_000

export async function abandonAttempt(
  { db, clock, hostedAt, recordOutcome }: AbandonDeps,
  caller: Payer,
  /** What the browser was given when it began attempts on this link. */
  { browserTokens }: { browserTokens: readonly string[] },
): Promise<Record<never, never> | RefusedAs<'link_not_found' | 'no_attempt_to_abandon' | 'provider_unreachable'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return link
  const state = linkState(link, clock.now())
  // A prompt on a phone cannot be cancelled: it expires by itself.
  if (state.is !== 'under_way' || state.method === 'mobile' || !hasBegun(link, browserTokens))
    return { refused: 'no_attempt_to_abandon' }
  const payment = await findOperatorPayment(db, link, link.reference)
  if (payment?.attemptReference == null) return { refused: 'no_attempt_to_abandon' }
  const calledAt = clock.now()
  const answer = await hostedAt(payment)?.cancel(payment.attemptReference, payment.networkId)
  if (answer === undefined) return { refused: 'provider_unreachable' }
  // The process died before the provider's page was opened, and nobody has its address; or the page was deleted. Nobody can pay there.
  const isGone = answer.is === 'not_known' && calledAt - payment.requestedAt > PAGE_OPENED_WITHIN_MS
  const mayChange = state.providerUrl === null ? {} : { mayChange: true as const }
  const report = isGone ? ({ is: 'declined', reason: 'cancelled', ...mayChange } as const) : answer
  await recordOutcome({ payment, via: 'status', calledAt, answer: report })
  return {}
}
