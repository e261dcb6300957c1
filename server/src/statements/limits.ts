// The limits of a statement file, and the error of a file that is refused. Every number has its
// reason.
import type { StatementFault } from '../domain/books/statement.ts'

/** A month of a large merchant at one network has about a million lines of some 150 bytes. */
export const LARGEST_CSV_BYTES = 200_000_000
export const MOST_CSV_ROWS = 1_200_000

/** A workbook needs random access, so its file is held in memory. Larger statements come as CSV. */
export const LARGEST_XLSX_BYTES = 20_000_000
export const MOST_XLSX_ROWS = 100_000
/**
 * Sheets are text that packs well: ten times the file is usual, and a thousand times is an attack.
 */
export const LARGEST_UNPACKED_BYTES = 200_000_000
/** A workbook of one sheet has about ten parts. */
export const MOST_ZIP_ENTRIES = 1_000
/**
 * Distinct texts of a workbook: twenty for each row, which are kept in memory while the sheet is
 * read.
 */
export const MOST_SHARED_TEXTS = 20 * MOST_XLSX_ROWS
/** 200 bytes for each row. */
export const LARGEST_SHARED_TEXTS_BYTES = 20_000_000
/** Rows of a sheet, empty ones too: the format allows no more. */
export const MOST_SHEET_ROWS = 1_048_576
/** Tags of a part that hold no row, cell or text, such as merged cells. */
export const MOST_OTHER_TAGS = 1_000_000

/** The widest known statement, MTN's, has 57 columns. */
export const MOST_COLUMNS = 100
/** Longer than any reference, name or message. */
export const LONGEST_CELL = 4_000
export const LONGEST_ROW = MOST_COLUMNS * LONGEST_CELL

/** Titles, periods and account holders are above the headings: Airtel writes six such rows. */
export const MOST_ROWS_BEFORE_HEADING = 50

/** The one error of this folder: a file is refused whole. Nothing in it names a payer. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused'
  readonly fault: StatementFault

  constructor(fault: StatementFault, options?: ErrorOptions) {
    super(`the statement is refused: ${fault.fault}`, options)
    this.fault = fault
  }
}

export type CellFault =
  | 'amount_not_valid'
  | 'date_not_valid'
  | 'row_not_valid'
  | 'currency_not_francs'

export const refusedCell = (
  fault: CellFault,
  line: number,
  column: string,
  value: string,
): StatementRefused =>
  new StatementRefused({
    fault,
    line,
    column: column.slice(0, LONGEST_SHOWN),
    value:
      fault === 'amount_not_valid' && WRITTEN_AMOUNT.test(value)
        ? value.slice(0, LONGEST_SHOWN)
        : shownValue(value),
  })

const LONGEST_SHOWN = 40
/**
 * A fraction of a franc, or what floating point makes of whole francs: no payer's number is written
 * so. Without it a person looks for `****.**00` in a workbook that shows 1500.5.
 */
const WRITTEN_AMOUNT =
  /^[-+\u2212]?(?:\d{1,15}|\d{1,3}(?:[ .,'\u2019\u00a0\u202f]\d{3})+)[.,](?:\d{1,4}|(?:\d{0,4}(?:0{5}|9{5}))\d{0,12})$/
/** Eight digits or more, in one piece or in groups, and no date: it may be a payer's number. */
const LONG_NUMBER =
  /(?<!\d[ .\-\u00a0\u202f]?)(?!\d{4}-\d{2}-\d{2}(?!\d)|\d{2}[-.]\d{2}[-.]\d{4}(?!\d))(?:\d[ .\-\u00a0\u202f]?){7,}\d/g

/**
 * A refused value as people may see it: short, and without the digits of a payer's number but the
 * last two.
 */
export function shownValue(value: string): string {
  const masked = value
    .slice(0, 4 * LONGEST_SHOWN)
    .replace(LONG_NUMBER, (digits) => digits.slice(0, -2).replace(/\d/g, '*') + digits.slice(-2))
  return masked.slice(0, LONGEST_SHOWN)
}
