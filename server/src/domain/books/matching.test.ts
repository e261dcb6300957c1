// Judging a line of a network's statement: which booking it makes and which exception it raises.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { uuidOfReference } from '../payments/reference.ts'
import {
  type Candidate,
  correctionsOf,
  differenceXof,
  judgeLine,
  numbersIn,
  referencesIn,
  refundsOfLine,
} from './matching.ts'
import type { StatementLine } from './statement.ts'

const LINE = {
  type: 'collection',
  amountXof: 1_000,
  feeXof: 15,
  taxXof: 0,
  day: 100,
  ourReference: '',
  networkReference: '',
  counterparty: '',
  text: '',
} as StatementLine
const PAYMENT: Candidate = {
  subject: 'payment',
  accountId: 'a',
  number: 1,
  refundReference: null,
  status: 'succeeded',
  amountXof: 1_000,
  expectedFeeXof: 15,
  isOfLateMoney: false,
  isCollected: false,
  isRefundConfirmed: false,
  days: { created: 99, ended: 100 },
}
const REFUND: Candidate = {
  ...PAYMENT,
  subject: 'refund',
  refundReference: 'r',
  expectedFeeXof: null,
}
const RETURNED = { ...LINE, type: 'refund', amountXof: -1_000 } as StatementLine

type Lines = Partial<StatementLine>
type Candidates = Partial<Candidate>

const OF_COLLECTIONS: [about: string, line: Lines, payment: Candidates | null, string | null][] = [
  ['that agrees', {}, {}, null],
  ['without a payment', {}, null, 'missing_here'],
  ['about a refund', {}, { subject: 'refund' }, 'missing_here'],
  ['of a pending payment', {}, { status: 'pending' }, 'too_early'],
  ['of a link that nobody paid', {}, { status: 'initiated' }, 'too_early'],
  ['of a refunded payment', {}, { status: 'refunded' }, null],
  ['of a failed payment', {}, { status: 'failed' }, 'paid_although_failed'],
  ['of late money given back', {}, { status: 'failed', isGivenBack: true }, null],
  [
    'of late money given back, the second',
    {},
    { status: 'failed', isGivenBack: true, isCollected: true },
    'paid_although_failed',
  ],
  [
    'of late money given back, of another amount',
    { amountXof: 999 },
    { status: 'failed', isGivenBack: true },
    'paid_although_failed',
  ],
  ['of another amount', { amountXof: 999 }, { isCollected: true }, 'amount_differs'],
  ['that is there twice', {}, { isCollected: true }, 'duplicate_line'],
  ['with another fee', { feeXof: 16 }, {}, 'fee_differs'],
  ['without a tariff', { feeXof: 16 }, { expectedFeeXof: null }, null],
  ['a day before', { day: 98 }, {}, null],
  ['two days before', { day: 97 }, {}, 'wrong_day'],
  ['a day after', { day: 101 }, {}, null],
  ['two days after', { day: 102 }, {}, 'wrong_day'],
  ['of a payment without days', { day: 500 }, { days: undefined }, null],
]

const OF_REFUNDS: [about: string, line: Lines, candidate: Candidate | null, string | null][] = [
  ['that agrees', {}, REFUND, null],
  ['without a payment', {}, null, 'refund_without_payment'],
  ['that fits several', {}, { ...REFUND, hasSeveralRefunds: true }, 'refund_without_payment'],
  ['that is pending', {}, { ...REFUND, status: 'pending' }, 'too_early'],
  ['that failed', {}, { ...REFUND, status: 'failed' }, 'refund_without_payment'],
  ['of a payment that was not refunded', {}, PAYMENT, 'refund_without_payment'],
  ['of a refunded payment', {}, { ...PAYMENT, status: 'refunded' }, null],
  ['with the state of a payment', {}, { ...REFUND, status: 'refunded' }, 'refund_without_payment'],
  ['of another amount', { amountXof: -999 }, REFUND, 'amount_differs'],
  ['of the wrong sign', { amountXof: 1_000 }, REFUND, 'amount_differs'],
  ['that is there twice', {}, { ...REFUND, isRefundConfirmed: true }, 'duplicate_line'],
  ['of another day', { day: 90 }, REFUND, 'wrong_day'],
  ['of another day, by the network', { day: 90 }, { ...PAYMENT, status: 'refunded' }, null],
]

const FEE = { kind: 'fee', debit: 'fees', credit: 'wallet', amountXof: 15 }
const of = (line: Lines): StatementLine => ({ ...LINE, ...line })

