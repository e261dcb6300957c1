// An operator's genuine callback: only ever a hint that makes us ask for the status, and that answer counts (D-15).
import type { ServiceItself } from '../../domain/caller.ts'
import type { OperatorKey, OperatorPayment } from '../../domain/operator-report.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findByRequestReference } from '../../store/payments/pending-payments.ts'

export interface CallbackDeps {
  db: Database
  dispatcher: { ask(payment: OperatorPayment): Promise<void> }
}

export interface HeardCallback extends OperatorKey {
  /** The reference under which the operator was sent the payment. */
  requestReference: string
}

export async function takeCallback(
  { db, dispatcher }: CallbackDeps,
  _caller: ServiceItself,
  { environment, operator, requestReference }: HeardCallback,
): Promise<Record<never, never> | RefusedAs<'payment_not_found'>> {
  const payment = await findByRequestReference(db, requestReference)
  // A genuine callback about another operator's payment is still nobody's business here.
  if (payment?.operator !== operator || payment.environment !== environment) return { refused: 'payment_not_found' }
  await dispatcher.ask(payment)
  return {}
}
