// A statement that Karba gives to a merchant: what happened at one connection in a period, with a
// running balance.
import { dayOf, firstOfMonth } from '../countries/business-day.ts'
import type { NamedConnection } from '../countries/country.ts'
import type { Environment } from '../environment.ts'
import type { EntryKind, LedgerAccount } from '../ledger/ledger.ts'

/** The formats that a statement is written in (statement-formats/). */
export const STATEMENT_FORMATS = ['json', 'csv', 'xlsx', 'camt053', 'syscohada', 'pdf'] as const

export type StatementFormat = (typeof STATEMENT_FORMATS)[number]

export interface StatementRow {
  entry: number
  bookedAt: number
  day: number
  kind: EntryKind
  /** The payment's references, and the operator's; empty where there is none. */
  reference: string
  publicReference: string
  externalReference: string
  refundReference: string
  operatorReference: string
  /** What the merchant's money at the network gained by it; negative for what it lost. */
  amountXof: number
  balanceXof: number
  /** Whether the network's own statement has it. */
  isConfirmed: boolean
  /** The ledger account that a person has moved an unexplained line to; empty for none. */
  explainedAs: LedgerAccount | ''
}

/** The sums of the period. Opening plus all of them is the closing. */
export interface StatementSums {
  openingXof: number
  collectedXof: number
  /** Negative. */
  refundedXof: number
  feesXof: number
  taxesXof: number
  withheldXof: number
  settledXof: number
  /** Lines of the network's statement that no payment of ours explains. */
  unexplainedXof: number
  /**
   * What people have explained, or corrected, without a payment: top-ups, other income,
   * corrections. And what was in the wallet before its first statement, in the period that has the
   * day before that.
   */
  otherXof: number
  closingXof: number
  /** The part of the collected amount that the network's own statement confirms. */
  confirmedXof: number
}

/**
 * Why the collected amount and the confirmed one differ: we count a payment on the day on which we
 * learned of it, and the network on the day on which it took the money. Collected, less the first
 * two, plus the third, is confirmed (D-174).
 */
export interface Reconciliation {
  /** Payments of the period that the network's statement does not have yet. */
  notConfirmedXof: number
  /** Payments of the period that the network has on days outside it. */
  onOtherDaysXof: number
  /** What the network has in the period, of payments of days outside it. */
  ofOtherDaysXof: number
}

/** What a format says about the rows before it writes them. */
export interface RowTotals {
  credits: number
  creditedXof: number
  debits: number
  /** Positive. */
  debitedXof: number
  /** What the confirmed rows add to the opening. */
  confirmedChangeXof: number
}

/** Whose statement it is, and of which period: known before any entry is read. */
export interface StatementHead extends NamedConnection {
  merchantName: string
  accountId: string
  environment: Environment
  /**
   * Its wallet holds money of other merchants too: the balances are what is this merchant's of it
   * (D-173).
   */
  isShared: boolean
  /** Both inclusive: days since 1970 (domain/countries/business-day.ts). */
  fromDay: number
  toDay: number
}

/** What is known once every entry of the period was read. */
export interface SummedStatement extends StatementSums {
  totals: RowTotals
  reconciliation: Reconciliation
}

/** The rows may be a stream; each reading of it begins again. */
export interface AccountStatement<Rows = Iterable<StatementRow> | AsyncIterable<StatementRow>>
  extends StatementHead,
    SummedStatement {
  rows: Rows
}

/** A statement of any length: its sums, and then its rows, are read while it is sent. */
export interface StreamedStatement extends StatementHead {
  /** Yields between slices of entries, for its reader to pause or to stop. */
  summing: AsyncGenerator<undefined, SummedStatement>
  rows: Iterable<StatementRow> | AsyncIterable<StatementRow>
}

/** What the merchant has at the network: owed by it, or in its wallet. */
const AT_NETWORK: readonly LedgerAccount[] = ['receivable', 'wallet']

/** What an entry adds to the money at the network; 0 for one that only confirms. */
export const changeAtNetwork = ({
  debit,
  credit,
  amountXof,
}: Pick<StatementEntry, 'debit' | 'credit' | 'amountXof'>): number =>
  (AT_NETWORK.includes(debit) ? amountXof : 0) - (AT_NETWORK.includes(credit) ? amountXof : 0)

