// The changes of payments by operators' reports, in batches, each guarded by the state it leaves.

import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { type OperatorPayment, requestReferenceOf } from '../../domain/payments/operator-payment.ts'
import { nextRecheckInMs, RECHECKED_FOR_MS, type Verdict } from '../../domain/payments/verdict.ts'
import {
  type ColumnTypes,
  type Database,
  manyRows,
  type Queries,
  type SqlTexts,
  type Transaction,
} from '../engine/database.ts'
import { setNetworkId } from '../links/payment-links.ts'
import {
  changesOne,
  deleteRows,
  firstReturned,
  firstReturnedValue,
  firstValue,
  insertNew,
  isAnyDue,
  updateRows,
} from '../rows.ts'
import { insertAnomaly } from './anomalies.ts'

/** A report about an ended attempt does not concern the current attempt. */
const IS_PENDING: SqlTexts = {
  sqlite: `account_id = :accountId and number = :number and status = 'pending'
      and coalesce(attempt_reference, '') = coalesce(:attemptReference, '')`,
  postgres: `payments.account_id = given.account_id and payments.number = given.number
      and payments.status = 'pending'
      and coalesce(payments.attempt_reference, '') = coalesce(given.attempt_reference, '')`,
}

export interface Postponement {
  payment: OperatorPayment
  handedOverAt: number | null
  acceptedAt: number | null
  dueAt: number
  /** The claim under which the operator was called; null without one. */
  claimedDueAt: number | null
  /** The operator certainly does not have it. */
  isUnsent: boolean
}

const POSTPONEMENT: ColumnTypes = {
  account_id: 'text',
  number: 'bigint',
  attempt_reference: 'text',
  due_at: 'bigint',
  handed_over_at: 'bigint',
  accepted_at: 'bigint',
  claimed_due_at: 'bigint',
  is_unsent: 'bigint',
}

/**
 * A report that comes after its claim has ended (`due_at` is no longer that of the claim) does not
 * decide about the next call: another process has claimed the payment since, and may have sent it
 * although this report says that it was never sent.
 */
const POSTPONE: SqlTexts = {
  sqlite: `update payments set polls = polls + 1,
      handed_over_at = coalesce(handed_over_at, :handedOverAt),
      accepted_at = coalesce(accepted_at, :acceptedAt),
      due_at = case when due_at = :claimedDueAt then :dueAt else due_at end,
      claims = case when due_at = :claimedDueAt and :isUnsent = 1 then 0 else claims end
    where ${IS_PENDING.sqlite}`,
  postgres: `update payments set polls = payments.polls + 1,
      handed_over_at = coalesce(payments.handed_over_at, given.handed_over_at),
      accepted_at = coalesce(payments.accepted_at, given.accepted_at),
      due_at = case when payments.due_at = given.claimed_due_at then given.due_at else
      payments.due_at end,
      claims = case when payments.due_at = given.claimed_due_at
      and given.is_unsent = 1 then 0 else payments.claims end
    from ${manyRows(POSTPONEMENT)}
    where ${IS_PENDING.postgres} returning given.position as position`,
}

/**
 * Each payment once at most. For each whether it is pending, by this attempt where it is a link's.
 */
export function postponePayments(
  tx: Transaction,
  postponements: readonly Postponement[],
): Promise<boolean[]> {
  const rows = postponements.map(({ payment, isUnsent, ...postponed }) => ({
    accountId: payment.accountId,
    number: payment.number,
    attemptReference: payment.attemptReference,
    dueAt: postponed.dueAt,
    handedOverAt: postponed.handedOverAt,
    acceptedAt: postponed.acceptedAt,
    claimedDueAt: postponed.claimedDueAt,
    isUnsent: isUnsent ? 1 : 0,
  }))
  return tx.changeEach(POSTPONE, rows)
}

interface KeptNetworkId {
  networkId: string
  claimedDueAt: number
  now: number
}

type KnownRequest = Pick<
  OperatorPayment,
  | 'accountId'
  | 'number'
  | 'environment'
  | 'connection'
  | 'operator'
  | 'reference'
  | 'attemptReference'
>

/**
 * Stores the network's id before the payer is prompted. False when this claim has ended, or when
 * another request has the id, which a person must look at: do not send.
 */
