// The wire forms of spec §2, in and out. The only place of this door where snake_case is spoken.
import { isUtf8 } from 'node:buffer'
import type { NewLink } from '../actions/links/create-payment-link.ts'
import type { PublicLink } from '../actions/links/read-payment-link.ts'
import type { CreatedPayment } from '../actions/payments/create-payment.ts'
import type { FeedPage, FeedWish } from '../actions/webhooks/read-events.ts'
import { CURRENCY } from '../domain/money.ts'
import type { Payment, UncheckedOrder } from '../domain/payment.ts'
import type { UncheckedLink } from '../domain/payment-link.ts'
import type { Refused } from '../domain/refusal.ts'

/** Whatever came, as six unknowns; what is not a JSON object has none of them (D-06). */
export function readOrderBody(raw: unknown): UncheckedOrder {
  const body = parseObject(raw)
  return {
    amount: body.amount,
    country: body.country,
    currency: body.currency,
    msisdn: body.msisdn,
    externalReference: body.transaction_id,
    customerName: body.customer_name,
  }
}

/** Whatever came, as nine unknowns (D-21). */
export function readLinkBody(raw: unknown): UncheckedLink {
  const body = parseObject(raw)
  return {
    amount: body.amount,
    title: body.title,
    description: body.description,
    reference: body.reference,
    externalReference: body.transaction_id,
    customerName: body.customer_name,
    shouldExpire: body.shouldExpire,
    onSuccessUrl: body.on_success_redirection_url,
    onFailedUrl: body.on_failed_redirection_url,
  }
}

/** JSON.parse keeps the last of duplicate keys and makes `__proto__` a plain field, as D-06 asks. */
function parseObject(raw: unknown): Record<string, unknown> {
  // Bytes that are not UTF-8 would be silently replaced, and could not be given back as they came.
  if (!Buffer.isBuffer(raw) || !isUtf8(raw)) return {}
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** spec §2.2 */
export function createdPaymentBody(payment: CreatedPayment): string {
  return JSON.stringify({
    status: 'pending',
    reference: payment.reference,
    public_reference: payment.publicReference,
    meta_data: { operator: payment.operator },
  })
}

/** spec §2.3; what is not there yet is left out, not null (D-13). */
export function paymentBody(payment: Payment): string {
  return JSON.stringify({
    public_reference: payment.publicReference,
    external_reference: payment.externalReference,
    reference: payment.reference,
    status: payment.status,
    msisdn: payment.msisdnWritten,
    amount: payment.amountXof,
    validated_at: payment.validatedAt === undefined ? undefined : isoTime(payment.validatedAt),
    failure_reason: payment.failureReason,
  })
}

/** D-21 */
export function createdLinkBody(link: NewLink, pageUrl: string): string {
  return JSON.stringify({
    reference: link.linkReference,
    page_url: pageUrl,
    status: 'initiated',
    amount: link.amountXof,
    currency: CURRENCY,
    title: link.title,
    description: link.description ?? undefined,
    expires_at: link.expiresAt === null ? undefined : isoTime(link.expiresAt),
    public_reference: link.publicReference,
  })
}

/** D-24: for anybody who has the link, so nothing here tells who pays. */
export function linkBody(link: PublicLink): string {
  return JSON.stringify({
    reference: link.linkReference,
    status: link.status,
    amount: link.amountXof,
    currency: CURRENCY,
    title: link.title,
    description: link.description ?? undefined,
    expires_at: link.expiresAt === null ? undefined : isoTime(link.expiresAt),
    public_reference: link.publicReference,
    validated_at: link.validatedAt === null ? undefined : isoTime(link.validatedAt),
    transaction_id: link.paymentReference,
  })
}

const isoTime = (ms: number): string => new Date(ms).toISOString()

const FEED_LIMIT = { usual: 100, most: 1_000 }
const LONGEST_AFTER = 40

/** Every parameter may be left out; what is there twice is not understood (D-47). */
export function readFeedQuery(query: Record<string, unknown>): FeedWish | Refused {
  const { after = '', limit = String(FEED_LIMIT.usual), replays_after: replaysAfter } = query
  if (typeof after !== 'string' || after.length > LONGEST_AFTER) return { refused: 'after_not_valid' }
  const replays = typeof replaysAfter === 'string' && /^(latest|\d{1,15})$/.test(replaysAfter)
  if (replaysAfter !== undefined && !replays) return { refused: 'after_not_valid' }
  if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > FEED_LIMIT.most) {
    return { refused: 'limit_not_valid' }
  }
  return {
    after,
    limit: Number(limit),
    replaysAfter: replaysAfter === undefined || replaysAfter === 'latest' ? replaysAfter : Number(replaysAfter),
  }
}

/** Each event is the text that the webhook carries, with its place in the feed before it. */
export function feedBody({ events, replays, hasMore, nextAfter, nextReplaysAfter }: FeedPage): string {
  const placed = (place: string, payload: string): string => `{${place},${payload.slice(1)}`
  const placedEvents = events.map(({ sequence, payload }) => placed(`"sequence":${sequence}`, payload))
  const replayed = replays.map(({ replay, sequence, payload }) =>
    placed(`"replay":${replay},"sequence":${sequence}`, payload),
  )
  return `{"events":[${placedEvents}],"replays":[${replayed}],"has_more":${hasMore},"next":{"after":${nextAfter},"replays_after":${nextReplaysAfter}}}`
}
