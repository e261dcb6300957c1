// Payments as the worker processes them: claimed by moving their due time ahead, moved only from the state they are in. A claim is
// a due time in the future and nothing more: when a process dies, its claims expire at that time.
import { EVERY_ACCOUNT, type Scope } from '../../domain/caller.ts'
import type { OperatorKey, OperatorPayment } from '../../domain/operator-report.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { DAY_MS } from '../../domain/verdict.ts'
import { columns } from '../engine/columns.ts'
import type { Database, Queries } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'

/** How many accounts are read at once by a walk over all of them. */
const ACCOUNTS_AT_ONCE = 200

export const paymentColumns = (of: string): string =>
  columns<OperatorPayment>({
    accountId: `${of}.account_id`,
    number: `${of}.number`,
    environment: `${of}.environment`,
    reference: `${of}.reference`,
    publicReference: `${of}.public_reference`,
    externalReference: `${of}.external_reference`,
    createdBy: `${of}.created_by`,
    clientReference: `${of}.client_reference`,
    amountXof: `${of}.amount_xof`,
    msisdnWritten: `${of}.msisdn_written`,
    msisdn: `coalesce(${of}.msisdn, '')`,
    operator: `coalesce(${of}.operator, '')`,
    createdAt: `${of}.created_at`,
    handedOverAt: `${of}.handed_over_at`,
    acceptedAt: `${of}.accepted_at`,
    polls: `${of}.asked_times`,
    claims: `${of}.claims`,
    requestedAt: `coalesce(${of}.attempt_at, ${of}.created_at)`,
    attemptReference: `${of}.attempt_reference`,
  })

const PAYMENT = paymentColumns('payments')

/** Those of the operators that have pending payments, due now or later. */
export async function findOperatorsWithPending<Key extends OperatorKey>(
  db: Queries,
  operators: readonly Key[],
): Promise<Key[]> {
  if (operators.length === 0) return []
  const places = operators.map((_, at) => `(${at}, $${2 * at + 1}, $${2 * at + 2})`)
  const rows = await db.rows<{ at: number }>(
    `select column1 as at from (values ${places.join(', ')}) as queue
     where exists (select 1 from payments where environment = column2 and operator = column3 and due_at is not null)`,
    operators.flatMap(({ environment, operator }) => [environment, operator]),
  )
  return rows.map(({ at }) => operators[at] as Key)
}

/** An account with pending payments at one operator, and when the first and the last of them are due. */
export interface AccountInTurn {
  accountId: string
  firstDueAt: number
  lastDueAt: number
}

/** The next accounts with pending payments at an operator, after the given one. Each is one step in the index, however many payments it has. */
export async function findAccountsInTurn(
  db: Queries,
  { environment, operator }: OperatorKey,
  afterAccount: string,
  most: number,
): Promise<AccountInTurn[]> {
  return db.rows<AccountInTurn>(
    `with recursive turn (account, place) as (
       select min(account_id), 1 from payments where ${PENDING_AT_OPERATOR} and account_id > $3
       union all
       select (select min(account_id) from payments where ${PENDING_AT_OPERATOR} and account_id > turn.account), place + 1
       from turn where turn.account is not null and place < $4
     )
     select account as "accountId",
       (select min(due_at) from payments where ${PENDING_AT_OPERATOR} and account_id = account) as "firstDueAt",
       (select max(due_at) from payments where ${PENDING_AT_OPERATOR} and account_id = account) as "lastDueAt"
     from turn where account is not null order by place`,
    [environment, operator, afterAccount, most],
  )
}

/** All accounts with pending payments at an operator. */
export async function* allAccountsInTurn(db: Queries, operator: OperatorKey): AsyncGenerator<AccountInTurn> {
  let last: AccountInTurn | undefined
  do {
    const some = await findAccountsInTurn(db, operator, last?.accountId ?? '', ACCOUNTS_AT_ONCE)
    yield* some
    last = some.length === ACCOUNTS_AT_ONCE ? some.at(-1) : undefined
  } while (last !== undefined)
}

const PENDING_AT_OPERATOR = 'environment = $1 and operator = $2 and due_at is not null'

export interface Claim extends OperatorKey {
  accountIds: readonly string[]
  now: number
  leaseMs: number
  mostOfEach: number
}

/**
 * Of each account, those due longest. `materialized` chooses the due rows once, whatever plan PostgreSQL makes: a subselect of the update
 * could run again for each row.
 */
