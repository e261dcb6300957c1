// Refunds, whole or in part. Those of a payment's own debit never take more than its amount: each
// request reserves its part on the payment's row (D-154). Claimed by due time, like payments.

import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { PaymentNames } from '../../domain/payments/payment.ts'
import type { Scope } from '../../domain/people/caller.ts'
import type {
  ListedRefund,
  OperatorRefund,
  Refund,
  RefundablePayment,
  RefundByHand,
  RefundFilterState,
} from '../../domain/refunds/refund.ts'
import type { Database, Queries, Value } from '../engine/database.ts'
import {
  columnsOf,
  firstReturned,
  firstReturnedValue,
  firstRow,
  firstValue,
  inScope,
  insertNew,
  listOf,
  ofTable,
  padded,
  scopeValues,
  updateOne,
} from '../rows.ts'
import { PAYMENT_NAMES } from './payments.ts'

// What is left of a payment to refund. Every transaction that changes it holds the lock of the
// payment's row.

type PaymentKey = { accountId: string; number: number }

const REFUNDABLE = columnsOf<RefundablePayment>({
  status: 'status',
  environment: 'environment',
  amountXof: 'amount_xof',
  refundedXof: 'refunded_xof',
  connection: "coalesce(connection, '')",
  reservedXof: 'refund_reserved_xof',
})

/** Requests for refunds of one payment wait here for each other, until the commit. */
export const lockRefundable = async (
  tx: Queries,
  { accountId, number }: PaymentKey,
): Promise<RefundablePayment> =>
  (await firstReturned<RefundablePayment>(
    tx,
    `update payments set refund_reserved_xof = refund_reserved_xof
     where account_id = :accountId and number = :number
     returning ${REFUNDABLE}`,
    { accountId, number },
  )) as RefundablePayment

export const findRefundable = async (
  db: Queries,
  { accountId, number }: PaymentKey,
): Promise<RefundablePayment> =>
  (await firstRow<RefundablePayment>(
    db,
    `select ${REFUNDABLE} from payments where account_id = :accountId and number = :number`,
    { accountId, number },
  )) as RefundablePayment

/** The sum of the payment's refunds that have not failed. */
export const findRefundsSum = async (
  db: Queries,
  accountId: string,
  reference: string,
): Promise<number> =>
  (await firstValue<number>(
    db,
    `select refund_reserved_xof from payments
     where reference = :reference and account_id = :accountId`,
    { accountId, reference },
  )) ?? 0

/**
 * The sum that is reserved then; undefined when so much is not left, or the payment has not
 * succeeded.
 */
export const reserveRefund = (tx: Queries, { accountId, number }: PaymentKey, amountXof: number) =>
  firstReturnedValue<number>(
    tx,
    `update payments set refund_reserved_xof = refund_reserved_xof + :amountXof
     where account_id = :accountId and number = :number and status = 'succeeded'
       and refund_reserved_xof + :amountXof <= amount_xof
     returning refund_reserved_xof`,
    { accountId, number, amountXof },
  )

/**
 * Of a refund that failed: its amount can be refunded again, unless the network has reversed the
 * payment.
 */
export const releaseRefund = (
  tx: Queries,
  { accountId, number, amountXof }: PaymentKey & { amountXof: number },
) =>
  tx.change(
    `update payments set refund_reserved_xof = refund_reserved_xof - :amountXof
     where account_id = :accountId and number = :number and status = 'succeeded'`,
    { accountId, number, amountXof },
  )

/**
 * In one statement, so that of two last parts that succeed at once the second one moves the
 * payment.
 */
export const addRefunded = (
  tx: Queries,
  { accountId, number, amountXof }: PaymentKey & { amountXof: number },
) =>
  firstReturned<{ status: 'succeeded' | 'refunded'; refundedXof: number }>(
    tx,
    `update payments set refunded_xof = refunded_xof + :amountXof,
       status = case when refunded_xof + :amountXof = amount_xof then 'refunded' else status end
     where account_id = :accountId and number = :number and status = 'succeeded'
     returning status, refunded_xof as "refundedXof"`,
    { accountId, number, amountXof },
  )

