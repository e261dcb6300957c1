// Webhook deliveries, as commands print them in JSON.
import { type DeliveryKey, deliveryName } from '../domain/webhook-event.ts'
import { isoTime, optionalTime } from './json.ts'

interface ListedDelivery extends DeliveryKey {
  event: string
  eventId: string
  status: string
  attempts: number
  createdAt: number
  dueAt: number | null
  endedAt: number | null
}

export const deliveryFields = (delivery: ListedDelivery): object => ({
  delivery: deliveryName(delivery),
  account: delivery.accountId,
  endpoint: delivery.endpointId,
  event: delivery.event,
  event_id: delivery.eventId,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: isoTime(delivery.createdAt),
  next_attempt_at: optionalTime(delivery.dueAt),
  ended_at: optionalTime(delivery.endedAt),
})

interface Attempt {
  at: number
  durationMs: number
  statusCode: number | null
  error: string | null
  answer: string
  nextAt: number | null
}

interface ShownDelivery {
  delivery: ListedDelivery
  attempts: readonly Attempt[]
  paymentReference: string | undefined
}

export const shownDeliveryFields = ({ delivery, attempts, paymentReference }: ShownDelivery): object => ({
  ...deliveryFields(delivery),
  reference: paymentReference,
  attempts: attempts.map((attempt) => ({
    at: isoTime(attempt.at),
    ...answerFields(attempt),
    answer: attempt.answer,
    next_attempt_at: optionalTime(attempt.nextAt),
  })),
})

/** The result of a test delivery; `attempt` is undefined until one was made. */
export const testedFields = (name: string, delivered: boolean, attempt: Attempt | undefined): object => ({
  delivery: name,
  delivered,
  ...(attempt && answerFields(attempt)),
})

const answerFields = ({ durationMs, statusCode, error }: Attempt) => ({
  duration_ms: durationMs,
  status: statusCode,
  error,
})
