// What a merchant is told, fixed when the event is written (D-26), and what is owed to each of its endpoints from then on. The wire
// form of webhooks and of the feed: snake_case here.
import type { Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { FailureReason } from '../../domain/outcome.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { base32 } from '../../domain/reference.ts'
import type { EventName } from '../../domain/webhook-event.ts'
import type { Queries } from '../../store/engine/database.ts'
import type { OperatorPayment } from '../../store/payments/pending-payments.ts'
import { queueDeliveries } from '../../store/webhooks/deliveries.ts'
import { wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import { insertEvent, takeFeedSequence } from '../../store/webhooks/events.ts'

/** What an event tells of a payment. */
export type EventPayment = Pick<
  OperatorPayment,
  | 'accountId'
  | 'number'
  | 'environment'
  | 'reference'
  | 'publicReference'
  | 'externalReference'
  | 'msisdnWritten'
  | 'amountXof'
> & {
  /** Of a payment made through a link. */
  linkReference?: string | undefined
}

export interface EventMove {
  to: PaymentStatus & ('succeeded' | 'failed' | 'refunded')
  validatedAt: number | null
  failureReason?: FailureReason
}

/** In the transaction of the move, or the two could come apart. */
export async function writeEvent(
  tx: Queries,
  random: Random,
  payment: EventPayment,
  move: EventMove,
  createdAt: number,
): Promise<void> {
  const { accountId, number, environment } = payment
  const data = {
    public_reference: payment.publicReference,
    external_reference: payment.externalReference,
    reference: payment.reference,
    status: move.to,
    msisdn: payment.msisdnWritten ?? undefined,
    amount: payment.amountXof,
    validated_at: move.validatedAt === null ? undefined : new Date(move.validatedAt).toISOString(),
    failure_reason: move.failureReason,
    external_payment_reference: payment.linkReference,
  }
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

/** Gives back its place in the account's feed. */
export async function appendToFeed(tx: Queries, random: Random, entry: NewFeedEvent): Promise<number> {
  const eventId = `evt_${base32(random.bytes(15), 24)}`
  const { accountId, number, event, createdAt } = entry
  const payload = JSON.stringify({
    id: eventId,
    event,
    created_at: new Date(createdAt).toISOString(),
    environment: entry.environment,
    data: entry.data,
  })
  const sequence = await takeFeedSequence(tx, accountId)
  await insertEvent(tx, sequence, { accountId, eventId, event, number, payload, createdAt })
  return sequence
}
