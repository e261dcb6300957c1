// The books of an account as its merchant reads them: where the money is, and the entries behind it (D-153).
import type { MerchantCaller } from '../../domain/caller.ts'
import { type Balances, balancesOf, type EntryPage, type MoneyPlace } from '../../domain/ledger.ts'
import { PAGE_LIMIT } from '../../domain/page.ts'
import {
  findLastEntry,
  listBalances,
  listEntriesAfter,
  listEntriesAt,
  type MoneyEntry,
} from '../../store/books/entries.ts'
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
  { accountId }: MerchantCaller,
  { place, connection, after, limit = PAGE_LIMIT.usual }: MoneyQuery,
): Promise<{ rows: MoneyEntry[]; next?: string }> {
  const rows: MoneyEntry[] = []
  let top = after ?? (await findLastEntry(db, accountId)) + 1
  for (let windows = 0; windows < MOST_WINDOWS && top > 1 && rows.length <= limit; windows++) {
    const bottom = Math.max(1, top - WINDOW)
    rows.push(...(await listEntriesAt(db, { accountId, place, connection, top, bottom }, limit + 1 - rows.length)))
    top = bottom
  }
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: String(rows[limit - 1]?.entry) }
  return top > 1 ? { rows, next: String(top) } : { rows }
}
