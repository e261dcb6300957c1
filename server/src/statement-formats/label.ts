// The label of a row in an accountant's books: what it is, and every reference that can match it to an invoice.
import type { StatementRow } from '../domain/account-statement.ts'
import type { Words } from './words.ts'

export function labelOf(row: StatementRow, words: Words): string {
  const { kind, publicReference, externalReference, operatorReference, isConfirmed } = row
  const references = [publicReference, externalReference, operatorReference].filter((reference) => reference !== '')
  return [words.kinds[kind], ...references, ...(isConfirmed ? [] : [`(${words.toConfirm})`])].join(' ')
}
