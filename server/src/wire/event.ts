// An event on the wire: the text that a webhook carries and the feed repeats (D-26, D-47).
import type { Environment } from '../domain/environment.ts'
import type { RefusedAs } from '../domain/refusals/refusal.ts'
import {
  type EventName,
  FEED_LIMIT,
  type FeedPage,
  type FeedQuery,
  isFeedPosition,
  LONGEST_AFTER,
} from '../domain/webhooks/webhook-event.ts'
import type { Body } from './bodies.ts'
import { isoTime, limitIn } from './json.ts'

export interface EventToWrite {
  eventId: string
  event: EventName
  createdAt: number
  environment: Environment
  /** The fields of a payment, of a payment and its refund, of statements, or of a test. */
  data:
    | Body<'EventPayment'>
    | Body<'RefundedPayment'>
    | Body<'StatementReady'>
    | Body<'WebhookTest'>
}

/** The shape of the text. A change that a reader of events must know about counts it up (D-26). */
export const EVENT_VERSION = 1

/**
 * Called once for each event: its text is stored, and webhooks and the feed send exactly these
 * bytes.
 */
export function eventBody({ eventId, event, createdAt, environment, data }: EventToWrite): string {
  return JSON.stringify({
    id: eventId,
    event,
    version: EVENT_VERSION,
    created_at: isoTime(createdAt),
    environment,
    data,
  })
}

export const testEventData = (endpointId: string): Body<'WebhookTest'> => ({
  endpoint: endpointId,
  message: 'A test of your webhook: no payment has changed.',
})

/** In the order in which they are checked; `replays_after` is checked with `after`. */
export const FEED_QUERY_FAULTS = ['after_not_valid', 'limit_not_valid'] as const

/** Every parameter is optional; a repeated one is refused (D-47). */
export function readFeedQuery(
  query: Record<string, unknown>,
): FeedQuery | RefusedAs<(typeof FEED_QUERY_FAULTS)[number]> {
  const { after = '', replays_after: replaysAfter } = query
  if (typeof after !== 'string' || after.length > LONGEST_AFTER) {
    return { refused: 'after_not_valid', parameter: 'after' }
  }
  const replays =
    typeof replaysAfter === 'string' && (replaysAfter === 'latest' || isFeedPosition(replaysAfter))
  if (replaysAfter !== undefined && !replays)
    return { refused: 'after_not_valid', parameter: 'replays_after' }
  const limit = limitIn(query, FEED_LIMIT)
  if (limit === undefined) return { refused: 'limit_not_valid' }
  return {
    after,
    limit,
    replaysAfter:
      replaysAfter === undefined || replaysAfter === 'latest' ? replaysAfter : Number(replaysAfter),
  }
}

/**
 * Each event is the text that the webhook carries, with its position in the feed as first field.
 */
export function feedBody({
  events,
  replays,
  hasMore,
  nextAfter,
  nextReplaysAfter,
}: FeedPage): string {
  const withPosition = (position: string, payload: string): string =>
    `{${position},${payload.slice(1)}`
  const eventTexts = events.map(({ sequence, payload }) =>
    withPosition(`"sequence":${sequence}`, payload),
  )
  const replayTexts = replays.map(({ replay, sequence, payload }) =>
    withPosition(`"replay":${replay},"sequence":${sequence}`, payload),
  )
  return `{"events":[${eventTexts}],"replays":[${replayTexts}],"has_more":${hasMore},"next":{"after":${nextAfter},"replays_after":${nextReplaysAfter}}}`
}
