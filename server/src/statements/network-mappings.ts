// The columns of the statements that networks let merchants export, by connector. No network
// publishes a sample file, so each mapping notes what is documented or seen in public code, and
// what is assumed. The first that fits a file is used.

import type { ColumnMapping } from '../domain/books/statement.ts'
import { BOOKS_CLOCK } from '../domain/countries/country.ts'
import type { Row } from './csv-rows.ts'
import { refusedCell } from './limits.ts'

/** Of the countries that these networks are in. */
const LOCAL_OFFSET_MINUTES = BOOKS_CLOCK.utcOffsetMinutes

/**
 * Seen in two public programs that read exports of MTN's merchant portals (Rwanda and Uganda): the
 * headings, with and without Fee and External id; dates as 2026-11-15 09:30:00 and 15/11/2026
 * 09:30:00; negative amounts for what went out; Successful; From as FRI:22997000000/MSISDN; the
 * type words. MTN documents that External id is ours. Assumed: Benin's export is the same and in
 * local time; Fee is not in Amount; a request to pay is Debit or Payment; Hold.
 */
const MTN: ColumnMapping = {
  columns: {
    bookedAt: 'Date',
    amount: 'Amount',
    fee: 'Fee',
    balance: 'Balance',
    type: 'Type',
    status: 'Status',
    networkReference: 'Id',
    ourReference: 'External id',
    counterparty: 'From',
  },
  types: {
    payment: 'collection',
    debit: 'collection',
    'external payment': 'collection',
    'merchant payment': 'collection',
    refund: 'refund',
    reversal: 'refund',
    'cash out': 'settlement',
    'external transfer': 'settlement',
    'cash in': 'top_up',
    deposit: 'top_up',
    'float transfer': 'top_up',
    fee: 'fee',
    tax: 'tax',
    hold: 'withheld',
  },
  outgoing: [],
  statuses: ['successful', 'success', 'completed'],
  failures: ['failed', 'rejected', 'expired'],
  undecided: ['pending', 'created', 'ongoing'],
  dateOrder: 'day_first',
  utcOffsetMinutes: LOCAL_OFFSET_MINUTES,
}

/**
 * Seen in a public program that reads both reports of Airtel's merchant portal (Uganda): the
 * headings, five or six title rows above them, dates as 21-MAR-2026 19:57:32 and 23-MAR-26,
 * Transaction Success, MR (merchant receipt), MP (to the bank), SCP (service charge). Assumed:
 * Niger's portal is the same and in local time; the external id is ours; amounts have no sign;
 * HOLD; Post Balance is the wallet's own. Who pays Total Service Charge is not known, so it is not
 * read.
 */
const AIRTEL_CUSTOMER_REPORT: ColumnMapping = {
  columns: {
    bookedAt: 'Transaction Date & Time',
    amount: 'Transaction Amount',
    type: 'Service Type',
    networkReference: 'Transaction ID',
    ourReference: 'External Transaction id',
    status: 'Transaction Status',
    counterparty: 'Payer Mobile Number',
    text: 'Reference No.',
  },
  types: {
    'merchant payment': 'collection',
    'merchant receipt': 'collection',
    mr: 'collection',
    refund: 'refund',
    'channelwallet to bank transfer': 'settlement',
    mp: 'settlement',
    scp: 'fee',
    hold: 'withheld',
  },
  outgoing: ['refund', 'settlement', 'fee', 'withheld'],
  statuses: ['transaction success', 'success', 'successful', 'ts'],
  failures: ['transaction failed', 'failed', 'tf'],
  undecided: [
    'transaction ambiguous',
    'transaction in progress',
    'ambiguous',
    'pending',
    'ta',
    'tip',
  ],
  dateOrder: 'day_first',
  utcOffsetMinutes: LOCAL_OFFSET_MINUTES,
}