export function claimDuePayments(
  db: Database,
  { environment, operator, accountIds, now, leaseMs, mostOfEach }: Claim,
): Promise<OperatorPayment[][]> {
  return db.claimEach<OperatorPayment>(
    `with due as materialized (
       select account_id as due_account, number as due_number from payments
       where environment = $4 and operator = $5 and account_id = $6 and due_at <= $1
       order by due_at limit $3 /* skip locked */
     )
     update payments set due_at = $2, claims = claims + 1 from due where account_id = due_account and number = due_number
     returning ${PAYMENT}`,
    accountIds.map((accountId) => [now, now + leaseMs, mostOfEach, environment, operator, accountId]),
  )
}

/** The order in which every transaction updates payments: two with different orders could deadlock. */
export function byAccountAndNumber(a: OperatorPayment, b: OperatorPayment): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1
  return a.number - b.number
}

/** Releases payments whose operator was not called: they are due now, unless another process has claimed them since. */
export async function giveBackPayments(
  db: Database,
  payments: readonly (OperatorPayment & { claimedUntil: number })[],
  now: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { accountId, number, claimedUntil } of payments.toSorted(byAccountAndNumber))
      await tx.change(
        'update payments set due_at = $3, claims = claims - 1 where account_id = $1 and number = $2 and due_at = $4',
        [accountId, number, now, claimedUntil],
      )
  })
}

/** Makes payments due now that are due later than anything is ever postponed: the clock was ahead when that was written. */
export function bringBackPayments(
  db: Database,
  { environment, operator }: OperatorKey,
  accountId: string,
  { now, latestOnFirstDay, latest }: { now: number; latestOnFirstDay: number; latest: number },
): Promise<number> {
  return db.change(
    `update payments set due_at = $4 where environment = $1 and operator = $2 and account_id = $3 and due_at > $5
       and (due_at > $6 or coalesce(handed_over_at, created_at) > $7)`,
    [environment, operator, accountId, now, latestOnFirstDay, latest, now - DAY_MS],
  )
}

/** By our reference, within the scope. */
export function findOperatorPayment(
  db: Database,
  scope: Scope,
  reference: string,
): Promise<OperatorPayment | undefined> {
  const sql = `select ${PAYMENT} from payments where reference = $1${inScope(scope, 2)}`
  return db.find<OperatorPayment>(sql, [reference, ...scopeValues(scope)])
}

/** By the reference that its operator was sent: the payment's own, or that of an attempt on a link, which need not be the latest. */
export async function findByRequestReference(db: Database, reference: string): Promise<OperatorPayment | undefined> {
  return (await findOperatorPayment(db, EVERY_ACCOUNT, reference)) ?? findByAttempt(db, reference)
}

const PAYMENT_OF_ATTEMPT = columns<OperatorPayment>({
  accountId: 'p.account_id',
  number: 'p.number',
  environment: 'p.environment',
  reference: 'p.reference',
  publicReference: 'p.public_reference',
  externalReference: 'p.external_reference',
  createdBy: 'p.created_by',
  clientReference: 'p.client_reference',
  amountXof: 'p.amount_xof',
  msisdnWritten: 't.msisdn_written',
  msisdn: "coalesce(p.msisdn, '')",
  operator: 't.operator',
  createdAt: 'p.created_at',
  handedOverAt: 't.created_at',
  // The payment's own is that of its current attempt, and this may be an earlier one.
  acceptedAt: 'cast(null as bigint)',
  polls: 'p.asked_times',
  claims: 'p.claims',
  requestedAt: 't.created_at',
  attemptReference: 't.reference',
})

function findByAttempt(db: Database, attemptReference: string): Promise<OperatorPayment | undefined> {
  return db.find<OperatorPayment>(
    `select ${PAYMENT_OF_ATTEMPT} from payment_attempts t
     join payments p on p.account_id = t.account_id and p.number = t.number where t.reference = $1`,
    [attemptReference],
  )
}

/** Whether the request that the operator was sent is still open: the payment is pending, by this attempt where it is a link's. */
export async function isRequestOpen(db: Database, { reference, attemptReference }: OperatorPayment): Promise<boolean> {
  const sql = `select attempt_reference as "attemptReference" from payments where reference = $1 and status = 'pending'`
  const pending = await db.find<{ attemptReference: string | null }>(sql, [reference])
  return pending?.attemptReference === attemptReference
}

export async function findStatus(tx: Queries, accountId: string, number: number): Promise<PaymentStatus | undefined> {
  const [row] = await tx.rows<{ status: PaymentStatus }>(
    'select status from payments where account_id = $1 and number = $2',
    [accountId, number],
  )
  return row?.status
}
