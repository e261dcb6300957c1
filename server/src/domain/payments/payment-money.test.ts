// The fee of a payment, by the tariff or by the network's statement, and its refunds.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startOfDay } from '../countries/business-day.ts'
import type { KeptTariff } from '../ledger/tariff.ts'
import { moneyOf, type PaymentEntry } from './payment-money.ts'

const PAYMENT = {
  environment: 'live',
  connection: 'mtn-benin',
  status: 'succeeded',
  amountXof: 1_000,
  createdAt: startOfDay(100),
  validatedAt: startOfDay(101),
} as const
const TARIFF: KeptTariff = {
  environment: 'live',
  connection: 'mtn-benin',
  fromDay: 1,
  rate: 1_500,
  fixedXof: 0,
  minimumXof: 0,
  maximumXof: null,
  rounding: 'up',
  setBy: 'awa',
  setAt: 1,
}
const entry = (fields: Partial<PaymentEntry>): PaymentEntry => ({
  number: 1,
  kind: 'collected',
  debit: 'wallet',
  credit: 'receivable',
  amountXof: 1_000,
  refundReference: null,
  bookedAt: 5,
  ...fields,
})
const SHOWN = entry({})
const FEE = entry({ kind: 'fee', debit: 'fees', credit: 'wallet', amountXof: 20 })
const TAX = entry({ kind: 'tax', debit: 'taxes', credit: 'wallet', amountXof: 3 })
const back = (of: PaymentEntry): PaymentEntry => ({ ...of, debit: of.credit, credit: of.debit })
const byTariff = { basis: 'tariff', feeXof: 15, taxXof: 0, netXof: 985 }
const byStatement = (feeXof: number, taxXof: number) => ({
  basis: 'statement',
  feeXof,
  taxXof,
  netXof: 1_000 - feeXof - taxXof,
})

describe('payment money: the fee', () => {
  for (const [about, payment, entries, tariffs, fee] of [
    ['by the tariff', {}, [], [TARIFF], byTariff],
    ['of a pending payment', { status: 'pending' }, [], [TARIFF], byTariff],
    ['of a failed payment', { status: 'failed' }, [], [TARIFF], null],
    ['of a link that nobody paid', { status: 'initiated' }, [], [TARIFF], null],
    ['without a tariff', {}, [], [], null],
    ['of another connection', {}, [], [{ ...TARIFF, connection: 'x' }], null],
    ['of the other environment', {}, [], [{ ...TARIFF, environment: 'sandbox' }], null],
    ['by the day of the success', {}, [], [{ ...TARIFF, fromDay: 101 }], byTariff],
    ['before the tariff began', {}, [], [{ ...TARIFF, fromDay: 102 }], null],
    [
      'by the day of the creation while there is no success',
      { validatedAt: null },
      [],
      [{ ...TARIFF, fromDay: 101 }],
      null,
    ],
    ['by the statement', {}, [SHOWN, FEE, TAX], [TARIFF], byStatement(20, 3)],
    ['by a statement without charges', {}, [SHOWN], [TARIFF], byStatement(0, 0)],
    ['that a correction takes back', {}, [SHOWN, FEE, back(FEE)], [TARIFF], byStatement(0, 0)],
    ['of a line that was taken back', {}, [SHOWN, back(SHOWN), FEE], [TARIFF], byTariff],
    [
      'of a line that was moved',
      {},
      [SHOWN, entry({ debit: 'unexplained', credit: 'receivable' })],
      [TARIFF],
      byStatement(0, 0),
    ],
    [
      'that moved no money of the wallet',
      {},
      [entry({ debit: 'unexplained', credit: 'receivable' })],
      [TARIFF],
      byTariff,
    ],
    [
      'without the fee of its refund',
      {},
      [SHOWN, FEE, { ...FEE, refundReference: 'r' }],
      [TARIFF],
      byStatement(20, 0),
    ],
  ] as const)
    it(`${about} is ${JSON.stringify(fee)}`, () =>
      assert.deepEqual(moneyOf({ ...PAYMENT, ...payment }, entries, tariffs).fee, fee))
})

describe('payment money: refunds', () => {
  const REFUND = entry({
    kind: 'refund',
    debit: 'refunds',
    credit: 'receivable',
    amountXof: 300,
    refundReference: 'r',
    bookedAt: 7,
  })
  const CONFIRMED = entry({
    kind: 'refund_confirmed',
    debit: 'receivable',
    credit: 'wallet',
    amountXof: 300,
    refundReference: 'r',
  })
  const FEE_OF_IT = { ...FEE, refundReference: 'r', amountXof: 4 }
  const made = { refundReference: 'r', amountXof: 300, at: 7, feeXof: null }
  const REVERSAL = { ...REFUND, kind: 'reversal', refundReference: null } as const
  for (const [about, entries, refunds] of [
    ['asked for', [SHOWN, REFUND], [made]],
    ['that the statement has', [REFUND, CONFIRMED, FEE_OF_IT], [{ ...made, feeXof: 4 }]],
    ['with the fee of another', [REFUND, CONFIRMED, FEE], [{ ...made, feeXof: 0 }]],
    ['whose line was taken back', [REFUND, CONFIRMED, back(CONFIRMED), FEE_OF_IT], [made]],
    [
      'that the network gave on its own',
      [REVERSAL, { ...CONFIRMED, refundReference: null }, FEE],
      [{ ...made, refundReference: null }],
    ],
    ['that nobody made', [SHOWN, FEE], []],
  ] as const)
    it(`a refund ${about} is ${JSON.stringify(refunds)}`, () =>
      assert.deepEqual(moneyOf(PAYMENT, entries, []).refunds, refunds))
})
