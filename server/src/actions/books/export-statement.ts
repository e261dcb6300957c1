// A merchant's statement as a file, in the format and language that its reader chooses.

import type { StatementFormat } from '../../domain/account-statement.ts'
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { SYSCOHADA } from '../../domain/journal-accounts.ts'
import type { Language } from '../../domain/person.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type StatementFile, writeStatement } from '../../statement-formats/write-statement.ts'
import { findJournalAccounts } from '../../store/books/journal-accounts.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'
import { readAccountStatement, type StatementQuery } from './read-account-statement.ts'

export interface ExportQuery extends StatementQuery {
  accountId: string
  format: StatementFormat
  language: Language
}

export async function exportStatement(
  deps: Pick<Deps, 'db' | 'clock'>,
  caller: AccountCaller,
  { accountId, format, language, ...query }: ExportQuery,
): Promise<StatementFile | RefusedAs<'account_not_found' | 'period_not_valid'>> {
  const account = await findAccount(deps.db, scopeOf(caller), accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const statement = await readAccountStatement(deps, account, query)
  if (isRefused(statement)) return statement
  const accounts = (await findJournalAccounts(deps.db, accountId)) ?? SYSCOHADA
  return writeStatement(statement, format, { language, createdAt: deps.clock.now(), accounts })
}
