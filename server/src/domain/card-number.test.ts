// Which digits are taken for a card number, and which never are (D-83).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressHoldsCardNumber, holdsCardNumber, maskCardNumbers } from './card-number.ts'
import { makeLinkReference } from './link-reference.ts'
import { makeReference } from './reference.ts'

/** The issuers' own numbers for tests, and what is left of each. */
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
  ['in fours with blanks that do not break', '4111\u00a01111\u00a01111\u00a01111', '411111******1111'],
  ['as American Express prints it', '3782 822463 10005', '378282*****0005'],
  ['in fours with a rest of three', '6759 6498 2643 8453 003', '675964*********3003'],
  ['digit by digit', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '411111******1111'],
  ['with its date and code after it', '4111 1111 1111 1111 12/28 123', '411111******1111 12/28 123'],
  ['after another number', 'table 12 4111 1111 1111 1111', 'table 12 411111******1111'],
  ['in quotes', '"4111111111111111"', '"411111******1111"'],
  ['after an underscore', 'order_4111111111111111', 'order_411111******1111'],
  ['twice', '4111111111111111, 5555555555554444', '411111******1111, 555555******4444'],
]

/** What merchants call their orders, and what else has many digits. */
const NO_CARDS: readonly [about: string, text: string][] = [
  ['an order with its day', 'ORD-20261116-000123'],
  ['a time in milliseconds', '1794800000000'],
  ['a time in microseconds', '1794800000000000'],
  ['a day and time', '20261116123059'],
  ['a day and time with milliseconds', '20261116123059123'],
  ['a short day and time with a counter', '2611161230590006'],
  ['a short day with a counter of ten digits', '2611160000000128'],
  ['a UUID', '41111111-1111-4111-8111-411111111111'],
  ['a UUID of digits alone', '55555555-5555-4444-8444-555555554444'],
  ['hex', 'a4111111111111111f'],
  ['hex of digits alone', '41111111111111114111111111111111'],
  ['a word with digits', 'ORD4111111111111111'],
  ['digits that go on as a word', '4111111111111111ABC'],
  ['an order and a time in seconds', '411111-1111111111'],
  ['a shop and a time', '41-11111111111111'],
  ['a wrong check digit', '4111111111111112'],
  ['a Visa number of a wrong length', '41111111111111'],
  ['more digits than a card has', '41111111111111111111'],
  ['an amount', '4.111.111.111.111'],
  ['two separators', '4111  1111  1111  1111'],
  ['a number of Niger', '+227 96 12 34 56'],
  ['a number of Benin', '+229 01 96 12 34 56'],
  ['a number of Benin in one piece', '2290196123456'],
  ['a number with 00', '00229 01 96 12 34 56'],
  ['two numbers', '22796123456 22790123456'],
  ['two local numbers', '96 12 34 56 90 12 34 56'],
  ['digits that are none of ours', '٤١١١١١١١١١١١١١١١'],
  ['nothing', ''],
]

describe('a card number', () => {
  for (const [about, number, masked] of CARDS) {
    it(`is found and masked: ${about}`, () => {
      assert.equal(holdsCardNumber(number), true)
      assert.equal(maskCardNumbers(number), masked)
      assert.equal(holdsCardNumber(masked), false)
    })
  }
  for (const [about, text, masked] of WRITTEN) {
    it(`is found ${about}`, () => assert.equal(maskCardNumbers(text), masked))
  }
})

describe('no card number', () => {
  for (const [about, text] of NO_CARDS) {
    it(`is ${about}`, () => {
      assert.equal(holdsCardNumber(text), false)
      assert.equal(maskCardNumbers(text), text)
    })
  }

  it('is any phone number of Niger or Benin, however its digits run', () => {
    for (let subscriber = 60_000_000; subscriber < 99_999_999; subscriber += 9_973) {
      const pairs = String(subscriber).replace(/\B(?=(\d\d)+$)/g, ' ')
      for (const country of ['227', '229', '229 01', '+227', '+229 01', '00229 01', '00227']) {
        for (const text of [`${country} ${pairs}`, `${country}${subscriber}`.replaceAll(' ', '')]) {
          assert.equal(holdsCardNumber(text), false, text)
        }
      }
    }
  })

  it('is any reference of ours', () => {
    for (let seed = 0; seed < 256; seed++) {
      const bytes = Uint8Array.from({ length: 20 }, (_, at) => (seed * (at + 1)) & 255)
      for (const reference of [makeReference(bytes), makeLinkReference(bytes)]) {
        assert.equal(holdsCardNumber(reference), false, reference)
      }
    }
  })
})

describe('an address', () => {
  for (const address of [
    'https://shop.example/orders/4111111111111111',
    'https://shop.example/back?card=4111111111111111',
    'https://shop.example/back?note=card%204111%201111%201111%201111',
    'https://shop.example/back?note=card+4111+1111+1111+1111',
    'https://shop.example/back?note=%zz%204111111111111111',
  ]) {
    it(`holds a card number: ${address}`, () => assert.equal(addressHoldsCardNumber(address), true))
  }
  it('holds none, however many digits it has', () => {
    assert.equal(addressHoldsCardNumber('https://shop.example/20261116/back?at=1794800000000&x=%20'), false)
  })
})
