// The account numbers of a merchant's own books.
import type { JournalAccounts } from '../../domain/journal-accounts.ts'
import type { Queries } from '../engine/database.ts'
import { firstRow, putRow } from '../rows.ts'

/** Undefined where the merchant uses the defaults. */
export async function findJournalAccounts(db: Queries, accountId: string): Promise<JournalAccounts | undefined> {
  const found = await firstRow<{ numbers: string }>(db, 'select numbers from journal_accounts where account_id = $1', [
    accountId,
  ])
  return found && JSON.parse(found.numbers)
}

export const putJournalAccounts = (
  tx: Queries,
  accountId: string,
  accounts: JournalAccounts,
  { by, at }: { by: string; at: number },
): Promise<void> =>
  putRow(tx, 'journal_accounts', { accountId }, { numbers: JSON.stringify(accounts), setBy: by, setAt: at })
