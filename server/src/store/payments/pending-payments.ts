// Payments as the worker holds them: claimed by pushing their due time ahead, moved only from the state they are in. A claim is
// a due time in the future and nothing more: whoever dies with it gives it back when that time comes.
import type { Environment } from '../../domain/environment.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Database, Queries } from '../engine/database.ts'

export interface OperatorPayment {
  accountId: string
  number: number
  environment: Environment
  reference: string
  publicReference: string
  externalReference: string
  amountXof: number
  msisdnWritten: string | null
  msisdn: string
  operator: string
  createdAt: number
  handedOverAt: number | null
  polls: number
  /** When the payer asked for it: with the order, or by choosing how to pay a link. */
  requestedAt: number
  /** What the operator knows it by while it is paid through a link; null when that is its own reference. */
  attemptReference: string | null
}

/** Whose payments are looked at together. */
export interface OperatorKey {
  environment: Environment
  operator: string
}

interface Row {
  account_id: string
  number: number
  environment: Environment
  reference: string
  public_reference: string
  external_reference: string
  amount_xof: number
  msisdn_written: string | null
  msisdn: string | null
  operator: string | null
  created_at: number
  handed_over_at: number | null
  asked_times: number
  attempt_reference: string | null
  attempt_at: number | null
}

const COLUMNS = `account_id, number, environment, reference, public_reference, external_reference, amount_xof,
  msisdn_written, msisdn, operator, created_at, handed_over_at, asked_times, attempt_reference,
  attempt_at`

/** Those of the operators for whom something is due. */
export async function findDueOperators<Key extends OperatorKey>(
  db: Queries,
  now: number,
  operators: readonly Key[],
): Promise<Key[]> {
  if (operators.length === 0) return []
  const places = operators.map((_, at) => `(${at}, $${2 * at + 2}, $${2 * at + 3})`)
  const rows = await db.rows<{ at: number }>(
    `select column1 as at from (values ${places.join(', ')}) as lane
     where exists (select 1 from payments where environment = column2 and operator = column3 and due_at <= $1)`,
    [now, ...operators.flatMap(({ environment, operator }) => [environment, operator])],
  )
  return rows.map(({ at }) => operators[at] as Key)
}

/** What is due is chosen once, whatever plan PostgreSQL makes: a subselect of the update could be run again for each row. */
export async function claimDuePayments(
  db: Database,
  { environment, operator }: OperatorKey,
  now: number,
  leaseMs: number,
  most: number,
): Promise<OperatorPayment[]> {
  const rows = await db.claim<Row>(
    `with due as materialized (
       select account_id as due_account, number as due_number from payments
       where environment = $4 and operator = $5 and due_at <= $1 order by due_at limit $3 /* skip locked */
     )
     update payments set due_at = $2 from due where account_id = due_account and number = due_number
     returning ${COLUMNS}`,
    [now, now + leaseMs, most, environment, operator],
  )
  return rows.map(asOperatorPayment)
}

/** The order in which a transaction touches payments: two that met each other's rows in another one would wait for ever. */
export function byAccountAndNumber(a: OperatorPayment, b: OperatorPayment): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1
  return a.number - b.number
}

/** Those that nobody has called are due now, unless somebody else has claimed them since. */
export async function giveBackPayments(
  db: Database,
  payments: readonly (OperatorPayment & { claimedUntil: number })[],
  now: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { accountId, number, claimedUntil } of payments.toSorted(byAccountAndNumber))
      await tx.change('update payments set due_at = $3 where account_id = $1 and number = $2 and due_at = $4', [
        accountId,
        number,
        now,
        claimedUntil,
      ])
  })
}

/** By our reference alone: for a callback, which knows no account. */
export async function findOperatorPayment(db: Database, reference: string): Promise<OperatorPayment | undefined> {
  const row = await db.find<Row>(`select ${COLUMNS} from payments where reference = $1`, [reference])
  return row && asOperatorPayment(row)
}

/** By what an operator calls it: our reference, or that of an attempt on a link, which need not be the latest. */
export async function findByRequestReference(db: Database, reference: string): Promise<OperatorPayment | undefined> {
  return (await findOperatorPayment(db, reference)) ?? findByAttempt(db, reference)
}

async function findByAttempt(db: Database, attemptReference: string): Promise<OperatorPayment | undefined> {
  const row = await db.find<Row>(
    `select p.account_id, p.number, p.environment, p.reference, p.public_reference, p.external_reference, p.amount_xof,
       t.msisdn_written, p.msisdn, t.operator, p.created_at, t.created_at as handed_over_at, p.asked_times,
       t.reference as attempt_reference, t.created_at as attempt_at
     from payment_attempts t join payments p on p.account_id = t.account_id and p.number = t.number
     where t.reference = $1`,
    [attemptReference],
  )
  return row && asOperatorPayment(row)
}

export async function findStatus(tx: Queries, accountId: string, number: number): Promise<PaymentStatus | undefined> {
  const [row] = await tx.rows<{ status: PaymentStatus }>(
    'select status from payments where account_id = $1 and number = $2',
    [accountId, number],
  )
  return row?.status
}

export async function postponePayment(
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
  { handedOverAt, dueAt }: { handedOverAt: number | null; dueAt: number },
): Promise<void> {
  await tx.change(
    `update payments set due_at = $3, asked_times = asked_times + 1, handed_over_at = coalesce(handed_over_at, $4)
     where account_id = $1 and number = $2 and status = 'pending' and ${SAME_ATTEMPT}`,
    [accountId, number, dueAt, handedOverAt, attemptReference],
  )
}

/** A word about an attempt that has ended says nothing about the one that is under way. */
const SAME_ATTEMPT = `coalesce(attempt_reference, '') = coalesce(cast($5 as text), '')`

/** False when it was pending no longer. */
export async function movePendingPayment(
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
  verdict: Verdict & { is: 'move' },
  { handedOverAt, validatedAt }: { handedOverAt: number; validatedAt: number | null },
): Promise<boolean> {
  const failureReason = verdict.to === 'failed' ? verdict.failureReason : null
  const operatorReference = verdict.to === 'failed' ? null : verdict.operatorReference
  const changed = await tx.change(
    `update payments set status = $3, failure_reason = $4, operator_reference = $6, validated_at = $7, due_at = null,
       handed_over_at = coalesce(handed_over_at, $8)
     where account_id = $1 and number = $2 and status = 'pending' and ${SAME_ATTEMPT}`,
    [accountId, number, verdict.to, failureReason, attemptReference, operatorReference, validatedAt, handedOverAt],
  )
  return changed === 1
}

function asOperatorPayment(row: Row): OperatorPayment {
  return {
    accountId: row.account_id,
    number: row.number,
    environment: row.environment,
    reference: row.reference,
    publicReference: row.public_reference,
    externalReference: row.external_reference,
    amountXof: row.amount_xof,
    msisdnWritten: row.msisdn_written,
    // Nobody has chosen how to pay a link that is only initiated.
    msisdn: row.msisdn ?? '',
    operator: row.operator ?? '',
    createdAt: row.created_at,
    handedOverAt: row.handed_over_at,
    polls: row.asked_times,
    attemptReference: row.attempt_reference,
    requestedAt: row.attempt_at ?? row.created_at,
  }
}
