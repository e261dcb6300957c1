// An operator's authenticated callback. It is only a hint: we request the status, and that answer
// counts (D-15).

import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { ServiceItself } from '../../domain/people/caller.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { maskCardNumbers } from '../../domain/texts/free-text.ts'
import { insertUnknownReference } from '../../store/payments/anomalies.ts'
import { insertRecheck } from '../../store/payments/payment-moves.ts'
import { findByRequestReference, isRequestOpen } from '../../store/payments/payments.ts'
import type { Deps } from '../deps.ts'

export interface CallbackDeps extends Pick<Deps, 'db' | 'clock'> {
  dispatcher: { ask(payment: OperatorPayment): Promise<unknown> }
}

export interface ReceivedCallback extends ConnectionKey {
  requestReference: string
  /** Whether only the network can have sent it. */
  isGenuine: boolean
}

export async function takeCallback(
  { db, clock, dispatcher }: CallbackDeps,
  _caller: ServiceItself,
  { environment, connection, requestReference, isGenuine }: ReceivedCallback,
): Promise<Record<never, never> | RefusedAs<'payment_not_found'>> {
  const payment = await findByRequestReference(db, requestReference)
  if (payment === undefined) {
    // Perhaps an older copy of the database was restored. Its money moves all the same.
    const shown = maskCardNumbers(requestReference)
    if (isGenuine) await insertUnknownReference(db, { environment, connection }, shown, clock.now())
    return { refused: 'payment_not_found' }
  }
  // A network may call back about its own payments only, even when the callback is genuine.
  if (payment.connection !== connection || payment.environment !== environment)
    return { refused: 'payment_not_found' }
  // The network calls back once, perhaps about a reversal: the recheck polls even if the question
  // below fails.
  if (!(await isRequestOpen(db, payment))) await insertRecheck(db, payment, clock.now())
  // Not awaited: the network may time out and repeat its callback long before it has answered our
  // status call.
  void dispatcher.ask(payment)
  return {}
}
