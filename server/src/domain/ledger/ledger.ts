// The books of an account: double entry in whole francs. Each entry debits one ledger account and
// credits another, so debits always equal credits. What an entry says is decided here; it is
// written in the commit of the state that it reports (ADR-0019).
import { dayOf } from '../countries/business-day.ts'

export const LEDGER_ACCOUNTS = [
  'sales',
  /** Owed by the network: paid by the payer, and not yet seen on the network's statement. */
  'receivable',
  /** At the network, as its statement shows it. */
  'wallet',
  'fees',
  'taxes',
  'refunds',
  'withheld',
  'in_transit',
  'bank',
  'unexplained',
  // What a person says that a line was (domain/books/closing.ts):
  /** The merchant's own money, put into the wallet or taken out of it. */
  'owner',
  'other_income',
  /** What the network took back or gave without a sale. */
  'corrections',
  /** Money of others. */
  'not_ours',
  /** Where the money came from that was in the wallet before its first statement (D-172). */
  'opening',
] as const

export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number]

/**
 * Where a merchant's money can be, in the order of its way to the bank; then what keeps it from
 * there. `at_service` is the wallet of a connection that merchants share: what is this merchant's
 * of it (D-173).
 */
export const MONEY_PLACES = [
  'receivable',
  'wallet',
  'at_service',
  'in_transit',
  'bank',
  'withheld',
  'unexplained',
] as const

export type MoneyPlace = (typeof MONEY_PLACES)[number]

export const ENTRY_KINDS = [
  'payment',
  'refund',
  /** The network gave the money back on its own. */
  'reversal',
  // From the network's statement:
  'collected',
  'refund_confirmed',
  'fee',
  'tax',
  'settlement',
  'withheld',
  'unexplained',
  /** A person has said what a difference was. */
  'closing',
  /** What was in the wallet before its first statement. */
  'opening',
] as const

export type EntryKind = (typeof ENTRY_KINDS)[number]

type OutcomeKind = 'payment' | 'refund' | 'reversal'

export interface NewEntry {
  accountId: string
  connection: string
  bookedAt: number
  /** The value date. */
  day: number
  kind: EntryKind
  debit: LedgerAccount
  credit: LedgerAccount
  amountXof: number
  /** The payment's; null for a line of a statement that names none. */
  number: number | null
  refundReference: string | null
  /** Of the connection's statement; null for the outcome of a payment. */
  lineNumber: number | null
  madeBy: string
  /** The earlier entry that it corrects, or whose amount it explains; null or absent for none. */
  corrects?: number | null
}

export interface LedgerEntry extends NewEntry {
  /** Counts up by one within the account, without a gap. */
  entry: number
}

export interface ListedEntry extends LedgerEntry {
  /** The payment's reference. */
  reference: string | null
}

export interface EntryPage {
  entries: readonly ListedEntry[]
  /** The last entry of the page; null when there is none after it. */
  next: number | null
}

export interface BookedPayment {
  accountId: string
  number: number
  connection: string
  amountXof: number
}

const ACCOUNTS_OF = {
  payment: { debit: 'receivable', credit: 'sales' },
  refund: { debit: 'refunds', credit: 'receivable' },
  reversal: { debit: 'refunds', credit: 'receivable' },
} as const satisfies Record<OutcomeKind, Pick<NewEntry, 'debit' | 'credit'>>

export const entryOf = (
  kind: OutcomeKind,
  { accountId, number, connection, amountXof }: BookedPayment,
  {
    at,
    madeBy,
    refundReference = null,
  }: { at: number; madeBy: string; refundReference?: string | null },
): NewEntry => ({
  accountId,
  connection,
  bookedAt: at,
  day: dayOf(at),
  kind,
  ...ACCOUNTS_OF[kind],
  amountXof,
  number,
  refundReference,
  lineNumber: null,
  madeBy,
})

/** The sum of one ledger account: at one connection, and on one day or on all. */
export interface LedgerSum {
  connection: string
  ledgerAccount: LedgerAccount
  debitXof: number
  creditXof: number
}

/** The sums of one day that entries add to. */
export function daySumsOf(entries: readonly NewEntry[]): (LedgerSum & { day: number })[] {
  const sums = new Map<string, LedgerSum & { day: number }>()
  const sumOf = ({ connection, day }: NewEntry, ledgerAccount: LedgerAccount): LedgerSum => {
    const key = `${day} ${ledgerAccount} ${connection}`
    const sum = sums.get(key) ?? { connection, day, ledgerAccount, debitXof: 0, creditXof: 0 }
    sums.set(key, sum)
    return sum
  }
  for (const entry of entries) {
    sumOf(entry, entry.debit).debitXof += entry.amountXof
    sumOf(entry, entry.credit).creditXof += entry.amountXof
  }
  return [...sums.values()]
}

/** `opening` is the part of `wallet` that was there before its first statement. */
export type MoneyAmounts = Record<MoneyPlace | 'opening', number>

const noMoney = (): MoneyAmounts => ({
  receivable: 0,
  wallet: 0,
  at_service: 0,
  in_transit: 0,
  bank: 0,
  withheld: 0,
  unexplained: 0,
  opening: 0,
})

const isPlace = (name: string): name is keyof MoneyAmounts =>
  name === 'opening' || MONEY_PLACES.some((each) => each === name)

/** What came is credited to these: the merchant reads it as positive. */
const CREDITED: readonly string[] = ['unexplained', 'opening']

/** The francs in each place, by connection, and the whole under the empty name. */
export function amountsOf(
  sums: readonly LedgerSum[],
  isShared: (connection: string) => boolean,
): Map<string, MoneyAmounts> {
  const amounts = new Map([['', noMoney()]])
  for (const { connection, ledgerAccount, debitXof, creditXof } of sums) {
    const place = ledgerAccount === 'wallet' && isShared(connection) ? 'at_service' : ledgerAccount
    for (const name of ['', connection]) {
      const each = amounts.get(name) ?? noMoney()
      amounts.set(name, each)
      if (isPlace(place))
        each[place] += CREDITED.includes(place) ? creditXof - debitXof : debitXof - creditXof
    }
  }
  return amounts
}