describe('matching: exceptions', () => {
  for (const [about, line, payment, expected] of OF_COLLECTIONS)
    it(`a collection ${about} is ${expected}`, () => {
      const candidate = payment === null ? undefined : { ...PAYMENT, ...payment }
      assert.equal(judgeLine(of(line), candidate).exception, expected)
    })

  for (const [about, line, candidate, expected] of OF_REFUNDS)
    it(`a refund ${about} is ${expected}`, () =>
      assert.equal(judgeLine({ ...RETURNED, ...line }, candidate ?? undefined).exception, expected))

  it('a line of another type is missing here', () => {
    assert.deepEqual(judgeLine(of({ type: 'other' }), PAYMENT), {
      is: 'exception',
      exception: 'missing_here',
      bookings: [
        { kind: 'unexplained', debit: 'wallet', credit: 'unexplained', amountXof: 1_000 },
        FEE,
      ],
    })
  })

  const NOT_MADE: [about: string, candidate: Candidate | undefined, isMissing: boolean][] = [
    ['a payment', PAYMENT, true],
    ['a refunded payment', { ...PAYMENT, status: 'refunded' }, true],
    ['a payment that another line shows', { ...PAYMENT, isCollected: true }, false],
    ['a payment whose refund a line shows', { ...PAYMENT, isRefundConfirmed: true }, true],
    ['a refund', REFUND, true],
    ['a refund that another line shows', { ...REFUND, isRefundConfirmed: true }, false],
    ['a refund of a payment that a line shows', { ...REFUND, isCollected: true }, true],
    ['a failed payment', { ...PAYMENT, status: 'failed' }, false],
    ['nothing', undefined, false],
  ]
  for (const [about, candidate, isMissing] of NOT_MADE)
    it(`a movement that was not made, of ${about}, ${isMissing ? 'is an exception' : 'agrees'}`, () =>
      assert.deepEqual(
        judgeLine(of({ type: 'not_made' }), candidate),
        isMissing
          ? { is: 'exception', exception: 'not_paid_although_succeeded', bookings: [] }
          : { is: 'matched', exception: null, bookings: [] },
      ))
})

const collected = (credit: string) => ({
  kind: 'collected',
  debit: 'wallet',
  credit,
  amountXof: 1_000,
})

describe('matching: bookings', () => {
  it('a collection books its amount, its fee and its tax', () =>
    assert.deepEqual(judgeLine(of({ taxXof: 3 }), PAYMENT), {
      is: 'matched',
      exception: null,
      bookings: [
        collected('receivable'),
        FEE,
        { kind: 'tax', debit: 'taxes', credit: 'wallet', amountXof: 3 },
      ],
    }))

  it('a refund books its amount out of the wallet', () =>
    assert.deepEqual(judgeLine({ ...RETURNED, feeXof: 0 }, REFUND), {
      is: 'matched',
      exception: null,
      bookings: [
        { kind: 'refund_confirmed', debit: 'receivable', credit: 'wallet', amountXof: 1_000 },
      ],
    }))

  for (const [about, line, candidate, otherSide] of [
    ['that agrees', {}, {}, 'receivable'],
    ['whose fee differs', { feeXof: 16 }, {}, 'receivable'],
    ['of another day', { day: 90 }, {}, 'receivable'],
    ['of another amount', {}, { amountXof: 1 }, 'unexplained'],
    ['of late money', {}, { isOfLateMoney: true }, 'unexplained'],
    ['of late money given back', {}, { isGivenBack: true }, 'unexplained'],
  ] as const)
    it(`a collection ${about} is booked against ${otherSide}`, () =>
      assert.deepEqual(
        judgeLine(of(line), { ...PAYMENT, ...candidate }).bookings[0],
        collected(otherSide),
      ))

  it('a line of nothing books nothing', () =>
    assert.deepEqual(judgeLine(of({ amountXof: 0, feeXof: 0 }), undefined).bookings, []))

  for (const [type, kind, other] of [
    ['fee', 'fee', 'fees'],
    ['tax', 'tax', 'taxes'],
    ['settlement', 'settlement', 'in_transit'],
    ['withheld', 'withheld', 'withheld'],
    ['released', 'withheld', 'withheld'],
  ] as const)
    it(`a line of the type ${type} is about no payment, and is booked against ${other}`, () =>
      assert.deepEqual(judgeLine(of({ type, amountXof: -40, taxXof: 2, feeXof: 0 }), undefined), {
        is: 'matched',
        exception: type === 'withheld' ? 'withheld' : null,
        bookings: [
          { kind, debit: other, credit: 'wallet', amountXof: 40 },
          { kind: 'tax', debit: 'taxes', credit: 'wallet', amountXof: 2 },
        ],
      }))

  it('a fee on a line of its own is compared with the tariff of its payment', () => {
    const judged = (line: Lines, candidate?: Candidate) => {
      const { exception, expectedFeeXof } = judgeLine(of({ type: 'fee', ...line }), candidate)
      return [exception, expectedFeeXof]
    }
    assert.deepEqual(judged({ amountXof: -15 }, PAYMENT), [null, undefined])
    assert.deepEqual(judged({ amountXof: -16 }, PAYMENT), ['fee_differs', 15])
    assert.deepEqual(judged({ amountXof: -16 }, { ...REFUND, expectedFeeXof: 15 }), [
      null,
      undefined,
    ])
    assert.deepEqual(judged({ amountXof: -16, type: 'tax' }, PAYMENT), [null, undefined])
    assert.equal(judgeLine(of({ feeXof: 16 }), PAYMENT).expectedFeeXof, 15)
    assert.equal('expectedFeeXof' in judgeLine(of({}), PAYMENT), false)
  })

  it('a correction moves an amount from unexplained to what explains it', () => {
    assert.deepEqual(correctionsOf(judgeLine(LINE, PAYMENT)), [
      { kind: 'collected', debit: 'unexplained', credit: 'receivable', amountXof: 1_000 },
    ])
    assert.deepEqual(correctionsOf(judgeLine(RETURNED, REFUND)), [
      { kind: 'refund_confirmed', debit: 'receivable', credit: 'unexplained', amountXof: 1_000 },
    ])
    assert.deepEqual(correctionsOf(judgeLine(LINE, undefined)), [])
    assert.deepEqual(correctionsOf(judgeLine(LINE, { ...PAYMENT, isOfLateMoney: true })), [])
  })
})