export interface StatementEntry extends Omit<StatementRow, 'amountXof' | 'balanceXof'> {
  debit: LedgerAccount
  credit: LedgerAccount
  amountXof: number
}

const SUM_OF: Partial<Record<LedgerAccount, MovementSum>> = {
  sales: 'collectedXof',
  refunds: 'refundedXof',
  fees: 'feesXof',
  taxes: 'taxesXof',
  withheld: 'withheldXof',
  in_transit: 'settledXof',
  unexplained: 'unexplainedXof',
  owner: 'otherXof',
  other_income: 'otherXof',
  corrections: 'otherXof',
  not_ours: 'otherXof',
  opening: 'otherXof',
}

type MovementSum = Exclude<keyof StatementSums, 'openingXof' | 'closingXof' | 'confirmedXof'>

/**
 * What the entries of one kind and of the same two accounts add up to in a period, at one
 * connection.
 */
export interface KindSum extends Pick<StatementEntry, 'kind' | 'debit' | 'credit' | 'amountXof'> {
  connection: string
}

/** The sums of a statement without its rows. */
export function sumsOf(openingXof: number, kinds: readonly KindSum[]): StatementSums {
  const sums = emptySums(openingXof)
  for (const each of kinds) addToSums(sums, each)
  return sums
}

type SummedEntry = Pick<StatementEntry, 'kind' | 'debit' | 'credit' | 'amountXof'>

/** What a person has explained is no longer unexplained, although no money moved at the network. */
const isExplanation = ({ kind, debit, credit }: SummedEntry): boolean =>
  kind === 'closing' && (debit === 'unexplained' || credit === 'unexplained')

function addToSums(sums: StatementSums, entry: SummedEntry): void {
  const { kind, debit, credit, amountXof } = entry
  const changeXof = changeAtNetwork(entry)
  sums.closingXof += changeXof
  if (kind === 'collected' && credit === 'receivable') sums.confirmedXof += amountXof
  if (kind === 'collected' && debit === 'receivable') sums.confirmedXof -= amountXof
  if (changeXof === 0 && !isExplanation(entry)) return
  const [debited, credited] = [SUM_OF[debit], SUM_OF[credit]]
  if (debited !== undefined) sums[debited] -= amountXof
  if (credited !== undefined) sums[credited] += amountXof
}

/** Of payments, and of confirmations, the part whose other half is on a day outside the period. */
export interface OutsidePeriod {
  paidXof: number
  confirmedXof: number
}

export const reconciled = (
  { collectedXof, confirmedXof }: StatementSums,
  outside: OutsidePeriod,
): Reconciliation => ({
  notConfirmedXof: collectedXof - outside.paidXof - confirmedXof + outside.confirmedXof,
  onOtherDaysXof: outside.paidXof,
  ofOtherDaysXof: outside.confirmedXof,
})

const emptySums = (openingXof: number): StatementSums => ({
  openingXof,
  collectedXof: 0,
  refundedXof: 0,
  feesXof: 0,
  taxesXof: 0,
  withheldXof: 0,
  settledXof: 0,
  unexplainedXof: 0,
  otherXof: 0,
  closingXof: openingXof,
  confirmedXof: 0,
})

export interface StatementReader {
  /** Of the entries read so far. */
  sums: StatementSums
  totals: RowTotals
  /** Undefined for an entry that only confirms an earlier row. */
  /**
   * `count` entries that differ only in their amounts may be read as one, with the sum: for the
   * sums and totals alone.
   */
  read(entry: StatementEntry, count?: number): StatementRow | undefined
}

/** Takes the entries in the order of their value dates. */
export function statementReader(openingXof: number): StatementReader {
  const sums = emptySums(openingXof)
  const totals: RowTotals = {
    credits: 0,
    creditedXof: 0,
    debits: 0,
    debitedXof: 0,
    confirmedChangeXof: 0,
  }
  return {
    sums,
    totals,
    read({ debit, credit, ...entry }, count = 1) {
      const changeXof = changeAtNetwork({ debit, credit, ...entry })
      addToSums(sums, { debit, credit, ...entry })
      if (changeXof === 0) return undefined
      const row = { ...entry, amountXof: changeXof, balanceXof: sums.closingXof }
      addRow(totals, row, count)
      return row
    },
  }
}

