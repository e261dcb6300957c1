// Imports a statement's file: reads it to its end first, so that a broken one is refused whole,
// then books its lines.

import { createHash, hash } from 'node:crypto'
import type { ImportedStatement } from '../../domain/books/matching.ts'
import {
  type ColumnMapping,
  SETTLED_BY_COLUMNS,
  type StatementFault,
  type StatementLine,
} from '../../domain/books/statement.ts'
import { type FetchedDays, isOfOtherDays } from '../../domain/books/statement-fetch.ts'
import { dayOf } from '../../domain/countries/business-day.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { type AccountCaller, actorOf, type Caller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { StatementRefused } from '../../statements/limits.ts'
import { networkMapping } from '../../statements/network-mappings.ts'
import {
  proposeMapping,
  type StatementSample,
  withStatusesOf,
} from '../../statements/propose-mapping.ts'
import type { ParsingTurn } from '../../statements/statement-parser.ts'
import type { StatementSource } from '../../statements/statement-rows.ts'
import { createTotalsCheck } from '../../statements/totals-check.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import {
  findFile,
  findMapping,
  keepMapping,
  type LineOfRow,
  listLinesOfRows,
} from '../../store/books/statements.ts'
import { dateOrderOf, doubtfulTimes } from './date-order.ts'
import {
  type ImportDeps,
  importStatement,
  inSlices,
  type StatementToImport,
} from './import-statement.ts'
import {
  contentOf,
  findUpload,
  importRefusal,
  type KeepDeps,
  keepWhole,
  removeKept,
} from './kept-files.ts'
import { type ParsingDeps, parsingTurn, readingRefusal } from './parsing-turn.ts'
import { asSoleImport } from './sole-import.ts'
import { finishTakeBack } from './take-back-import.ts'

/** A date with the year first is never in doubt. */
export type DateOrder = Exclude<ColumnMapping['dateOrder'], 'year_first'>

export interface StatementFileInput extends ConnectionKey {
  name: string
  /** The bytes from the beginning, as often as they are read. */
  open(): StatementSource
  isDryRun: boolean
  /** Of days and months, as a person said; without it, the file must show it. */
  dateOrder?: DateOrder | undefined
  /** The days that the network was asked for, where the file was fetched from it. */
  fetched?: FetchedDays
}

export interface ImportFileDeps extends ImportDeps, KeepDeps, ParsingDeps {
  connectorOf(connection: ConnectionKey): string | undefined | Promise<string | undefined>
  /** Called while the file is read for the first time. */
  reading?(lines: number): void
}

export async function importStatementFile(
  deps: ImportFileDeps,
  caller: Caller,
  file: StatementFileInput,
): Promise<
  | ImportedStatement
  | RefusedAs<
      | 'caller_not_allowed'
      | 'connection_not_found'
      | 'statement_not_valid'
      | 'statement_columns_unknown'
      | 'too_many_statements_read'
      | 'import_under_way'
    >
> {
  const refusal = await importRefusal(caller, file, deps)
  if (refusal !== undefined) return refusal
  try {
    const turn = await parsingTurn(deps, caller)
    const given = await mappingOf(deps, file, turn)
    if (isRefused(given)) return given
    const { mapping, read } = await readInOrder(deps, file, given, turn)
    const readBy = readByOf(mapping)
    await refuseReadOtherwise(deps, { ...file, ...read, readBy }, mapping, turn)
    const statement = {
      ...file,
      ...read,
      readBy,
      hasFeeColumn: mapping.columns.fee !== undefined,
      isFetched: file.fetched !== undefined,
    }
    const importWith = (by: ImportFileDeps) =>
      importStatement(by, caller, {
        ...statement,
        lines: deps.statementParser.linesAgain(file.open, mapping, turn),
      })
    if (file.isDryRun) return await importWith(deps)
    return await asSoleImport(deps, file, async (pauseAfter) => {
      const found = await findFile(deps.db, file, read.sha256)
      // A crash cut the taking back off.
      if (found?.state === 'taking_back') await finishTakeBack({ ...deps, pauseAfter }, found)
      await keepWhole(deps, actorOf(caller), { ...file, ...read })
      return importWith({ ...deps, pauseAfter })
    })
  } catch (error) {
    return readingRefusal(error)
  }
}

/** With the days and months in the order in which the file has them. */
async function readInOrder(
  deps: ImportFileDeps,
  file: StatementFileInput,
  given: ColumnMapping,
  turn: ParsingTurn,
): Promise<{ mapping: ColumnMapping; read: Awaited<ReturnType<typeof readWhole>> }> {
  const said = file.dateOrder === undefined ? given : { ...given, dateOrder: file.dateOrder }
  const isSaid = file.dateOrder !== undefined || file.fetched !== undefined
  const doubt = isSaid ? undefined : doubtfulTimes(given)
  const read = await readWhole(file, said, turn, deps, doubt?.add)
  const times = doubt?.times()
  if (times === undefined) return { mapping: said, read }
  const dateOrder = await dateOrderOf(deps, file, given, times, turn)
  if (dateOrder === given.dateOrder) return { mapping: given, read }
  const mapping = { ...given, dateOrder }
  return { mapping, read: await readWhole(file, mapping, turn, deps) }
}

