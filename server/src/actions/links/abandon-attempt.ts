// A payer gives up an attempt on a provider's page, to pay otherwise. The provider is asked to close its page, and what it answers is what
// counts: it may say that they have paid.
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { HostedMethodName } from '../../domain/payment-link.ts'
import type { HostedMethod } from '../../operators/hosted-method.ts'
import type { Database } from '../../store/engine/database.ts'
import { findLink } from '../../store/links/payment-links.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import type { OperatorReport } from '../payments/record-outcomes.ts'
import { linkState } from './link-state.ts'

export interface AbandonDeps {
  db: Database
  clock: Clock
  hosted(environment: Environment, method: HostedMethodName): HostedMethod | undefined
  recordOutcome(report: OperatorReport): Promise<unknown>
}

/** Longer than opening a provider's page may take. */
const OPENED_BY_NOW_MS = 30_000

export async function abandonAttempt(
  { db, clock, hosted, recordOutcome }: AbandonDeps,
  linkReference: string,
): Promise<void> {
  const row = await findLink(db, linkReference)
  if (row === undefined) return
  const state = linkState(row, clock.now())
  // A prompt on a phone cannot be called back: it ends by itself.
  if (state.is !== 'under_way' || state.method === 'mobile') return
  const payment = await findOperatorPayment(db, row.reference)
  if (payment?.attemptReference == null) return
  const calledAt = clock.now()
  const answer = await hosted(row.environment, state.method)?.cancel(payment.attemptReference)
  if (answer === undefined) return
  // We died before its page was opened, so nobody has the page's address and nobody can pay there.
  const isNobodys = answer.is === 'not_known' && state.providerUrl === null
  const isOld = calledAt - payment.requestedAt > OPENED_BY_NOW_MS
  const report = isNobodys && isOld ? ({ is: 'declined', reason: 'cancelled' } as const) : answer
  await recordOutcome({ payment, via: 'status', calledAt, answer: report })
}
