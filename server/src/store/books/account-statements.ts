// What a merchant's statement is made of: the balance before its first day, and the entries of its
// days.
import type {
  ConnectionJournal,
  JournalAccounts,
  KindSum,
  StatementEntry,
} from '../../domain/books/account-statement.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, deleteRows, firstRow, firstValue, putRow } from '../rows.ts'
import { notConfirmed } from './entries.ts'

export interface StatementPeriod {
  accountId: string
  connection: string
  /** Both inclusive. */
  fromDay: number
  toDay: number
  /** Later ones are left out, and what they confirm. */
  lastEntry: number
}

const NOT_SUMMED = `l.account_id = :accountId and l.connection = :connection and l.day < :fromDay
  and l.entry <= :lastEntry
  and l.entry > coalesce((select s.summed_entry from payment_summaries s
    where s.account_id = :accountId), 0)`

/** What the merchant had at the network before the first day: owed by it, or in its wallet. */
export async function findOpening(
  db: Queries,
  { accountId, connection, fromDay, lastEntry }: StatementPeriod,
): Promise<number> {
  const opening = await firstValue<number>(
    db,
    `select cast(coalesce(sum(change), 0) as bigint) from (
       select d.debit_xof - d.credit_xof as change from ledger_days d
       where d.account_id = :accountId and d.connection = :connection and d.day < :fromDay
         and d.ledger_account in ('receivable', 'wallet')
       union all
       select l.amount_xof from ledger_entries l
       where ${NOT_SUMMED} and l.debit in ('receivable', 'wallet')
       union all
       select -l.amount_xof from ledger_entries l
       where ${NOT_SUMMED} and l.credit in ('receivable', 'wallet')
     ) as changes`,
    { accountId, connection, fromDay, lastEntry },
  )
  return opening ?? 0
}

/** The connections that an account had entries at until the end of a period. */
export const listConnections = (
  db: Queries,
  { accountId, fromDay, toDay, lastEntry }: Omit<StatementPeriod, 'connection'>,
) =>
  db.read<{ connection: string; hasMoved: number }>(
    `select e.connection, max(case when e.day >= :fromDay then 1 else 0 end) as "hasMoved" from (
       select d.connection, d.day from ledger_days d
       where d.account_id = :accountId and d.day <= :toDay
       union all
       select l.connection, l.day from ledger_entries l
       where l.account_id = :accountId and l.day <= :toDay and l.entry <= :lastEntry
         and l.entry > coalesce((select s.summed_entry from payment_summaries s
           where s.account_id = :accountId), 0)) as e
     group by e.connection order by e.connection`,
    { accountId, fromDay, toDay, lastEntry },
  )

/**
 * The sum keeps the stores from looking entries up by number: every slice would read all of the
 * account's.
 */
const upTo = (entries: string): string => `${entries}.entry + 0 <= :lastEntry`

const IS_CONFIRMED = `case when ${notConfirmed(upTo('c'))} then 0 else 1 end`

/**
 * The account that a closing has moved the amount of an entry to, unless the closing was taken
 * back.
 */
const EXPLAINED_AS = `coalesce((select case when c.debit = 'unexplained' then c.credit
  else c.debit end
  from ledger_entries c where c.account_id = l.account_id and c.connection = l.connection
    and c.line_number = l.line_number and c.corrects = l.entry and c.kind = 'closing'
    and 'unexplained' in (c.debit, c.credit) and 'wallet' not in (c.debit, c.credit)
    and ${upTo('c')}
    and not exists (select 1 from ledger_entries r
      where r.account_id = c.account_id and r.connection = c.connection
      and r.line_number = c.line_number and r.corrects = c.entry and ${upTo('r')})
  order by c.entry desc limit 1), '')`

type FoundEntry = Omit<StatementEntry, 'isConfirmed'> & { isConfirmed: number }

