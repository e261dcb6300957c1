// Full refunds: at most one per payment that has not failed. Claimed by due time, like payments.
import type { Scope } from '../../domain/caller.ts'
import type { ConnectionKey, OperatorPayment } from '../../domain/operator-report.ts'
import type { PaymentNames } from '../../domain/payment.ts'
import type { OperatorRefund, Refund, RefundByHand, ShownRefund } from '../../domain/refund.ts'
import type { Database, Queries } from '../engine/database.ts'
import { columnsOf, firstRow, inScope, insertNew, scopeValues, updateOne } from '../rows.ts'
import { PAYMENT_NAMES } from './payments.ts'

export interface NewRefund {
  accountId: string
  number: number
  refundReference: string
  requestedBy: string
  createdAt: number
  /** A late debit, by which the payment did not succeed. */
  late?: { requestReference: string; operatorReference: string }
}

/** False when this debit of the payment has a refund that has not failed. */
export function insertRefund(tx: Queries, { late, ...refund }: NewRefund): Promise<boolean> {
  const { requestReference = null, operatorReference = null } = late ?? {}
  const due = { status: 'pending', dueAt: refund.createdAt }
  return insertNew(tx, 'refunds', { ...refund, ...due, requestReference, operatorReference })
}

interface ClaimedRefund
  extends Pick<
    OperatorRefund,
    'accountId' | 'number' | 'refundReference' | 'requestedAt' | 'polls' | 'claims' | 'claimedUntil' | 'lateReference'
  > {
  lateOperatorReference: string | null
}

