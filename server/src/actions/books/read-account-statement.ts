// A merchant's statement of a period at one connection: opening, every movement, closing, and how much of it the
// network's own statement confirms. Its entries are read twice in slices, first for the sums, so that no statement is
// held in memory. Entries are only added, so both readings end at the same entry.
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type AccountStatement,
  type ConnectionSums,
  type JournalAccounts,
  journalFault,
  type ReadyPeriod,
  type StatementFormat,
  type StatementRow,
  SYSCOHADA,
  statementReader,
  sumsOf,
} from '../../domain/account-statement.ts'
import { type AccountCaller, actorOf, type MerchantCaller, type MerchantPerson, scopeOf } from '../../domain/caller.ts'
import type { Language } from '../../domain/person.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type StatementFile, writeStatement } from '../../statement-formats/write-statement.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  findJournalAccounts,
  findOpening,
  listKindSums,
  listStatementEntries,
  putJournalAccounts,
  type StatementPeriod,
} from '../../store/books/account-statements.ts'
import { findLastEntry } from '../../store/books/entries.ts'
import type { Queries } from '../../store/engine/database.ts'
import { findAccount, findNamedAccount } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'
import { labelConnections } from '../operators/merchant-connections.ts'

/** Some milliseconds of the store's time. */
const SLICE = 250
/** A spreadsheet of 30 MB, and some seconds of the store's time. */
const MOST_MOVEMENTS = 200_000
const MOST_DAYS = 366

export interface StatementQuery {
  connection: string
  fromDay: number
  toDay: number
}

type Account = Pick<MerchantCaller, 'accountId' | 'environment'>

export async function readAccountStatement(
  { db }: Pick<Deps, 'db'>,
  account: Account,
  query: StatementQuery,
): Promise<AccountStatement<AsyncIterable<StatementRow>> | RefusedAs<'period_not_valid'>> {
  const period = await periodOf(db, account, query)
  if (period === undefined) return { refused: 'period_not_valid' }
  const { sums, totals, read } = statementReader(period.openingXof)
  for await (const entry of entriesOf(db, period)) {
    read(entry)
    if (totals.credits + totals.debits > MOST_MOVEMENTS) return { refused: 'period_not_valid' }
  }
  const { accountId, environment } = account
  const { merchantName } = await findNamedAccount(db, accountId)
  const labelled = await labelConnections({ db }, { accountId }, [query])
  return labelled({ merchantName, accountId, environment, ...query, ...sums, totals, rows: rowsOf(db, period) })
}

/** A page of the movements, after so many of them. */
export async function listMovements(
  { db }: Pick<Deps, 'db'>,
  account: Account,
  { after, limit, ...query }: StatementQuery & { after: number; limit: number },
): Promise<{ rows: StatementRow[]; next: string | undefined } | RefusedAs<'period_not_valid'>> {
  const period = await periodOf(db, account, query)
  if (period === undefined || after > MOST_MOVEMENTS) return { refused: 'period_not_valid' }
  const rows: StatementRow[] = []
  let before = 0
  for await (const row of rowsOf(db, period)) {
    if (before++ < after) continue
    if (rows.length === limit) return { rows, next: String(after + limit) }
    rows.push(row)
  }
  return { rows, next: undefined }
}

type ReadPeriod = StatementPeriod & { openingXof: number; lastEntry: number }

async function periodOf(
  db: Deps['db'],
  { accountId }: Account,
  { connection, fromDay, toDay }: StatementQuery,
): Promise<ReadPeriod | undefined> {
  if (toDay < fromDay || toDay - fromDay >= MOST_DAYS) return undefined
  const period = { accountId, connection, fromDay, toDay, lastEntry: await findLastEntry(db, accountId) }
  return { ...period, openingXof: await findOpening(db, period) }
}

async function* rowsOf(db: Deps['db'], period: ReadPeriod): AsyncGenerator<StatementRow> {
  const { read } = statementReader(period.openingXof)
  for await (const entry of entriesOf(db, period)) {
    const row = read(entry)
    if (row !== undefined) yield row
  }
}

async function* entriesOf(db: Deps['db'], period: ReadPeriod) {
  for (let after = { day: period.fromDay, entry: 0 }; ; ) {
    const slice = await listStatementEntries(db, period, after, SLICE)
    yield* slice
    const last = slice.at(-1)
    if (last === undefined || slice.length < SLICE) return
    after = { day: last.day, entry: last.entry }
    await nextTurn()
  }
}

// The sums of a day or a month: for its event and its email, which have no rows. A step of other actions.

/** The statements of a period without their rows, one for each connection with movements. */
export async function readPeriodSums(
  db: Queries,
  accountId: string,
  { firstDay: fromDay, lastDay: toDay }: Pick<ReadyPeriod, 'firstDay' | 'lastDay'>,
): Promise<ConnectionSums[]> {
  const kinds = Map.groupBy(await listKindSums(db, accountId, { fromDay, toDay }), ({ connection }) => connection)
  const sums: ConnectionSums[] = []
  for (const [connection, ofConnection] of kinds) {
    const period = { accountId, connection, fromDay, toDay, lastEntry: Number.MAX_SAFE_INTEGER }
    const openingXof = await findOpening(db, period)
    sums.push({ connection, ...sumsOf(openingXof, ofConnection) })
  }
  return sums
}

// A merchant's statement as a file, in the format and language that its reader chooses.

export interface ExportQuery extends StatementQuery {
  accountId: string
  format: StatementFormat
  language: Language
}

export async function exportStatement(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { accountId, format, language, ...query }: ExportQuery,
): Promise<StatementFile | RefusedAs<'account_not_found' | 'period_not_valid'>> {
  const account = await findAccount(deps.db, scopeOf(caller), accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const statement = await readAccountStatement(deps, account, query)
  if (isRefused(statement)) return statement
  const accounts = (await findJournalAccounts(deps.db, accountId)) ?? SYSCOHADA
  return writeStatement(statement, format, { language, createdAt: deps.clock.now(), accounts })
}

// The account numbers that a merchant's SYSCOHADA journal uses.

export const readJournalAccounts = async (
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantPerson,
): Promise<JournalAccounts> => (await findJournalAccounts(db, accountId)) ?? SYSCOHADA

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
    await insertAudit(tx, caller, { at, action: 'journal.set', subject: accountId, accountId, detail })
  })
  return accounts
}
