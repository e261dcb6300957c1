// Codes of receipts: every payment has its own, none can be guessed, and each belongs to one
// environment.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RECEIPT_KEY_BYTES, receiptCodes } from './receipt-code.ts'
import { CODE_KEY_BYTES, publicReferences } from './reference.ts'

const references = publicReferences('5a'.repeat(CODE_KEY_BYTES))
const codes = receiptCodes(Buffer.alloc(RECEIPT_KEY_BYTES, 7), references)

it('receipt codes: a code leads to its payment, however a person types it', () => {
  for (const number of [0, 1, 999, 2 ** 39]) {
    const live = codes.of({ environment: 'live', publicReference: references.of(number) })
    const sandbox = codes.of({ environment: 'sandbox', publicReference: references.of(number) })
    assert.match(live, /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/)
    assert.match(sandbox, /^TEST(-[0-9A-Z]{4}){4}$/)
    assert.equal(live.slice(0, 9), references.of(number).slice(0, 9))
    for (const written of [
      live,
      live.toLowerCase(),
      live.replaceAll('-', ''),
      ` ${live.replaceAll('-', ' ')} `,
    ])
      assert.deepEqual(codes.read(written), { environment: 'live', number }, written)
    assert.deepEqual(codes.read(sandbox), { environment: 'sandbox', number })
  }
})

it('receipt codes: a code of the other environment, of another key or with a wrong character is refused', () => {
  const publicReference = references.of(5)
  const live = codes.of({ environment: 'live', publicReference })
  const sandbox = codes.of({ environment: 'sandbox', publicReference })
  const other = receiptCodes(Buffer.alloc(RECEIPT_KEY_BYTES, 8), references)
  const wrong = [
    `TEST-${live}`,
    sandbox.slice(5),
    other.of({ environment: 'live', publicReference }),
  ]
  const spoilt = [...live].flatMap((character, at) =>
    character === '-'
      ? []
      : [live.slice(0, at) + (character === 'A' ? 'B' : 'A') + live.slice(at + 1)],
  )
  const noCodes = [
    '',
    '-',
    'TEST',
    live.slice(1),
    `${live}0`,
    '7K2M-9QXD-4',
    'x'.repeat(10_000_000),
    '\u0000'.repeat(16),
  ]
  for (const written of [...wrong, ...spoilt, ...noCodes])
    assert.equal(codes.read(written), undefined)
})
