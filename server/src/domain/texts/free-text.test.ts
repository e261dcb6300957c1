// Which characters a text may hold, and which digits in it are taken for a card number (D-08,
// D-83).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { makeLinkReference } from '../links/payment-link.ts'
import { makeReference } from '../payments/reference.ts'
import {
  addressHoldsCardNumber,
  holdsCardNumber,
  isCustomerName,
  isExternalReference,
  isShownText,
  maskCardNumbers,
} from './free-text.ts'

/** The issuers' own test numbers, and their masked form. */
const CARDS: readonly [about: string, number: string, masked: string][] = [
  ['Visa', '4111111111111111', '411111******1111'],
  ['Visa of 13 digits', '4222222222222', '422222***2222'],
  ['Visa of 19 digits', '4000000000000000006', '400000*********0006'],
  ['Mastercard', '5555555555554444', '555555******4444'],
  ['Mastercard that begins with 2', '2223003122003222', '222300******3222'],
  ['American Express', '378282246310005', '378282*****0005'],
  ['Discover', '6011111111111117', '601111******1117'],
  ['JCB', '3566002020360505', '356600******0505'],
  ['UnionPay', '6200000000000005', '620000******0005'],
  ['Maestro of 19 digits', '6759649826438453003', '675964*********3003'],
  ['Diners Club', '30569309025904', '305693****5904'],
]

const WRITTEN: readonly [about: string, text: string, masked: string][] = [
  ['in fours with blanks', 'Awa 4111 1111 1111 1111', 'Awa 411111******1111'],
  ['in fours with hyphens', '4111-1111-1111-1111', '411111******1111'],
  ['in fours with dots', '4111.1111.1111.1111.', '411111******1111.'],
  [
    'in fours with blanks that do not break',
    '4111\u00a01111\u00a01111\u00a01111',
    '411111******1111',
  ],
  ['as American Express prints it', '3782 822463 10005', '378282*****0005'],
  ['in fours with a rest of three', '6759 6498 2643 8453 003', '675964*********3003'],
  ['digit by digit', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '411111******1111'],
  [
    'with its date and code after it',
    '4111 1111 1111 1111 12/28 123',
    '411111******1111 12/28 123',
  ],
  ['after another number', 'table 12 4111 1111 1111 1111', 'table 12 411111******1111'],
  ['in quotes', '"4111111111111111"', '"411111******1111"'],
  ['after an underscore', 'order_4111111111111111', 'order_411111******1111'],
  ['twice', '4111111111111111, 5555555555554444', '411111******1111, 555555******4444'],
]

/** What merchants call their orders, and what else has many digits. */
const NO_CARDS: readonly [about: string, texts: readonly string[]][] = [
  ['an order with its day', ['ORD-20261116-000123']],
  ['a time in milliseconds or microseconds', ['1794800000000', '1794800000000000']],
  ['a day and time', ['20261116123059', '20261116123059123']],
  ['a short day with a time or a counter', ['2611161230590006', '2611160000000128']],
  ['a UUID', ['41111111-1111-4111-8111-411111111111', '55555555-5555-4444-8444-555555554444']],
  ['hex', ['a4111111111111111f', '41111111111111114111111111111111']],
  ['a word with digits', ['ORD4111111111111111', '4111111111111111ABC']],
  ['an order or a shop and a time', ['411111-1111111111', '41-11111111111111']],
  ['a wrong check digit or length', ['4111111111111112', '41111111111111', '41111111111111111111']],
  ['an amount', ['4.111.111.111.111']],
  ['two separators', ['4111  1111  1111  1111']],
  [
    'a phone number',
    ['+227 96 12 34 56', '+229 01 96 12 34 56', '2290196123456', '00229 01 96 12 34 56'],
  ],
  ['two phone numbers', ['22796123456 22790123456', '96 12 34 56 90 12 34 56']],
  ['digits that are none of ours, or nothing', ['٤١١١١١١١١١١١١١١١', '']],
]

for (const [about, number, masked] of CARDS)
  it(`free text: a card number is found and masked: ${about}`, () => {
    assert.deepEqual([holdsCardNumber(number), maskCardNumbers(number)], [true, masked])
    assert.equal(holdsCardNumber(masked), false)
  })
for (const [about, text, masked] of WRITTEN)
  it(`free text: a card number is found ${about}`, () =>
    assert.equal(maskCardNumbers(text), masked))

for (const [about, texts] of NO_CARDS)
  it(`free text: no card number is ${about}`, () => {
    for (const text of texts)
      assert.deepEqual([holdsCardNumber(text), maskCardNumbers(text)], [false, text])
  })

it('free text: no card number is any phone number of Niger or Benin, however its digits run', () => {
  for (let subscriber = 60_000_000; subscriber < 99_999_999; subscriber += 9_973) {
    const pairs = String(subscriber).replace(/\B(?=(\d\d)+$)/g, ' ')
    for (const country of ['227', '229', '229 01', '+227', '+229 01', '00229 01', '00227'])
      for (const text of [`${country} ${pairs}`, `${country}${subscriber}`.replaceAll(' ', '')])
        assert.equal(holdsCardNumber(text), false, text)
  }
})