const ENTRY = columnsOf<FoundEntry>({
  entry: 'l.entry',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  kind: 'l.kind',
  debit: 'l.debit',
  credit: 'l.credit',
  amountXof: 'l.amount_xof',
  reference: "coalesce(p.reference, '')",
  publicReference: "coalesce(p.public_reference, '')",
  externalReference: "coalesce(p.external_reference, '')",
  refundReference: "coalesce(l.refund_reference, '')",
  operatorReference: "coalesce(p.operator_reference, s.network_reference, t.network_reference, '')",
  isConfirmed: IS_CONFIRMED,
  explainedAs: EXPLAINED_AS,
})

/** After one place up to another. */
const IN_SLICE = `l.account_id = :accountId and l.connection = :connection
  and (l.day, l.entry) > (:afterDay, :afterEntry) and (l.day, l.entry) <= (:endDay, :endEntry)`
const sliceValues = (after: EntryPlace, end: EntryPlace) => ({
  afterDay: after.day,
  afterEntry: after.entry,
  endDay: end.day,
  endEntry: end.entry,
})

/** In the order of value dates and entries, after one place up to another. */
export async function listStatementEntries(
  db: Queries,
  { accountId, connection, lastEntry }: StatementPeriod,
  after: EntryPlace,
  end: EntryPlace,
  most: number,
): Promise<StatementEntry[]> {
  const found = await db.read<FoundEntry>(
    `select ${ENTRY} from ledger_entries l
     join accounts a on a.account_id = l.account_id
     left join payments p on p.account_id = l.account_id and p.number = l.number
     left join statement_lines s on l.number is null and s.environment = a.environment
       and s.connection = l.connection and s.line_number = l.line_number
     left join taken_back_lines t on l.number is null and t.environment = a.environment
       and t.connection = l.connection and t.line_number = l.line_number
     where ${IN_SLICE} and ${upTo('l')}
     order by l.day, l.entry limit :most`,
    { accountId, connection, lastEntry, most, ...sliceValues(after, end) },
  )
  return found.map((entry) => ({ ...entry, isConfirmed: entry.isConfirmed === 1 }))
}

// A long period is read in slices, each of so many entries of the account: the statement is about a
// few of them, perhaps.

export type EntryPlace = Pick<StatementEntry, 'day' | 'entry'>

/** The last place of a slice; undefined when the period ends within it. */
export const findSliceEnd = (
  db: Queries,
  { accountId, toDay }: StatementPeriod,
  after: EntryPlace,
  entries: number,
) =>
  firstRow<EntryPlace>(
    db,
    `select l.day, l.entry from ledger_entries l where l.account_id = :accountId
       and (l.day, l.entry) > (:afterDay, :afterEntry) and l.day <= :toDay
     order by l.day, l.entry limit 1 offset :beyond`,
    { accountId, afterDay: after.day, afterEntry: after.entry, toDay, beyond: entries - 1 },
  )

/** What a group of entries has none of. */
const NOT_GROUPED = {
  entry: 0,
  explainedAs: '',
  bookedAt: 0,
  day: 0,
  reference: '',
  publicReference: '',
  externalReference: '',
  refundReference: '',
  operatorReference: '',
} as const

/** Entries of a slice that differ only in their amounts, as one with their sum. */
export interface EntryGroup {
  entry: StatementEntry
  count: number
  /**
   * Of payments, what was confirmed outside the period; of confirmations, those of payments outside
   * it.
   */
  outsideXof: number
}

type FoundGroup = Omit<FoundEntry, keyof typeof NOT_GROUPED> & Omit<EntryGroup, 'entry'>

const GROUP = columnsOf<FoundGroup>({
  kind: 'g.kind',
  debit: 'g.debit',
  credit: 'g.credit',
  isConfirmed: 'g.is_confirmed',
  amountXof: 'cast(sum(g.amount_xof) as bigint)',
  count: 'count(*)',
  outsideXof: 'cast(sum(g.outside_xof) as bigint)',
})

/** What was taken back counts less. */
const settledBy = (entry: string): string =>
  `(case when ${entry}.credit = 'receivable' then ${entry}.amount_xof
   else -${entry}.amount_xof end)`

const ofPayment = (entry: string): string =>
  `${entry}.account_id = l.account_id and ${entry}.number = l.number`

