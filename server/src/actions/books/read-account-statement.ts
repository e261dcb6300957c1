// A merchant's statement of a period at one connection: opening, every movement, closing, and how
// much of it the network's own statement confirms. Its entries are read twice in slices while it is
// sent, first for the sums, so that no statement is held in memory. Entries are only added, so both
// readings end at the same entry.
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type AccountStatement,
  type ConnectionSums,
  type JournalAccounts,
  journalFault,
  type ReadyPeriod,
  reconciled,
  type StatementFormat,
  type StatementHead,
  type StatementRow,
  type StreamedStatement,
  type SummedStatement,
  SYSCOHADA,
  statementReader,
  sumsOf,
} from '../../domain/books/account-statement.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import {
  type AccountCaller,
  actorOf,
  type MerchantCaller,
  type MerchantPerson,
  scopeOf,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Language } from '../../domain/texts/language.ts'
import {
  type StatementFile,
  writeStatement,
  writeStatements,
} from '../../statement-formats/write-statement.ts'
import type { StatementWriting } from '../../statement-formats/writing.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  type EntryPlace,
  findJournalAccounts,
  findOpening,
  findSliceEnd,
  listConnections,
  listEntryGroups,
  listKindSums,
  listStatementEntries,
  putJournalAccounts,
  type StatementPeriod,
} from '../../store/books/account-statements.ts'
import { findLastEntry } from '../../store/books/entries.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findAccount, findNamedAccount } from '../../store/merchants/accounts.ts'
import { findProfile } from '../../store/merchants/profiles.ts'
import type { Deps } from '../deps.ts'
import { labelConnections } from '../operators/merchant-connections.ts'
import { journalsOf } from './connection-journals.ts'
import { sharedConnections } from './shared-wallets.ts'

/**
 * Some milliseconds of the store's time: rows with their payments, and entries that are only
 * summed.
 */
const SLICE = { rows: 250, entries: 2_000 }
const MOST_DAYS = 366

export interface StatementQuery {
  connection: string
  fromDay: number
  toDay: number
}

type Account = Pick<MerchantCaller, 'accountId' | 'environment'>

/** Nothing of it is read yet, however long it is. */
async function openStatement(
  { db }: Pick<Deps, 'db'>,
  account: Account,
  query: StatementQuery,
): Promise<StreamedStatement | RefusedAs<'period_not_valid'>> {
  const period = await periodOf(db, account, query)
  if (period === undefined) return { refused: 'period_not_valid' }
  const { accountId, environment } = account
  const { merchantName } = await findNamedAccount(db, accountId)
  const labelled = await labelConnections({ db }, { accountId }, [query])
  const isShared = (await sharedConnections(db, account))(query.connection)
  return streamed(
    db,
    labelled({ merchantName, accountId, environment, isShared, ...query }),
    period,
  )
}

const streamed = (db: Deps['db'], head: StatementHead, period: ReadPeriod): StreamedStatement => ({
  ...head,
  summing: sumsIn(db, period),
  rows: { [Symbol.asyncIterator]: () => rowsOf(db, period) },
})

/**
 * Of each connection with a movement in the period or a balance before it. All end at the same
 * entry.
 */
export async function openStatements(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Account,
  days: Pick<StatementQuery, 'fromDay' | 'toDay'>,
): Promise<StreamedStatement[] | RefusedAs<'period_not_valid' | 'period_without_movements'>> {
  if (!isPeriod(days)) return { refused: 'period_not_valid' }
  const whole = { accountId, ...days, lastEntry: await findLastEntry(db, accountId) }
  const connections = await listConnections(db, whole)
  if (!connections.some(({ hasMoved }) => hasMoved === 1))
    return { refused: 'period_without_movements' }
  const { merchantName } = await findNamedAccount(db, accountId)
  const labelled = await labelConnections({ db }, { accountId }, connections)
  const isShared = await sharedConnections(db, { accountId, environment })
  const statements: StreamedStatement[] = []
  for (const { connection, hasMoved } of connections) {
    const openingXof = await findOpening(db, { ...whole, connection })
    if (hasMoved === 0 && openingXof === 0) continue
    const head = labelled({
      merchantName,
      accountId,
      environment,
      isShared: isShared(connection),
      connection,
      ...days,
    })
    statements.push(streamed(db, head, { ...whole, connection, openingXof }))
  }
  return statements
}

