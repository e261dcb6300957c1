// Requests a refund of a succeeded payment, whole or in part. The request reserves its amount on
// the payment and is recorded with its caller; the worker sends it to the operator. The payment is
// refunded when its refunds reach its amount, and they never exceed it (D-14, D-154). People and
// keys need a second person's approval above a limit (D-134).

import type { Environment } from '../../domain/environment.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/payments/reference.ts'
import { type AccountCaller, actorOf, type MerchantCaller } from '../../domain/people/caller.ts'
import {
  MOST_REFUNDS,
  type REFUND_FAULTS,
  type Refund,
  type RefundablePayment,
  type RefundOfPayment,
  type RefundOrder,
  type RefundSums,
  readRefundOrder,
  refundSumsOf,
} from '../../domain/refunds/refund.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Transaction } from '../../store/engine/database.ts'
import { findReversal, insertStory } from '../../store/payments/payment-moves.ts'
import {
  countRefunds,
  findRefundable,
  findRefundNamed,
  findWaitingRefund,
  insertRefund,
  listRefunds,
  lockRefundable,
  reserveRefund,
} from '../../store/payments/refunds.ts'
import { findAccountOfMerchant } from '../../store/people/members.ts'
import { refundDetail } from '../../wire/payment.ts'
import { type Asker, requestApproval } from '../approvals/request-approval.ts'
import type { Deps } from '../deps.ts'
import {
  type FindPaymentDeps,
  findNamedPayment,
  listShownRefunds,
  readPayment,
  type ShownRefund,
} from './read-payment.ts'

export interface RefundDeps
  extends FindPaymentDeps,
    Pick<Deps, 'clock' | 'random' | 'nextStoryEntry'> {
  /** Above so many francs the refunds of a payment need a second person; 0 for never. */
  refundApprovalAbove: number
  /** False where the network gives back whole payments only. */
  refundsInPart(connection: ConnectionKey): boolean
}

/** Unchecked: `amount` in francs, and the caller's own name of the refund. */
type UncheckedRefund = Partial<Record<'amount' | 'refundId', unknown>>

export async function refundPayment(
  deps: RefundDeps,
  caller: AccountCaller,
  { name, ...unchecked }: { name: string } & UncheckedRefund,
): Promise<ShownRefund | Refused> {
  const asked = readRefundOrder(unchecked)
  if (isRefused(asked)) return asked
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const requested = await requestRefund(deps, caller, payment, asked)
  if (isRefused(requested)) return requested
  const isAsked = ({ refundReference }: ShownRefund): boolean =>
    refundReference === requested.refundReference
  return (
    (await listShownRefunds(deps.db, payment)).find(isAsked) ?? { ...requested, approval: null }
  )
}

type Refundable = Pick<OperatorPayment, 'accountId' | 'number' | 'reference'>

/** A refusal records nothing: all of it is checked under the lock of the payment. */
async function requestRefund(
  deps: RefundDeps,
  caller: AccountCaller,
  payment: Refundable,
  asked: RefundOrder,
) {
  const prepared = {
    refundReference: makeReference(deps.random.bytes(REFERENCE_BYTES)),
    storyEntry: await deps.nextStoryEntry(),
  }
  return deps.db.transaction(async (tx): Promise<Refund | RefusedAs<RefundRefusal>> => {
    const found = await lockRefundable(tx, payment)
    const before = await findRepeated(tx, payment, found, asked)
    if (before !== undefined) return before
    const amountXof = asked.amountXof ?? found.amountXof - found.reservedXof
    const fault = await refundFault(deps, tx, payment, found, amountXof)
    const { environment } = found
    return (
      fault ??
      recordRefund(
        deps,
        tx,
        caller,
        { ...payment, environment },
        { ...asked, ...prepared, amountXof },
      )
    )
  })
}

/** In the order in which they are checked. */
export const REFUND_REFUSALS = [
  'refund_id_taken',
  'payment_not_refundable',
  'refund_amount_too_large',
  'refund_in_part_not_possible',
  'too_many_refunds',
] as const

type RefundRefusal = (typeof REFUND_REFUSALS)[number] | 'refund_exists'

/** The refund that the request names, or a refusal to name it; undefined for a new one. */
async function findRepeated(
  tx: Transaction,
  payment: Refundable,
  found: RefundablePayment,
  { amountXof, refundId }: RefundOrder,
): Promise<Refund | RefusedAs<RefundRefusal> | undefined> {
  const named = refundId === undefined ? undefined : await findRefundNamed(tx, payment, refundId)
  if (named !== undefined) {
    const isSame = amountXof === undefined || amountXof === named.amountXof
    return isSame ? named : { refused: 'refund_id_taken' }
  }
  const { status } = found
  if (status !== 'succeeded' && status !== 'refunded')
    return { refused: 'payment_not_refundable', status }
  if (amountXof !== undefined || refundSumsOf(found).remainingXof > 0) return undefined
  // Several requests for what is left wait for one approval.
  return (await findWaitingRefund(tx, payment)) ?? { refused: 'refund_exists' }
}

async function refundFault(
  { refundsInPart }: Pick<RefundDeps, 'refundsInPart'>,
  tx: Transaction,
  payment: Refundable,
  found: RefundablePayment,
  amountXof: number,
): Promise<RefusedAs<RefundRefusal> | undefined> {
  if (amountXof > refundSumsOf(found).remainingXof) return { refused: 'refund_amount_too_large' }
  if (amountXof < found.amountXof && !refundsInPart(found))
    return { refused: 'refund_in_part_not_possible' }
  const isFull = (await countRefunds(tx, payment)) >= MOST_REFUNDS
  return isFull ? { refused: 'too_many_refunds' } : undefined
}

