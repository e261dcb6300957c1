// Imports that a person takes back: the file's marks, its lines with what they have booked and
// found, and what the lines of other files are once they are gone.

import type { ExceptionKind } from '../../domain/books/matching.ts'
import type { KeptStatementFile, LineType } from '../../domain/books/statement.ts'
import type { LedgerEntry } from '../../domain/ledger/ledger.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import {
  type ColumnTypes,
  manyRows,
  type Queries,
  type SqlTexts,
  type Transaction,
} from '../engine/database.ts'
import { columnsOf, firstRow, updateOne, updateRows } from '../rows.ts'

/** The state of a file: `importing` in the table while, and after, it is taken back. */
export const fileState = (table: string): string =>
  `case when ${table}.state = 'importing' and ${table}.take_back_ended_at is not null
   then 'taken_back'
    when ${table}.state = 'importing' and ${table}.take_back_begun_at is not null then 'taking_back'
    else ${table}.state end`

export interface TakeBack {
  at: number
  by: string
  note: string
}

/** False when it was begun before. */
export const beginTakeBack = (
  tx: Queries,
  fileId: string,
  { at, by, note }: TakeBack,
): Promise<boolean> =>
  updateOne(
    tx,
    'statement_files',
    { fileId },
    {
      state: 'importing',
      takeBackBegunAt: at,
      takeBackEndedAt: null,
      takeBackBy: by,
      takeBackNote: note,
    },
    `(state = 'imported' or take_back_begun_at is null)`,
  )

const TAKE_BACK = columnsOf<TakeBack>({
  at: 'take_back_begun_at',
  by: 'take_back_by',
  note: 'take_back_note',
})

export const findTakeBack = (db: Queries, fileId: string) =>
  firstRow<TakeBack>(
    db,
    `select ${TAKE_BACK}
     from statement_files where file_id = :fileId and take_back_begun_at is not null`,
    { fileId },
  )

export const endTakeBack = (tx: Queries, fileId: string, at: number) =>
  updateRows(tx, 'statement_files', { fileId }, { takeBackEndedAt: at, added: 0 })

/**
 * What a crash leaves is found after this time: an import begins its file before anything else
 * shows that it lives.
 */
const BEGUN_AGO_MS = 60_000

const CUT_OFF_FILE = columnsOf<KeptStatementFile>({
  environment: 'f.environment',
  connection: 'f.connection',
  fileId: 'f.file_id',
  sha256: 'f.sha256',
  name: 'f.name',
  bytes: 'f.bytes',
  lines: 'f.lines',
  added: 'f.added',
  openingXof: 'f.opening_xof',
  closingXof: 'f.closing_xof',
  firstDay: 'f.first_day',
  lastDay: 'f.last_day',
  firstAt: 'f.first_at',
  lastAt: 'f.last_at',
  importedAt: 'f.imported_at',
  importedBy: 'f.imported_by',
  witness: 'f.witness',
  readBy: 'f.read_by',
  keptId: 'k.kept_id',
  state: fileState('f'),
  takenBackBy: 'f.take_back_by',
})

/**
 * The oldest file whose import, or whose taking back, has stopped without its end. `now` is the
 * store's time.
 */
export const findCutOff = (db: Queries, now: number) =>
  firstRow<KeptStatementFile>(
    db,
    `select ${CUT_OFF_FILE} from statement_files f
     left join kept_files k on k.environment = f.environment and k.connection = f.connection
       and k.sha256 = f.sha256
     left join statement_sources s on s.environment = f.environment and s.connection = f.connection
     where f.state = 'importing' and f.take_back_ended_at is null and f.imported_at <= :importedAt
       and coalesce(s.importing_until, 0) <= :now
     order by f.imported_at, f.file_id limit 1`,
    { now, importedAt: now - BEGUN_AGO_MS },
  )

export interface CutOffFile extends ConnectionKey {
  fileId: string
}

const CUT_OFF_FILE_COLUMNS = columnsOf<CutOffFile>({
  environment: 'f.environment',
  connection: 'f.connection',
  fileId: 'f.file_id',
})

const listedCutOff = (now: string): string =>
  `select ${CUT_OFF_FILE_COLUMNS} from statement_files f
   left join statement_sources s on s.environment = f.environment and s.connection = f.connection
   where f.state = 'importing' and f.take_back_ended_at is null
     and coalesce(s.importing_until, 0) <= ${now}
   order by f.imported_at, f.file_id limit :most`

const LISTED_CUT_OFF: SqlTexts = {
  sqlite: listedCutOff("unixepoch('subsec') * 1000"),
  postgres: listedCutOff('extract(epoch from clock_timestamp()) * 1000'),
}