/** With its sums; its rows are read later. */
export async function readAccountStatement(
  deps: Pick<Deps, 'db'>,
  account: Account,
  query: StatementQuery,
): Promise<AccountStatement | RefusedAs<'period_not_valid'>> {
  const opened = await openStatement(deps, account, query)
  if (isRefused(opened)) return opened
  const { summing, ...statement } = opened
  for (;;) {
    const { done, value } = await summing.next()
    if (done) return { ...statement, ...value }
    await nextTurn()
  }
}

/** Of a cursor: the day and number of the last entry, and the balance after it. */
const PARTS = ['number', 'number', 'text'] as const

/** A page of the movements. */
export async function listMovements(
  { db }: Pick<Deps, 'db'>,
  account: Account,
  { after, limit, ...query }: StatementQuery & PageInput,
): Promise<
  Page<StatementRow> | RefusedAs<'period_not_valid' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const read = readPage({ after, limit }, PARTS, [query.fromDay, 0, ''])
  if (isRefused(read)) return read
  const period = await periodOf(db, account, query)
  if (period === undefined) return { refused: 'period_not_valid' }
  const [day, entry, written] = read.cursor
  const balanceXof = written === '' ? period.openingXof : Number(written)
  if (!Number.isSafeInteger(balanceXof)) return { refused: 'cursor_not_valid' }
  const found: StatementRow[] = []
  for await (const row of rowsOf(db, { ...period, openingXof: balanceXof }, { day, entry })) {
    found.push(row)
    if (found.length > read.limit) break
  }
  return pageOf(found, read.limit, (last) => [last.day, last.entry, last.balanceXof])
}

const isPeriod = ({ fromDay, toDay }: Pick<StatementQuery, 'fromDay' | 'toDay'>): boolean =>
  toDay >= fromDay && toDay - fromDay < MOST_DAYS

type ReadPeriod = StatementPeriod & { openingXof: number }

async function periodOf(
  db: Deps['db'],
  { accountId }: Account,
  { connection, fromDay, toDay }: StatementQuery,
): Promise<ReadPeriod | undefined> {
  if (!isPeriod({ fromDay, toDay })) return undefined
  const period = {
    accountId,
    connection,
    fromDay,
    toDay,
    lastEntry: await findLastEntry(db, accountId),
  }
  return { ...period, openingXof: await findOpening(db, period) }
}

/** The places between which the entries of a period are read, one slice after the other. */
async function* slicesOf(db: Deps['db'], period: ReadPeriod, from?: EntryPlace) {
  const last = { day: period.toDay, entry: Number.MAX_SAFE_INTEGER }
  for (
    let after: EntryPlace | undefined = from ?? { day: period.fromDay, entry: 0 };
    after !== undefined;
  ) {
    const end: EntryPlace | undefined = await findSliceEnd(db, period, after, SLICE.entries)
    yield { after, end: end ?? last, isLast: end === undefined }
    after = end
  }
}

async function* sumsIn(
  db: Deps['db'],
  period: ReadPeriod,
): AsyncGenerator<undefined, SummedStatement> {
  const { sums, totals, read } = statementReader(period.openingXof)
  const outside = { paidXof: 0, confirmedXof: 0 }
  for await (const { after, end, isLast } of slicesOf(db, period)) {
    for (const { entry, count, outsideXof } of await listEntryGroups(db, period, after, end)) {
      read(entry, count)
      outside[entry.kind === 'payment' ? 'paidXof' : 'confirmedXof'] += outsideXof
    }
    if (!isLast) yield undefined
  }
  return { ...sums, totals, reconciliation: reconciled(sums, outside) }
}

