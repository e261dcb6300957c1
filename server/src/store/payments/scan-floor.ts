// How far a page scans rows that no index filters: a filter that hardly any row matches must not read them all. Such a page has few rows,
// or none, and its cursor continues from there.
import type { Scope } from '../../domain/caller.ts'
import type { Queries } from '../engine/database.ts'

/** Scanned in some milliseconds. */
const ROWS_OF_AN_ACCOUNT = 10_000
/** For all accounts together: their numbers come from one counter, and some are never used. */
const NUMBERS_OF_ALL = 100_000

/** The number to stop at; undefined when there are fewer rows than that. */
export async function findScanFloor(
  db: Queries,
  table: 'payments' | 'payment_links',
  { accountId }: Scope,
  below: number,
): Promise<number | undefined> {
  if (accountId !== null) {
    const [row] = await db.rows<{ number: number }>(
      `select number from ${table} where account_id = $1 and number < $2 order by number desc limit 1 offset $3`,
      [accountId, below, ROWS_OF_AN_ACCOUNT],
    )
    return row?.number
  }
  const [row] = await db.rows<{ last: number | null }>(
    `select max(newest) as last from (
       select (select max(q.number) from ${table} q where q.account_id = a.account_id and q.number < $1) as newest
       from accounts a) as newest_of_each`,
    [below],
  )
  const floor = (row?.last ?? 0) - NUMBERS_OF_ALL
  return floor > 0 ? floor : undefined
}