export interface NewRefund extends PaymentKey {
  refundReference: string
  refundId?: string | null
  amountXof: number
  requestedBy: string
  createdAt: number
  /** For a second person's approval: it is not due before that. */
  isWaiting?: boolean
  /** A late debit, by which the payment did not succeed. */
  late?: { requestReference: string; operatorReference: string }
}

/** False when this late debit has a refund that has not failed. */
export function insertRefund(
  tx: Queries,
  { late, isWaiting = false, refundId = null, ...refund }: NewRefund,
) {
  const { requestReference = null, operatorReference = null } = late ?? {}
  const { createdAt } = refund
  const due = isWaiting
    ? { dueAt: null, approvalSince: createdAt }
    : { dueAt: createdAt, approvalSince: null }
  return insertNew(tx, 'refunds', {
    ...refund,
    refundId,
    status: 'pending',
    ...due,
    requestReference,
    operatorReference,
  })
}

interface ClaimedRefund
  extends Pick<
    OperatorRefund,
    | 'accountId'
    | 'number'
    | 'refundReference'
    | 'refundId'
    | 'amountXof'
    | 'requestedAt'
    | 'polls'
    | 'claims'
    | 'claimedDueAt'
    | 'lateReference'
  > {
  lateOperatorReference: string | null
}

const CLAIMED = columnsOf<ClaimedRefund>({
  accountId: 'account_id',
  number: 'number',
  refundReference: 'refund_reference',
  refundId: 'refund_id',
  amountXof: 'amount_xof',
  claims: 'claims',
  requestedAt: 'created_at',
  polls: 'polls',
  claimedDueAt: 'due_at',
  lateReference: 'request_reference',
  lateOperatorReference: 'operator_reference',
})

/** Undefined when it is no longer due: another process has claimed it, or it has ended. */
export async function claimDueRefund(
  db: Database,
  refundReference: string,
  now: number,
  leaseMs: number,
): Promise<OperatorRefund | undefined> {
  const claimed = await firstReturned<ClaimedRefund>(
    db,
    `update refunds set due_at = :dueAt, claims = claims + 1
     where refund_reference = :refundReference and due_at <= :now
     returning ${CLAIMED}`,
    { refundReference, now, dueAt: now + leaseMs },
  )
  return claimed && withPayment(db, claimed)
}

type RefundedPayment = Omit<OperatorRefund, Exclude<keyof ClaimedRefund, keyof PaymentNames>>

const REFUNDED_PAYMENT = columnsOf<RefundedPayment>({
  ...ofTable('p', PAYMENT_NAMES),
  environment: 'p.environment',
  msisdnWritten: 'p.msisdn_written',
  validatedAt: 'p.validated_at',
  attemptReference: 'p.attempt_reference',
  // A late debit is that of an attempt, perhaps of another operator than the payment's, and over
  // another amount.
  operator: 'coalesce(t.operator, p.operator)',
  connection: 'coalesce(t.connection, p.connection)',
  debitXof: 'coalesce(t.amount_xof, p.amount_xof)',
  operatorReference: "coalesce(p.operator_reference, '')",
  networkId: 'case when t.reference is null then p.network_id else t.network_id end',
})

async function withPayment(db: Queries, refund: ClaimedRefund): Promise<OperatorRefund> {
  const payment = await firstRow<RefundedPayment>(
    db,
    `select ${REFUNDED_PAYMENT} from payments p
     left join payment_attempts t on t.account_id = p.account_id and t.number = p.number
       and t.reference = :lateReference
     where p.account_id = :accountId and p.number = :number`,
    {
      accountId: refund.accountId,
      number: refund.number,
      lateReference: refund.lateReference ?? '',
    },
  )
  const { lateOperatorReference, ...claimed } = refund
  const found = payment as RefundedPayment
  return {
    ...found,
    ...claimed,
    operatorReference: lateOperatorReference ?? found.operatorReference,
  }
}

/** False when the refund is no longer pending. */
export const endRefund = (
  tx: Queries,
  { accountId, refundReference }: OperatorRefund,
  {
    at,
    ...ended
  }: { status: 'succeeded' | 'failed'; failureReason: Refund['failureReason']; at: number },
  byPerson?: { endedBy: string; proof: string },
) =>
  updatePending(
    tx,
    { accountId, refundReference },
    { ...ended, ...byPerson, dueAt: null, endedAt: at },
  )

