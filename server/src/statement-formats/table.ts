// A statement as a table for people, in CSV and XLSX: a heading with the sums, then one line for
// each row.

import type { CellValue } from 'hucre/xlsx'
import type { StatementRow, StatementSums } from '../domain/books/account-statement.ts'
import {
  localDate,
  localDayText,
  localTimeText,
  startOfDay,
} from '../domain/countries/business-day.ts'
import { asText, type CsvCell, csvLine } from '../domain/texts/csv.ts'
import { kindText, reconciliationLines, type Words } from './words.ts'
import type { NamedStatement, StatementTable } from './writing.ts'

interface Column {
  name: keyof Words['columns']
  /** In characters. */
  width: number
  /** `time` is in milliseconds, `day` in days since 1970. */
  form: 'text' | 'number' | 'time' | 'day'
  cell: (row: StatementRow, words: Words) => string | number
}

/**
 * The heading has its labels in the second column, its movements in the third and its balances in
 * the fourth.
 */
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
  {
    name: 'publicReference',
    width: 16,
    form: 'text',
    cell: ({ publicReference }) => publicReference,
  },
  {
    name: 'externalReference',
    width: 28,
    form: 'text',
    cell: ({ externalReference }) => externalReference,
  },
  {
    name: 'operatorReference',
    width: 28,
    form: 'text',
    cell: ({ operatorReference }) => operatorReference,
  },
  {
    name: 'refundReference',
    width: 28,
    form: 'text',
    cell: ({ refundReference }) => refundReference,
  },
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
function headingLines({ statements, isOfAll }: StatementTable, words: Words): HeadingCell[][] {
  const [first] = statements
  if (first === undefined) throw new Error('a file of no statement')
  const { merchantName, environment, connectionName, fromDay, toDay } = first
  return [
    [words.title, merchantName],
    [words.account, words.environments[environment]],
    [words.connection, isOfAll ? words.everyConnection : connectionName],
    [words.period, `${localDayText(fromDay)} – ${localDayText(toDay)}`],
    [],
    ...statements.flatMap((statement) => {
      const lines = sumLines(statement, words)
      return isOfAll ? lines.map((line) => [statement.connectionName, ...line]) : lines
    }),
    [],
    [...(isOfAll ? [words.connection] : []), ...COLUMNS.map(({ name }) => words.columns[name])],
  ]
}

function sumLines(statement: NamedStatement, words: Words): HeadingCell[][] {
  const movement = (name: keyof StatementSums): HeadingCell[] => [
    null,
    words.sums[name],
    statement[name],
  ]
  const balance = (name: keyof StatementSums): HeadingCell[] => [
    null,
    words.sums[name],
    null,
    statement[name],
  ]
  const between = reconciliationLines(statement, words).map(([label, xof]) => [null, label, xof])
  const shared: HeadingCell[][] = statement.isShared ? [[null, words.sharedWallet]] : []
  return [
    ...shared,
    balance('openingXof'),
    ...MOVEMENTS.map(movement),
    balance('closingXof'),
    ...between,
    movement('confirmedXof'),
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

export async function* csvStatement(table: StatementTable, words: Words): AsyncGenerator<string> {
  yield headingLines(table, words).map(csvLine).join('')
  for (const { connectionName, rows } of table.statements) {
    const start = table.isOfAll ? [asText(connectionName)] : []
    yield* chunksOf(rows, (row) =>
      csvLine([...start, ...COLUMNS.map((column) => csvCell(column, row, words))]),
    )
  }
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

const CONNECTION_WIDTH = 28

/**
 * Compressed while the reader takes it. The library is loaded for the first statement: it takes 17
 * MB.
 */
export async function* xlsxStatement(
  table: StatementTable,
  words: Words,
): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx')
  const columns = COLUMNS.map(({ width, form }) => ({
    width,
    ...(form !== 'text' && { numFmt: NUMBER_FORMATS[form] }),
  }))
  yield* writeXlsxStream(linesOf(table, words), {
    name: words.title,
    columns: table.isOfAll ? [{ width: CONNECTION_WIDTH }, ...columns] : columns,
  })
}

async function* linesOf(table: StatementTable, words: Words): AsyncGenerator<CellValue[]> {
  yield* headingLines(table, words)
  for (const { connectionName, rows } of table.statements) {
    const start = table.isOfAll ? [connectionName] : []
    for await (const row of rows)
      yield [...start, ...COLUMNS.map((column) => xlsxCell(column, row, words))]
  }
}

function xlsxCell({ form, cell }: Column, row: StatementRow, words: Words): CellValue {
  const value = cell(row, words)
  if (typeof value === 'string') return value === '' ? null : value
  if (form === 'time') return localDate(value)
  return form === 'day' ? localDate(startOfDay(value)) : value
}
