// An order that a page cannot change: signed by the merchant's server for its button, with a key that is derived from the secret key.
import { base64url, bytesOf, hex, hmacSha256 } from './web-crypto.ts'

export interface OrderToSign {
  /** Whole francs, as a number or as its digits: `5000`, `"5000"`, `"5000.00"`. */
  amount: number | string
  title: string
  /** Your reference, once in your account. */
  transaction_id: string
  /** Your name for the order, when it may need several tries. */
  order_reference?: string
  /** ISO 8601: until when the page may begin this payment. In an hour, unless you say otherwise. */
  expires_at?: string
}

const PURPOSE = 'karba order v1'
const HOUR_MS = 3_600_000

/** For the attribute `data-order` of the button. */
export async function signOrder(secretKey: string, order: OrderToSign): Promise<string> {
  const whole = { expires_at: new Date(Date.now() + HOUR_MS).toISOString(), ...order }
  const payload = base64url(bytesOf(JSON.stringify(whole)))
  const orderKey = await hmacSha256(bytesOf(secretKey), bytesOf(PURPOSE))
  return `${payload}.${hex(await hmacSha256(orderKey, bytesOf(payload)))}`
}
