// CSV lines for local spreadsheets: semicolons, CRLF, and a byte order mark by which they recognise UTF-8.

export const CSV_START = '\ufeff'

const NEEDS_QUOTES = /[";\r\n]/
/** Spreadsheets run such cells as formulas, and names and references come from strangers. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

export const csvLine = (cells: readonly (string | number | null)[]): string => `${cells.map(cellText).join(';')}\r\n`

function cellText(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
