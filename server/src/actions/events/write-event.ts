// Writes events, whose text is stored and never made again (D-26), and queues a delivery for each
// subscribed endpoint. A step of other actions, in the transaction of their moves.
import type { Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { PaymentNames } from '../../domain/payments/payment.ts'
import type { FailureReason } from '../../domain/payments/payment-status.ts'
import { makeTimedReference, TIMED_REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import type { Refund } from '../../domain/refunds/refund.ts'
import type { EventName } from '../../domain/webhooks/webhook-event.ts'
import type { Transaction } from '../../store/engine/database.ts'
import { wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import {
  type FeedRange,
  insertEvents,
  queueDeliveries,
  takeFeedSequences,
} from '../../store/webhooks/events.ts'
import type { Body } from '../../wire/bodies.ts'
import { type EventToWrite, eventBody } from '../../wire/event.ts'
import { endedRefundFields, paymentFields } from '../../wire/payment.ts'

export interface EventPayment
  extends PaymentNames,
    Pick<OperatorPayment, 'environment' | 'msisdnWritten' | 'amountXof'> {
  /** Null on an unpaid link. */
  operator: string | null
  /** Undefined unless the payment was made through a link. */
  linkReference?: string | undefined
}

export interface EventMove {
  to: 'succeeded' | 'failed' | 'refunded'
  validatedAt: number | null
  failureReason?: FailureReason
  /** The operator's own reference of the debit; none where the payment failed. */
  operatorReference?: string | null
}

/** The end of a refund, and what the payment's refunds gave back by then. */
export type EndedRefund = Pick<
  Refund,
  'refundReference' | 'refundId' | 'amountXof' | 'failureReason'
> & {
  status: 'succeeded' | 'failed'
  refundedXof: number
}

/** `refund`: the event is that of a refund, and `move` has the status of the payment. */
export type EventToAppend = { payment: EventPayment; move: EventMove; refund?: EndedRefund }

/** Call it in the transaction of the moves: a crash must not separate the two. */
export async function writeEvents(
  tx: Transaction,
  random: Random,
  moves: readonly EventToAppend[],
  createdAt: number,
): Promise<void> {
  const ranges = await appendToFeeds(
    tx,
    random,
    moves.map(({ payment, move, refund }): NewFeedEvent => {
      const { accountId, number, environment } = payment
      const { to: status, validatedAt, failureReason = null, operatorReference = null } = move
      const data = paymentFields({
        ...payment,
        status,
        validatedAt,
        failureReason,
        operatorReference,
      })
      const about = { accountId, number, environment, createdAt }
      if (refund === undefined) return { ...about, event: `payment.${status}`, data }
      return {
        ...about,
        event: `refund.${refund.status}`,
        data: { ...data, ...endedRefundFields(refund) },
      }
    }),
  )
  for (const accountId of await queueDeliveries(tx, ranges))
    await wakeEndpoints(tx, accountId, createdAt)
}

/**
 * An event about no payment: each endpoint gets those in their order. Payment numbers start at 0.
 */
export async function writeStatementEvent(
  tx: Transaction,
  random: Random,
  event: Omit<NewFeedEvent, 'number' | 'event' | 'data'> & { data: Body<'StatementReady'> },
): Promise<void> {
  const ranges = await appendToFeeds(tx, random, [
    { ...event, number: NO_PAYMENT, event: 'statement.ready' },
  ])
  for (const accountId of await queueDeliveries(tx, ranges))
    await wakeEndpoints(tx, accountId, event.createdAt)
}

export const NO_PAYMENT = -1

export interface NewFeedEvent {
  accountId: string
  number: number
  environment: Environment
  event: EventName
  data: EventToWrite['data']
  createdAt: number
}

export async function appendToFeed(
  tx: Transaction,
  random: Random,
  event: NewFeedEvent,
): Promise<number> {
  const [range] = await appendToFeeds(tx, random, [event])
  return (range as FeedRange).lastSequence
}

async function appendToFeeds(
  tx: Transaction,
  random: Random,
  events: readonly NewFeedEvent[],
): Promise<FeedRange[]> {
  const eventsOf = new Map<string, number>()
  for (const { accountId } of events) eventsOf.set(accountId, (eventsOf.get(accountId) ?? 0) + 1)
  const ranges = (await takeFeedSequences(tx, eventsOf)).map(({ accountId, lastSequence }) => ({
    accountId,
    firstSequence: lastSequence - (eventsOf.get(accountId) as number) + 1,
    lastSequence,
  }))
  const nextOf = new Map(ranges.map(({ accountId, firstSequence }) => [accountId, firstSequence]))
  const numbered = events.map((entry) => {
    const { accountId, number, environment, event, data, createdAt } = entry
    const sequence = nextOf.get(accountId) as number
    nextOf.set(accountId, sequence + 1)
    const eventId = `evt_${makeTimedReference(createdAt, random.bytes(TIMED_REFERENCE_BYTES))}`
    const payload = eventBody({ eventId, event, createdAt, environment, data })
    return { accountId, sequence, eventId, event, number, payload, createdAt }
  })
  await insertEvents(tx, numbered)
  return ranges
}