const AIRTEL_USER_REPORT: ColumnMapping = {
  ...AIRTEL_CUSTOMER_REPORT,
  columns: {
    bookedAt: 'Transaction Date and Time',
    amount: 'Transaction Amount',
    balance: 'Post Balance',
    type: 'Transaction Type',
    status: 'Transaction Status',
    text: 'Service Name',
    networkReference: 'Transaction ID',
    ourReference: 'external_transaction_id',
    counterparty: 'Sender Msisdn',
  },
}

/**
 * Documented (docs.pawapay.io, Dashboard, Statements): the headings, the types, UTC; Transaction ID
 * is the id that we gave. Amounts of its callbacks are written 1000.0000. A statement's lines carry
 * no balance. Assumed: the form of dates; amounts without a sign; Refund as a type of its own; an
 * Adjustment below zero withholds money, and one above that names a payment releases it. Payouts
 * and remittances are money to a customer, so they are read as refunds, which match only by our id.
 */
const PAWAPAY: ColumnMapping = {
  columns: {
    bookedAt: 'Creation Date',
    amount: 'Amount',
    type: 'Type',
    ourReference: 'Transaction ID',
    counterparty: 'MSISDN',
    text: 'MNO',
    currency: 'Currency',
  },
  types: {
    deposit: 'collection',
    refund: 'refund',
    payout: 'refund',
    remittance: 'refund',
    fee: 'fee',
    withdrawal: 'settlement',
    'top-up': 'top_up',
    'top up': 'top_up',
    adjustment: 'withheld',
    // Documented without a meaning: a person says what each line was.
    split: 'other',
    compensation: 'other',
    uncategorised: 'other',
  },
  outgoing: ['refund', 'fee', 'settlement'],
  statuses: [],
  dateOrder: 'day_first',
  utcOffsetMinutes: 0,
}

/**
 * Documented (docs.fedapay.com): the fields and states of a transaction, and that the dashboard
 * exports transactions as CSV. Its headings are documented nowhere. Assumed: they are the API's
 * field names, or the words of the dashboard. The payer pays `fees` on top of the amount, so they
 * are not taken from the merchant. A refunded transaction is a payment and a refund. How much of
 * one was refunded in part is in no field, so that refund is in no statement.
 */
const FEDAPAY: ColumnMapping = {
  columns: {
    bookedAt: 'approved_at',
    amount: 'amount',
    status: 'status',
    networkReference: 'id',
    ourReference: 'merchant_reference',
    text: 'description',
    refundedAt: 'refunded_at',
  },
  types: { '': 'collection' },
  outgoing: [],
  statuses: [
    'approved',
    'transferred',
    'approuvé',
    'approuvée',
    'transféré',
    'transférée',
    'approved_partially_refunded',
    'transferred_partially_refunded',
  ],
  failures: ['declined', 'canceled', 'expired', 'failed', 'refusé', 'refusée', 'annulé', 'annulée'],
  refunds: ['refunded', 'remboursé', 'remboursée'],
  undecided: ['pending', 'en attente', 'started', 'processing', 'scheduled'],
  dateOrder: 'day_first',
  utcOffsetMinutes: 0,
}

const FEDAPAY_IN_FRENCH: ColumnMapping = {
  ...FEDAPAY,
  columns: {
    bookedAt: 'Date',
    amount: 'Montant',
    status: 'Statut',
    networkReference: 'ID',
    ourReference: 'Référence',
  },
  utcOffsetMinutes: LOCAL_OFFSET_MINUTES,
}

/**
 * As the connector writes what it found by search: payouts to the merchant are among the
 * transactions.
 */
const FEDAPAY_SEARCH: ColumnMapping = {
  ...FEDAPAY,
  columns: { ...FEDAPAY.columns, type: 'type' },
  types: { '': 'collection', payout: 'settlement' },
  outgoing: ['settlement'],
  statuses: [...FEDAPAY.statuses, 'sent'],
}

