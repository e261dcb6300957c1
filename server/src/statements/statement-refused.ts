// The one error of this folder: a file is refused whole, and the error carries why. Nothing in it names a payer.
import type { StatementFault } from '../domain/statement.ts'

export class StatementRefused extends Error {
  override readonly name = 'StatementRefused'
  readonly fault: StatementFault

  constructor(fault: StatementFault, options?: ErrorOptions) {
    super(`the statement is refused: ${fault.fault}`, options)
    this.fault = fault
  }
}

type CellFault = 'amount_not_valid' | 'date_not_valid' | 'row_not_valid'

export const refusedCell = (fault: CellFault, line: number, column: string, value: string): StatementRefused =>
  new StatementRefused({ fault, line, column: column.slice(0, LONGEST_SHOWN), value: shownValue(value) })

const LONGEST_SHOWN = 40
/** Eight digits or more, in one piece or in groups, and no date: it may be a payer's number. */
const LONG_NUMBER =
  /(?<!\d[ .\-\u00a0\u202f]?)(?!\d{4}-\d{2}-\d{2}(?!\d)|\d{2}[-.]\d{2}[-.]\d{4}(?!\d))(?:\d[ .\-\u00a0\u202f]?){7,}\d/g

/** A refused value as people may see it: short, and without the digits of a payer's number but the last two. */
export function shownValue(value: string): string {
  const masked = value
    .slice(0, 4 * LONGEST_SHOWN)
    .replace(LONG_NUMBER, (digits) => digits.slice(0, -2).replace(/\d/g, '*') + digits.slice(-2))
  return masked.slice(0, LONGEST_SHOWN)
}
