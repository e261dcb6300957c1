// Which statements were announced, and who gets them by email.
import type {
  ReadyPeriod,
  StatementMails,
  StatementPeriodName,
} from '../../domain/books/account-statement.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Queries } from '../engine/database.ts'
import { firstRow, insertNew, putRow } from '../rows.ts'

/**
 * Accounts with entries in the period whose statement was not announced, in the order of their ids.
 */
export const listUnannounced = (
  db: Queries,
  { period, firstDay, lastDay }: ReadyPeriod,
  most: number,
) =>
  db.read<{ accountId: string; environment: Environment }>(
    `select h.account_id as "accountId", a.environment from ledger_heads h
     join accounts a on a.account_id = h.account_id
     where exists (select 1 from ledger_entries l
       where l.account_id = h.account_id and l.day >= :firstDay and l.day <= :lastDay)
       and not exists (select 1 from ready_statements r
         where r.account_id = h.account_id and r.period = :period and r.first_day = :firstDay)
     order by h.account_id limit :most`,
    { period, firstDay, lastDay, most },
  )

/** False when another process has announced it. */
export const insertReady = (
  tx: Queries,
  accountId: string,
  { period, firstDay }: Pick<ReadyPeriod, 'period' | 'firstDay'>,
  readyAt: number,
): Promise<boolean> => insertNew(tx, 'ready_statements', { accountId, period, firstDay, readyAt })

const WANTS: Readonly<Record<StatementPeriodName, string>> = { day: 'daily', month: 'monthly' }

/**
 * The addresses of people who want the statement. Whether they may still read it is checked when it
 * is sent.
 */
export const listStatementReaders = (db: Queries, accountId: string, period: StatementPeriodName) =>
  db.read<{ email: string }>(
    `select p.email from statement_readers r join people p on p.person_id = r.person_id
     where r.account_id = :accountId and r.${WANTS[period]} = 1 and p.removed_at is null
     order by p.person_id`,
    { accountId },
  )

export async function findStatementMails(
  db: Queries,
  accountId: string,
  personId: string,
): Promise<StatementMails> {
  const found = await firstRow<{ daily: number; monthly: number }>(
    db,
    `select daily, monthly from statement_readers
     where account_id = :accountId and person_id = :personId`,
    { accountId, personId },
  )
  return { daily: found?.daily === 1, monthly: found?.monthly === 1 }
}

export const putStatementMails = (
  tx: Queries,
  accountId: string,
  personId: string,
  { daily, monthly }: StatementMails,
): Promise<void> =>
  putRow(
    tx,
    'statement_readers',
    { accountId, personId },
    { daily: daily ? 1 : 0, monthly: monthly ? 1 : 0 },
  )