const updatePending = (
  tx: Queries,
  { accountId, refundReference }: Pick<OperatorRefund, 'accountId' | 'refundReference'>,
  values: Parameters<typeof updateOne>[3],
  also?: string,
) => updateOne(tx, 'refunds', { accountId, refundReference, status: 'pending' }, values, also)

/**
 * After its claim expired, an answer must not shorten another's claim: two would send the refund.
 */
export const postponeRefund = (
  tx: Queries,
  { accountId, refundReference, claimedDueAt }: OperatorRefund,
  /** `isUnsent`: this claim sent nothing, so it does not count. Other claims still do. */
  { dueAt, isUnsent }: { dueAt: number; isUnsent: boolean },
) =>
  tx.change(
    `update refunds set due_at = case when due_at = :claimedDueAt then :dueAt else due_at end,
       polls = polls + 1,
       claims = case when :isUnsent = 1 and claims > 0 then claims - 1 else claims end
     where account_id = :accountId and refund_reference = :refundReference and status = 'pending'`,
    { accountId, refundReference, dueAt, isUnsent: isUnsent ? 1 : 0, claimedDueAt },
  )

/**
 * A person makes the refund, and the worker no longer polls. False when it is no longer pending.
 */
export const leaveToPerson = (
  tx: Queries,
  refund: Pick<OperatorRefund, 'accountId' | 'refundReference'>,
  { since, why }: { since: number; why: string },
) =>
  updatePending(
    tx,
    refund,
    { dueAt: null, byHandSince: since, byHandWhy: why },
    'by_hand_since is null',
  )

const BY_HAND = columnsOf<RefundByHand>({
  accountId: 'r.account_id',
  refundReference: 'r.refund_reference',
  amountXof: 'r.amount_xof',
  reference: 'p.reference',
  operator: 'coalesce(t.operator, p.operator)',
  operatorReference: "coalesce(r.operator_reference, p.operator_reference, '')",
  // The late payer, who may be another than that of the latest attempt.
  msisdnWritten: 'case when t.reference is null then p.msisdn_written else t.msisdn_written end',
  since: 'r.by_hand_since',
  why: 'r.by_hand_why',
})

const WAITS_FOR_HAND = `
  from refunds r join payments p on p.account_id = r.account_id and p.number = r.number
  left join payment_attempts t on t.account_id = r.account_id and t.number = r.number
    and t.reference = r.request_reference
  where r.by_hand_since is not null and r.status = 'pending'`

/** Those of these references that wait for a person. */
export const findRefundsByHand = async (
  db: Queries,
  references: readonly string[],
): Promise<RefundByHand[]> => {
  if (references.length === 0) return []
  const wanted = listOf('reference', padded(references))
  return db.read<RefundByHand>(
    `select ${BY_HAND} ${WAITS_FOR_HAND} and r.refund_reference in (${wanted.places})`,
    wanted.values,
  )
}

/** Refunds that wait for a person, those waiting longest first. */
export const listRefundsByHand = (db: Queries, scope: Scope, most: number) =>
  db.read<RefundByHand>(
    `select ${BY_HAND} ${WAITS_FOR_HAND}${inScope(scope, 'r.account_id')}
     order by r.by_hand_since, r.refund_reference limit :most`,
    { most, ...scopeValues(scope) },
  )

/** A refund that waits for a person; undefined when there is none of that name in the scope. */
export async function findRefundByHand(
  tx: Queries,
  scope: Scope,
  refundReference: string,
): Promise<OperatorRefund | undefined> {
  const refund = await firstRow<ClaimedRefund>(
    tx,
    `select ${CLAIMED} from refunds
     where refund_reference = :refundReference and status = 'pending'
       and by_hand_since is not null${inScope(scope)}`,
    { refundReference, ...scopeValues(scope) },
  )
  return refund && withPayment(tx, refund)
}

