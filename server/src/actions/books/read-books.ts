// The books of an account as its merchant reads them: where the money is, and the entries behind it (D-153).

import type { MerchantCaller } from '../../domain/caller.ts'
import { type Balances, balancesOf, type EntryPage } from '../../domain/ledger.ts'
import { listBalances, listEntriesAfter } from '../../store/books/entries.ts'
import type { Deps } from '../deps.ts'

/** By connection, and the whole under the empty name. */
export const readBalance = async (
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
): Promise<ReadonlyMap<string, Balances>> => balancesOf(await listBalances(db, accountId))

/** The oldest first, so that a program can follow the books. */
export async function listEntries(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  { after, limit }: { after: number; limit: number },
): Promise<EntryPage> {
  const found = await listEntriesAfter(db, accountId, after, limit + 1)
  const entries = found.slice(0, limit)
  return { entries, next: found.length > limit ? (entries.at(-1)?.entry ?? null) : null }
}