const OUTSIDE = `case
  when l.kind = 'payment'
    then coalesce((select sum${settledBy('c')} from ledger_entries c where ${ofPayment('c')}
    and c.kind = 'collected' and 'receivable' in (c.debit, c.credit)
    and (c.day < :fromDay or c.day > :toDay)
    and ${upTo('c')}), 0)
  when l.kind = 'collected' and 'receivable' in (l.debit, l.credit) and not exists (select 1
    from ledger_entries p
    where ${ofPayment('p')} and p.kind = 'payment' and p.day >= :fromDay and p.day <= :toDay
      and ${upTo('p')})
    then ${settledBy('l')}
  else 0 end`

/** Of the entries after one place up to another. */
export async function listEntryGroups(
  db: Queries,
  { accountId, connection, lastEntry, fromDay, toDay }: StatementPeriod,
  after: EntryPlace,
  end: EntryPlace,
): Promise<EntryGroup[]> {
  const found = await db.read<FoundGroup>(
    `select ${GROUP} from (
       select l.kind, l.debit, l.credit, l.amount_xof, ${IS_CONFIRMED} as is_confirmed,
         ${OUTSIDE} as outside_xof
       from ledger_entries l
       where ${IN_SLICE} and ${upTo('l')}) as g
     group by g.kind, g.debit, g.credit, g.is_confirmed`,
    { accountId, connection, lastEntry, fromDay, toDay, ...sliceValues(after, end) },
  )
  return found.map(({ count, outsideXof, isConfirmed, ...entry }) => ({
    entry: { ...NOT_GROUPED, ...entry, isConfirmed: isConfirmed === 1 },
    count,
    outsideXof,
  }))
}

const KIND_SUM = columnsOf<KindSum>({
  connection: 'l.connection',
  kind: 'l.kind',
  debit: 'l.debit',
  credit: 'l.credit',
  amountXof: 'cast(sum(l.amount_xof) as bigint)',
})

/** What the entries of a period add up to, at each connection. */
export const listKindSums = (
  db: Queries,
  accountId: string,
  { fromDay, toDay }: Pick<StatementPeriod, 'fromDay' | 'toDay'>,
) =>
  db.read<KindSum>(
    `select ${KIND_SUM} from ledger_entries l where l.account_id = :accountId
      and l.day >= :fromDay and l.day <= :toDay
     group by l.connection, l.kind, l.debit, l.credit
     order by l.connection, l.kind, l.debit, l.credit`,
    { accountId, fromDay, toDay },
  )

// The account numbers of a merchant's own books.

/**
 * Undefined where the merchant uses the defaults. Numbers that an earlier version stored may lack
 * some.
 */
export async function findJournalAccounts(
  db: Queries,
  accountId: string,
): Promise<Partial<JournalAccounts> | undefined> {
  const numbers = await firstValue<string>(
    db,
    'select numbers from journal_accounts where account_id = :accountId',
    { accountId },
  )
  return numbers && JSON.parse(numbers)
}

export const putJournalAccounts = (
  tx: Queries,
  accountId: string,
  accounts: JournalAccounts,
  { by, at }: { by: string; at: number },
): Promise<void> =>
  putRow(
    tx,
    'journal_accounts',
    { accountId },
    { numbers: JSON.stringify(accounts), setBy: by, setAt: at },
  )

const CONNECTION_JOURNAL = columnsOf<ConnectionJournal>({
  connection: 'connection',
  journal: 'journal',
  electronicMoney: 'electronic_money',
})

export const listConnectionJournals = (db: Queries, accountId: string) =>
  db.read<ConnectionJournal>(
    `select ${CONNECTION_JOURNAL} from connection_journals where account_id = :accountId`,
    { accountId },
  )

export const putConnectionJournal = (
  tx: Queries,
  accountId: string,
  { connection, journal, electronicMoney }: ConnectionJournal,
  { by, at }: { by: string; at: number },
): Promise<void> =>
  putRow(
    tx,
    'connection_journals',
    { accountId, connection },
    { journal, electronicMoney, setBy: by, setAt: at },
  )

export const removeConnectionJournal = (tx: Queries, accountId: string, connection: string) =>
  deleteRows(tx, 'connection_journals', { accountId, connection })