/** For people: a few of them, by the store's time. */
export const listCutOff = (db: Queries, most: number) =>
  db.read<CutOffFile>(LISTED_CUT_OFF, { most })

interface FileSpan extends ConnectionKey {
  fileId: string
  firstAt: number
  lastAt: number
}

export interface OverlappingFile {
  fileId: string
  name: string
}

/**
 * Other files whose rows may be those of this one: each can be imported again, and adds what is
 * missing then.
 */
export async function readAgainLater(
  tx: Queries,
  { environment, connection, fileId, firstAt, lastAt }: FileSpan,
): Promise<OverlappingFile[]> {
  return tx.write<OverlappingFile>(
    `update statement_files set read_by = ''
     where environment = :environment and connection = :connection and file_id <> :fileId
       and state = 'imported' and added < lines
       and first_at <= :lastAt and last_at >= :firstAt
     returning file_id as "fileId", name`,
    { environment, connection, fileId, firstAt, lastAt },
  )
}

export interface FileLine extends ConnectionKey {
  lineNumber: number
  type: LineType
  accountId: string | null
  number: number | null
  refundReference: string | null
}

const FILE_LINE = columnsOf<FileLine>({
  environment: 'environment',
  connection: 'connection',
  lineNumber: 'line_number',
  type: 'type',
  accountId: 'account_id',
  number: 'number',
  refundReference: 'refund_reference',
})

export const listLinesOfFile = (tx: Queries, fileId: string, most: number) =>
  tx.read<FileLine>(
    `select ${FILE_LINE}
     from statement_lines where file_id = :fileId order by row_number, line_number limit :most`,
    { fileId, most },
  )

type LineKey = Pick<FileLine, 'environment' | 'connection' | 'lineNumber'>

const LINE_KEY: ColumnTypes = { environment: 'text', connection: 'text', line_number: 'bigint' }

const ENTRY = columnsOf<LedgerEntry>({
  accountId: 'l.account_id',
  entry: 'l.entry',
  connection: 'l.connection',
  bookedAt: 'l.booked_at',
  day: 'l.day',
  kind: 'l.kind',
  debit: 'l.debit',
  credit: 'l.credit',
  amountXof: 'l.amount_xof',
  number: 'l.number',
  refundReference: 'l.refund_reference',
  lineNumber: 'l.line_number',
  madeBy: 'l.made_by',
  corrects: 'l.corrects',
})

const ENTRIES_OF_LINES: SqlTexts = {
  sqlite: `select ${ENTRY} from ledger_entries l
    where l.account_id = :accountId and l.connection = :connection and l.line_number = :lineNumber
    order by l.entry`,
  postgres: `select ${ENTRY}
    from ${manyRows({ account_id: 'text', connection: 'text', line_number: 'bigint' })}
    join ledger_entries l on l.account_id = given.account_id and l.connection = given.connection
      and l.line_number = given.line_number order by l.account_id, l.entry`,
}

/** Whole entries of lines in an account's books, the oldest of an account first. */
export async function listEntriesOfLines(
  tx: Transaction,
  lines: readonly FileLine[],
): Promise<LedgerEntry[]> {
  const rows = lines.flatMap(({ accountId, connection, lineNumber }) =>
    accountId === null ? [] : [{ accountId, connection, lineNumber }],
  )
  return rows.length === 0 ? [] : tx.many<LedgerEntry>(ENTRIES_OF_LINES, rows)
}

export interface LineDifference {
  exceptionId: string
  lineNumber: number
  kind: ExceptionKind
  accountId: string | null
  number: number | null
  reason: string | null
  resolvedAt: number | null
  resolvedBy: string | null
}

const DIFFERENCE = columnsOf<LineDifference>({
  exceptionId: 'x.exception_id',
  lineNumber: 'x.line_number',
  kind: 'x.kind',
  accountId: 'x.account_id',
  number: 'x.number',
  reason: 'x.reason',
  resolvedAt: 'x.resolved_at',
  resolvedBy: 'x.resolved_by',
})

const DIFFERENCES_OF_LINES: SqlTexts = {
  sqlite: `select ${DIFFERENCE} from book_exceptions x
    where x.environment = :environment and x.connection = :connection
      and x.line_number = :lineNumber`,
  postgres: `select ${DIFFERENCE} from ${manyRows(LINE_KEY)}
    join book_exceptions x on x.environment = given.environment and x.connection = given.connection
      and x.line_number = given.line_number`,
}

