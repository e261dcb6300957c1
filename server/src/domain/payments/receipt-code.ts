// The code on a receipt, by which anyone can check a payment: XXXX-XXXX-XXXX-XXXX in Crockford's
// base32, and TEST- before it in the sandbox (D-161).
//
// The first half is the payment's public reference without its check character, the second half 40
// bits of a keyed hash over it and the environment. A forged code is refused without a look-up, so
// the answer does not show whether its payment exists; one of 2^40 guesses is right. Stored codes
// were ruled out: each success would write an index.
import { hash, timingSafeEqual } from 'node:crypto'
import type { Environment } from '../environment.ts'
import { ALPHABET, normalised, type PublicReferences } from './reference.ts'

export const RECEIPT_KEY_BYTES = 32
const HALF = 8
const TEST = 'TEST'
/** Longer than any code, with dashes and spaces. */
const LONGEST = 60

export interface ReceiptOf {
  environment: Environment
  number: number
}

export type ReceiptCodes = ReturnType<typeof receiptCodes>

export function receiptCodes(key: Uint8Array, publicReferences: PublicReferences) {
  const secret = Buffer.from(key).toString('hex')
  /**
   * 1 µs at each read, an HMAC 5. Appending, which an HMAC prevents, needs the whole hash: only 40
   * bits are shown.
   */
  const tagOf = (environment: Environment, body: string): string => {
    // A character for each byte: a buffer would take a microsecond more.
    const digest = hash('sha256', `${secret} ${environment} ${body}`, 'binary')
    let tag = ''
    for (let at = 0; at < HALF; at++) tag += ALPHABET[digest.charCodeAt(at) & 31]
    return tag
  }
  return {
    of({
      environment,
      publicReference,
    }: {
      environment: Environment
      publicReference: string
    }): string {
      const [first, second] = [publicReference.slice(0, 4), publicReference.slice(5, 9)]
      const tag = tagOf(environment, first + second)
      const code = `${first}-${second}-${tag.slice(0, 4)}-${tag.slice(4)}`
      return environment === 'sandbox' ? `${TEST}-${code}` : code
    },
    /**
     * Read as public references are. Undefined for a forged code, and for one without or with TEST
     * wrongly.
     */
    read(written: string): ReceiptOf | undefined {
      if (written.length > LONGEST) return undefined
      const text = normalised(written)
      const isTest = text.length === TEST.length + 2 * HALF && text.startsWith(TEST)
      const environment = isTest ? 'sandbox' : 'live'
      const code = isTest ? text.slice(TEST.length) : text
      const number =
        code.length === 2 * HALF ? publicReferences.numberOfBody(code.slice(0, HALF)) : undefined
      if (number === undefined) return undefined
      const expected = Buffer.from(tagOf(environment, code.slice(0, HALF)))
      const given = Buffer.from(code.slice(HALF))
      return given.length === expected.length && timingSafeEqual(given, expected)
        ? { environment, number }
        : undefined
    },
  }
}
