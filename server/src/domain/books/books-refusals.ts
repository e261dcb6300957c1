// The refusals of the books: statements, settlements and tariffs, with their facts.

import type { NoFacts } from '../refused.ts'
import type { ClosingReason } from './closing-reason.ts'
import type { StatementFault } from './statement.ts'

export interface BooksRefusals {
  tariff_not_valid: NoFacts
  statement_query_not_valid: { parameter: string }
  period_not_valid: NoFacts
  period_without_movements: NoFacts
  month_not_over: NoFacts
  /** The whole file: nothing of it is kept. */
  statement_not_valid: { fault: StatementFault }
  /** The headings of the file, for a person who chooses the columns. */
  statement_columns_unknown: { headings: readonly string[] }
  /** Files are read one after the other, and too many wait. */
  too_many_statements_read: NoFacts
  /** Another import has the connection. */
  import_under_way: NoFacts
  /** The network of the connection gives no statements by its API. */
  statements_not_offered: NoFacts
  fetch_period_not_valid: { most: number }
  statement_file_not_found: NoFacts
  upload_not_complete: NoFacts
  /** What the account's uploads take that are not imported, and what they may take. */
  upload_space_taken: {
    files: number
    bytes: number
    mostFiles: number
    mostBytes: number
  }
  file_name_not_valid: { longest: number }
  exception_not_found: NoFacts
  /** The reasons that a person may choose; none where nothing is left to explain. */
  closing_reason_not_valid: { offered: readonly ClosingReason[] }
  /** Whose the wallet is: only they say what its money was. */
  wallet_of_another: { whose: 'merchant' | 'service' }
  /** No payment of this name has the number, the amount and the day of the line. */
  suggestion_not_found: NoFacts
  journal_account_not_valid: { field: string }
  settlement_not_found: NoFacts
  settlement_returned: NoFacts
  /** With another amount. */
  settlement_confirmed: NoFacts
  receipt_not_valid: NoFacts
  received_on_not_valid: NoFacts
  note_not_valid: { longest: number }
}
