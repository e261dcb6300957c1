// An order that a merchant's server signed for its page: base64url of JSON, a dot, and the signature of that text (D-57).
import { isProven } from '../domain/api-key.ts'
import type { SignedOrder } from '../domain/payment-link.ts'
import { ISO_TIME, parseObject } from './json.ts'

/** Undefined unless one of the keys signed it and it says when it expires; its other fields are not checked yet. */
export function readSignedOrder(text: unknown, orderKeys: readonly Uint8Array[]): SignedOrder | undefined {
  const [, payload, signature] = (typeof text === 'string' && /^([\w-]+)\.([0-9a-f]{64})$/.exec(text)) || []
  if (payload === undefined || signature === undefined) return undefined
  if (!orderKeys.some((key) => isProven(payload, signature, key))) return undefined
  const order = parseObject(Buffer.from(payload, 'base64url'))
  const { expires_at: expiresAt } = order
  if (typeof expiresAt !== 'string' || !ISO_TIME.test(expiresAt)) return undefined
  return {
    amount: order.amount,
    title: order.title,
    externalReference: order.transaction_id,
    orderReference: order.order_reference,
    expiresAt: Date.parse(expiresAt),
  }
}
