// A statement as a table for people, in CSV and XLSX: a heading with the sums, then one line for each row.

import type { CellValue } from 'hucre/xlsx'
import type { AccountStatement, StatementRow, StatementSums } from '../domain/account-statement.ts'
import { localDate, localDayText, localTimeText, startOfDay } from '../domain/business-day.ts'
import { asText, type CsvCell, csvLine } from '../domain/csv.ts'
import { kindText, type Words } from './words.ts'

/** With the name that people call its connection by, in the reader's language. */
export type NamedStatement = AccountStatement & { connectionName: string }

interface Column {
  name: keyof Words['columns']
  /** In characters. */
  width: number
  /** `time` is in milliseconds, `day` in days since 1970. */
  form: 'text' | 'number' | 'time' | 'day'
  cell: (row: StatementRow, words: Words) => string | number
}

/** The heading has its labels in the second column, its movements in the third and its balances in the fourth. */
const COLUMNS: readonly Column[] = [
  { name: 'bookedAt', width: 24, form: 'time', cell: ({ bookedAt }) => bookedAt },
  { name: 'kind', width: 40, form: 'text', cell: kindText },
  { name: 'amount', width: 16, form: 'number', cell: ({ amountXof }) => amountXof },
  { name: 'balance', width: 16, form: 'number', cell: ({ balanceXof }) => balanceXof },
  {
    name: 'isConfirmed',
    width: 24,
    form: 'text',
    cell: ({ isConfirmed }, words) => (isConfirmed ? words.yes : words.no),
  },
  { name: 'publicReference', width: 16, form: 'text', cell: ({ publicReference }) => publicReference },
  { name: 'externalReference', width: 28, form: 'text', cell: ({ externalReference }) => externalReference },
  { name: 'operatorReference', width: 28, form: 'text', cell: ({ operatorReference }) => operatorReference },
  { name: 'refundReference', width: 28, form: 'text', cell: ({ refundReference }) => refundReference },
  { name: 'reference', width: 28, form: 'text', cell: ({ reference }) => reference },
  { name: 'day', width: 14, form: 'day', cell: ({ day }) => day },
  { name: 'entry', width: 12, form: 'number', cell: ({ entry }) => entry },
]

const MOVEMENTS = [
  'collectedXof',
  'refundedXof',
  'feesXof',
  'taxesXof',
  'withheldXof',
  'settledXof',
  'unexplainedXof',
  'otherXof',
] as const satisfies readonly (keyof StatementSums)[]

type HeadingCell = string | number | null

/** All lines above the rows; the last one names the columns. */
function headingLines(statement: NamedStatement, words: Words): HeadingCell[][] {
  const { merchantName, environment, connectionName, fromDay, toDay } = statement
  const movement = (name: keyof StatementSums): HeadingCell[] => [null, words.sums[name], statement[name]]
  const balance = (name: keyof StatementSums): HeadingCell[] => [null, words.sums[name], null, statement[name]]
  return [
    [words.title, merchantName],
    [words.account, words.environments[environment]],
    [words.connection, connectionName],
    [words.period, `${localDayText(fromDay)} – ${localDayText(toDay)}`],
    [],
    balance('openingXof'),
    ...MOVEMENTS.map(movement),
    balance('closingXof'),
    movement('confirmedXof'),
    [],
    COLUMNS.map(({ name }) => words.columns[name]),
  ]
}

/** About 2 ms of the event loop. */
const ROWS_PER_CHUNK = 100

/** A long statement is never one string, and the sender can pause between chunks. */
export async function* chunksOf<Row>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  /** `place` counts from 0. */
  textOf: (row: Row, place: number) => string,
  perChunk = ROWS_PER_CHUNK,
): AsyncGenerator<string> {
  let [text, place] = ['', 0]
  for await (const row of rows) {
    text += textOf(row, place)
    if (++place % perChunk !== 0) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

export async function* csvStatement(statement: NamedStatement, words: Words): AsyncGenerator<string> {
  yield headingLines(statement, words).map(csvLine).join('')
  yield* chunksOf(statement.rows, (row) => csvLine(COLUMNS.map((column) => csvCell(column, row, words))))
}

function csvCell({ form, cell }: Column, row: StatementRow, words: Words): CsvCell {
  const value = cell(row, words)
  if (typeof value === 'string') return asText(value)
  if (form === 'time') return localTimeText(value)
  return form === 'day' ? localDayText(value) : value
}

const NUMBER_FORMATS: Readonly<Partial<Record<Column['form'], string>>> = {
  number: '#,##0',
  time: 'dd/mm/yyyy hh:mm:ss',
  day: 'dd/mm/yyyy',
}

/** Compressed while the reader takes it. The library is loaded for the first statement: it takes 17 MB. */
export async function* xlsxStatement(statement: NamedStatement, words: Words): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(linesOf(statement, words), {
    name: words.title,
    columns: COLUMNS.map(({ width, form }) => ({ width, ...(form !== 'text' && { numFmt: NUMBER_FORMATS[form] }) })),
  })
}

async function* linesOf(statement: NamedStatement, words: Words): AsyncGenerator<CellValue[]> {
  yield* headingLines(statement, words)
  for await (const row of statement.rows) yield COLUMNS.map((column) => xlsxCell(column, row, words))
}

function xlsxCell({ form, cell }: Column, row: StatementRow, words: Words): CellValue {
  const value = cell(row, words)
  if (typeof value === 'string') return value === '' ? null : value
  if (form === 'time') return localDate(value)
  return form === 'day' ? localDate(startOfDay(value)) : value
}
