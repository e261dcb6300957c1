// What a merchant's server does to sign an order for its page, written as a merchant would (D-57).
import { createHmac } from 'node:crypto'

const TOMORROW_MS = 24 * 3_600_000

/** Expires tomorrow unless the order says when. */
export function signOrder(secretKey: string, order: Record<string, unknown>): string {
  const orderKey = createHmac('sha256', secretKey).update('karba order v1').digest()
  const whole = { expires_at: new Date(Date.now() + TOMORROW_MS).toISOString(), ...order }
  const payload = Buffer.from(JSON.stringify(whole)).toString('base64url')
  return `${payload}.${createHmac('sha256', orderKey).update(payload).digest('hex')}`
}