/** Names the columns, so that a file can be read again when they have changed. */
export const readByOf = (mapping: ColumnMapping): string =>
  hash('sha256', JSON.stringify(mapping), 'hex').slice(0, 32)

/**
 * A file that is read by other columns than before adds the lines that it did not give then. A row
 * that gave other lines is booked already, so the file is refused: staff take the import back
 * first.
 */
async function refuseReadOtherwise(
  { db, statementParser }: Pick<ImportFileDeps, 'db' | 'statementParser'>,
  { sha256, readBy, ...file }: StatementFileInput & { sha256: string; readBy: string },
  mapping: ColumnMapping,
  turn: ParsingTurn,
): Promise<void> {
  const found = await findFile(db, file, sha256)
  if (found === undefined || found.readBy === readBy) return
  let [line, rows] = [0, 0]
  for await (const slice of inSlices(
    statementParser.linesAgain(file.open, mapping, turn),
    LINES_READ_AT_ONCE,
  )) {
    const span = { from: slice[0]?.line ?? 0, to: slice.at(-1)?.line ?? 0 }
    const given = Map.groupBy(await listLinesOfRows(db, found.fileId, span), ({ row }) => row)
    for (const each of slice) {
      const before = given.get(each.line)
      if (before === undefined || before.some((other) => isAlike(other, each))) continue
      if (rows++ === 0) line = each.line
    }
  }
  if (rows > 0) throw new StatementRefused({ fault: 'read_otherwise_before', line, rows })
}

const isAlike = (one: LineOfRow, other: StatementLine): boolean =>
  one.bookedAt === other.bookedAt &&
  one.type === other.type &&
  one.amountXof === other.amountXof &&
  one.feeXof === other.feeXof &&
  one.taxXof === other.taxXof

/** The columns that a person chose for files of this connection, or those of its network. */
export async function mappingOf(
  deps: ImportFileDeps,
  file: StatementFileInput,
  turn: ParsingTurn,
): Promise<ColumnMapping | RefusedAs<'statement_columns_unknown'>> {
  const kept = file.fetched === undefined ? await findMapping(deps.db, file) : undefined
  if (kept !== undefined) return kept
  const { headings } = await deps.statementParser.sample(file.open(), turn)
  return (
    (await ofNetwork(deps, file, headings)) ?? { refused: 'statement_columns_unknown', headings }
  )
}

const ofNetwork = async (
  { connectorOf }: ImportFileDeps,
  connection: ConnectionKey,
  headings: readonly string[],
): Promise<ColumnMapping | undefined> =>
  networkMapping((await connectorOf(connection)) ?? '', headings)

/** Some milliseconds of the event loop's time. */
const LINES_READ_AT_ONCE = 200

/** Throws `StatementRefused` at the first fault. */
async function readWhole(
  file: StatementFileInput,
  mapping: ColumnMapping,
  turn: ParsingTurn,
  {
    clock,
    statementParser,
    reading,
    pauseAfter,
  }: Pick<ImportFileDeps, 'clock' | 'statementParser' | 'reading' | 'pauseAfter'>,
  eachLine?: (line: StatementLine) => void,
): Promise<Pick<StatementToImport, 'sha256' | 'bytes' | 'totals'>> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.open()) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const check = createTotalsCheck()
  let [firstAt, lastAt, lines] = [Number.MAX_SAFE_INTEGER, 0, 0]
  let startedAt = clock.now()
  for await (const line of statementParser.lines(hashed(), mapping, turn)) {
    check.add(line)
    eachLine?.(line)
    firstAt = Math.min(firstAt, line.bookedAt)
    lastAt = Math.max(lastAt, line.bookedAt)
    if (++lines % LINES_READ_AT_ONCE !== 0) continue
    reading?.(lines)
    await pauseAfter?.(clock.now() - startedAt)
    startedAt = clock.now()
  }
  firstAt = Math.min(firstAt, lastAt)
  if (lines > 0 && file.fetched !== undefined && isOfOtherDays(file.fetched, { firstAt, lastAt }))
    throw new StatementRefused({ fault: 'other_days' })
  // A fetched day without a line is a day all the same.
  const { firstDay, lastDay } = (lines === 0 && file.fetched) || {
    firstDay: dayOf(firstAt),
    lastDay: dayOf(lastAt),
  }
  const period = { firstAt, lastAt, firstDay, lastDay }
  return { sha256: hash.digest('hex'), bytes, totals: { ...check.totals(), ...period } }
}

/**
 * The columns of the network, with the statuses of this file, or those that the headings propose.
 */
async function proposedFor(
  deps: ImportFileDeps,
  connection: ConnectionKey,
  sample: StatementSample,
): Promise<ColumnMapping | undefined> {
  const known = await ofNetwork(deps, connection, sample.headings)
  return known === undefined ? proposeMapping(sample) : withStatusesOf(known, sample)
}