const REFUND = columnsOf<Refund>({
  refundReference: 'r.refund_reference',
  refundId: 'r.refund_id',
  reference: 'p.reference',
  amountXof: 'r.amount_xof',
  failureReason: 'r.failure_reason',
  createdAt: 'r.created_at',
  status: `case when r.status <> 'pending' then r.status when r.approval_since is not null then
    'waiting_for_approval'
      when r.by_hand_since is not null then 'by_hand' else r.status end`,
  updatedAt: 'coalesce(r.ended_at, r.by_hand_since, r.created_at)',
})

/** Refunds of the payment's own debit; those of late money do not count. */
const OWN_REFUNDS = `select ${REFUND} from payments p
  join refunds r on r.account_id = p.account_id and r.number = p.number
  where p.account_id = :accountId and p.number = :number and r.request_reference is null`

// Every refund of an account that it asked for, the newest first.

/** The status is literal, so that the index by state applies. */
const IN_STATE: Readonly<Record<RefundFilterState, string>> = {
  open: "r.status = 'pending'",
  waiting_for_approval: "r.status = 'pending' and r.approval_since is not null",
  by_hand: "r.status = 'pending' and r.approval_since is null and r.by_hand_since is not null",
  pending: "r.status = 'pending' and r.approval_since is null and r.by_hand_since is null",
  succeeded: "r.status = 'succeeded'",
  failed: "r.status = 'failed'",
}

const LISTED = columnsOf<Omit<ListedRefund, keyof Refund>>({
  accountId: 'p.account_id',
  publicReference: 'p.public_reference',
  externalReference: 'p.external_reference',
})

export interface RefundFilter {
  status?: RefundFilterState | undefined
  /** Requested at or after `from` and before `to`. */
  from?: number | undefined
  to?: number | undefined
  /** The payment's number. */
  number?: number | undefined
}

export function listAccountRefunds(
  db: Queries,
  accountId: string,
  { status, from, to, number }: RefundFilter,
  before: Pick<Refund, 'createdAt' | 'refundReference'>,
  most: number,
): Promise<ListedRefund[]> {
  const values: Record<string, Value> = {
    accountId,
    beforeTime: before.createdAt,
    beforeReference: before.refundReference,
    most,
  }
  const tests: [test: string, name: string, value: number | undefined][] = [
    ['r.created_at >=', 'from', from],
    ['r.created_at <', 'to', to],
    ['r.number =', 'number', number],
  ]
  const conditions = status === undefined ? [] : [IN_STATE[status]]
  for (const [test, name, value] of tests) {
    if (value === undefined) continue
    conditions.push(`${test} :${name}`)
    values[name] = value
  }
  return db.read<ListedRefund>(
    `select ${REFUND}, ${LISTED} from refunds r
     join payments p on p.account_id = r.account_id and p.number = r.number
     where r.account_id = :accountId and r.request_reference is null
       and (r.created_at, r.refund_reference) < (:beforeTime, :beforeReference)
       ${conditions.map((condition) => `and ${condition}`).join(' ')}
     order by r.created_at desc, r.refund_reference desc limit :most`,
    values,
  )
}

/** Those that have not failed first, then the newest first. */
export const listRefunds = (db: Queries, { accountId, number }: PaymentKey, most: number) =>
  db.read<Refund>(
    `${OWN_REFUNDS}
      order by case when r.status = 'failed' then 1 else 0 end, r.created_at desc,
      r.refund_reference
     limit :most`,
    { accountId, number, most },
  )

export const findRefundNamed = (tx: Queries, { accountId, number }: PaymentKey, refundId: string) =>
  firstRow<Refund>(tx, `${OWN_REFUNDS} and r.refund_id = :refundId`, {
    accountId,
    number,
    refundId,
  })

/** The oldest refund that waits for an approval. */
export const findWaitingRefund = (tx: Queries, { accountId, number }: PaymentKey) =>
  firstRow<Refund>(
    tx,
    `${OWN_REFUNDS} and r.status = 'pending' and r.approval_since is not null
     order by r.created_at limit 1`,
    { accountId, number },
  )

/** Those that have not failed. */
export const countRefunds = async (
  tx: Queries,
  { accountId, number }: PaymentKey,
): Promise<number> =>
  (await firstValue<number>(
    tx,
    `select count(*) as count from refunds
     where account_id = :accountId and number = :number and request_reference is null
       and status <> 'failed'`,
    { accountId, number },
  )) ?? 0

