// The sums of an account's statement, its rows with their balance, and the accounts of its journal.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { LedgerAccount } from '../ledger/ledger.ts'
import {
  changeAtNetwork,
  connectionJournalFault,
  journalFault,
  morningOf,
  reconciled,
  STATEMENT_FORMATS,
  STATEMENT_PERIODS,
  type StatementEntry,
  SYSCOHADA,
  statementReader,
  sumsOf,
} from './account-statement.ts'
import { contentIdentity, networkIdentity } from './line-identity.ts'
import type { StatementLine } from './statement.ts'

const NO_SUMS = {
  openingXof: 100,
  collectedXof: 0,
  refundedXof: 0,
  feesXof: 0,
  taxesXof: 0,
  withheldXof: 0,
  settledXof: 0,
  unexplainedXof: 0,
  otherXof: 0,
  closingXof: 100,
  confirmedXof: 0,
}
const of = (
  kind: StatementEntry['kind'],
  debit: LedgerAccount,
  credit: LedgerAccount,
  amountXof = 30,
) => ({ connection: 'mtn-benin', kind, debit, credit, amountXof })

const SUMS: [entry: ReturnType<typeof of>, sums: object][] = [
  [of('payment', 'receivable', 'sales'), { collectedXof: 30, closingXof: 130 }],
  [of('refund', 'refunds', 'receivable'), { refundedXof: -30, closingXof: 70 }],
  [of('collected', 'wallet', 'receivable'), { confirmedXof: 30 }],
  [of('collected', 'receivable', 'wallet'), { confirmedXof: -30 }],
  [of('refund_confirmed', 'receivable', 'wallet'), {}],
  [of('fee', 'fees', 'wallet'), { feesXof: -30, closingXof: 70 }],
  [of('tax', 'taxes', 'wallet'), { taxesXof: -30, closingXof: 70 }],
  [of('withheld', 'withheld', 'wallet'), { withheldXof: -30, closingXof: 70 }],
  [of('settlement', 'in_transit', 'wallet'), { settledXof: -30, closingXof: 70 }],
  [of('settlement', 'bank', 'in_transit'), {}],
  [of('unexplained', 'wallet', 'unexplained'), { unexplainedXof: 30, closingXof: 130 }],
  [of('closing', 'unexplained', 'owner'), { unexplainedXof: -30, otherXof: 30 }],
  [of('closing', 'owner', 'unexplained'), { unexplainedXof: 30, otherXof: -30 }],
  [of('closing', 'fees', 'withheld'), {}],
  [of('unexplained', 'unexplained', 'owner'), {}],
  ...(['owner', 'other_income', 'corrections', 'not_ours', 'opening'] as const).map(
    (account): [ReturnType<typeof of>, object] => [
      of('closing', 'wallet', account),
      { otherXof: 30, closingXof: 130 },
    ],
  ),
]

describe('statements: sums', () => {
  for (const [entry, sums] of SUMS)
    it(`${entry.kind} of ${entry.debit} to ${entry.credit} adds ${JSON.stringify(sums)}`, () =>
      assert.deepEqual(sumsOf(100, [entry]), { ...NO_SUMS, ...sums }))

  it('of nothing, the opening is the closing', () => assert.deepEqual(sumsOf(100, []), NO_SUMS))

  it('the change at the network counts what it owes and what it holds', () => {
    assert.equal(changeAtNetwork(of('payment', 'receivable', 'sales')), 30)
    assert.equal(changeAtNetwork(of('fee', 'fees', 'wallet')), -30)
    assert.equal(changeAtNetwork(of('collected', 'wallet', 'receivable')), 0)
  })

  it('collected, less what is not confirmed or on other days, plus what is of them, is confirmed', () =>
    assert.deepEqual(
      reconciled(
        { ...NO_SUMS, collectedXof: 1_000, confirmedXof: 700 },
        { paidXof: 150, confirmedXof: 40 },
      ),
      { notConfirmedXof: 190, onOtherDaysXof: 150, ofOtherDaysXof: 40 },
    ))
})

