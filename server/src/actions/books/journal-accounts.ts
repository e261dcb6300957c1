// The account numbers that a merchant's SYSCOHADA journal uses.

import { actorOf, type MerchantPerson } from '../../domain/caller.ts'
import { type JournalAccounts, journalFault, SYSCOHADA } from '../../domain/journal-accounts.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findJournalAccounts, putJournalAccounts } from '../../store/books/journal-accounts.ts'
import type { Deps } from '../deps.ts'

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