export function keepNetworkId(
  db: Database,
  payment: KnownRequest,
  { networkId, claimedDueAt, now }: KeptNetworkId,
): Promise<boolean> {
  const { accountId, number, attemptReference } = payment
  return db.transaction(async (tx) => {
    const owner = await takeNetworkId(tx, payment, networkId)
    if (owner !== requestReferenceOf(payment)) {
      await insertAnomaly(tx, payment, {
        kind: 'network_id_taken',
        detail: { networkId, owner },
        at: now,
      })
      return false
    }
    const isClaimed = await changesOne(
      tx,
      `update payments set network_id = :networkId
       where account_id = :accountId and number = :number and status = 'pending'
       and due_at = :claimedDueAt
         and coalesce(attempt_reference, '') = coalesce(cast(:attemptReference as text), '')`,
      { accountId, number, claimedDueAt, networkId, attemptReference },
    )
    return (
      isClaimed &&
      (attemptReference === null || (await setNetworkId(tx, attemptReference, networkId)))
    )
  })
}

/** The reference of the request that has the id: the first that took it. */
async function takeNetworkId(
  tx: Queries,
  payment: KnownRequest,
  networkId: string,
): Promise<string | undefined> {
  const { environment, connection } = payment
  return firstReturnedValue<string>(
    tx,
    `insert into network_ids (environment, connection, network_id, request_reference)
     values (:environment, :connection, :networkId, :requestReference)
     on conflict (environment, connection, network_id) do update
     set request_reference = network_ids.request_reference
     returning request_reference`,
    { environment, connection, networkId, requestReference: requestReferenceOf(payment) },
  )
}

export interface PendingMove {
  payment: OperatorPayment
  verdict: Verdict & { is: 'move' }
  handedOverAt: number
  validatedAt: number | null
}

const MOVED: ColumnTypes = {
  account_id: 'text',
  number: 'bigint',
  attempt_reference: 'text',
  status: 'text',
  failure_reason: 'text',
  operator_reference: 'text',
  validated_at: 'bigint',
  handed_over_at: 'bigint',
}

const MOVE: SqlTexts = {
  sqlite: `update payments set status = :status, failure_reason = :failureReason,
      operator_reference = :operatorReference, validated_at = :validatedAt, due_at = null,
      handed_over_at = coalesce(handed_over_at, :handedOverAt)
    where ${IS_PENDING.sqlite}`,
  postgres: `update payments set status = given.status, failure_reason = given.failure_reason,
      operator_reference = given.operator_reference, validated_at = given.validated_at,
        due_at = null,
      handed_over_at = coalesce(payments.handed_over_at, given.handed_over_at)
    from ${manyRows(MOVED)}
    where ${IS_PENDING.postgres} returning given.position as position`,
}

/**
 * Each payment at most once. False for a payment that is no longer pending, or has another attempt.
 */
export function movePendingPayments(
  tx: Transaction,
  moves: readonly PendingMove[],
): Promise<boolean[]> {
  const rows = moves.map(({ payment, verdict, handedOverAt, validatedAt }) => ({
    accountId: payment.accountId,
    number: payment.number,
    attemptReference: payment.attemptReference,
    status: verdict.to,
    failureReason: verdict.to === 'failed' ? verdict.failureReason : null,
    operatorReference: verdict.to === 'failed' ? null : verdict.operatorReference,
    validatedAt,
    handedOverAt,
  }))
  return tx.changeEach(MOVE, rows)
}

/**
 * failed → succeeded, by a person: the money came late. Also for an open link between two attempts.
 * False when the payment is in another state: it was paid in another way, or is being paid. A link
 * that has closed keeps its amount: its failure was reported and counted with that amount.
 */
export function acceptLatePayment(
  tx: Queries,
  {
    accountId,
    number,
    attemptReference,
    operator,
    connection,
    msisdnWritten,
    amountXof,
    networkId,
  }: OperatorPayment,
  { operatorReference, at }: { operatorReference: string; at: number },
): Promise<boolean> {
  const isOpen =
    attemptReference === null ? '' : ` or (status = 'pending' and attempt_reference is null)`
  return changesOne(
    tx,
    `update payments set status = 'succeeded', failure_reason = null,
       operator_reference = :operatorReference, validated_at = :at, accepted_late_at = :at,
       attempt_reference = :attemptReference, operator = :operator, connection = :connection,
       method = coalesce(
         (select t.method from payment_attempts t where t.reference = :attemptReference), method),
       msisdn_written = :msisdnWritten, amount_xof = :amountXof, network_id = :networkId,
       due_at = null
     where account_id = :accountId and number = :number
       and ((status = 'failed' and amount_xof = :amountXof)${isOpen})`,
    {
      accountId,
      number,
      operatorReference,
      at,
      attemptReference,
      operator,
      connection,
      msisdnWritten,
      amountXof,
      networkId,
    },
  )
}

/**
 * succeeded → refunded, by the operator. Undefined when the payment did not succeed by this
 * attempt.
 */