export function addRow(
  totals: RowTotals,
  { amountXof, isConfirmed }: StatementRow,
  count = 1,
): void {
  if (isConfirmed) totals.confirmedChangeXof += amountXof
  if (amountXof < 0) {
    totals.debits += count
    totals.debitedXof -= amountXof
  } else {
    totals.credits += count
    totals.creditedXof += amountXof
  }
}

// When a statement of a day or a month is ready, and for whom.

export const STATEMENT_PERIODS = ['day', 'month'] as const

export type StatementPeriodName = (typeof STATEMENT_PERIODS)[number]

/** Both days inclusive. */
export interface ReadyPeriod {
  period: StatementPeriodName
  firstDay: number
  lastDay: number
}

/**
 * 06:00 by the clock of the books: by then the last payments of the day before have their outcome.
 */
const READY_AFTER_MS = 6 * 3_600_000

/** A service that was stopped for longer announces only the last days. */
const DAYS_BACK = 3

/** The day whose morning has come. */
export const morningOf = (now: number): number => dayOf(now - READY_AFTER_MS)

/** The oldest first; a month after its last day. */
export function periodsReady(now: number): ReadyPeriod[] {
  const days = Array.from({ length: DAYS_BACK }, (_, back) => morningOf(now) - DAYS_BACK + back)
  return days.flatMap((day) => [
    periodOf('day', day),
    ...(firstOfMonth(day + 1) === day + 1 ? [periodOf('month', firstOfMonth(day))] : []),
  ])
}

export function periodOf(period: StatementPeriodName, firstDay: number): ReadyPeriod {
  // The 31st day after the first of a month is in the next one, or is its first day.
  return {
    period,
    firstDay,
    lastDay: period === 'day' ? firstDay : firstOfMonth(firstDay + 31) - 1,
  }
}

export interface ConnectionSums extends StatementSums, Pick<StatementHead, 'isShared'> {
  connection: string
}

/** Which statements a person gets by email. */
export interface StatementMails {
  daily: boolean
  monthly: boolean
}

// The account numbers of a merchant's own books for the SYSCOHADA journal. The defaults are those
// of the revised chart of accounts (2017); a merchant may have its own.

export interface JournalAccounts {
  /** The code of the journal itself. */
  journal: string
  /** The wallet at the network. The chart allows only a debit balance. */
  electronicMoney: string
  customers: string
  fees: string
  taxes: string
  /** Money on its way between the wallet and the bank. */
  transfers: string
  /** Owed by the network: money that it blocks. */
  withheld: string
  /** Owed to the network: what the wallet would be below zero. */
  advances: string
  unexplained: string
  /** What people say that unexplained lines were. */
  owner: string
  otherIncome: string
  corrections: string
  notOurs: string
  /** The other side of what was in the wallet before its first statement. */
  opening: string
  /** What is the merchant's of a wallet that merchants share: a claim on the service. */
  atService: string
}

export const SYSCOHADA: JournalAccounts = {
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
}

const FORM = /^[0-9A-Za-z]{1,12}$/

/** The first that no accounting software would take; undefined when all are valid. */
export const journalFault = (accounts: JournalAccounts): keyof JournalAccounts | undefined =>
  (Object.keys(SYSCOHADA) as (keyof JournalAccounts)[]).find((name) => !FORM.test(accounts[name]))

/** Of one connection, where it differs from that of the account; an empty text is the account's. */
export interface ConnectionJournal {
  connection: string
  journal: string
  electronicMoney: string
}

/** The first that is neither empty nor valid. */
export const connectionJournalFault = ({
  journal,
  electronicMoney,
}: Omit<ConnectionJournal, 'connection'>): keyof JournalAccounts | undefined =>
  journalFault({
    ...SYSCOHADA,
    ...(journal !== '' && { journal }),
    ...(electronicMoney !== '' && { electronicMoney }),
  })