type NewRefund = RefundOrder & { amountXof: number; refundReference: string; storyEntry: number }

async function recordRefund(
  deps: RefundDeps,
  tx: Transaction,
  caller: AccountCaller,
  payment: Refundable & Pick<ConnectionKey, 'environment'>,
  { amountXof, refundReference, storyEntry, ...asked }: NewRefund,
): Promise<Refund> {
  const refundId = asked.refundId ?? null
  const { accountId, number, reference, environment } = payment
  const at = deps.clock.now()
  const reservedXof = await reserveRefund(tx, payment, amountXof)
  if (reservedXof === undefined) throw new Error('a refund that was checked could not be reserved')
  const isWaiting = needsApproval(deps, caller, environment, reservedXof)
  const refund = {
    accountId,
    number,
    refundReference,
    refundId,
    amountXof,
    requestedBy: actorOf(caller),
  }
  if (!(await insertRefund(tx, { ...refund, createdAt: at, isWaiting })))
    throw new Error('a refund that was checked could not be recorded')
  if (isWaiting) {
    const { merchantId = '' } = (await findAccountOfMerchant(tx, accountId)) ?? {}
    const about = { kind: 'approve_refund', merchantId, accountId, subject: reference } as const
    await requestApproval(deps, tx, caller, { ...about, amountXof, reason: '', refundReference })
  } else await recordAsked(tx, { ...refund, reference }, caller, { at, storyEntry })
  const status = isWaiting ? 'waiting_for_approval' : 'pending'
  return {
    refundReference,
    refundId,
    reference,
    amountXof,
    status,
    failureReason: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** In the payment's history and the audit log: from now on the refund may be sent. */
export async function recordAsked(
  tx: Transaction,
  refund: Refundable & Pick<Refund, 'refundReference' | 'amountXof'>,
  caller: AccountCaller,
  { at, storyEntry }: { at: number; storyEntry: number },
): Promise<void> {
  const { accountId, number, reference, refundReference, amountXof } = refund
  const detail = refundDetail(refundReference, { by: actorOf(caller), amount: amountXof })
  await insertStory(tx, [
    { accountId, number, entry: storyEntry, at, kind: 'refund_asked', detail },
  ])
  await insertAudit(tx, caller, {
    at,
    action: 'payment.refund',
    subject: reference,
    accountId,
    detail,
  })
}

/**
 * By the sum of the payment's refunds: a large refund cannot be split. A user of the CLI may do
 * everything.
 */
const needsApproval = (
  { refundApprovalAbove }: Pick<RefundDeps, 'refundApprovalAbove'>,
  caller: AccountCaller,
  environment: Environment,
  reservedXof: number,
): caller is Asker =>
  caller.is !== 'shell' &&
  caller.is !== 'service' &&
  environment === 'live' &&
  refundApprovalAbove > 0 &&
  reservedXof > refundApprovalAbove

// The API's refund. A repeated request for what is left returns the same refund, and so does one
// with the same refund_id: a merchant that lost the answer can repeat it, and the money goes back
// once (D-87, D-154).

/**
 * Any reference by which the merchant reads the payment; undefined when it could not be decoded.
 */
type RefundInput = { name: string | undefined }

export async function refundOnce(
  deps: RefundDeps,
  caller: MerchantCaller,
  { name, ...unchecked }: RefundInput & UncheckedRefund,
): Promise<
  | RefundOfPayment
  | RefusedAs<
      'payment_not_found' | (typeof REFUND_FAULTS)[number] | Exclude<RefundRefusal, 'refund_exists'>
    >
> {
  const asked = readRefundOrder(unchecked)
  if (isRefused(asked)) return asked
  const payment = await readPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const requested = await requestRefund(deps, caller, payment, asked)
  const isDone = isRefused(requested) && requested.refused === 'refund_exists'
  if (isRefused(requested) && !isDone)
    return requested as RefusedAs<Exclude<RefundRefusal, 'refund_exists'>>
  const refunds = await listRefundsOf(deps.db, payment)
  const isAsked = ({ refundReference }: Refund): boolean =>
    !isRefused(requested) && refundReference === requested.refundReference
  const refund = isDone
    ? refunds.refunds[0]
    : (refunds.refunds.find(isAsked) ?? (requested as Refund))
  if (refund === undefined) throw new Error('a recorded refund was not found')
  return { ...refund, ...refunds }
}

export async function readRefund(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  { name }: RefundInput,
): Promise<RefundOfPayment | RefusedAs<'payment_not_found' | 'refund_not_found'>> {
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment)) return payment
  const refunds = await listRefundsOf(db, payment)
  const [latest] = refunds.refunds
  return latest === undefined ? { refused: 'refund_not_found' } : { ...latest, ...refunds }
}

/**
 * Those that have not failed first. What the operator reversed by itself has the payment's own
 * reference.
 */
async function listRefundsOf(
  db: Database,
  payment: Payment,
): Promise<RefundSums & { refunds: Refund[] }> {
  const { accountId, reference } = payment
  const own = await listRefunds(db, payment, MOST_REFUNDS)
  const found = await findRefundable(db, payment)
  const { status, amountXof } = found
  const back = own.reduce(
    (sum, each) => sum + (each.status === 'succeeded' ? each.amountXof : 0),
    0,
  )
  const isReversed = status === 'refunded' && back < amountXof
  const at = isReversed ? await findReversal(db, accountId, reference) : undefined
  const reversal = at !== undefined && {
    refundReference: reference,
    refundId: null,
    reference,
    amountXof: amountXof - back,
    failureReason: null,
    status: 'succeeded' as const,
    createdAt: at,
    updatedAt: at,
  }
  return { ...refundSumsOf(found), refunds: reversal ? [reversal, ...own] : own }
}
