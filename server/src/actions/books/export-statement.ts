// A merchant's statement as a file, in the format and language that its reader chooses.
import type { StatementFormat } from '../../domain/account-statement.ts'
import { type AccountCaller, actorOf, type MerchantPerson, scopeOf } from '../../domain/caller.ts'
import { type JournalAccounts, journalFault, SYSCOHADA } from '../../domain/journal-accounts.ts'
import type { Language } from '../../domain/person.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type StatementFile, writeStatement } from '../../statement-formats/write-statement.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findJournalAccounts, putJournalAccounts } from '../../store/books/account-statements.ts'
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

// The account numbers that a merchant's SYSCOHADA journal uses.

export const readJournalAccounts = async (
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantPerson,
): Promise<JournalAccounts> => (await findJournalAccounts(db, accountId)) ?? SYSCOHADA

export async function setJournalAccounts(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: MerchantPerson,
  accounts: JournalAccounts,
): Promise<JournalAccounts | RefusedAs<'journal_account_not_valid'>> {
  const field = journalFault(accounts)
  if (field !== undefined) return { refused: 'journal_account_not_valid', field }
  const { accountId } = caller
  const at = clock.now()
  await db.transaction(async (tx) => {
    await putJournalAccounts(tx, accountId, accounts, { by: actorOf(caller), at })
    const detail = { accounts: Object.values(accounts).join(' ') }
    await insertAudit(tx, caller, { at, action: 'journal.set', subject: accountId, accountId, detail })
  })
  return accounts
}
