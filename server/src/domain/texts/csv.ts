// CSV lines for local spreadsheets: semicolons, CRLF, and a byte order mark by which they recognise
// UTF-8. Packages such as csv-stringify guard formulas at the beginning of a cell alone, and no
// numbers that a spreadsheet would change.

export const CSV_START = '\ufeff'

/**
 * `text` is what a spreadsheet must not read as a number or a date: a reference, a phone number.
 */
export type CsvCell = string | number | null | { text: string }

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(';')}\r\n`

/** For a column of texts, some of which may be missing. */
export const asText = (text: string | null): CsvCell => (text === null ? null : { text })

const NEEDS_QUOTES = /[";\r\n]/

/**
 * Spreadsheets run such texts as formulas, and names and references come from strangers. A
 * spreadsheet that splits at commas, tabs or line ends does not know our quotes, so each of these
 * begins a cell too.
 */
const FORMULA = /[,;|\t\r\n]\s*(?=[=+\-@＝＋－＠])/g
const BEGINS_FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/

/**
 * Digits and separators, or a power of ten: a number or a date, for a spreadsheet. It holds nothing
 * to be guarded.
 */
const LIKE_A_NUMBER = /^[+-]?\d[\d \u00a0\u202f.,:/-]*$|^\d+E\d+$/i
/** Shown as it is written. A twelfth digit is shown as a power of ten, a sixteenth is lost. */
const PLAIN_NUMBER = /^(0|[1-9]\d{0,10})$/

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const isText = typeof cell === 'object'
  const written = isText ? cell.text : cell
  const isChanged = isText && LIKE_A_NUMBER.test(written) && !PLAIN_NUMBER.test(written)
  const text = isChanged ? `="${written}"` : guarded(written)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** With an apostrophe before each sign that would begin a formula. */
function guarded(text: string): string {
  const inside = text.replace(FORMULA, "$&'")
  return BEGINS_FORMULA.test(text) ? `'${inside}` : inside
}
