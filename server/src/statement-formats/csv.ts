// A statement as CSV for spreadsheets.
import type { StatementRow } from '../domain/account-statement.ts'
import { localDayText, localTimeText } from '../domain/business-day.ts'
import { CSV_START, csvLine } from '../domain/csv.ts'
import { chunksOf } from './chunks.ts'
import { COLUMNS, type Column, headingLines, type NamedStatement } from './table.ts'
import type { Words } from './words.ts'

export async function* csvStatement(statement: NamedStatement, words: Words): AsyncGenerator<string> {
  yield CSV_START + headingLines(statement, words).map(csvLine).join('')
  yield* chunksOf(statement.rows, (row) => csvLine(COLUMNS.map((column) => cellOf(column, row, words))))
}

function cellOf({ form, cell }: Column, row: StatementRow, words: Words): string | number {
  const value = cell(row, words)
  if (typeof value === 'string') return value
  if (form === 'time') return localTimeText(value)
  return form === 'day' ? localDayText(value) : value
}
