// The statements of the simulated FedaPay: the search of transactions and payouts by API, and the
// export of the dashboard. Fact, from docs.fedapay.com and FedaPay's clients: GET
// /transactions/search and /payouts/search in pages, and the fields of both; money can be paid out
// 72 hours after the approval; the dashboard exports CSV files and lists withheld funds with amount
// and balance. Assumed: the columns of the export of transactions are the API's fields, `flags` for
// withheld funds (no field is documented), one payout each evening, and that a transaction which
// two prompts paid is listed once. No form has a balance. How much of a transaction was refunded in
// part is in no field: such a refund is in no statement.
import { csvOf, type Line, type Moved, type SettlementTerms, type Totals } from '../statements.ts'
import { ACCOUNT_ID, wireList } from './answers.ts'
import { firstTimeOf, TRANSFERRED_AFTER_MS, type Transaction } from './ledger.ts'

export const FEDAPAY_SETTLEMENT: SettlementTerms = {
  leastXof: 1,
  availableAfterMs: TRANSFERRED_AFTER_MS,
  reference: (day) => day,
}

export function movementsOf(
  transactions: readonly Transaction[],
  now: number,
): Moved<Transaction>[] {
  return transactions.flatMap((transaction) => {
    const { id, merchantReference, number, amount } = transaction
    const names = {
      id: String(id),
      reference: String(id),
      clientReference: merchantReference ?? '',
      msisdn: number,
    }
    const moved = (kind: 'payment' | 'refund', at: number | null): Moved<Transaction>[] => {
      const amountXof = kind === 'payment' ? amount : -amount
      return at === null ? [] : [{ ...names, kind, at, amountXof, of: transaction }]
    }
    const [approvedAt, refundedAt] = [
      firstTimeOf(transaction, now, 'approved'),
      firstTimeOf(transaction, now, 'refunded'),
    ]
    return [...moved('payment', approvedAt), ...moved('refund', refundedAt)]
  })
}

export const unknownReferences = (number: number) => ({
  reference: String(900_000_000 + number),
  clientReference: `CAISSE-${number}`,
})

type Wire = Record<string, unknown>
type LineOf = Line<Transaction>

/**
 * The transactions in which the lines are, one for each payment line, newest first. `wire`: as the
 * API shows it.
 */
export function listedTransactions(
  lines: readonly LineOf[],
  wire: (transaction: Transaction) => Wire,
): Wire[] {
  const withheld = new Set(
    lines.filter(({ kind }) => kind === 'withheld').map(({ reference }) => reference),
  )
  const paid = lines.filter(({ kind }) => kind === 'payment')
  const isPaidHere = new Set(paid.map(({ reference }) => reference))
  const onlyRefunded = lines.filter(
    ({ kind, reference }) => kind === 'refund' && !isPaidHere.has(reference),
  )
  const flagged = (line: LineOf): Wire => {
    const shown = wire(line.of as Transaction)
    const changed = line.fault === undefined ? shown : { ...shown, ...changesOf(line, shown) }
    return withheld.has(line.reference) ? { ...changed, flags: ['chargeback'] } : changed
  }
  return newestFirst([...paid, ...onlyRefunded].map(flagged))
}

export const newestFirst = (transactions: Wire[]): Wire[] =>
  transactions.toSorted((a, b) => (b.id as number) - (a.id as number))

/** What a planted fault changes in the transaction of the books. */
function changesOf(
  { kind, of, reference, clientReference, amountXof, feeXof, at }: LineOf,
  shown: Wire,
): Wire {
  const [amount, wasAmount, wasNet] = [
    Math.abs(amountXof),
    Number(shown.amount),
    Number(shown.amount_transferred),
  ]
  const sums = {
    amount,
    amount_transferred: amount - feeXof,
    // The payer's part of the fees stays.
    fees: Number(shown.fees) - (wasAmount - wasNet) + feeXof,
    amount_debited: Number(shown.amount_debited) + amount - wasAmount,
  }
  const isInvented = reference !== String(of?.id)
  const names = isInvented && {
    id: Number(reference),
    reference: `trx_${reference}`,
    merchant_reference: clientReference,
  }
  const time = new Date(at).toISOString()
  const end = {
    transferred_at: null,
    approved_at: null,
    refunded_at: null,
    to_be_transferred_at: null,
  }
  const refunded = { ...end, status: 'refunded', refunded_at: time }
  const approved = { ...end, status: 'approved', approved_at: time }
  return { ...sums, ...names, ...(isInvented && (kind === 'refund' ? refunded : approved)) }
}

export const listedPayouts = (lines: readonly LineOf[]): Wire[] =>
  newestFirst(lines.filter(({ kind }) => kind === 'settlement').map(wirePayout))

function wirePayout({ reference, amountXof, at }: LineOf): Wire {
  const time = new Date(at).toISOString()
  const none = [
    'last_error_code',
    'commission',
    'fixed_commission',
    'failed_at',
    'deleted_at',
    'merchant_reference',
  ]
  return {
    klass: 'v1/payout',
    id: Number(reference),
    reference: `pyt_${reference}`,
    amount: -amountXof,
    status: 'sent',
    customer_id: null,
    currency_id: 1,
    mode: 'bank',
    fees: 0,
    amount_transferred: -amountXof,
    amount_debited: -amountXof,
    created_at: time,
    updated_at: time,
    scheduled_at: time,
    sent_at: time,
    ...Object.fromEntries(none.map((name) => [name, null])),
    account_id: ACCOUNT_ID,
    balance_id: 501,
  }
}

const COLUMNS = [
  'id',
  'reference',
  'merchant_reference',
  'description',
  'mode',
  'status',
  'amount',
  'fees',
  'amount_debited',
  'amount_transferred',
  'created_at',
  'approved_at',
  'transferred_at',
  'refunded_at',
]
const PER_PAGE = 25

/** `wire`: as the API shows a transaction at a time. */
export function writeStatement(
  lines: readonly LineOf[],
  { to, now }: Totals & { now: number },
  wire: (transaction: Transaction, at: number) => Wire,
): { bytes: Uint8Array; pages: object[] } {
  const shownAt = Math.min(to - 1, now)
  const transactions = listedTransactions(lines, (transaction) => wire(transaction, shownAt))
  const rows = transactions.map((shown) => COLUMNS.map((name) => String(shown[name] ?? '')))
  const pages = [
    ...pagesOf('transactions', transactions),
    ...pagesOf('payouts', listedPayouts(lines)),
  ]
  return { bytes: csvOf(COLUMNS, rows), pages }
}

function pagesOf(name: string, all: readonly Wire[]): object[] {
  const pages = Math.max(1, Math.ceil(all.length / PER_PAGE))
  return Array.from({ length: pages }, (_, at) =>
    wireList(name, all, new URLSearchParams({ page: String(at + 1), per_page: String(PER_PAGE) })),
  )
}