/**
 * A second person approved it: the worker sends it. False when it does not wait, as after a
 * reversal.
 */
export const approveRefund = (
  tx: Queries,
  accountId: string,
  refundReference: string,
  at: number,
) =>
  updatePending(
    tx,
    { accountId, refundReference },
    { dueAt: at, approvalSince: null },
    'approval_since is not null',
  )

/** One that waits for an approval. */
export async function findRefundToApprove(tx: Queries, accountId: string, refundReference: string) {
  const refund = await firstRow<ClaimedRefund>(
    tx,
    `select ${CLAIMED} from refunds
     where account_id = :accountId and refund_reference = :refundReference and status = 'pending'
       and approval_since is not null`,
    { accountId, refundReference },
  )
  return refund && withPayment(tx, refund)
}

// Due refunds, with their connection: that of the payment, or of the attempt whose late debit they
// give back.
export interface DueRefund extends ConnectionKey {
  refundReference: string
  dueAt: number
}

const DUE_REFUND = columnsOf<DueRefund>({
  refundReference: 'r.refund_reference',
  dueAt: 'r.due_at',
  environment: 'p.environment',
  connection: 'coalesce(t.connection, p.connection)',
})

/** How many are read at once when all are read. */
const AT_ONCE = 500

/** Those due longest first, after the given one. */
const findDueRefunds = (db: Queries, now: number, last: DueRefund | undefined) =>
  db.read<DueRefund>(
    `select ${DUE_REFUND} from refunds r
     join payments p on p.account_id = r.account_id and p.number = r.number
     left join payment_attempts t
       on t.account_id = r.account_id and t.number = r.number and t.reference = r.request_reference
     where r.due_at <= :now and r.due_at >= :dueAt
       and (r.due_at > :dueAt or r.refund_reference > :refundReference)
     order by r.due_at, r.refund_reference limit :most`,
    { now, dueAt: last?.dueAt ?? 0, refundReference: last?.refundReference ?? '', most: AT_ONCE },
  )

/**
 * Makes refunds due now that are due later than any is ever postponed: the clock was ahead when
 * that was written.
 */
export const bringBackRefunds = (db: Queries, { now, latest }: { now: number; latest: number }) =>
  db.change('update refunds set due_at = :now where due_at > :latest', { now, latest })

/** All that are due, those due longest first. */
export async function* allDueRefunds(db: Queries, now: number): AsyncGenerator<DueRefund> {
  let last: DueRefund | undefined
  do {
    const some = await findDueRefunds(db, now, last)
    yield* some
    last = some.length === AT_ONCE ? some.at(-1) : undefined
  } while (last !== undefined)
}

// Our refund of a payment that the network reverses on its own: both together would refund twice.
/** The payment's own refund. A refund of late money concerns another debit. */
const IS_OWN_PENDING = `account_id = :accountId and number = :number and status = 'pending'
  and request_reference is null`

/**
 * As made by the network: those that we surely did not send, or that a person was to make. Call it
 * before the payment’s move: every transaction locks the refund first, and another order could
 * deadlock.
 */
export const endUnsentRefund = (
  tx: Queries,
  { accountId, number, attemptReference }: OperatorPayment,
  at: number,
) =>
  tx.change(
    `update refunds set status = 'succeeded', due_at = null, ended_at = :at
     where ${IS_OWN_PENDING} and (claims = 0 or by_hand_since is not null) and exists (
       select 1 from payments p
       where p.account_id = :accountId and p.number = :number and p.status = 'succeeded'
         and coalesce(p.attempt_reference, '') = coalesce(cast(:attemptReference as text), ''))`,
    { accountId, number, at, attemptReference },
  )

/** One that the operator may have been sent; undefined when there is none. */
export const findSentRefund = (tx: Queries, { accountId, number }: OperatorPayment) =>
  firstRow<{ refundReference: string }>(
    tx,
    `select refund_reference as "refundReference" from refunds where ${IS_OWN_PENDING}`,
    { accountId, number },
  )
