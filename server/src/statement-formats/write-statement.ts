// Writes a merchant's statement as a file in one of six formats: that of one connection, or those
// of all as one file.
import type {
  StatementFormat,
  StatementHead,
  StreamedStatement,
} from '../domain/books/account-statement.ts'
import { dayText } from '../domain/countries/business-day.ts'
import { connectionName } from '../domain/countries/country.ts'
import { CSV_START } from '../domain/texts/csv.ts'
import { reconciliationOf, statementHead, statementMovement } from '../wire/books.ts'
import { CAMT053_START, camt053 } from './camt053.ts'
import { syscohadaJournal } from './journal.ts'
import { pdfStatement } from './pdf.ts'
import { chunksOf, csvStatement, xlsxStatement } from './table.ts'
import { WORDS } from './words.ts'
import type { Chunk, NamedStatement, StatementTable, StatementWriting } from './writing.ts'

interface Format {
  contentType: string
  extension: string
  /** What every file of the format begins with: sent before the statement is read. */
  start: string
  write: (table: StatementTable, writing: StatementWriting) => AsyncIterable<Chunk>
}

const FORMATS: Readonly<Record<StatementFormat, Format>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    start: CSV_START,
    write: (table, { language }) => csvStatement(table, WORDS[language]),
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    start: '',
    write: (table, { language }) => xlsxStatement(table, WORDS[language]),
  },
  json: {
    contentType: 'application/json',
    extension: 'json',
    start: '{',
    write: ({ statements }) => jsonStatement(statements),
  },
  camt053: {
    contentType: 'application/xml; charset=utf-8',
    extension: 'camt053.xml',
    start: CAMT053_START,
    write: ({ statements }, { language, createdAt }) =>
      camt053(statements, WORDS[language], createdAt),
  },
  syscohada: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'syscohada.csv',
    start: CSV_START,
    write: ({ statements }, { language, accountsOf }) =>
      syscohadaJournal(statements, WORDS[language], accountsOf),
  },
  pdf: {
    contentType: 'application/pdf',
    extension: 'pdf',
    start: '',
    write: ({ statements }, writing) => pdfStatement(statements, writing),
  },
}

export interface StatementFile {
  contentType: string
  fileName: string
  /** In chunks: no format holds the whole file. An empty one is for its sender to pause. */
  content: AsyncIterable<Chunk>
}

export const writeStatement = (
  statement: StreamedStatement,
  format: StatementFormat,
  writing: StatementWriting,
): StatementFile => fileOf({ statements: [statement], isOfAll: false }, format, writing)

/** Of one merchant and one period; JSON has one statement only. */
export const writeStatements = (
  statements: readonly StreamedStatement[],
  format: Exclude<StatementFormat, 'json'>,
  writing: StatementWriting,
): StatementFile => fileOf({ statements, isOfAll: true }, format, writing)

interface StreamedTable {
  statements: readonly StreamedStatement[]
  isOfAll: boolean
}

const fileOf = (
  table: StreamedTable,
  format: StatementFormat,
  writing: StatementWriting,
): StatementFile => ({
  contentType: FORMATS[format].contentType,
  fileName: statementFileName(table, format, writing),
  content: contentOf(table, FORMATS[format], writing),
})

export function statementFileName(
  { statements, isOfAll }: { statements: readonly StatementHead[]; isOfAll: boolean },
  format: StatementFormat,
  { language }: Pick<StatementWriting, 'language'>,
): string {
  const [first] = statements
  if (first === undefined) throw new Error('a file of no statement')
  const words = WORDS[language]
  const whose = isOfAll ? words.everyConnectionFile : plain(connectionName(first, language))
  const parts = [words.file, whose, dayText(first.fromDay), dayText(first.toDay)]
  return `${parts.filter(Boolean).join('-')}.${FORMATS[format].extension}`
}

async function* contentOf(
  { statements, isOfAll }: StreamedTable,
  { start, write }: Format,
  writing: StatementWriting,
): AsyncGenerator<Chunk> {
  if (start !== '') yield start
  const summed = yield* summedStatements(statements, writing)
  yield* write({ statements: summed, isOfAll }, writing)
}

/**
 * An empty chunk for each slice of the sums: the sender pauses at it, and stops there when the
 * reader has left.
 */
export async function* summedStatements(
  statements: readonly StreamedStatement[],
  { language }: Pick<StatementWriting, 'language'>,
): AsyncGenerator<'', NamedStatement[]> {
  const all: NamedStatement[] = []
  for (const { summing, ...statement } of statements) {
    let summed = await summing.next()
    while (!summed.done) {
      yield ''
      summed = await summing.next()
    }
    all.push({ ...statement, connectionName: connectionName(statement, language), ...summed.value })
  }
  return all
}

/** A file of statements that are summed already: several of them are written from the same sums. */
export async function* writeSummed(
  statements: readonly NamedStatement[],
  format: Exclude<StatementFormat, 'json'>,
  writing: StatementWriting,
): AsyncGenerator<Chunk> {
  const { start, write } = FORMATS[format]
  if (start !== '') yield start
  yield* write({ statements, isOfAll: true }, writing)
}

/** For the name of a file: `MTN MoMo (Bénin)` is `MTN-MoMo-Benin`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** In the form of the merchant API, after the first bracket. */
async function* jsonStatement([
  statement,
  ...more
]: readonly NamedStatement[]): AsyncGenerator<string> {
  if (statement === undefined || more.length > 0) throw new Error('JSON has one statement')
  const head = { ...statementHead(statement), reconciliation: reconciliationOf(statement) }
  yield `${JSON.stringify(head).slice(1, -1)},"movements":[`
  yield* chunksOf(
    statement.rows,
    (row, place) => `${place === 0 ? '' : ','}${JSON.stringify(statementMovement(row))}`,
  )
  yield ']}'
}
