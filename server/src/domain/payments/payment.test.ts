// A checked order: the missing field that it names, and the number as written and as dialled. The
// order of the faults and the limits of amounts are in test/contract/body-order.test.ts.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ENVIRONMENTS } from '../environment.ts'
import { checkOrder, type UncheckedOrder } from './payment.ts'
import { NOTHING_ADDED } from './payment-fields.ts'
import {
  isFinal,
  type MadeMove,
  MOVES,
  type PaymentStatus,
  STATUSES,
  statusAt,
} from './payment-status.ts'

const VALID: UncheckedOrder = {
  amount: 1500,
  country: 'NE',
  currency: 'XOF',
  msisdn: ' +227 96 12 34 56 ',
  externalReference: 'order-1',
  customerName: 'Awa Diallo',
}

for (const environment of ENVIRONMENTS)
  describe(`payment orders in ${environment}`, () => {
    for (const field of [
      'amount',
      'country',
      'currency',
      'msisdn',
      'externalReference',
      'customerName',
    ] as const)
      it(`payment orders: without ${field} is incomplete, however that is written`, () => {
        for (const blank of [undefined, null, '', '   ', '\n\t']) {
          const refused = { refused: 'body_incomplete', missing: field }
          assert.deepEqual(checkOrder({ ...VALID, [field]: blank }, environment), refused)
        }
      })

    it('payment orders: that is valid is accepted with its number as it was written and as it is dialled', () => {
      assert.deepEqual(checkOrder(VALID, environment), {
        amountXof: 1500,
        country: 'NE',
        msisdnWritten: ' +227 96 12 34 56 ',
        msisdn: '22796123456',
        prefix: '96',
        externalReference: 'order-1',
        customerName: 'Awa Diallo',
        ...NOTHING_ADDED,
      })
    })
  })

// The moves of a payment are those of spec §3 and D-14, and no other.

/** D-14, line by line. */
const ALLOWED = [
  'initiated → pending',
  'initiated → failed',
  'pending → succeeded',
  'pending → failed',
  'pending → refunded',
  'succeeded → refunded',
  'failed → succeeded',
]

const FINAL = ['failed', 'refunded']

const SUCCEEDED: MadeMove = { at: 2_000, from: 'pending', to: 'succeeded' }
const REFUNDED: MadeMove = { at: 5_000, from: 'succeeded', to: 'refunded' }
const CHOSEN: MadeMove = { at: 1_500, from: 'initiated', to: 'pending' }

/** Recorded at 1,000, by default as pending. */
const AT: [
  moves: MadeMove[],
  time: number,
  status: PaymentStatus | undefined,
  recordedAs?: PaymentStatus,
][] = [
  [[], 999, undefined],
  [[SUCCEEDED], 999, undefined],
  [[], 1_000, 'pending'],
  [[], 9_999, 'pending'],
  [[SUCCEEDED], 1_000, 'pending'],
  [[SUCCEEDED], 1_999, 'pending'],
  [[SUCCEEDED], 2_000, 'succeeded'],
  [[SUCCEEDED, REFUNDED], 4_999, 'succeeded'],
  [[SUCCEEDED, REFUNDED], 5_000, 'refunded'],
  [[SUCCEEDED, REFUNDED], 9_999, 'refunded'],
  [[], 9_999, 'initiated', 'initiated'],
  [[CHOSEN, SUCCEEDED], 1_499, 'initiated', 'initiated'],
  [[CHOSEN, SUCCEEDED], 1_500, 'pending', 'initiated'],
  [[CHOSEN, { ...SUCCEEDED, at: 1_500 }], 1_500, 'succeeded', 'initiated'],
]

it('payment states: a payment has the five states of spec §3', () =>
  assert.deepEqual([...STATUSES], ['initiated', 'pending', 'succeeded', 'failed', 'refunded']))

for (const from of STATUSES)
  for (const to of STATUSES) {
    const move = `${from} → ${to}`
    const allowed = ALLOWED.includes(move)
    it(`payment states: a payment ${allowed ? 'may' : 'may not'} move ${move}`, () =>
      assert.equal(
        MOVES.filter((each) => each.from === from && each.to === to).length,
        allowed ? 1 : 0,
      ))
  }

for (const status of STATUSES) {
  const final = FINAL.includes(status)
  it(`payment states: a payment that is ${status} is ${final ? '' : 'not '}final`, () =>
    assert.equal(isFinal(status), final))
}

for (const [moves, time, status, recordedAs = 'pending'] of AT) {
  const made = moves.map(({ at, to }) => `${to} at ${at}`).join(' and ') || 'no move'
  it(`payment states: a payment recorded as ${recordedAs}, with ${made} ${status === undefined ? 'is not yet recorded' : `is ${status}`} at ${time}`, () =>
    assert.equal(statusAt(moves, { status: recordedAs, at: 1_000 }, time), status))
}

it('payment states: a payment has a reason and a source for each of its moves', () => {
  for (const { because, source } of MOVES) {
    assert.ok(because.length > 10)
    assert.match(source, /^(spec §|D-)\d+/)
  }
})