it('free text: no card number is any reference of ours', () => {
  for (let seed = 0; seed < 256; seed++) {
    const bytes = Uint8Array.from({ length: 20 }, (_, at) => (seed * (at + 1)) & 255)
    for (const reference of [makeReference(bytes), makeLinkReference(bytes)])
      assert.equal(holdsCardNumber(reference), false, reference)
  }
})

for (const address of [
  'https://shop.example/orders/4111111111111111',
  'https://shop.example/back?card=4111111111111111',
  'https://shop.example/back?note=card%204111%201111%201111%201111',
  'https://shop.example/back?note=card+4111+1111+1111+1111',
  'https://shop.example/back?note=%zz%204111111111111111',
]) {
  it(`free text: an address holds a card number: ${address}`, () =>
    assert.equal(addressHoldsCardNumber(address), true))
}
it('free text: an address holds none, however many digits it has', () =>
  assert.equal(
    addressHoldsCardNumber('https://shop.example/20261116/back?at=1794800000000&x=%20'),
    false,
  ))

/** What numbers begin with, and how many digits they have. */
const ISSUED: readonly [beginning: RegExp, lengths: readonly number[]][] = [
  [/^(222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3(0[0-5]|[689])/, [14]],
  [/^3[47]/, [15]],
  [/^35(2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^4/, [13, 16, 19]],
  [/^5[1-5]/, [16]],
  [/^(50|5[678]|6)/, [13, 14, 15, 16, 17, 18, 19]],
]

const TIME_FIRST = /^2[2-7](0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d/

/** The rules of free-text.ts, written to be read and not to be fast. */
function isCard(piece: string): boolean {
  if (!/^\d+(?:([ ._\u00a0\u202f-])\d+(?:\1\d+)*)?$/.test(piece)) return false
  const sizes = piece.split(/\D/).map((group) => group.length)
  const isEven = sizes.every(
    (size, at) => size === sizes[0] || (at === sizes.length - 1 && size < Number(sizes[0])),
  )
  if (!isEven && !['4 6 5', '4 6 4'].includes(sizes.join(' '))) return false
  const digits = piece.replace(/\D/g, '')
  const doubled = [...digits]
    .reverse()
    .map((digit, at) => (at % 2 === 0 ? digit : String(Number(digit) * 2)))
  const sum = [...doubled.join('')].reduce((total, digit) => total + Number(digit), 0)
  const isIssued = ISSUED.some(
    ([beginning, lengths]) => beginning.test(digits) && lengths.includes(digits.length),
  )
  return isIssued && sum % 10 === 0 && !TIME_FIRST.test(digits)
}

function maskSlowly(text: string): string {
  let masked = ''
  for (let at = 0; at < text.length; ) {
    const end = endOfLongestCard(text, at)
    const digits = text.slice(at, end).replace(/\D/g, '')
    masked +=
      end === at
        ? text.charAt(at)
        : digits.slice(0, 6) + '*'.repeat(digits.length - 10) + digits.slice(-4)
    at = Math.max(end, at + 1)
  }
  return masked
}

function endOfLongestCard(text: string, at: number): number {
  const isWithinWord = (place: number) => /[0-9a-z]/i.test(text.charAt(place))
  // Nineteen digits and eighteen separators.
  for (let end = Math.min(at + 37, text.length); end > at && !isWithinWord(at - 1); end--) {
    if (!isWithinWord(end) && isCard(text.slice(at, end))) return end
  }
  return at
}

/**
 * Digits in groups, mostly of one size and with one separator, so that one text in two holds a card
 * number.
 */
const anyGroups = fc
  .record({
    digits: fc.stringMatching(/^([2-6]\d{12,19}|(2[2-7]0[19]|3[04-9]|35[2-8]|5[0168])\d{10,15})$/),
    sizes: fc.oneof(
      fc.integer({ min: 1, max: 20 }).map((size) => Array<number>(20).fill(size)),
      fc.constantFrom<number[]>([4, 6, 5], [4, 6, 4], [4, 6, 4, 1]),
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 20, maxLength: 20 }),
    ),
    separator: fc.constantFrom(' ', ' ', '-', '.', '_', '\u00a0', '\u202f', '  ', '/'),
  })
  .map(({ digits, sizes, separator }) => {
    let rest = digits
    const groups = sizes.map((size) => {
      const group = rest.slice(0, size)
      rest = rest.slice(size)
      return group
    })
    return groups.filter((group) => group !== '').join(separator)
  })
const anyCard = fc.constantFrom(
  ...CARDS.map(([, number]) => number),
  ...WRITTEN.map(([, text]) => text),
)
const anyOther = fc.stringMatching(/^[0-9 a-z-]{0,8}$/)
const anyText = fc
  .array(fc.oneof(anyGroups, anyGroups, anyCard, anyOther, fc.constantFrom(' ', '-', ', ')), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''))