/** Keeps how the files of a connection write their lines, for this file and later ones. */
export async function setStatementColumns(
  deps: ImportFileDeps,
  caller: Caller,
  { mapping: given, ...file }: StatementFileInput & { mapping: ColumnMapping | undefined },
): Promise<
  | { mapping: ColumnMapping }
  | RefusedAs<
      | 'caller_not_allowed'
      | 'connection_not_found'
      | 'statement_not_valid'
      | 'statement_columns_unknown'
      | 'too_many_statements_read'
    >
> {
  const refusal = await importRefusal(caller, file, deps)
  if (refusal !== undefined) return refusal
  try {
    const turn = await parsingTurn(deps, caller)
    const sample = await deps.statementParser.sample(file.open(), turn)
    const mapping = given ?? (await proposedFor(deps, file, sample))
    if (mapping === undefined)
      return { refused: 'statement_columns_unknown', headings: sample.headings }
    await readWhole(file, mapping, turn, deps)
    if (file.isDryRun) return { mapping }
    const at = deps.clock.now()
    await deps.db.transaction(async (tx) => {
      await keepMapping(tx, file, mapping, { by: actorOf(caller), at })
      const subject = `${file.environment}/${file.connection}`
      await insertAudit(tx, caller, {
        at,
        action: 'statement.columns',
        subject,
        accountId: null,
        detail: mapping,
      })
    })
    return { mapping }
  } catch (error) {
    return readingRefusal(error)
  }
}

// The same for a file that was uploaded to the dashboard.

interface UploadInput {
  keptId: string
}

export async function importUpload(
  deps: ImportFileDeps,
  caller: AccountCaller,
  { keptId, isDryRun, dateOrder }: UploadInput & Pick<StatementFileInput, 'isDryRun' | 'dateOrder'>,
): Promise<
  | Awaited<ReturnType<typeof importStatementFile>>
  | RefusedAs<'statement_file_not_found' | 'upload_not_complete'>
> {
  const file = await openUpload(deps, caller, { keptId })
  if (isRefused(file)) return file
  const outcome = await importStatementFile(deps, caller, { ...file, isDryRun, dateOrder })
  const isBroken =
    isRefused(outcome) && outcome.refused === 'statement_not_valid' && !isInOrder(outcome.fault)
  if (!isDryRun && isBroken) await removeKept(deps.db, keptId)
  return outcome
}

/**
 * It is imported once the columns are mended, the order of its dates is said, or the earlier import
 * is taken back.
 */
const isInOrder = ({ fault }: StatementFault): boolean =>
  fault === 'read_otherwise_before' ||
  fault === 'date_order_unclear' ||
  SETTLED_BY_COLUMNS.includes(fault)

async function openUpload(deps: ImportFileDeps, caller: AccountCaller, { keptId }: UploadInput) {
  const kept = await findUpload(deps, caller, { keptId })
  if (isRefused(kept)) return kept
  if (kept.sha256 === null) return { refused: 'upload_not_complete' } as const
  const { environment, connection, name } = kept
  return { environment, connection, name, open: () => contentOf(deps, kept) }
}

const ROWS_SHOWN = 5

export interface ProposedColumns extends StatementSample {
  /**
   * Kept for the connection, of its network, or proposed from the headings; null where none fits.
   */
  mapping: ColumnMapping | null
}

/** For a person who chooses what each column holds. */
export async function proposeColumns(
  deps: ImportFileDeps,
  caller: AccountCaller,
  { keptId }: UploadInput,
): Promise<
  | ProposedColumns
  | RefusedAs<
      | 'statement_file_not_found'
      | 'upload_not_complete'
      | 'statement_not_valid'
      | 'too_many_statements_read'
    >
> {
  const file = await openUpload(deps, caller, { keptId })
  if (isRefused(file)) return file
  try {
    const sample = await deps.statementParser.sample(file.open(), await parsingTurn(deps, caller))
    const kept = await findMapping(deps.db, file)
    const known = kept && withStatusesOf(kept, sample)
    const mapping = known ?? (await proposedFor(deps, file, sample)) ?? null
    return { headings: sample.headings, rows: sample.rows.slice(0, ROWS_SHOWN), mapping }
  } catch (error) {
    return readingRefusal(error)
  }
}

/** Keeps the columns that a person chose, if the uploaded file can be read with them. */
export async function setUploadColumns(
  deps: ImportFileDeps,
  caller: AccountCaller,
  { keptId, mapping }: UploadInput & { mapping: ColumnMapping },
): Promise<
  | Awaited<ReturnType<typeof setStatementColumns>>
  | RefusedAs<'statement_file_not_found' | 'upload_not_complete'>
> {
  const file = await openUpload(deps, caller, { keptId })
  return isRefused(file)
    ? file
    : setStatementColumns(deps, caller, { ...file, mapping, isDryRun: false })
}
