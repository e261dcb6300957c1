// The books of an account: double entry in whole francs. Each entry debits one ledger account and credits another, so
// debits always equal credits. What an entry says is decided here; it is written in the commit of the state that it
// reports (ADR-0019).
import { dayOf } from './business-day.ts'

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
  // What a person says that a line was (domain/closing.ts):
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

/** Where a merchant's money can be, in the order of its way to the bank; then what keeps it from there. */
export const MONEY_PLACES = ['receivable', 'wallet', 'in_transit', 'bank', 'withheld', 'unexplained'] as const

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

/** Debits minus credits; an account without entries is absent. */
export type Balances = ReadonlyMap<LedgerAccount, number>

/**
 * The francs in each place. An unexplained line is credited where money came: the merchant reads what came as positive.
 */
export const amountsOf = (balances: Balances | undefined): Record<MoneyPlace, number> => {
  const of = (place: MoneyPlace): number => balances?.get(place) ?? 0
  return {
    ...{ receivable: of('receivable'), wallet: of('wallet'), in_transit: of('in_transit'), bank: of('bank') },
    ...{ withheld: of('withheld'), unexplained: 0 - of('unexplained') },
  }
}

/** What was in the wallets before their first statements: part of `wallet`. */
export const openingOf = (balances: Balances | undefined): number => 0 - (balances?.get('opening') ?? 0)

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
  { at, madeBy, refundReference = null }: { at: number; madeBy: string; refundReference?: string | null },
): NewEntry => ({
  ...{ accountId, connection, bookedAt: at, day: dayOf(at), kind, ...ACCOUNTS_OF[kind] },
  ...{ amountXof, number, refundReference, lineNumber: null, madeBy },
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

/** By connection, and the whole under the empty name. */
export function balancesOf(sums: readonly LedgerSum[]): Map<string, Map<LedgerAccount, number>> {
  const balances = new Map([['', new Map<LedgerAccount, number>()]])
  for (const { connection, ledgerAccount, debitXof, creditXof } of sums) {
    for (const name of ['', connection]) {
      const of = balances.get(name) ?? new Map<LedgerAccount, number>()
      balances.set(name, of.set(ledgerAccount, (of.get(ledgerAccount) ?? 0) + debitXof - creditXof))
    }
  }
  return balances
}