const REFERENCE = '01k9wjhm2kq8v3xtb6c4n5rd'

describe('matching: references and numbers in a line', () => {
  it('our references are found in their columns and in the text, once each, the surest first', () => {
    const other = REFERENCE.replace('01', '02')
    const third = REFERENCE.replace('01', '03')
    const inLine = (fields: Partial<Parameters<typeof referencesIn>[0]>) =>
      referencesIn({ ourReference: '', networkReference: '', text: '', ...fields })
    assert.deepEqual(inLine({}), [])
    assert.deepEqual(inLine({ ourReference: ` ${REFERENCE.toUpperCase()} ` }), [REFERENCE])
    assert.deepEqual(inLine({ networkReference: uuidOfReference(REFERENCE) }), [REFERENCE])
    assert.deepEqual(
      inLine({
        text: `paid ${third}, then ${other} and ${REFERENCE}`,
        networkReference: other,
        ourReference: REFERENCE,
      }),
      [REFERENCE, other, third],
    )
    assert.deepEqual(inLine({ text: `uuid ${uuidOfReference(REFERENCE)}!` }), [REFERENCE])
    assert.deepEqual(inLine({ ourReference: 'KB-1042', text: 'a short text' }), [])
  })

  for (const [counterparty, numbers] of [
    ['FRI:22997000001/MSISDN', ['2290197000001']],
    ['+229 01 97 00 00 01', ['2290197000001']],
    ['229-01.97-00.00-01', ['2290197000001']],
    ['0197000001', ['2290197000001']],
    ['AWA', []],
    ['1234567', []],
  ] as const)
    it(`the numbers in “${counterparty}” are ${numbers.join() || 'none'}`, () => {
      const found = numbersIn({ counterparty })
      for (const number of numbers) assert.ok(found.includes(number), found.join())
      if (numbers.length === 0) assert.deepEqual(found, [])
      assert.equal(new Set(found).size, found.length)
    })

  it('a line that names only the payment means its open refunds of that amount (D-160)', () => {
    const refund = (amountXof: number, isRefundConfirmed: number) => ({
      amountXof,
      isRefundConfirmed,
    })
    const line = { amountXof: -500 }
    const [open, other, done] = [refund(500, 0), refund(400, 0), refund(500, 1)]
    assert.deepEqual(refundsOfLine(line, [other, done, open]), [open])
    assert.deepEqual(refundsOfLine(line, [open, { ...open }]), [open, open])
    assert.deepEqual(refundsOfLine(line, [done, refund(500, 2), other]), [done])
    assert.deepEqual(refundsOfLine(line, [other]), [])
  })
})

describe('matching: differences', () => {
  const candidate = { amountXof: 900 }
  for (const [kind, line, ours, expected] of [
    ['amount_differs', {}, { candidate }, 100],
    ['amount_differs', { amountXof: -1_000 }, { candidate }, 100],
    ['amount_differs', {}, { candidate: undefined, expectedFeeXof: 1 }, undefined],
    ['fee_differs', {}, { candidate, expectedFeeXof: 20 }, -5],
    ['fee_differs', { type: 'fee', amountXof: -30 }, { candidate, expectedFeeXof: 20 }, 10],
    ['fee_differs', {}, { candidate, expectedFeeXof: null }, undefined],
    ['fee_differs', {}, { candidate }, undefined],
    ['duplicate_line', {}, { candidate, expectedFeeXof: 20 }, undefined],
  ] as const)
    it(`${kind} of ${JSON.stringify(line)} to ${JSON.stringify(ours)} is ${expected}`, () =>
      assert.equal(differenceXof(kind, of(line), ours), expected))
})