function without(
  mapping: ColumnMapping,
  ...names: (keyof ColumnMapping['columns'])[]
): ColumnMapping {
  const columns = Object.entries(mapping.columns).filter(
    ([name]) => !(names as string[]).includes(name),
  )
  return { ...mapping, columns: Object.fromEntries(columns) as ColumnMapping['columns'] }
}

export const NETWORK_MAPPINGS: ReadonlyMap<string, readonly ColumnMapping[]> = new Map([
  [
    'mtn-momo',
    [MTN, without(MTN, 'fee'), without(MTN, 'ourReference'), without(MTN, 'fee', 'ourReference')],
  ],
  ['airtel-money', [AIRTEL_CUSTOMER_REPORT, AIRTEL_USER_REPORT]],
  ['pawapay', [PAWAPAY]],
  ['fedapay', [FEDAPAY_SEARCH, FEDAPAY, without(FEDAPAY, 'refundedAt'), FEDAPAY_IN_FRENCH]],
])

/** The connector's mapping that fits a file with these headings. */
export function networkMapping(
  connector: string,
  headings: readonly string[],
): ColumnMapping | undefined {
  const known = new Set(headings.map(foldHeading))
  return NETWORK_MAPPINGS.get(connector)?.find(({ columns }) =>
    Object.values(columns).every((heading) => known.has(foldHeading(heading))),
  )
}

// The row that names the columns of a file, and where each mapped column is.

export type ColumnName = keyof ColumnMapping['columns']
/** The index of each mapped column. */
export type Columns = ReadonlyMap<ColumnName, number>

/**
 * Headings are compared without case, accents and spacing: exports of one portal differ in these.
 */
export const foldHeading = (heading: string): string =>
  heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** As `foldHeading` writes them. */
export const TIME_HEADINGS: readonly string[] = [
  'heure',
  'hour',
  'time',
  'heure transaction',
  'heure de transaction',
  'heure de la transaction',
  'heure operation',
  'heure d operation',
  'heure de l operation',
  'transaction time',
  'heure valeur',
]
export const CURRENCY_HEADINGS: readonly string[] = [
  'currency',
  'devise',
  'monnaie',
  'currency code',
  'code devise',
  'transaction currency',
  'ccy',
  'devise transaction',
  'devise de la transaction',
]

/**
 * Columns that are read although the mapping does not name them: without them, lines would be read
 * wrongly.
 */
export interface UnmappedColumns {
  /** The hour, for dates without one. */
  time: number | undefined
  /** Exports repeat the currency for each amount. */
  currencies: readonly { at: number; heading: string }[]
}

export function unmappedColumns({ cells }: Row, columns: Columns): UnmappedColumns {
  const mapped = new Set(columns.values())
  const others = cells.map((heading, at) => ({
    at,
    heading: heading.trim(),
    folded: foldHeading(heading),
  }))
  const free = others.filter(({ at }) => !mapped.has(at))
  const times = free.filter(({ folded }) => TIME_HEADINGS.includes(folded))
  return {
    time: times.length === 1 ? times[0]?.at : undefined,
    currencies: free.filter(({ folded }) => CURRENCY_HEADINGS.includes(folded)),
  }
}

/**
 * Every column that the mapping names is needed: without its fees, a file would be read as one
 * without fees.
 */
export function columnsOf(
  row: Row,
  mapping: ColumnMapping,
): { columns: Columns } | { missing: string; found: number } {
  const headings = row.cells.map(foldHeading)
  const mapped = Object.entries(mapping.columns) as [ColumnName, string][]
  const columns = new Map(
    mapped.map(([name, heading]) => [name, headings.indexOf(foldHeading(heading))]),
  )
  const missing = mapped.filter(([name]) => columns.get(name) === -1)
  if (missing[0] !== undefined)
    return { missing: missing[0][1], found: mapped.length - missing.length }
  for (const [name, heading] of mapped) {
    const isTwice = headings.indexOf(foldHeading(heading), (columns.get(name) as number) + 1) !== -1
    if (isTwice) throw refusedCell('row_not_valid', row.line, heading, heading)
  }
  return { columns }
}