const CLAIMED = columnsOf<ClaimedRefund>()('accountId number refundReference claims', {
  requestedAt: 'created_at',
  polls: 'asked_times',
  claimedUntil: 'due_at',
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
  const claimed = await firstRow<ClaimedRefund>(
    db,
    `update refunds set due_at = $3, claims = claims + 1 where refund_reference = $1 and due_at <= $2
     returning ${CLAIMED}`,
    [refundReference, now, now + leaseMs],
  )
  return claimed && withPayment(db, claimed)
}

type RefundedPayment = Omit<OperatorRefund, Exclude<keyof ClaimedRefund, keyof PaymentNames>>

const REFUNDED_PAYMENT = columnsOf<RefundedPayment>('p')(
  `${PAYMENT_NAMES} environment msisdnWritten validatedAt attemptReference`,
  {
    // A late debit is that of an attempt, perhaps of another operator than the payment's, and over another amount.
    operator: 'coalesce(t.operator, p.operator)',
    connection: 'coalesce(t.connection, t.operator, p.connection, p.operator)',
    amountXof: 'coalesce(t.amount_xof, p.amount_xof)',
    operatorReference: "coalesce(p.operator_reference, '')",
    networkId: 'case when t.reference is null then p.network_id else t.network_id end',
  },
)

async function withPayment(db: Queries, refund: ClaimedRefund): Promise<OperatorRefund> {
  const payment = await firstRow<RefundedPayment>(
    db,
    `select ${REFUNDED_PAYMENT} from payments p
     left join payment_attempts t on t.account_id = p.account_id and t.number = p.number and t.reference = $3
     where p.account_id = $1 and p.number = $2`,
    [refund.accountId, refund.number, refund.lateReference ?? ''],
  )
  const { lateOperatorReference, ...claimed } = refund
  const found = payment as RefundedPayment
  return { ...found, ...claimed, operatorReference: lateOperatorReference ?? found.operatorReference }
}

/** False when the refund is no longer pending. */
export const endRefund = (
  tx: Queries,
  { accountId, refundReference }: OperatorRefund,
  { at, ...ended }: { status: 'succeeded' | 'failed'; failureReason: string | null; at: number },
  byPerson?: { endedBy: string; proof: string },
) => updatePending(tx, { accountId, refundReference }, { ...ended, ...byPerson, dueAt: null, endedAt: at })

const updatePending = (
  tx: Queries,
  { accountId, refundReference }: Pick<OperatorRefund, 'accountId' | 'refundReference'>,
  values: Parameters<typeof updateOne>[3],
  also?: string,
) => updateOne(tx, 'refunds', { accountId, refundReference, status: 'pending' }, values, also)

/** After its claim expired, an answer must not shorten another's claim: two would send the refund. */
export const postponeRefund = (
  tx: Queries,
  { accountId, refundReference, claimedUntil }: OperatorRefund,
  /** `isUnsent`: this claim sent nothing, so it does not count. Other claims still do. */
  { dueAt, isUnsent }: { dueAt: number; isUnsent: boolean },
) =>
  tx.change(
    `update refunds set due_at = case when due_at = $5 then $3 else due_at end, asked_times = asked_times + 1,
       claims = case when $4 = 1 and claims > 0 then claims - 1 else claims end
     where account_id = $1 and refund_reference = $2 and status = 'pending'`,
    [accountId, refundReference, dueAt, isUnsent ? 1 : 0, claimedUntil],
  )

/** A person makes the refund, and the worker no longer polls. False when it is no longer pending. */
export const leaveToPerson = (
  tx: Queries,
  refund: Pick<OperatorRefund, 'accountId' | 'refundReference'>,
  { since, why }: { since: number; why: string },
) => updatePending(tx, refund, { dueAt: null, byHandSince: since, byHandWhy: why }, 'by_hand_since is null')

const BY_HAND = columnsOf<RefundByHand>('r')('accountId refundReference p.reference', {
  operator: 'coalesce(t.operator, p.operator)',
  operatorReference: "coalesce(r.operator_reference, p.operator_reference, '')",
  amountXof: 'coalesce(t.amount_xof, p.amount_xof)',
  // The late payer, who may be another than that of the latest attempt.
  msisdnWritten: 'case when t.reference is null then p.msisdn_written else t.msisdn_written end',
  since: 'r.by_hand_since',
  why: 'r.by_hand_why',
})

/** Refunds that wait for a person, those waiting longest first. */
export const listRefundsByHand = (db: Queries, scope: Scope, most: number) =>
  db.rows<RefundByHand>(
    `select ${BY_HAND} from refunds r join payments p on p.account_id = r.account_id and p.number = r.number
     left join payment_attempts t on t.account_id = r.account_id and t.number = r.number and t.reference = r.request_reference
     where r.by_hand_since is not null and r.status = 'pending'${inScope(scope, 2, 'r.account_id')}
     order by r.by_hand_since, r.refund_reference limit $1`,
    [most, ...scopeValues(scope)],
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
     where refund_reference = $1 and status = 'pending' and by_hand_since is not null${inScope(scope, 2)}`,
    [refundReference, ...scopeValues(scope)],
  )
  return refund && withPayment(tx, refund)
}

const REFUND = columnsOf<Refund>('r')('refundReference p.reference p.amountXof failureReason createdAt', {
  status: "case when r.status = 'pending' and r.by_hand_since is not null then 'by_hand' else r.status end",
  updatedAt: 'coalesce(r.ended_at, r.by_hand_since, r.created_at)',
})

/** The payment's own refund, the latest when earlier ones failed; refunds of late money do not count. */
export const findRefund = (db: Queries, accountId: string, reference: string) =>
  firstRow<Refund>(
    db,
    `select ${REFUND} from payments p join refunds r on r.account_id = p.account_id and r.number = p.number
     where p.account_id = $1 and p.reference = $2 and r.request_reference is null
     order by case when r.status = 'failed' then 1 else 0 end, r.created_at desc limit 1`,
    [accountId, reference],
  )

/** succeeded → refunded, guarded by the state it leaves. */
export const moveToRefunded = (tx: Queries, { accountId, number }: OperatorRefund) =>
  updateOne(tx, 'payments', { accountId, number, status: 'succeeded' }, { status: 'refunded' })

/** The latest refund of a payment's own debit. */
export const findLatestRefund = (db: Queries, accountId: string, number: number) =>
  firstRow<ShownRefund>(
    db,
    `select ${columnsOf<ShownRefund>()('refundReference status byHandSince createdAt')} from refunds where account_id = $1 and number = $2 and request_reference is null
     order by created_at desc, refund_reference limit 1`,
    [accountId, number],
  )

// Due refunds, with their connection: that of the payment, or of the attempt whose late debit they give back.
export interface DueRefund extends ConnectionKey {
  refundReference: string
  dueAt: number
}

const DUE_REFUND = columnsOf<DueRefund>('r')('refundReference dueAt p.environment', {
  connection: 'coalesce(t.connection, t.operator, p.connection, p.operator)',
})

/** How many are read at once by a walk over all of them. */
const AT_ONCE = 500

/** Those due longest first, after the given one. */
const findDueRefunds = (db: Queries, now: number, last: DueRefund | undefined) =>
  db.rows<DueRefund>(
    `select ${DUE_REFUND} from refunds r
     join payments p on p.account_id = r.account_id and p.number = r.number
     left join payment_attempts t
       on t.account_id = r.account_id and t.number = r.number and t.reference = r.request_reference
     where r.due_at <= $1 and r.due_at >= $2 and (r.due_at > $2 or r.refund_reference > $3)
     order by r.due_at, r.refund_reference limit $4`,
    [now, last?.dueAt ?? 0, last?.refundReference ?? '', AT_ONCE],
  )

/** Makes refunds due now that are due later than any is ever postponed: the clock was ahead when that was written. */
export const bringBackRefunds = (db: Queries, { now, latest }: { now: number; latest: number }) =>
  db.change('update refunds set due_at = $1 where due_at > $2', [now, latest])

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
const IS_OWN_PENDING = `account_id = $1 and number = $2 and status = 'pending' and request_reference is null`

/**
 * Ends the refund of a succeeded payment as made by the network, when we surely did not send it or a person was to make
 * it. Before the move of the payment, because every transaction locks the refund first: two with different orders could
 * deadlock.
 */
export const endUnsentRefund = (tx: Queries, { accountId, number, attemptReference }: OperatorPayment, at: number) =>
  tx.change(
    `update refunds set status = 'succeeded', due_at = null, ended_at = $3
     where ${IS_OWN_PENDING} and (claims = 0 or by_hand_since is not null) and exists (
       select 1 from payments p where p.account_id = $1 and p.number = $2 and p.status = 'succeeded'
         and coalesce(p.attempt_reference, '') = coalesce(cast($4 as text), ''))`,
    [accountId, number, at, attemptReference],
  )

/** One that the operator may have been sent; undefined when there is none. */
export const findSentRefund = (tx: Queries, { accountId, number }: OperatorPayment) =>
  firstRow<{ refundReference: string }>(
    tx,
    `select refund_reference as "refundReference" from refunds where ${IS_OWN_PENDING}`,
    [accountId, number],
  )
