// What every format writes: statements with the names of their connections, and what a file says
// besides them.
import type { AccountStatement, JournalAccounts } from '../domain/books/account-statement.ts'
import type { Business } from '../domain/merchants/brand.ts'
import type { Language } from '../domain/texts/language.ts'

/** With the name that people call its connection by, in the reader's language. */
export type NamedStatement = AccountStatement & { connectionName: string }

/** A statement of one connection, or those of all connections as one file. */
export interface StatementTable {
  statements: readonly NamedStatement[]
  /** Each line says which connection it is of. */
  isOfAll: boolean
}

export interface StatementWriting {
  language: Language
  createdAt: number
  /** The account numbers that a connection's journal uses. */
  accountsOf: (connection: string) => JournalAccounts
  business: Business
}

export type Chunk = string | Uint8Array
