// What was in a wallet before its first statement: the files that say it, and the entries that have
// booked it.

import type { BookedOpening } from '../../domain/ledger/opening.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstRow, firstValue, updateRows } from '../rows.ts'
import type { BalancedFile } from './statements.ts'

const BALANCED = columnsOf<BalancedFile>({
  environment: 'environment',
  connection: 'connection',
  fileId: 'file_id',
  openingXof: 'opening_xof',
  closingXof: 'closing_xof',
  firstDay: 'first_day',
  firstAt: 'first_at',
  lastAt: 'last_at',
})

/** The imported files with balances that begin first. */
export const listFirstBalanced = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  most: number,
) =>
  db.read<BalancedFile>(
    `select ${BALANCED} from statement_files
     where environment = :environment and connection = :connection and state = 'imported'
       and opening_xof is not null
     order by first_at, last_at, sha256 limit :most`,
    { environment, connection, most },
  )

/**
 * What the lines of an account from one time on changed in its wallet, before another time. Without
 * those that a person has taken out of it again; `limit` instead of `exists`, for which PostgreSQL
 * would read every line of the connection.
 */
export async function sumLinesOf(
  db: Queries,
  { environment, connection }: ConnectionKey,
  accountId: string,
  { from, before }: { from: number; before: number },
): Promise<number> {
  const sum = await firstValue<number>(
    db,
    `select cast(coalesce(sum(l.amount_xof - l.fee_xof - l.tax_xof), 0) as bigint)
     from statement_lines l
     where l.environment = :environment and l.connection = :connection and l.booked_at >= :from
       and l.booked_at < :before and l.account_id = :accountId
       and (select 1 from book_exceptions x
         where x.environment = l.environment and x.connection = l.connection
         and x.line_number = l.line_number and x.reason = 'duplicate_of_file' limit 1) is null`,
    { environment, connection, from, before, accountId },
  )
  return sum ?? 0
}

const BOOKED_OPENING = columnsOf<BookedOpening>({
  day: 'l.day',
  xof: `cast(sum(case when l.debit = 'wallet' then l.amount_xof else -l.amount_xof end) as bigint)`,
  firstEntry: 'min(l.entry)',
})

/** On each of its days, without those that were taken back whole. */
export const listBookedOpenings = (db: Queries, accountId: string, connection: string) =>
  db.read<BookedOpening>(
    `select ${BOOKED_OPENING} from ledger_entries l
     where l.account_id = :accountId and l.connection = :connection and l.kind = 'opening'
     group by l.day order by l.day`,
    { accountId, connection },
  )

// The openings that are to be computed again.

export const findDueOpening = (db: Queries) =>
  firstRow<ConnectionKey>(
    db,
    'select environment, connection from statement_sources where opening_due = 1 limit 1',
  )

export const setOpeningDue = (
  tx: Queries,
  { environment, connection }: ConnectionKey,
  isDue: boolean,
) => updateRows(tx, 'statement_sources', { environment, connection }, { openingDue: isDue ? 1 : 0 })

/** Of the connection that a difference is at. */
export const setOpeningDueFor = (tx: Queries, exceptionId: string) =>
  tx.change(
    `update statement_sources set opening_due = 1 where exists (select 1 from book_exceptions x
       where x.exception_id = :exceptionId and x.environment = statement_sources.environment
         and x.connection = statement_sources.connection)`,
    { exceptionId },
  )

/**
 * The connections whose openings should be booked by now, in their order: while a file is imported,
 * they are not.
 */
export const listOpeningPlaces = (
  db: Queries,
  after: { environment: string; connection: string },
  most: number,
) =>
  db.read<ConnectionKey>(
    `select environment, connection from statement_sources
     where opening_due = 0 and importing_until = 0
       and (environment, connection) > (:environment, :connection)
     order by environment, connection limit :most`,
    { environment: after.environment, connection: after.connection, most },
  )
