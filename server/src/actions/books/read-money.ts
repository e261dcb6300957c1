// The entries behind each amount of "Where is my money", in pages.

import type { MerchantCaller } from '../../domain/caller.ts'
import type { MoneyPlace } from '../../domain/ledger.ts'
import { PAGE_LIMIT } from '../../domain/page.ts'
import { findLastEntry, listEntriesAt, type MoneyEntry } from '../../store/books/money-entries.ts'
import type { Deps } from '../deps.ts'

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