export const moveSucceededPayment = (
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
) =>
  firstReturned<{ validatedAt: number; operatorReference: string | null; refundedXof: number }>(
    tx,
    `update payments set status = 'refunded'
     where account_id = :accountId and number = :number and status = 'succeeded'
       and coalesce(attempt_reference, '') = coalesce(cast(:attemptReference as text), '')
     returning validated_at as "validatedAt", operator_reference as "operatorReference",
       refunded_xof as "refundedXof"`,
    { accountId, number, attemptReference },
  )

// Rechecks: ended requests that are polled again, because money may still move. They failed as
// never_received, which the operator did not report, or the operator called back about them and has
// not answered a status call.

/** In the commit of the failure, or before a callback is answered. Running rechecks start again. */
export const insertRecheck = (tx: Queries, payment: OperatorPayment, failedAt: number) =>
  tx.change(
    `insert into rechecks (request_reference, environment, operator, connection, failed_at, due_at)
     values (:requestReference, :environment, :operator, :connection, :failedAt, :dueAt)
     on conflict (request_reference) do update set failed_at = excluded.failed_at,
       due_at = case when rechecks.due_at < excluded.due_at then rechecks.due_at
         else excluded.due_at end`,
    {
      requestReference: requestReferenceOf(payment),
      environment: payment.environment,
      operator: payment.operator,
      connection: payment.connection,
      failedAt,
      dueAt: failedAt + nextRecheckInMs(0),
    },
  )

/**
 * Polls an ended request that a merchant's own statement contradicts: at once, and while it is
 * younger than the rechecks of a failure also with their longest intervals. One that is rechecked
 * already stays as it is.
 */
export const askAgain = (
  tx: Queries,
  { environment, connection }: ConnectionKey,
  { operator, reference }: { operator: string; reference: string },
  now: number,
) =>
  insertNew(tx, 'rechecks', {
    requestReference: reference,
    environment,
    operator,
    connection,
    failedAt: now - RECHECKED_FOR_MS,
    dueAt: now,
  })

/** Called once the operator has reported the outcome. */
export const removeRecheck = (tx: Queries, payment: OperatorPayment) =>
  deleteRows(tx, 'rechecks', { requestReference: requestReferenceOf(payment) })

/** Once the operator has answered a status call made after the three days. */
export const removeOldRecheck = (tx: Queries, payment: OperatorPayment, calledAt: number) =>
  tx.change('delete from rechecks where request_reference = :reference and failed_at <= :oldest', {
    reference: requestReferenceOf(payment),
    oldest: calledAt - RECHECKED_FOR_MS,
  })

interface DueRecheck extends ConnectionKey {
  requestReference: string
  /** When the failure was recorded, and later by the time in which a recheck was overdue. */
  failedAt: number
}

/**
 * Claims due rechecks by setting their next time, so that a lost answer costs only one check. Time
 * in which one was overdue does not count as watched: `failed_at` moves with it. After a clock that
 * was set a day ahead, the rechecks would otherwise end a day early.
 */
export async function claimDueRechecks(
  db: Database,
  now: number,
  leaseMs: number,
  most: number,
): Promise<DueRecheck[]> {
  if (!(await isAnyDue(db, 'rechecks', now))) return []
  return db.write<DueRecheck>(
    `with due as materialized (
       select request_reference as due_reference from rechecks
       where due_at <= :now order by due_at limit :most ${db.skipLocked}
     )
     update rechecks set due_at = :claimedDueAt, failed_at = failed_at + (:now - due_at) from due
     where request_reference = due_reference
     returning request_reference as "requestReference", environment,
       connection, failed_at as "failedAt"`,
    { now, claimedDueAt: now + leaseMs, most },
  )
}

/** Makes rechecks due now that a clock set ahead had put too far into the future. */
export const bringBackRechecks = (db: Queries, { now, latest }: { now: number; latest: number }) =>
  db.change(
    `update rechecks set due_at = :now,
       failed_at = case when failed_at > :now then :now else failed_at end
     where due_at > :latest`,
    { now, latest },
  )

/** Sets the next recheck, unless a callback has restarted the rechecks since the claim. */
export const scheduleRecheck = (
  db: Queries,
  { requestReference, failedAt }: DueRecheck,
  now: number,
) =>
  updateRows(
    db,
    'rechecks',
    { requestReference, failedAt },
    { dueAt: now + nextRecheckInMs(now - failedAt) },
  )

// The history of a payment: every exchange with its operator and every move, each a row that is
// added and never changed.

