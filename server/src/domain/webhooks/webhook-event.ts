// The events that merchants can subscribe to (D-26), the names of deliveries, and the feed.

export const PAYMENT_EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded'] as const

/** The end of one refund, whole or in part (D-154). */
export const REFUND_EVENTS = ['refund.succeeded', 'refund.failed'] as const

export const EVENTS = [...PAYMENT_EVENTS, ...REFUND_EVENTS, 'statement.ready'] as const

/** The default: real receivers take an unknown `payment.refunded` for a success (D-61). */
export const USUAL_EVENTS = [
  'payment.succeeded',
  'payment.failed',
] as const satisfies readonly EventName[]

export type EventName = (typeof EVENTS)[number] | 'webhook.test'

export const isEventName = (text: string): text is EventName =>
  (EVENTS as readonly string[]).includes(text)

/** One event for one endpoint; `round` counts its replays. */
export type DeliveryKey = {
  accountId: string
  endpointId: string
  sequence: number
  round: number
}

/**
 * `whe_…-17`, and `whe_…-17-2` for its second replay: the name holds the key and need not be
 * stored.
 */
export const deliveryName = ({ endpointId, sequence, round }: DeliveryKey): string =>
  `${endpointId}-${sequence}${round === 0 ? '' : `-${round}`}`

export function readDeliveryName(name: string): Omit<DeliveryKey, 'accountId'> | undefined {
  const match = /^(whe_[0-9a-z]{1,40})-(\d{1,15})(?:-(\d{1,9}))?$/.exec(name)
  if (match === null) return undefined
  return {
    endpointId: match[1] as string,
    sequence: Number(match[2]),
    round: Number(match[3] ?? 0),
  }
}

// The feed of an account: its events, numbered without gaps, and the list of replayed events
// (D-47).

/** Events per page. */
export const FEED_LIMIT = { usual: 100, most: 1_000 } as const
/** The longest `after`: longer than any event id or sequence. */
export const LONGEST_AFTER = 40

/** A sequence in the feed, or the number of a replay: digits that a double holds exactly. */
export const isFeedPosition = (text: string): boolean => /^\d{1,15}$/.test(text)

export interface FeedQuery {
  /** An event's id, its sequence, `latest`, or empty for the beginning. */
  after: string
  limit: number
  replaysAfter: number | 'latest' | undefined
}

export interface FeedEvent {
  sequence: number
  /** Exactly the text that the webhook carries. */
  payload: string
}

export interface FeedPage {
  events: FeedEvent[]
  replays: (FeedEvent & { replay: number })[]
  hasMore: boolean
  nextAfter: number
  nextReplaysAfter: number
}

// Where a merchant receives webhooks. Its secrets are sealed: only what sends or changes them opens
// them.

export const MOST_ENDPOINTS = 5

/** A static value that is sent with every event must not be guessed (D-45). */
export const SECRET_HASH_LENGTH = { shortest: 16, longest: 255 } as const

/** `gone` is off as well, because the receiver answered 410. */
export type EndpointStatus = 'on' | 'off' | 'gone'

/** An endpoint in a list, without its secrets. */
export interface ListedEndpoint {
  accountId: string
  endpointId: string
  url: string
  /** Comma-separated. */
  events: string
  status: EndpointStatus
  createdAt: number
  /** The first failed attempt since the last success; null without one. */
  failedSince: number | null
  failures: number
  /** The answer to the last of them; null for none. */
  lastStatusCode: number | null
}

/**
 * An endpoint is failing after so many failed attempts in a row, or so long after the first of them
 * (D-159).
 */
export const FAILING_AFTER = { failures: 3, ms: 600_000 } as const

/** Since when an endpoint is failing; null while it works. */
export const failingSince = (
  { failedSince, failures }: Pick<ListedEndpoint, 'failedSince' | 'failures'>,
  now: number,
): number | null =>
  failedSince !== null &&
  (failures >= FAILING_AFTER.failures || failedSince <= now - FAILING_AFTER.ms)
    ? failedSince
    : null

export interface Endpoint extends ListedEndpoint {
  secretHash: string
  oldSecretHash: string | null
  oldSecretHashUntil: number | null
  signingSecret: string
  oldSigningSecret: string | null
  oldSigningSecretUntil: number | null
}

export const eventsOf = ({ events }: Pick<Endpoint, 'events'>): string[] => events.split(',')

export interface Delivery extends DeliveryKey {
  number: number
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  createdAt: number
  dueAt: number | null
  endedAt: number | null
  event: string
  eventId: string
  /** Both null when the endpoint has been removed. */
  endpointStatus: EndpointStatus | null
  url: string | null
  /** Null for a test. */
  paymentReference: string | null
  /** Of the last attempt. */
  lastStatusCode: number | null
  lastError: string | null
}

export interface DeliveryAttempt {
  attempt: number
  at: number
  durationMs: number
  statusCode: number | null
  answer: string
  error: string | null
  nextAt: number | null
}