async function* rowsOf(
  db: Deps['db'],
  period: ReadPeriod,
  from?: EntryPlace,
): AsyncGenerator<StatementRow> {
  const { read } = statementReader(period.openingXof)
  for await (const slice of slicesOf(db, period, from)) {
    for await (const entry of entriesOf(db, period, slice)) {
      const row = read(entry)
      if (row !== undefined) yield row
    }
  }
}

async function* entriesOf(
  db: Deps['db'],
  period: ReadPeriod,
  slice: { after: EntryPlace; end: EntryPlace },
) {
  for (let { after } = slice; ; ) {
    const found = await listStatementEntries(db, period, after, slice.end, SLICE.rows)
    yield* found
    const last = found.at(-1)
    await nextTurn()
    if (last === undefined || found.length < SLICE.rows) return
    after = { day: last.day, entry: last.entry }
  }
}

// The sums of a day or a month: for its event and its email, which have no rows. A step of other
// actions.

/** The statements of a period without their rows, one for each connection with movements. */
export async function readPeriodSums(
  db: Queries,
  account: Account,
  { firstDay: fromDay, lastDay: toDay }: Pick<ReadyPeriod, 'firstDay' | 'lastDay'>,
): Promise<ConnectionSums[]> {
  const { accountId } = account
  const isShared = await sharedConnections(db, account)
  const kinds = Map.groupBy(
    await listKindSums(db, accountId, { fromDay, toDay }),
    ({ connection }) => connection,
  )
  const sums: ConnectionSums[] = []
  for (const [connection, ofConnection] of kinds) {
    const period = { accountId, connection, fromDay, toDay, lastEntry: Number.MAX_SAFE_INTEGER }
    const openingXof = await findOpening(db, period)
    sums.push({ connection, isShared: isShared(connection), ...sumsOf(openingXof, ofConnection) })
  }
  return sums
}

// A merchant's statement as a file, in the format and language that its reader chooses.

export interface ExportQuery extends Omit<StatementQuery, 'connection'> {
  accountId: string
  /** Undefined for a file of all connections, which JSON is not. */
  connection: string | undefined
  format: StatementFormat
  language: Language
}

export async function exportStatement(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { accountId, format, language, connection, ...days }: ExportQuery,
): Promise<
  StatementFile | RefusedAs<'account_not_found' | 'period_not_valid' | 'period_without_movements'>
> {
  const account = await findAccount(deps.db, scopeOf(caller), accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const writing = await readWriting(deps, accountId, language)
  if (connection !== undefined) {
    const statement = await openStatement(deps, account, { connection, ...days })
    return isRefused(statement) ? statement : writeStatement(statement, format, writing)
  }
  if (format === 'json') throw new Error('JSON has the statement of one connection')
  const statements = await openStatements(deps, account, days)
  return isRefused(statements) ? statements : writeStatements(statements, format, writing)
}

/** What a file says besides its statements. A step of other actions. */
export async function readWriting(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  accountId: string,
  language: Language,
): Promise<StatementWriting> {
  const accountsOf = await journalsOf(db, accountId)
  const profile = await findProfile(db, accountId)
  if (profile === undefined) throw new Error(`there is no account ${accountId}`)
  return { language, createdAt: clock.now(), accountsOf, business: profile }
}

// The account numbers that a merchant's SYSCOHADA journal uses.

export const readJournalAccounts = async (
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantPerson,
): Promise<JournalAccounts> => ({ ...SYSCOHADA, ...(await findJournalAccounts(db, accountId)) })

export async function setJournalAccounts(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: MerchantPerson,
  accounts: JournalAccounts,
): Promise<JournalAccounts | RefusedAs<'journal_account_not_valid'>> {
  const field = journalFault(accounts)
  if (field !== undefined) return { refused: 'journal_account_not_valid', field }
  const { accountId } = caller
  const at = clock.now()
  await db.transaction(async (tx) => {
    await putJournalAccounts(tx, accountId, accounts, { by: actorOf(caller), at })
    const detail = { accounts: Object.values(accounts).join(' ') }
    await insertAudit(tx, caller, {
      at,
      action: 'journal.set',
      subject: accountId,
      accountId,
      detail,
    })
  })
  return accounts
}
