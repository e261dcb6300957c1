// The label of a row in an accountant's books: what it is, and every reference that can match it to an invoice.
import type { StatementRow } from '../domain/account-statement.ts'
import { kindText, type Words } from './words.ts'

export function labelOf(row: StatementRow, words: Words): string {
  const { publicReference, externalReference, operatorReference, isConfirmed } = row
  const references = [publicReference, externalReference, operatorReference].filter((reference) => reference !== '')
  return [kindText(row, words), ...references, ...(isConfirmed ? [] : [`(${words.toConfirm})`])].join(' ')
}