export const listDifferencesOfLines = (
  tx: Transaction,
  lines: readonly LineKey[],
): Promise<LineDifference[]> =>
  tx.many<LineDifference>(
    DIFFERENCES_OF_LINES,
    lines.map(({ environment, connection, lineNumber }) => ({
      environment,
      connection,
      lineNumber,
    })),
  )

export interface OtherDifference extends LineDifference, ConnectionKey {
  isMatched: number
  status: PaymentStatus
}

const OTHER = columnsOf<OtherDifference>({
  environment: 'x.environment',
  connection: 'x.connection',
  exceptionId: 'x.exception_id',
  lineNumber: 'x.line_number',
  kind: 'x.kind',
  accountId: 'x.account_id',
  number: 'x.number',
  reason: 'x.reason',
  resolvedAt: 'x.resolved_at',
  resolvedBy: 'x.resolved_by',
  isMatched: 'l.is_matched',
  status: 'p.status',
})
const OF_PAYMENT = `join payments p on p.account_id = l.account_id and p.number = l.number
    join book_exceptions x on x.environment = l.environment and x.connection = l.connection
      and x.line_number = l.line_number`

const DIFFERENCES_OF_PAYMENTS: SqlTexts = {
  sqlite: `select ${OTHER} from statement_lines l ${OF_PAYMENT}
    where l.account_id = :accountId and l.number = :number`,
  postgres: `select ${OTHER} from ${manyRows({ account_id: 'text', number: 'bigint' })}
    join statement_lines l on l.account_id = given.account_id
      and l.number = given.number ${OF_PAYMENT}`,
}

/** What was found in the lines of payments and of their refunds. */
export const listDifferencesOfPayments = (
  tx: Transaction,
  payments: readonly { accountId: string; number: number }[],
): Promise<OtherDifference[]> =>
  tx.many<OtherDifference>(
    DIFFERENCES_OF_PAYMENTS,
    payments.map(({ accountId, number }) => ({ accountId, number })),
  )

const LINE = `environment, connection, line_number, file_id, row_number, booked_at, day, type,
  amount_xof, fee_xof, tax_xof, network_reference, our_reference, account_id, number,
  refund_reference`

const KEEP_LINES: SqlTexts = {
  sqlite: `insert into taken_back_lines (${LINE}, taken_back_at) select ${LINE}, :at
    from statement_lines
    where environment = :environment and connection = :connection and line_number = :lineNumber`,
  postgres: `insert into taken_back_lines (${LINE}, taken_back_at)
    select ${LINE.replaceAll(/\w+/g, (column) => `l.${column}`)}, given.at
    from ${manyRows({ ...LINE_KEY, at: 'bigint' })}
    join statement_lines l on l.environment = given.environment and l.connection = given.connection
      and l.line_number = given.line_number`,
}

const REMOVE_LINES: SqlTexts = {
  sqlite: `delete from statement_lines
    where environment = :environment and connection = :connection and line_number = :lineNumber`,
  postgres: `delete from statement_lines l
    using ${manyRows(LINE_KEY)}
    where l.environment = given.environment and l.connection = given.connection
      and l.line_number = given.line_number`,
}

/** They count no more: a later file may add them again. */
export async function removeLines(
  tx: Transaction,
  fileId: string,
  lines: readonly LineKey[],
  at: number,
): Promise<void> {
  const keys = lines.map(({ environment, connection, lineNumber }) => ({
    environment,
    connection,
    lineNumber,
  }))
  await tx.many(
    KEEP_LINES,
    keys.map((key) => ({ ...key, at })),
  )
  await tx.many(REMOVE_LINES, keys)
  await tx.change('update statement_files set added = added - :lines where file_id = :fileId', {
    fileId,
    lines: lines.length,
  })
}

/** Its refund is not shown any more: the line is late money again. */
export const unmatchLine = (tx: Queries, { environment, connection, lineNumber }: LineKey) =>
  updateRows(tx, 'statement_lines', { environment, connection, lineNumber }, { isMatched: 0 })

export interface MissingDifference {
  exceptionId: string
  detail: string
}

/**
 * Payments and refunds that the statements of a connection do not show, in the order of their ids.
 */
export const listMissing = (
  tx: Queries,
  { environment, connection }: ConnectionKey,
  after: string,
  most: number,
) =>
  tx.read<MissingDifference>(
    `select exception_id as "exceptionId", detail from book_exceptions
     where environment = :environment and connection = :connection and exception_id > :after
       and line_number is null and resolved_at is null
       and kind in ('missing_at_network', 'refund_missing')
     order by exception_id limit :most`,
    { environment, connection, after, most },
  )
