// Payments as the worker processes them: claimed by moving their due time ahead, moved only from
// the state they are in. A claim is a due time in the future and nothing more: when a process dies,
// its claims expire at that time.

import type { LinkMethod } from '../../domain/methods/methods.ts'
import { type ConnectionKey, connectionText } from '../../domain/operators/connection-key.ts'
import type { DueLine } from '../../domain/operators/operator-call.ts'
import { type OperatorPayment, SENT_WITHIN_MS } from '../../domain/payments/operator-payment.ts'
import { DAY_MS } from '../../domain/payments/verdict.ts'
import type { Database, Queries } from '../engine/database.ts'
import { firstRow, padded } from '../rows.ts'
import { operatorPaymentColumns } from './payments.ts'

/** How many accounts are read at once when all are read. */
const ACCOUNTS_AT_ONCE = 200

const PAYMENT = operatorPaymentColumns('payments')

/** As in the index payments_due. */
const IS_SENT = '(case when handed_over_at is null then 0 else 1 end)'
/**
 * A payment that is not recorded as sent is due for its request. The dispatcher may poll its status
 * first.
 */
const sentness = ({ kind }: DueLine): 0 | 1 => (kind === 'request' ? 0 : 1)

/** Every connection that has pending payments: each is one step in the index. */
export function findPendingConnections(db: Queries): Promise<ConnectionKey[]> {
  const next = (environment: string, after: string): string =>
    `(select min(connection) from payments where environment = ${environment} and connection > ${after} and due_at is not null)`
  return db.read<ConnectionKey>(
    `with recursive walk (environment, connection) as (
       select column1, ${next('column1', "''")} from (values ('live'), ('sandbox')) as environments
       union all
       select walk.environment, ${next('walk.environment', 'walk.connection')} from walk
       where walk.connection is not null
     )
     select environment, connection from walk where connection is not null`,
  )
}

/**
 * Those of the lines that have pending payments, due now or later. Few connections have any at a
 * time.
 */
export async function findLinesWithPending<Line extends DueLine>(
  db: Queries,
  given: readonly Line[],
): Promise<Line[]> {
  const pending = new Set((await findPendingConnections(db)).map(connectionText))
  const lines = given.filter((line) => pending.has(connectionText(line)))
  if (lines.length === 0) return []
  const asked = padded(lines)
  // `+ 0` makes it a number for PostgreSQL. A cast would too, but with one SQLite does not use the
  // index for it.
  const places = asked.map(
    (_, at) => `(${at}, :environment${at}, :connection${at}, :isSent${at} + 0)`,
  )
  const rows = await db.read<{ at: number }>(
    `select column1 as at from (values ${places.join(', ')}) as line where exists (
       select 1 from payments
       where environment = column2 and connection = column3 and ${IS_SENT} = column4
         and due_at is not null)`,
    Object.fromEntries(
      asked.flatMap((line, at) => [
        [`environment${at}`, line.environment],
        [`connection${at}`, line.connection],
        [`isSent${at}`, sentness(line)],
      ]),
    ),
  )
  // The entries beyond the lines are padding.
  return rows.flatMap(({ at }) => lines[at] ?? [])
}

/**
 * An account with pending payments in one line, and when the first and the last of them are due.
 */
export type AccountInTurn = { accountId: string; firstDueAt: number; lastDueAt: number }

/** The next accounts with pending payments in a line. Each is one step in the index. */
export function findAccountsInTurn(
  db: Queries,
  line: DueLine,
  afterAccount: string,
  most: number,
): Promise<AccountInTurn[]> {
  const pending = `environment = :environment and connection = :connection and ${IS_SENT} = ${sentness(line)} and due_at is not null`
  return db.read<AccountInTurn>(
    `with recursive turn (account, place) as (
       select min(account_id), 1 from payments where ${pending} and account_id > :afterAccount
       union all
       select (select min(account_id) from payments
         where ${pending} and account_id > turn.account), place + 1
       from turn where turn.account is not null and place < :most
     )
     select account as "accountId",
       (select min(due_at) from payments where ${pending} and account_id = account) as "firstDueAt",
       (select max(due_at) from payments where ${pending} and account_id = account) as "lastDueAt"
     from turn where account is not null order by place`,
    { environment: line.environment, connection: line.connection, afterAccount, most },
  )
}

export async function* allAccountsInTurn(
  db: Queries,
  line: DueLine,
): AsyncGenerator<AccountInTurn> {
  let last: AccountInTurn | undefined
  do {
    const some = await findAccountsInTurn(db, line, last?.accountId ?? '', ACCOUNTS_AT_ONCE)
    yield* some
    last = some.length === ACCOUNTS_AT_ONCE ? some.at(-1) : undefined
  } while (last !== undefined)
}

export interface Claim extends DueLine {
  accountIds: readonly string[]
  now: number
  leaseMs: number
  mostOfEach: number
  /** Claims from each account the payments due longest, or those that became due last. */
  first: 'oldest' | 'newest'
}

