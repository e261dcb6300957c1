// Writes a merchant's statement as a file in one of five formats.
import type {
  AccountStatement,
  JournalAccounts,
  StatementFormat,
  StreamedStatement,
} from '../domain/account-statement.ts'
import { dayText } from '../domain/business-day.ts'
import { connectionName } from '../domain/country.ts'
import { CSV_START } from '../domain/csv.ts'
import type { Language } from '../domain/person.ts'
import { statementHead, statementMovement } from '../wire/books.ts'
import { CAMT053_START, camt053 } from './camt053.ts'
import { syscohadaJournal } from './journal.ts'
import { chunksOf, csvStatement, type NamedStatement, xlsxStatement } from './table.ts'
import { WORDS, type Words } from './words.ts'

interface Writing {
  words: Words
  createdAt: number
  accounts: JournalAccounts
}

interface Format {
  contentType: string
  extension: string
  /** What every file of the format begins with: sent before the statement is read. */
  start: string
  write: (statement: NamedStatement, writing: Writing) => AsyncIterable<string> | AsyncIterable<Uint8Array>
}

const FORMATS: Readonly<Record<StatementFormat, Format>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'csv',
    start: CSV_START,
    write: (statement, { words }) => csvStatement(statement, words),
  },
  xlsx: {
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    start: '',
    write: (statement, { words }) => xlsxStatement(statement, words),
  },
  json: {
    contentType: 'application/json',
    extension: 'json',
    start: '{',
    write: (statement) => jsonStatement(statement),
  },
  camt053: {
    contentType: 'application/xml; charset=utf-8',
    extension: 'camt053.xml',
    start: CAMT053_START,
    write: (statement, { words, createdAt }) => camt053(statement, words, createdAt),
  },
  syscohada: {
    contentType: 'text/csv; charset=utf-8',
    extension: 'syscohada.csv',
    start: CSV_START,
    write: (statement, { words, accounts }) => syscohadaJournal(statement, words, accounts),
  },
}

export interface StatementFile {
  contentType: string
  fileName: string
  /** In chunks: no format holds the whole file. */
  content: AsyncIterable<string | Uint8Array>
}

export function writeStatement(
  statement: StreamedStatement,
  format: StatementFormat,
  { language, createdAt, accounts }: { language: Language; createdAt: number; accounts: JournalAccounts },
): StatementFile {
  const { contentType, extension } = FORMATS[format]
  const words = WORDS[language]
  const named = { ...statement, connectionName: connectionName(statement, language) }
  const parts = [words.file, plain(named.connectionName), dayText(statement.fromDay), dayText(statement.toDay)]
  return {
    contentType,
    fileName: `${parts.filter(Boolean).join('-')}.${extension}`,
    content: contentOf(named, FORMATS[format], { words, createdAt, accounts }),
  }
}

type Chunk = string | Uint8Array

/** An empty chunk for each slice of the sums: the sender pauses at it, and stops there when the reader has left. */
async function* contentOf(
  { summing, ...statement }: StreamedStatement & Pick<NamedStatement, 'connectionName'>,
  { start, write }: Format,
  writing: Writing,
): AsyncGenerator<Chunk> {
  if (start !== '') yield start
  let summed = await summing.next()
  while (!summed.done) {
    yield ''
    summed = await summing.next()
  }
  yield* write({ ...statement, ...summed.value }, writing)
}

/** For the name of a file: `MTN MoMo (Bénin)` is `MTN-MoMo-Benin`. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** In the form of the merchant API. */
async function* jsonStatement(statement: AccountStatement): AsyncGenerator<string> {
  yield `${JSON.stringify(statementHead(statement)).slice(1, -1)},"movements":[`
  yield* chunksOf(statement.rows, (row, place) => `${place === 0 ? '' : ','}${JSON.stringify(statementMovement(row))}`)
  yield ']}'
}
