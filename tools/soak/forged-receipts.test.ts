// Forged codes of receipts: of a million none is valid (D-161). Ten seconds of a core, so not a
// quick test.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { RECEIPT_KEY_BYTES, receiptCodes } from '../../server/src/domain/payments/receipt-code.ts'
import {
  ALPHABET,
  CODE_KEY_BYTES,
  publicReferences,
} from '../../server/src/domain/payments/reference.ts'

const TRIES = 1_000_000
const PAYMENTS = 1_000

it('forged receipts: of 1,000,000 codes none is valid, also where the payment exists', () => {
  const references = publicReferences(randomBytes(CODE_KEY_BYTES).toString('hex'))
  const codes = receiptCodes(randomBytes(RECEIPT_KEY_BYTES), references)
  const bodies = Array.from({ length: PAYMENTS }, (_, number) =>
    references.of(number).replace('-', '').slice(0, 8),
  )
  let valid = 0
  for (let tried = 0; tried < TRIES; tried += PAYMENTS) {
    const bytes = randomBytes(16 * PAYMENTS)
    for (let at = 0; at < PAYMENTS; at++) {
      const text = Array.from(
        bytes.subarray(16 * at, 16 * at + 16),
        (byte) => ALPHABET[byte & 31],
      ).join('')
      // Half of them begin with the public reference of a payment, and half are codes of the
      // sandbox.
      const forged = at % 2 === 0 ? text : bodies[at] + text.slice(8)
      if (codes.read(at % 4 < 2 ? `TEST${forged}` : forged) !== undefined) valid++
    }
  }
  assert.equal(valid, 0)
})
