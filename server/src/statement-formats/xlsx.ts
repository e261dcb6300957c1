// A statement as XLSX. Rows are compressed while the reader takes them, so memory does not grow with their number.
import type { CellValue } from 'hucre/xlsx'
import type { StatementRow } from '../domain/account-statement.ts'
import { localDate, startOfDay } from '../domain/business-day.ts'
import { COLUMNS, type Column, headingLines, type NamedStatement } from './table.ts'
import type { Words } from './words.ts'

const NUMBER_FORMATS: Readonly<Partial<Record<Column['form'], string>>> = {
  number: '#,##0',
  time: 'dd/mm/yyyy hh:mm:ss',
  day: 'dd/mm/yyyy',
}

/** The library is loaded for the first statement: it takes 17 MB. */
export async function* xlsxStatement(statement: NamedStatement, words: Words): AsyncGenerator<Uint8Array> {
  const { writeXlsxStream } = await import('hucre/xlsx')
  yield* writeXlsxStream(linesOf(statement, words), {
    name: words.title,
    columns: COLUMNS.map(({ width, form }) => ({ width, ...(form !== 'text' && { numFmt: NUMBER_FORMATS[form] }) })),
  })
}

async function* linesOf(statement: NamedStatement, words: Words): AsyncGenerator<CellValue[]> {
  yield* headingLines(statement, words)
  for await (const row of statement.rows) yield COLUMNS.map((column) => cellOf(column, row, words))
}

function cellOf({ form, cell }: Column, row: StatementRow, words: Words): CellValue {
  const value = cell(row, words)
  if (typeof value === 'string') return value === '' ? null : value
  if (form === 'time') return localDate(value)
  return form === 'day' ? localDate(startOfDay(value)) : value
}
