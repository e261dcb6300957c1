// The order of a refund, and what the refunds of a payment add up to.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MAXIMUM_XOF } from '../payments/money.ts'
import {
  MOST_REFUNDS,
  REFUND_FAULTS,
  REFUND_FILTERS,
  REFUND_STATUSES,
  type RefundablePayment,
  readRefundOrder,
  refundSumsOf,
} from './refund.ts'

it('refunds: the closed lists of states, filters and faults', () => {
  assert.equal(REFUND_STATUSES.join(' '), 'waiting_for_approval pending by_hand succeeded failed')
  assert.deepEqual(REFUND_FILTERS, ['open', ...REFUND_STATUSES])
  assert.deepEqual(REFUND_FAULTS, ['refund_amount_not_valid', 'refund_id_not_valid'])
  assert.equal(MOST_REFUNDS, 500)
})

for (const [amount, amountXof] of [
  [undefined, undefined],
  [1, 1],
  ['1', 1],
  ['500', 500],
  [MAXIMUM_XOF, MAXIMUM_XOF],
] as const)
  it(`refunds: an order of ${JSON.stringify(amount)} is of ${amountXof} XOF`, () => {
    assert.deepEqual(readRefundOrder({ amount }), { amountXof, refundId: undefined })
    assert.deepEqual(readRefundOrder({ amount, refundId: 'R-1' }), { amountXof, refundId: 'R-1' })
  })

for (const amount of [0, -1, 1.5, null, '', '0', '1.5', 'x', true, [5], MAXIMUM_XOF + 1])
  it(`refunds: an order of ${JSON.stringify(amount)} is refused`, () =>
    assert.deepEqual(readRefundOrder({ amount, refundId: '' }), {
      refused: 'refund_amount_not_valid',
    }))

for (const refundId of ['', null, 5, 'a\u0000'])
  it(`refunds: a name of ${JSON.stringify(refundId)} is refused`, () =>
    assert.deepEqual(readRefundOrder({ amount: 5, refundId }), { refused: 'refund_id_not_valid' }))

for (const [status, refundedXof, remainingXof] of [
  ['succeeded', 100, 700],
  ['refunded', 1_000, 0],
  ['failed', 100, 0],
  ['pending', 100, 0],
] as const)
  it(`refunds: of a payment that is ${status}, ${remainingXof} XOF can be refunded`, () => {
    const payment = { status, amountXof: 1_000, reservedXof: 300, refundedXof: 100 }
    assert.deepEqual(refundSumsOf(payment as RefundablePayment), { refundedXof, remainingXof })
  })