/**
 * `materialized` chooses the due rows once: PostgreSQL could run a subselect again for each row.
 */
export function claimDuePayments(db: Database, claim: Claim): Promise<OperatorPayment[][]> {
  const { environment, connection, accountIds, now, leaseMs, mostOfEach, first } = claim
  const sql = `with due as materialized (
       select account_id as due_account, number as due_number from payments
       where environment = :environment and connection = :connection
         and ${IS_SENT} = ${sentness(claim)} and account_id = :accountId and due_at <= :now
       order by due_at ${first === 'newest' ? 'desc' : 'asc'} limit :mostOfEach ${db.skipLocked}
     )
     update payments set due_at = :dueAt, claims = claims + 1 from due
     where account_id = due_account and number = due_number
     returning ${PAYMENT}`
  const claimAll = (queries: Queries): Promise<OperatorPayment[][]> =>
    Promise.all(
      accountIds.map((accountId) =>
        queries.write<OperatorPayment>(sql, {
          now,
          dueAt: now + leaseMs,
          mostOfEach,
          environment,
          connection,
          accountId,
        }),
      ),
    )
  // One statement needs no transaction; several share its round trip and its commit.
  return accountIds.length === 1 ? claimAll(db) : db.transaction(claimAll)
}

/**
 * How far apart the two may be. A payment that was forgotten long before says nothing about this
 * one.
 */
const ACCEPTED_WITHIN_MS = SENT_WITHIN_MS

/**
 * Of the pending payments that the operator has accepted at this connection, the one nearest in
 * time.
 */
export const findAccepted = (
  db: Queries,
  { environment, connection, reference, requestedAt }: OperatorPayment,
) =>
  firstRow<OperatorPayment>(
    db,
    `select ${PAYMENT} from payments
     where environment = :environment and connection = :connection and ${IS_SENT} = 1
       and due_at is not null and reference <> :reference
       and accepted_at between :earliest and :latest
     order by abs(accepted_at - :requestedAt) limit 1`,
    {
      environment,
      connection,
      reference,
      requestedAt,
      earliest: requestedAt - ACCEPTED_WITHIN_MS,
      latest: requestedAt + ACCEPTED_WITHIN_MS,
    },
  )

/**
 * The order in which every transaction updates payments: two with different orders could deadlock.
 */
export function byAccountAndNumber(a: OperatorPayment, b: OperatorPayment): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1
  return a.number - b.number
}

/**
 * Releases payments whose operator was not called: they are due now, unless another process has
 * claimed them since.
 */
export async function giveBackPayments(
  db: Database,
  payments: readonly (OperatorPayment & { claimedDueAt: number })[],
  now: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { accountId, number, claimedDueAt } of payments.toSorted(byAccountAndNumber))
      await tx.change(
        `update payments set due_at = :now, claims = claims - 1 where account_id = :accountId
          and number = :number and due_at = :claimedDueAt`,
        { accountId, number, now, claimedDueAt },
      )
  })
}

/** A later due time than this is from a wrong clock: by the method, and by the payment's age. */
export interface LatestDue {
  method: LinkMethod
  onFirstDay: number
  later: number
}

/** Makes payments due now that a clock set ahead had put too far into the future. */
export function bringBackPayments(
  db: Database,
  line: DueLine,
  accountId: string,
  { now, soonest, latest }: { now: number; soonest: number; latest: readonly LatestDue[] },
): Promise<number> {
  const isTooLate = latest.map(
    ({ method }, at) =>
      `method = '${method}' and due_at > :onFirstDay${at}
        and (due_at > :later${at} or coalesce(handed_over_at, created_at) > :yesterday)`,
  )
  const times = latest.flatMap(({ onFirstDay, later }, at) => [
    [`onFirstDay${at}`, onFirstDay],
    [`later${at}`, later],
  ])
  return db.change(
    `update payments set due_at = :now
     where environment = :environment and connection = :connection
       and ${IS_SENT} = ${sentness(line)}
       and account_id = :accountId and due_at > :soonest and (${isTooLate.join(' or ')})`,
    {
      environment: line.environment,
      connection: line.connection,
      accountId,
      now,
      soonest,
      ...Object.fromEntries(times),
      yesterday: now - DAY_MS,
    },
  )
}

/** Looked at for the pending ones among them. */
const NEWEST = 10_000

/** An account's newest payments that wait for their payer, newest first. */
export const listPrompted = (db: Queries, accountId: string, most: number) =>
  db.read<OperatorPayment>(
    `select ${operatorPaymentColumns('p')} from (
       select * from payments where account_id = :accountId order by number desc limit :newest) as p
     where p.status = 'pending' and p.handed_over_at is not null
     order by p.number desc limit :most`,
    { accountId, newest: NEWEST, most },
  )
