// Requests that have ended and are asked about again, because money may still move: those that failed as never_received, which the operator
// never said, and those that the operator called back about, until it has answered our question.
import { type ConnectionKey, type OperatorPayment, requestReferenceOf } from '../../domain/operator-report.ts'
import { nextRecheckInMs, RECHECKED_FOR_MS } from '../../domain/retry-schedule.ts'
import type { Database, Queries } from '../engine/database.ts'

/** In the commit of the failure, or before a callback is answered. `failedAt` is when the checks begin; those under way begin anew. */
export async function insertRecheck(tx: Queries, payment: OperatorPayment, failedAt: number): Promise<void> {
  await tx.change(
    `insert into rechecks (request_reference, environment, operator, connection, failed_at, due_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (request_reference) do update set failed_at = excluded.failed_at,
       due_at = case when rechecks.due_at < excluded.due_at then rechecks.due_at else excluded.due_at end`,
    [
      ...[requestReferenceOf(payment), payment.environment, payment.operator, payment.connection],
      ...[failedAt, failedAt + nextRecheckInMs(0)],
    ],
  )
}

/** Once the operator has said what became of it. */
export async function removeRecheck(tx: Queries, payment: OperatorPayment): Promise<void> {
  await tx.change('delete from rechecks where request_reference = $1', [requestReferenceOf(payment)])
}

/** Once the operator has answered a question that was asked after the three days; what it could not answer is asked again. */
export async function removeOldRecheck(tx: Queries, payment: OperatorPayment, calledAt: number): Promise<void> {
  await tx.change('delete from rechecks where request_reference = $1 and failed_at <= $2', [
    requestReferenceOf(payment),
    calledAt - RECHECKED_FOR_MS,
  ])
}

interface DueRecheck extends ConnectionKey {
  requestReference: string
  failedAt: number
}

/** Claims what is due by setting its next time, so that a lost answer costs one check and no more. */
export async function claimDueRechecks(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<DueRecheck[]> {
  return db.rows<DueRecheck>(
    `with due as materialized (
       select request_reference as due_reference from rechecks where due_at <= $1 order by due_at limit $3 ${db.skipLocked}
     )
     update rechecks set due_at = $2 from due where request_reference = due_reference
     returning request_reference as "requestReference", environment,
       coalesce(connection, operator) as connection, failed_at as "failedAt"`,
    [now, now + leaseMs, most],
  )
}

/**
 * Makes rechecks due now that are due later than any is ever put off: the clock was ahead when that was written. Those that it had begin in the
 * future begin now.
 */
export const bringBackRechecks = (db: Queries, { now, latest }: { now: number; latest: number }): Promise<number> =>
  db.change(
    `update rechecks set due_at = $1, failed_at = case when failed_at > $1 then $1 else failed_at end where due_at > $2`,
    [now, latest],
  )

/** When to check next, unless a callback has made the checks begin anew since the claim. Recording an answer ends them. */
export async function scheduleRecheck(
  db: Queries,
  { requestReference, failedAt }: DueRecheck,
  now: number,
): Promise<void> {
  await db.change('update rechecks set due_at = $2 where request_reference = $1 and failed_at = $3', [
    requestReference,
    now + nextRecheckInMs(now - failedAt),
    failedAt,
  ])
}
