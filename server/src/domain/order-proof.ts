// The proof that an order in a page comes from the merchant's server: an HMAC with a key that is derived from the secret key, so that the
// server needs no second secret, and that does not give the secret key back (D-57).
import { createHmac, timingSafeEqual } from 'node:crypto'

const PURPOSE = 'karba order v1'

export const orderKeyOf = (secretKey: string): Buffer => createHmac('sha256', secretKey).update(PURPOSE).digest()

/** The signature is in hexadecimal digits. */
export function isProven(payload: string, signature: string, orderKey: Uint8Array): boolean {
  const expected = Buffer.from(createHmac('sha256', orderKey).update(payload).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
