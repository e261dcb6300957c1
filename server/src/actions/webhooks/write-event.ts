// Writes an event, whose text is fixed from then on (D-26), and queues a delivery for each subscribed endpoint. A step of other actions, in
// the transaction of their move.
import type { Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { base32 } from '../../domain/reference.ts'
import type { EventName } from '../../domain/webhook-event.ts'
import type { Queries } from '../../store/engine/database.ts'
import { queueDeliveries } from '../../store/webhooks/deliveries.ts'
import { wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import { insertEvent, takeFeedSequence } from '../../store/webhooks/events.ts'
import { eventBody } from '../../wire/event.ts'
import { paymentFields } from '../../wire/payment.ts'

/** What an event needs to know of a payment. */
export type EventPayment = Pick<
  OperatorPayment,
  | 'accountId'
  | 'number'
  | 'environment'
  | 'reference'
  | 'publicReference'
  | 'externalReference'
  | 'createdBy'
  | 'clientReference'
  | 'msisdnWritten'
  | 'amountXof'
> & {
  /** Undefined unless the payment was made through a link. */
  linkReference?: string | undefined
}

export interface EventMove {
  to: PaymentStatus & ('succeeded' | 'failed' | 'refunded')
  validatedAt: number | null
  failureReason?: FailureReason
}

/** Call it in the transaction of the move: a crash must not separate the two. */
export async function writeEvent(
  tx: Queries,
  random: Random,
  payment: EventPayment,
  move: EventMove,
  createdAt: number,
): Promise<void> {
  const { accountId, number, environment } = payment
  const { to: status, validatedAt, failureReason = null } = move
  const data = paymentFields({ ...payment, status, validatedAt, failureReason })
  const event = { accountId, number, environment, event: `payment.${move.to}` as const, data, createdAt }
  const sequence = await appendToFeed(tx, random, event)
  if ((await queueDeliveries(tx, { ...event, sequence })) > 0) await wakeEndpoints(tx, accountId, createdAt)
}

export interface NewFeedEvent {
  accountId: string
  number: number
  environment: Environment
  event: EventName
  data: object
  createdAt: number
}

/** Returns its sequence in the account's feed. */
export async function appendToFeed(tx: Queries, random: Random, entry: NewFeedEvent): Promise<number> {
  const eventId = `evt_${base32(random.bytes(15), 24)}`
  const { accountId, number, event, createdAt } = entry
  const { environment, data } = entry
  const payload = eventBody({ eventId, event, createdAt, environment, data })
  const sequence = await takeFeedSequence(tx, accountId)
  await insertEvent(tx, sequence, { accountId, eventId, event, number, payload, createdAt })
  return sequence
}

/** For a link that is closed unpaid. */
export const eventPaymentOf = (link: PaymentLink): EventPayment => ({ ...link, msisdnWritten: null })