type StoryKind =
  | 'request'
  | 'status'
  | 'callback'
  | 'moved'
  | 'attempt'
  | 'attempt_failed'
  | 'refund_asked'
  | 'refund'

export type StoryEntry = { at: number; kind: StoryKind; detail: Record<string, unknown> }

export interface StoryLine extends StoryEntry {
  accountId: string
  number: number
  entry: number
}

/**
 * A clock can be set back. An entry's time is never before that of the entry before it, so a
 * history stays in the order of recording. That one is found by the key: the cost of an entry does
 * not grow with the history.
 */
const latestOf = (accountId: string, number: string): string =>
  `coalesce((select s.at from payment_story s
    where s.account_id = ${accountId} and s.number = ${number} order by s.entry desc limit 1), 0)`

const STORY_LINE: ColumnTypes = {
  account_id: 'text',
  number: 'bigint',
  entry: 'bigint',
  at: 'bigint',
  kind: 'text',
  detail: 'text',
}

// SQLite gets `values`: for a select from the same table it makes a temporary one, which doubled
// the cost.
const INSERT: SqlTexts = {
  sqlite: `insert into payment_story (account_id, number, entry, at, kind, detail)
    values (:accountId, :number, :entry, max(:at, ${latestOf(':accountId', ':number')}), :kind,
      :detail)`,
  postgres: `insert into payment_story (account_id, number, entry, at, kind, detail)
    select account_id, number, entry, greatest(at, ${latestOf('given.account_id', 'given.number')}),
      kind, detail
    from ${manyRows(STORY_LINE)}`,
}

export async function insertStory(tx: Transaction, lines: readonly StoryLine[]): Promise<void> {
  const rows = lines.map(({ accountId, number, entry, at, kind, detail }) => ({
    accountId,
    number,
    entry,
    at,
    kind,
    detail: JSON.stringify(detail),
  }))
  await tx.many(INSERT, rows)
}

const LATEST: SqlTexts = {
  sqlite: `select account_id as "accountId", number, kind, detail from payment_story
    where account_id = :accountId and number = :number order by entry desc limit 1`,
  postgres: `select s.account_id as "accountId", s.number, s.kind, s.detail
    from ${manyRows({ account_id: 'text', number: 'bigint' })}
    cross join lateral (select * from payment_story
      where account_id = given.account_id and number = given.number
      order by entry desc limit 1) as s`,
}

/**
 * Adds the answers of operators that differ from the latest row of their payment in more than the
 * duration of the call.
 */
export async function insertNewAnswers(
  tx: Transaction,
  lines: readonly StoryLine[],
): Promise<void> {
  type Row = Pick<StoryLine, 'accountId' | 'number' | 'kind'> & { detail: string }
  const keys = lines.map(({ accountId, number }) => ({ accountId, number }))
  const rows = await tx.many<Row>(LATEST, keys)
  const latest = new Set(rows.map((row) => answerText({ ...row, detail: JSON.parse(row.detail) })))
  await insertStory(
    tx,
    lines.filter((line) => !latest.has(answerText(line))),
  )
}

const answerText = ({ accountId, number, kind, detail }: Omit<StoryLine, 'at' | 'entry'>): string =>
  JSON.stringify([accountId, number, kind === 'callback' ? 'status' : kind, { ...detail, ms: 0 }])

export async function listStory(
  db: Queries,
  accountId: string,
  number: number,
): Promise<StoryEntry[]> {
  const rows = await db.read<{ at: number; kind: StoryKind; detail: string }>(
    `select at, kind, detail from payment_story
     where account_id = :accountId and number = :number order by at, entry`,
    { accountId, number },
  )
  return rows.map(({ at, kind, detail }) => ({ at, kind, detail: JSON.parse(detail) }))
}

/** When the operator last said that it has a refund; undefined when it never did. */
export async function findRefundAccepted(
  db: Queries,
  {
    accountId,
    number,
    refundReference,
  }: { accountId: string; number: number; refundReference: string },
): Promise<number | undefined> {
  const isAccepted = ({ kind, detail }: StoryEntry): boolean =>
    kind === 'refund' && detail.refund_reference === refundReference && detail.is === 'accepted'
  return (await listStory(db, accountId, number)).findLast(isAccepted)?.at
}

/** When a payment that is refunded became so; undefined when it is not. */
export const findReversal = (db: Queries, accountId: string, reference: string) =>
  firstValue<number>(
    db,
    `select s.at from payments p
     join payment_story s on s.account_id = p.account_id and s.number = p.number
     where p.account_id = :accountId and p.reference = :reference and p.status = 'refunded'
       and s.kind = 'moved'
     order by s.entry desc limit 1`,
    { accountId, reference },
  )
