// The row that names the columns of a file, and where each mapped column is.
import type { ColumnMapping } from '../domain/statement.ts'
import type { Row } from './csv-rows.ts'
import { refusedCell } from './statement-refused.ts'

export type ColumnName = keyof ColumnMapping['columns']
/** The index of each mapped column. */
export type Columns = ReadonlyMap<ColumnName, number>

/** Headings are compared without case, accents and spacing: exports of one portal differ in these. */
export const foldHeading = (heading: string): string =>
  heading
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Every column that the mapping names is needed: without its fees, a file would be read as one without fees. */
export function columnsOf(row: Row, mapping: ColumnMapping): { columns: Columns } | { missing: string; found: number } {
  const headings = row.cells.map(foldHeading)
  const mapped = Object.entries(mapping.columns) as [ColumnName, string][]
  const columns = new Map(mapped.map(([name, heading]) => [name, headings.indexOf(foldHeading(heading))]))
  const missing = mapped.filter(([name]) => columns.get(name) === -1)
  if (missing[0] !== undefined) return { missing: missing[0][1], found: mapped.length - missing.length }
  for (const [name, heading] of mapped) {
    const isTwice = headings.indexOf(foldHeading(heading), (columns.get(name) as number) + 1) !== -1
    if (isTwice) throw refusedCell('row_not_valid', row.line, heading, heading)
  }
  return { columns }
}
