// Statements of merchants for tests of their formats: one to read, and any that a ledger could
// hold.
import fc from 'fast-check'
import {
  type AccountStatement,
  addRow,
  type RowTotals,
  type StatementRow,
  type StatementSums,
} from '../../src/domain/books/account-statement.ts'
import { startOfDay } from '../../src/domain/countries/business-day.ts'
import { ENVIRONMENTS } from '../../src/domain/environment.ts'
import { ENTRY_KINDS, type EntryKind } from '../../src/domain/ledger/ledger.ts'
import { MAXIMUM_XOF } from '../../src/domain/payments/money.ts'

/** 1 November 2026. */
export const FIRST_DAY = 20_758
const DAYS = 30

const INCOMING: readonly EntryKind[] = ['payment', 'collected']
const EITHER_WAY: readonly EntryKind[] = ['withheld', 'unexplained', 'closing', 'opening']

const SUM_OF: Readonly<Record<EntryKind, keyof StatementSums>> = {
  payment: 'collectedXof',
  refund: 'refundedXof',
  reversal: 'refundedXof',
  fee: 'feesXof',
  tax: 'taxesXof',
  settlement: 'settledXof',
  withheld: 'withheldXof',
  collected: 'unexplainedXof',
  refund_confirmed: 'unexplainedXof',
  unexplained: 'unexplainedXof',
  closing: 'otherXof',
  opening: 'otherXof',
}

type NewRow = Omit<StatementRow, 'entry' | 'balanceXof'>

/** With the balances and sums that the rows make. */
export function statementOf(
  heading: Pick<
    AccountStatement,
    'merchantName' | 'accountId' | 'environment' | 'connection' | 'openingXof'
  >,
  newRows: readonly NewRow[],
): AccountStatement<StatementRow[]> {
  const sums: StatementSums = {
    openingXof: heading.openingXof,
    collectedXof: 0,
    refundedXof: 0,
    feesXof: 0,
    taxesXof: 0,
    withheldXof: 0,
    settledXof: 0,
    unexplainedXof: 0,
    otherXof: 0,
    closingXof: heading.openingXof,
    confirmedXof: 0,
  }
  const rows = newRows.map((row, place) => {
    sums[SUM_OF[row.kind]] += row.amountXof
    sums.closingXof += row.amountXof
    if (row.kind === 'payment' && row.isConfirmed) sums.confirmedXof += row.amountXof
    return { ...row, entry: 41 + place, balanceXof: sums.closingXof }
  })
  const reconciliation = {
    notConfirmedXof: sums.collectedXof - sums.confirmedXof,
    onOtherDaysXof: 0,
    ofOtherDaysXof: 0,
  }
  const totals: RowTotals = {
    credits: 0,
    creditedXof: 0,
    debits: 0,
    debitedXof: 0,
    confirmedChangeXof: 0,
  }
  for (const row of rows) addRow(totals, row)
  const period = { fromDay: FIRST_DAY, toDay: FIRST_DAY + DAYS - 1 }
  return {
    ...heading,
    isShared: false,
    connectionLabel: null,
    ...sums,
    ...period,
    totals,
    reconciliation,
    rows,
  }
}

const rowOf = (kind: EntryKind, amountXof: number, more: Partial<NewRow> = {}): NewRow => ({
  kind,
  amountXof,
  day: FIRST_DAY + 14,
  bookedAt: startOfDay(FIRST_DAY + 14) + 37_800_000,
  isConfirmed: true,
  reference: '',
  publicReference: '',
  externalReference: '',
  refundReference: '',
  operatorReference: '',
  explainedAs: '',
  ...more,
})

const PAYMENT = {
  reference: '06gtn8zk9m4q2v7x1c3b5n6w',
  publicReference: 'XF5X-ZEBB-9',
  externalReference: 'order-2026-0001',
  operatorReference: '8842017731',
}

/** One row of each kind that a month has, the last not confirmed. */
export const SAMPLE = statementOf(
  {
    merchantName: 'Boutique Awa',
    accountId: 'acc_0123456789ab',
    environment: 'live',
    connection: 'mtn-benin',
    openingXof: 2_000,
  },
  [
    rowOf('payment', 12_500, PAYMENT),
    rowOf('fee', -188),
    rowOf('tax', -34),
    rowOf('refund', -1_500, {
      ...PAYMENT,
      refundReference: '06gtp0aabbccddeeffgghhjj',
      operatorReference: '8842017999',
    }),
    rowOf('settlement', -10_000),
    rowOf('payment', 750, {
      ...PAYMENT,
      externalReference: 'Facture n°12 <Niamey> & fils',
      isConfirmed: false,
    }),
  ],
)

/**
 * Texts that break files: formulas, separators, quotes, markup, characters that XML or spreadsheets
 * cannot have.
 */
const HOSTILE = [
  '=1+1',
  '-2',
  '@a',
  ';',
  '"',
  "'",
  '<b>&amp;]]>',
  ' ',
  'é',
  '👩🏽‍🌾',
  '_x0041_',
  '\t',
  '\u0000',
  '\ud800',
  '\uffff',
]

const hostileText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 20 })), { maxLength: 12 })
    .map((parts) => [...parts.join('')].slice(0, maxLength).join(''))

const generatedRow: fc.Arbitrary<NewRow> = fc
  .record({
    kind: fc.constantFrom(...ENTRY_KINDS),
    francs: fc.integer({ min: 1, max: MAXIMUM_XOF }),
    isOut: fc.boolean(),
    at: fc.integer({ min: startOfDay(FIRST_DAY), max: startOfDay(FIRST_DAY + DAYS) - 1 }),
    day: fc.integer({ min: FIRST_DAY, max: FIRST_DAY + DAYS - 1 }),
    isConfirmed: fc.boolean(),
    reference: fc.constantFrom('', PAYMENT.reference),
    publicReference: fc.constantFrom('', PAYMENT.publicReference),
    refundReference: fc.constantFrom('', PAYMENT.reference),
    externalReference: hostileText(255),
    operatorReference: hostileText(64),
  })
  .map(({ kind, francs, isOut, at, ...row }) => {
    const isNegative = EITHER_WAY.includes(kind) ? isOut : !INCOMING.includes(kind)
    return { ...row, explainedAs: '', kind, bookedAt: at, amountXof: isNegative ? -francs : francs }
  })

export const generatedStatement: fc.Arbitrary<AccountStatement<StatementRow[]>> = fc
  .record({
    merchantName: hostileText(100).filter((name) => name.trim() !== ''),
    accountId: fc.constantFrom('acc_0123456789ab', 'acc_ba9876543210'),
    environment: fc.constantFrom(...ENVIRONMENTS),
    connection: fc.constantFrom('mtn-benin', 'a-connection-with-a-name-of-forty-letters'),
    openingXof: fc.integer({ min: -MAXIMUM_XOF, max: MAXIMUM_XOF }),
    rows: fc.array(generatedRow, { maxLength: 12 }),
  })
  .map(({ rows, ...heading }) => statementOf(heading, rows))
