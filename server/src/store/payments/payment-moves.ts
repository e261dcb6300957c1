// What an operator's report changes in payments, each guarded by the state it leaves. Many rows at once: reports come in batches.
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Verdict } from '../../domain/verdict.ts'
import type { Database, Queries, SqlTexts, Transaction } from '../engine/database.ts'
import { setNetworkId } from '../links/link-attempts.ts'

/** A report about an attempt that has ended says nothing about the current attempt. */
const IS_PENDING: SqlTexts = {
  sqlite: `account_id = $1 and number = $2 and status = 'pending' and coalesce(attempt_reference, '') = coalesce($3, '')`,
  postgres: `payments.account_id = given.account_id and payments.number = given.number and payments.status = 'pending'
      and coalesce(payments.attempt_reference, '') = coalesce(given.attempt_reference, '')`,
}

export interface Postponement {
  payment: OperatorPayment
  handedOverAt: number | null
  acceptedAt: number | null
  dueAt: number
  /** The claim under which the operator was called; null without one. */
  claimedUntil: number | null
  /** The operator certainly does not have it. */
  isUnsent: boolean
}

/**
 * A report that comes after its claim has ended (`due_at` is no longer that of the claim) does not decide about the next call: another process has
 * claimed the payment since, and may have sent it although this report says that it was never sent.
 */
const POSTPONE: SqlTexts = {
  sqlite: `update payments set asked_times = asked_times + 1,
      handed_over_at = coalesce(handed_over_at, $5), accepted_at = coalesce(accepted_at, $6),
      due_at = case when due_at = $7 then $4 else due_at end,
      claims = case when due_at = $7 and $8 = 1 then 0 else claims end
    where ${IS_PENDING.sqlite}`,
  postgres: `update payments set asked_times = payments.asked_times + 1,
      handed_over_at = coalesce(payments.handed_over_at, given.handed_over_at),
      accepted_at = coalesce(payments.accepted_at, given.accepted_at),
      due_at = case when payments.due_at = given.claimed_until then given.due_at else payments.due_at end,
      claims = case when payments.due_at = given.claimed_until and given.is_unsent = 1 then 0 else payments.claims end
    from unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[]) with ordinality
      as given (account_id, number, attempt_reference, due_at, handed_over_at, accepted_at, claimed_until, is_unsent, position)
    where ${IS_PENDING.postgres} returning given.position as position`,
}

/** Each payment once at most. For each whether it is pending, by this attempt where it is a link's. */
export function postponePayments(tx: Transaction, postponements: readonly Postponement[]): Promise<boolean[]> {
  const rows = postponements.map(({ payment, dueAt, handedOverAt, acceptedAt, claimedUntil, isUnsent }) => [
    payment.accountId,
    payment.number,
    payment.attemptReference,
    dueAt,
    handedOverAt,
    acceptedAt,
    claimedUntil,
    isUnsent ? 1 : 0,
  ])
  return tx.changeEach(POSTPONE, rows)
}

/**
 * Keeps the network's own id of a request before its payer is asked to pay. False when this claim has ended: another process may send the payment,
 * and this one must not.
 */
export async function keepNetworkId(
  db: Database,
  { accountId, number, attemptReference }: Pick<OperatorPayment, 'accountId' | 'number' | 'attemptReference'>,
  { networkId, claimedUntil }: { networkId: string; claimedUntil: number },
): Promise<boolean> {
  const keep = async (tx: Queries): Promise<boolean> => {
    const changed = await tx.change(
      `update payments set network_id = $4 where account_id = $1 and number = $2 and status = 'pending' and due_at = $3
         and coalesce(attempt_reference, '') = coalesce(cast($5 as text), '')`,
      [accountId, number, claimedUntil, networkId, attemptReference],
    )
    return changed === 1
  }
  if (attemptReference === null) return keep(db)
  return db.transaction(async (tx) => (await keep(tx)) && (await setNetworkId(tx, attemptReference, networkId)))
}

export interface PendingMove {
  payment: OperatorPayment
  verdict: Verdict & { is: 'move' }
  handedOverAt: number
  validatedAt: number | null
}

const MOVE: SqlTexts = {
  sqlite: `update payments set status = $4, failure_reason = $5, operator_reference = $6, validated_at = $7, due_at = null,
      handed_over_at = coalesce(handed_over_at, $8)
    where ${IS_PENDING.sqlite}`,
  postgres: `update payments set status = given.status, failure_reason = given.failure_reason,
      operator_reference = given.operator_reference, validated_at = given.validated_at, due_at = null,
      handed_over_at = coalesce(payments.handed_over_at, given.handed_over_at)
    from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) with ordinality
      as given (account_id, number, attempt_reference, status, failure_reason, operator_reference, validated_at, handed_over_at, position)
    where ${IS_PENDING.postgres} returning given.position as position`,
}

/** Each payment once at most. For each move whether it was made: false when the payment is no longer pending, or has another attempt now. */
export function movePendingPayments(tx: Transaction, moves: readonly PendingMove[]): Promise<boolean[]> {
  const rows = moves.map(({ payment, verdict, handedOverAt, validatedAt }) => [
    payment.accountId,
    payment.number,
    payment.attemptReference,
    verdict.to,
    verdict.to === 'failed' ? verdict.failureReason : null,
    verdict.to === 'failed' ? null : verdict.operatorReference,
    validatedAt,
    handedOverAt,
  ])
  return tx.changeEach(MOVE, rows)
}

/**
 * failed → succeeded, by a person: the money came late. Also for an open link between two attempts. False when the payment is in another state: it
 * was paid in another way, or is being paid. A link that has closed keeps its amount: its failure was told and counted over that one.
 */
export async function acceptLatePayment(
  tx: Queries,
  { accountId, number, attemptReference, operator, connection, msisdnWritten, amountXof, networkId }: OperatorPayment,
  { operatorReference, at }: { operatorReference: string; at: number },
): Promise<boolean> {
  const isOpen = attemptReference === null ? '' : ` or (status = 'pending' and attempt_reference is null)`
  const changed = await tx.change(
    `update payments set status = 'succeeded', failure_reason = null, operator_reference = $3, validated_at = $4,
       accepted_late_at = $4, attempt_reference = $5, operator = $6, connection = $7, msisdn_written = $8, amount_xof = $9,
       network_id = $10, due_at = null
     where account_id = $1 and number = $2 and ((status = 'failed' and amount_xof = $9)${isOpen})`,
    [
      ...[accountId, number, operatorReference, at, attemptReference, operator, connection, msisdnWritten, amountXof],
      networkId,
    ],
  )
  return changed === 1
}

/** succeeded → refunded, as the operator reported. Undefined when the payment has not succeeded, or by another attempt than this. */
export async function moveSucceededPayment(
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
): Promise<{ validatedAt: number; operatorReference: string | null } | undefined> {
  const [moved] = await tx.rows<{ validatedAt: number; operatorReference: string | null }>(
    `update payments set status = 'refunded'
     where account_id = $1 and number = $2 and status = 'succeeded'
       and coalesce(attempt_reference, '') = coalesce(cast($3 as text), '')
     returning validated_at as "validatedAt", operator_reference as "operatorReference"`,
    [accountId, number, attemptReference],
  )
  return moved
}
