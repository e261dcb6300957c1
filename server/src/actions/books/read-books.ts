// The books of an account as its merchant reads them: where the money is, and the entries behind it
// (D-153).

import {
  amountsOf,
  type EntryPage,
  type MoneyAmounts,
  type MoneyPlace,
} from '../../domain/ledger/ledger.ts'
import { PAGE_LIMIT } from '../../domain/lists/page.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import {
  type EntryWindow,
  findLastEntry,
  listBalances,
  listEntriesAfter,
  listEntriesAt,
  type MoneyEntry,
} from '../../store/books/entries.ts'
import type { Deps } from '../deps.ts'
import { sharedConnections, sharesWallets } from './shared-wallets.ts'

/** By connection, and the whole under the empty name. */
export async function readBalance(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
): Promise<ReadonlyMap<string, MoneyAmounts>> {
  const sums = await listBalances(db, caller.accountId)
  return amountsOf(sums, await sharedConnections(db, caller))
}

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

// The entries behind each amount of "Where is my money", in pages.

/** Some milliseconds of the store's time. */
const WINDOW = 10_000
/** A place with few entries in a long ledger: the page may be short, and the next one goes on. */
const MOST_WINDOWS = 10

export interface MoneyQuery {
  place: MoneyPlace
  connection: string | null
  /** An entry of the page before: the page begins below it. */
  after?: number | undefined
  limit?: number | undefined
}

/** The newest first. For money to be received: what the network's statement has not confirmed. */
export async function listMoneyEntries(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  { place, connection, after, limit = PAGE_LIMIT.usual }: MoneyQuery,
): Promise<{ rows: MoneyEntry[]; next?: string }> {
  const { accountId } = caller
  const wallets = await walletsAt(db, caller, place)
  if (wallets === 'none') return { rows: [] }
  const rows: MoneyEntry[] = []
  let top = after ?? (await findLastEntry(db, accountId)) + 1
  for (let windows = 0; windows < MOST_WINDOWS && top > 1 && rows.length <= limit; windows++) {
    const bottom = Math.max(1, top - WINDOW)
    const window = { accountId, place, connection, wallets, top, bottom }
    rows.push(...(await listEntriesAt(db, window, limit + 1 - rows.length)))
    top = bottom
  }
  if (rows.length > limit)
    return { rows: rows.slice(0, limit), next: String(rows[limit - 1]?.entry) }
  return top > 1 ? { rows, next: String(top) } : { rows }
}

/** The wallets of the merchant are a place of their own where those of the service are shared. */
async function walletsAt(
  db: Deps['db'],
  caller: MerchantCaller,
  place: MoneyPlace,
): Promise<EntryWindow['wallets'] | 'none'> {
  if (place !== 'wallet' && place !== 'at_service') return 'all'
  const hasShared = await sharesWallets(db, caller)
  if (place === 'wallet') return hasShared ? 'own' : 'all'
  return hasShared ? 'of_service' : 'none'
}
