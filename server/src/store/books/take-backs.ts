// Imports that a person takes back: the file's marks, its lines with what they have booked and
// found, and what the lines of other files are once they are gone.
import type { LedgerEntry } from '../../domain/ledger.ts'
import type { ExceptionKind } from '../../domain/matching.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { KeptStatementFile, LineType } from '../../domain/statement.ts'
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'
import { columnsOf, firstRow, updateOne, updateRows } from '../rows.ts'

/** The state of a file: `importing` in the table while, and after, it is taken back. */
export const fileState = (table: string): string =>
  `case when ${table}.state = 'importing' and ${table}.take_back_ended_at is not null then 'taken_back'
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

export const findTakeBack = (db: Queries, fileId: string) =>
  firstRow<TakeBack>(
    db,
    `select ${columnsOf<TakeBack>()('', { at: 'take_back_begun_at', by: 'take_back_by', note: 'take_back_note' })}
     from statement_files where file_id = $1 and take_back_begun_at is not null`,
    [fileId],
  )

export const endTakeBack = (tx: Queries, fileId: string, at: number) =>
  updateRows(tx, 'statement_files', { fileId }, { takeBackEndedAt: at, added: 0 })

/**
 * What a crash leaves is found after this time: an import begins its file before anything else
 * shows that it lives.
 */
const BEGUN_AGO_MS = 60_000

const CUT_OFF_FILE = columnsOf<KeptStatementFile>('f')(
  `environment connection fileId sha256 name bytes lines added openingXof closingXof firstDay lastDay firstAt lastAt
  importedAt importedBy witness readBy k.keptId`,
  { state: fileState('f'), takenBackBy: 'f.take_back_by' },
)

/**
 * The oldest file whose import, or whose taking back, has stopped without its end. `now` is the
 * store's time.
 */
export const findCutOff = (db: Queries, now: number) =>
  firstRow<KeptStatementFile>(
    db,
    `select ${CUT_OFF_FILE} from statement_files f
     left join kept_files k on k.environment = f.environment and k.connection = f.connection and k.sha256 = f.sha256
     left join statement_sources s on s.environment = f.environment and s.connection = f.connection
     where f.state = 'importing' and f.take_back_ended_at is null and f.imported_at <= $2
       and coalesce(s.importing_until, 0) <= $1
     order by f.imported_at, f.file_id limit 1`,
    [now, now - BEGUN_AGO_MS],
  )

export interface CutOffFile extends ConnectionKey {
  fileId: string
}

const listedCutOff = (now: string): string =>
  `select ${columnsOf<CutOffFile>('f')('environment connection fileId')} from statement_files f
   left join statement_sources s on s.environment = f.environment and s.connection = f.connection
   where f.state = 'importing' and f.take_back_ended_at is null and coalesce(s.importing_until, 0) <= ${now}
   order by f.imported_at, f.file_id limit $1`

const LISTED_CUT_OFF: SqlTexts = {
  sqlite: listedCutOff("unixepoch('subsec') * 1000"),
  postgres: listedCutOff('extract(epoch from clock_timestamp()) * 1000'),
}

/** For people: a few of them, by the store's time. */
export const listCutOff = (db: Queries, most: number) => db.rows<CutOffFile>(LISTED_CUT_OFF, [most])

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
  return tx.rows<OverlappingFile>(
    `update statement_files set read_by = ''
     where environment = $1 and connection = $2 and file_id <> $3 and state = 'imported' and added < lines
       and first_at <= $5 and last_at >= $4
     returning file_id as "fileId", name`,
    [environment, connection, fileId, firstAt, lastAt],
  )
}

export interface FileLine extends ConnectionKey {
  lineNumber: number
  type: LineType
  accountId: string | null
  number: number | null
  refundReference: string | null
}

export const listLinesOfFile = (tx: Queries, fileId: string, most: number) =>
  tx.rows<FileLine>(
    `select ${columnsOf<FileLine>()('environment connection lineNumber type accountId number refundReference')}
     from statement_lines where file_id = $1 order by row_number, line_number limit $2`,
    [fileId, most],
  )

type LineKey = Pick<FileLine, 'environment' | 'connection' | 'lineNumber'>

const ENTRY = columnsOf<LedgerEntry>('l')(
  `accountId entry connection bookedAt day kind debit credit amountXof number refundReference lineNumber madeBy corrects`,
)

const ENTRIES_OF_LINES: SqlTexts = {
  sqlite: `select ${ENTRY} from ledger_entries l
    where l.account_id = $1 and l.connection = $2 and l.line_number = $3 order by l.entry`,
  postgres: `select ${ENTRY} from unnest($1::text[], $2::text[], $3::bigint[]) as given (account, connection, line)
    join ledger_entries l on l.account_id = given.account and l.connection = given.connection
      and l.line_number = given.line order by l.account_id, l.entry`,
}

/** Whole entries of lines in an account's books, the oldest of an account first. */
export async function listEntriesOfLines(
  tx: Transaction,
  lines: readonly FileLine[],
): Promise<LedgerEntry[]> {
  const rows = lines.flatMap(({ accountId, connection, lineNumber }) =>
    accountId === null ? [] : [[accountId, connection, lineNumber]],
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

const DIFFERENCE = columnsOf<LineDifference>('x')(
  'exceptionId lineNumber kind accountId number reason resolvedAt resolvedBy',
)

const DIFFERENCES_OF_LINES: SqlTexts = {
  sqlite: `select ${DIFFERENCE} from book_exceptions x
    where x.environment = $1 and x.connection = $2 and x.line_number = $3`,
  postgres: `select ${DIFFERENCE} from unnest($1::text[], $2::text[], $3::bigint[]) as given (environment, connection, line)
    join book_exceptions x on x.environment = given.environment and x.connection = given.connection
      and x.line_number = given.line`,
}

export const listDifferencesOfLines = (
  tx: Transaction,
  lines: readonly LineKey[],
): Promise<LineDifference[]> =>
  tx.many<LineDifference>(
    DIFFERENCES_OF_LINES,
    lines.map(({ environment, connection, lineNumber }) => [environment, connection, lineNumber]),
  )

export interface OtherDifference extends LineDifference, ConnectionKey {
  isMatched: number
  status: PaymentStatus
}

const OTHER = columnsOf<OtherDifference>('x')(
  `environment connection exceptionId lineNumber kind accountId number reason resolvedAt resolvedBy l.isMatched p.status`,
)
const OF_PAYMENT = `join payments p on p.account_id = l.account_id and p.number = l.number
    join book_exceptions x on x.environment = l.environment and x.connection = l.connection
      and x.line_number = l.line_number`

const DIFFERENCES_OF_PAYMENTS: SqlTexts = {
  sqlite: `select ${OTHER} from statement_lines l ${OF_PAYMENT} where l.account_id = $1 and l.number = $2`,
  postgres: `select ${OTHER} from unnest($1::text[], $2::bigint[]) as given (account, number)
    join statement_lines l on l.account_id = given.account and l.number = given.number ${OF_PAYMENT}`,
}

/** What was found in the lines of payments and of their refunds. */
export const listDifferencesOfPayments = (
  tx: Transaction,
  payments: readonly { accountId: string; number: number }[],
): Promise<OtherDifference[]> =>
  tx.many<OtherDifference>(
    DIFFERENCES_OF_PAYMENTS,
    payments.map(({ accountId, number }) => [accountId, number]),
  )

const LINE = `environment, connection, line_number, file_id, row_number, booked_at, day, type, amount_xof, fee_xof, tax_xof,
  network_reference, our_reference, account_id, number, refund_reference`

const KEEP_LINES: SqlTexts = {
  sqlite: `insert into taken_back_lines (${LINE}, taken_back_at) select ${LINE}, $4 from statement_lines
    where environment = $1 and connection = $2 and line_number = $3`,
  postgres: `insert into taken_back_lines (${LINE}, taken_back_at)
    select ${LINE.replaceAll(/(\w+)/g, 'l.$1')}, given.at
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as given (environment, connection, line, at)
    join statement_lines l on l.environment = given.environment and l.connection = given.connection
      and l.line_number = given.line`,
}

const REMOVE_LINES: SqlTexts = {
  sqlite: `delete from statement_lines where environment = $1 and connection = $2 and line_number = $3`,
  postgres: `delete from statement_lines l
    using unnest($1::text[], $2::text[], $3::bigint[]) as given (environment, connection, line)
    where l.environment = given.environment and l.connection = given.connection and l.line_number = given.line`,
}

/** They count no more: a later file may add them again. */
export async function removeLines(
  tx: Transaction,
  fileId: string,
  lines: readonly LineKey[],
  at: number,
): Promise<void> {
  const keys = lines.map(({ environment, connection, lineNumber }) => [
    environment,
    connection,
    lineNumber,
  ])
  await tx.many(
    KEEP_LINES,
    keys.map((key) => [...key, at]),
  )
  await tx.many(REMOVE_LINES, keys)
  await tx.change('update statement_files set added = added - $2 where file_id = $1', [
    fileId,
    lines.length,
  ])
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
  tx.rows<MissingDifference>(
    `select exception_id as "exceptionId", detail from book_exceptions
     where environment = $1 and connection = $2 and exception_id > $3 and line_number is null and resolved_at is null
       and kind in ('missing_at_network', 'refund_missing')
     order by exception_id limit $4`,
    [environment, connection, after, most],
  )