describe('statements: rows', () => {
  const names = {
    entry: 1,
    bookedAt: 5,
    day: 100,
    reference: 'r',
    publicReference: '',
    externalReference: '',
    refundReference: '',
    operatorReference: '',
    isConfirmed: false,
    explainedAs: '',
  } as const
  const entry = (fields: ReturnType<typeof of>, more: Partial<StatementEntry> = {}) => {
    const { connection: _, ...moved } = fields
    return { ...names, ...moved, ...more }
  }

  it('a row has the change and the balance after it; an entry that only confirms has none', () => {
    const reader = statementReader(100)
    const paid = entry(of('payment', 'receivable', 'sales'), { isConfirmed: true })
    assert.deepEqual(reader.read(paid), {
      ...names,
      kind: 'payment',
      isConfirmed: true,
      amountXof: 30,
      balanceXof: 130,
    })
    assert.equal(reader.read(entry(of('collected', 'wallet', 'receivable'))), undefined)
    assert.equal(reader.read(entry(of('fee', 'fees', 'wallet', 5)))?.balanceXof, 125)
    reader.read(entry(of('fee', 'fees', 'wallet', 8)), 4)
    reader.read(entry(of('payment', 'receivable', 'sales', 60)), 2)
    assert.deepEqual(reader.totals, {
      credits: 3,
      creditedXof: 90,
      debits: 5,
      debitedXof: 13,
      confirmedChangeXof: 30,
    })
    assert.deepEqual(reader.sums, {
      ...NO_SUMS,
      collectedXof: 90,
      feesXof: -13,
      confirmedXof: 30,
      closingXof: 177,
    })
  })
})

it('statements: the closed lists of formats and periods, and the morning at six', () => {
  assert.deepEqual(STATEMENT_FORMATS, ['json', 'csv', 'xlsx', 'camt053', 'syscohada', 'pdf'])
  assert.deepEqual(STATEMENT_PERIODS, ['day', 'month'])
  assert.equal(morningOf(5 * 3_600_000), 0)
  assert.equal(morningOf(5 * 3_600_000 - 1), -1)
})

it('statements: the journal has the accounts of the revised chart, each of up to 12 characters', () => {
  assert.deepEqual(SYSCOHADA, {
    journal: 'ME',
    electronicMoney: '552',
    customers: '4111',
    fees: '631',
    taxes: '645',
    transfers: '585',
    withheld: '4711',
    advances: '4712',
    unexplained: '471',
    owner: '462',
    otherIncome: '758',
    corrections: '658',
    notOurs: '4712',
    opening: '471',
    atService: '4711',
  })
  assert.equal(journalFault(SYSCOHADA), undefined)
  assert.equal(journalFault({ ...SYSCOHADA, fees: 'x'.repeat(12) }), undefined)
  for (const fees of ['', 'x'.repeat(13), '63 1', '-631', '631-'])
    assert.equal(journalFault({ ...SYSCOHADA, fees, taxes: '' }), 'fees')
})

it('statements: a connection’s journal may be empty, and else has the same form', () => {
  const fault = (journal: string, electronicMoney: string) =>
    connectionJournalFault({ journal, electronicMoney })
  assert.equal(fault('', ''), undefined)
  assert.equal(fault('MM', '5521'), undefined)
  assert.equal(fault('M M', ''), 'journal')
  assert.equal(fault('', '55-2'), 'electronicMoney')
})

const LINE = {
  type: 'collection',
  amountXof: -500,
  day: 100,
  bookedAt: 5,
  feeXof: 1,
  taxXof: 2,
  networkReference: 'AB123',
  ourReference: 'o',
  counterparty: 'c',
  text: 't',
} as StatementLine

for (const [networkReference, identity] of [
  ['AB123', 'collection -500 100 ab123'],
  [' ab123.0 ', 'collection -500 100 ab123'],
  ['AB12', undefined],
  ['ABCDE', undefined],
  ['', undefined],
  ['1234.0', undefined],
  ['12.05', 'collection -500 100 12.05'],
] as const)
  it(`lines: the network’s reference “${networkReference}” makes ${identity}`, () =>
    assert.equal(networkIdentity({ ...LINE, networkReference }), identity))

it('lines: by its content, a line is another when anything in it differs', () => {
  assert.equal(contentIdentity(LINE), '5946d372061139343d16fcff9b5773e5')
  const changes: Partial<StatementLine>[] = [
    { bookedAt: 6 },
    { type: 'refund' },
    { amountXof: 1 },
    { feeXof: 9 },
    { taxXof: 9 },
    { networkReference: '' },
    { ourReference: '' },
    { counterparty: '' },
    { text: '' },
  ]
  const identities = changes.map((change) => contentIdentity({ ...LINE, ...change }))
  assert.equal(new Set([...identities, contentIdentity(LINE)]).size, changes.length + 1)
  assert.equal(contentIdentity({ ...LINE, day: 7 }), contentIdentity(LINE))
})