function countReads(text: string): number {
  const { charCodeAt } = String.prototype
  let reads = 0
  String.prototype.charCodeAt = function (at) {
    reads++
    return charCodeAt.call(this, at)
  }
  try {
    maskCardNumbers(text)
  } finally {
    String.prototype.charCodeAt = charCodeAt
  }
  return reads
}

/** Each repeated until the text is long: receivers choose what they answer. */
const HOSTILE: readonly [about: string, beginning: string, repeated: string][] = [
  ['a long word and then cards', 'x'.repeat(10_000), '4111111111111111 '],
  ['cards', '', '4111111111111111 '],
  ['one digit again and again, never a card', '', '4 '],
  ['pairs of digits, never a card', '', '44 '],
  ['fours of digits, never a card', '', '4444 '],
  ['beginnings of times', '', '2 7 0 1 0 1 0 0 0 0 '],
  ['groups before more digits than a card has', '4 '.repeat(18), '4444'],
]

it('free text: a text of many digits is masked as the rules say, whatever it is made of', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      assert.equal(maskCardNumbers(text), maskSlowly(text))
      assert.equal(holdsCardNumber(text), maskSlowly(text) !== text)
    }),
    { numRuns: 2_000, seed: 1 },
  )
})

for (const [about, beginning, repeated] of HOSTILE)
  it(`free text: a text of many digits is read a bounded number of times: ${about}`, () => {
    const text = beginning + repeated.repeat((20_000 - beginning.length) / repeated.length)
    // Nineteen digits and separators from each digit that may begin a card, and each character
    // twice.
    assert.ok(
      countReads(text) <= 24 * text.length,
      `${countReads(text) / text.length} reads for each character`,
    )
  })

const SHOWN = [
  'Commande 12',
  'Deux pagnes «wax» à 7 500 F',
  'متجر عائشة',
  'Ƙarɓa Ɗan Jariri',
  '日本 12',
  '12',
  '%',
  'Thé 🧵 👨‍👩‍👧 ❤️ 👍🏽',
  '🏳️‍🌈',
]
const REFUSED: [about: string, texts: unknown[]][] = [
  [
    'an override, isolate or mark of direction',
    ['Facture \u202e05 F', '\u2067Boutique\u2069', 'Boutique\u200f', '\u061cBoutique'],
  ],
  [
    'an invisible character',
    [
      'Bout\u200bique',
      'Bout\u200dique',
      '🧵\u200dx',
      'Bou\u00adtique',
      '\ufeffBoutique',
      'Boutique\u{e0041}',
    ],
  ],
  ['blank', ['\u3164', '\u2800', '\u2003\u00a0 ', '\u200b', '\u0301', '']],
  ['of several lines', ['a\u2028b', 'a\nb']],
  ['NUL, no string or too much', ['a\u0000', 12, 'x'.repeat(121)]],
]

for (const text of SHOWN)
  it(`free text: a text that payers read may be ${text}`, () =>
    assert.equal(isShownText(text, 120), true))
for (const [about, texts] of REFUSED)
  it(`free text: a text that payers read is not ${about}`, () => {
    for (const text of texts) assert.equal(isShownText(text, 120), false, String(text))
  })

const ACCEPTED = [
  'x',
  'x'.repeat(255),
  '🛒'.repeat(255),
  'Zoé',
  'Zoe\u0301',
  'طلب',
  'a:b.c/d',
  '100%',
  ' ',
]
const NOT_ACCEPTED: [about: string, values: unknown[]][] = [
  [
    'longer than 255 characters',
    ['x'.repeat(256), '🛒'.repeat(256), 'é'.repeat(510), 'x'.repeat(1_000_000)],
  ],
  ['empty', ['']],
  ['half a surrogate pair', ['x\ud800', '\udc00x', '\udc00\ud800']],
  ['no string', [12, true, null, undefined, ['x'], { toString: () => 'x' }]],
]
for (const value of ACCEPTED)
  it(`free text: a merchant’s text of ${[...value].length} characters, ${JSON.stringify(value.slice(0, 9))}, is accepted`, () =>
    assert.deepEqual([isExternalReference(value), isCustomerName(value)], [true, true]))
for (const [about, values] of NOT_ACCEPTED)
  it(`free text: a merchant’s text that is ${about} is refused`, () => {
    for (const value of values)
      assert.deepEqual([isExternalReference(value), isCustomerName(value)], [false, false])
  })

it('free text: a merchant’s text is refused with any control character in it, and with no other of the first 256', () => {
  for (let code = 0; code < 256; code++) {
    const isControl = code < 32 || (code >= 127 && code < 160)
    assert.equal(isExternalReference(`a${String.fromCharCode(code)}b`), !isControl, `${code}`)
  }
})
