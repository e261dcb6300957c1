// The books of an account: the entry of each outcome, and where the money is.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  amountsOf,
  daySumsOf,
  ENTRY_KINDS,
  entryOf,
  LEDGER_ACCOUNTS,
  type LedgerSum,
  MONEY_PLACES,
} from './ledger.ts'

const PAYMENT = { accountId: 'a', number: 4, connection: 'mtn-benin', amountXof: 1_000 }
const AT = Date.UTC(2026, 2, 30, 23)

it('ledger: the closed lists of accounts, places and kinds', () => {
  assert.equal(
    LEDGER_ACCOUNTS.join(' '),
    'sales receivable wallet fees taxes refunds withheld in_transit bank unexplained owner other_income corrections not_ours opening',
  )
  assert.equal(
    MONEY_PLACES.join(' '),
    'receivable wallet at_service in_transit bank withheld unexplained',
  )
  assert.equal(
    ENTRY_KINDS.join(' '),
    'payment refund reversal collected refund_confirmed fee tax settlement withheld unexplained closing opening',
  )
})

for (const [kind, debit, credit] of [
  ['payment', 'receivable', 'sales'],
  ['refund', 'refunds', 'receivable'],
  ['reversal', 'refunds', 'receivable'],
] as const)
  it(`ledger: a ${kind} debits ${debit} and credits ${credit}, on its local day`, () => {
    const entry = {
      accountId: 'a',
      connection: 'mtn-benin',
      bookedAt: AT,
      day: AT / 86_400_000 + 1 / 24,
      kind,
      debit,
      credit,
      amountXof: 1_000,
      number: 4,
      refundReference: null,
      lineNumber: null,
      madeBy: 'service',
    }
    assert.deepEqual(entryOf(kind, PAYMENT, { at: AT, madeBy: 'service' }), entry)
    assert.equal(
      entryOf(kind, PAYMENT, { at: AT, madeBy: 'service', refundReference: 'r' }).refundReference,
      'r',
    )
  })

it('ledger: the sums of a day are kept by connection, day and account', () => {
  const paid = entryOf('payment', PAYMENT, { at: AT, madeBy: '' })
  const refunded = entryOf('refund', { ...PAYMENT, amountXof: 300 }, { at: AT, madeBy: '' })
  const other = { ...paid, connection: 'other' }
  const later = { ...paid, day: paid.day + 1 }
  const sum = (
    entry: typeof paid,
    ledgerAccount: LedgerSum['ledgerAccount'],
    debitXof: number,
    creditXof: number,
  ) => ({ connection: entry.connection, day: entry.day, ledgerAccount, debitXof, creditXof })
  assert.deepEqual(daySumsOf([paid, refunded, other, later]), [
    sum(paid, 'receivable', 1_000, 300),
    sum(paid, 'sales', 0, 1_000),
    sum(paid, 'refunds', 300, 0),
    sum(other, 'receivable', 1_000, 0),
    sum(other, 'sales', 0, 1_000),
    sum(later, 'receivable', 1_000, 0),
    sum(later, 'sales', 0, 1_000),
  ])
})

it('ledger: the money is summed by place, for each connection and for all', () => {
  const none = {
    receivable: 0,
    wallet: 0,
    at_service: 0,
    in_transit: 0,
    bank: 0,
    withheld: 0,
    unexplained: 0,
    opening: 0,
  }
  const sum = (
    connection: string,
    ledgerAccount: LedgerSum['ledgerAccount'],
    debitXof: number,
    creditXof: number,
  ) => ({ connection, ledgerAccount, debitXof, creditXof })
  const amounts = amountsOf(
    [
      sum('own', 'wallet', 900, 100),
      sum('shared', 'wallet', 50, 0),
      sum('shared', 'receivable', 7, 3),
      sum('own', 'unexplained', 20, 60),
      sum('own', 'opening', 0, 30),
      sum('own', 'sales', 0, 5_000),
    ],
    (connection) => connection === 'shared',
  )
  assert.deepEqual(Object.fromEntries(amounts), {
    '': { ...none, wallet: 800, at_service: 50, receivable: 4, unexplained: 40, opening: 30 },
    own: { ...none, wallet: 800, unexplained: 40, opening: 30 },
    shared: { ...none, at_service: 50, receivable: 4 },
  })
  assert.deepEqual([...amountsOf([], () => false)], [['', none]])
})
