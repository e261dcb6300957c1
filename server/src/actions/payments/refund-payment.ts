// Requests the full refund of a succeeded payment. The request is recorded with its caller; the worker sends it to the operator, and
// the payment is refunded only when the operator confirms it. Never twice (D-14). Above a limit a second person must approve it first: people and
// keys have no other way to a refund (D-134).
import { type AccountCaller, actorOf, type MerchantCaller, type ServicePerson } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { OperatorPayment } from '../../domain/operator-report.ts'
import type { Payment } from '../../domain/payment.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { makeReference, REFERENCE_BYTES } from '../../domain/reference.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import { findLatestApproval, keepRefundReference } from '../../store/console/approvals.ts'
import type { Database, Transaction } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findReversal, insertStory } from '../../store/payments/payment-story.ts'
import { findStatus } from '../../store/payments/pending-payments.ts'
import { findLatestRefund, findRefund, insertRefund, type Refund } from '../../store/payments/refunds.ts'
import { findAccountOfMerchant } from '../../store/people/members.ts'
import { refundDetail } from '../../wire/refund.ts'
import { askForApproval } from '../console/ask-for-approval.ts'
import { type FindPaymentDeps, findNamedPayment, readPayment } from './read-payment.ts'

export interface RefundDeps extends FindPaymentDeps {
  clock: Clock
  random: Random
  nextStoryEntry(): Promise<number>
  /** Above so many francs a refund needs a second person; 0 for never. */
  refundApprovalAbove: number
}

export interface RequestedRefund {
  refundReference: string
  /** The payment's reference. */
  reference: string
  /** Until a second person approves it. */
  isWaiting: boolean
}

export async function refundPayment(
  deps: RefundDeps,
  caller: AccountCaller,
  /** Any reference of the payment. */
  { name }: { name: string },
): Promise<RequestedRefund | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  return isRefused(payment) ? payment : requestRefund(deps, caller, payment)
}

/** What a refund must know of its payment. */
type Refundable = Pick<OperatorPayment, 'accountId' | 'number' | 'reference' | 'environment' | 'amountXof'>

async function requestRefund(
  deps: RefundDeps,
  caller: AccountCaller,
  payment: Refundable,
): Promise<RequestedRefund | Refused> {
  const prepared = await prepareRefund(deps)
  return deps.db.transaction((tx) =>
    mustAsk(caller) && needsApproval(deps, payment)
      ? askForRefundIn(deps, tx, caller, payment, prepared)
      : requestRefundIn(deps, tx, caller, payment, prepared),
  )
}

/** The shell's user may do everything. */
const mustAsk = (caller: AccountCaller): caller is MerchantCaller | ServicePerson =>
  caller.is !== 'shell' && caller.is !== 'service'

const needsApproval = (
  { refundApprovalAbove }: Pick<RefundDeps, 'refundApprovalAbove'>,
  { environment, amountXof }: Refundable,
): boolean => environment === 'live' && refundApprovalAbove > 0 && amountXof > refundApprovalAbove

async function askForRefundIn(
  deps: RefundDeps,
  tx: Transaction,
  caller: MerchantCaller | ServicePerson,
  payment: Refundable,
  { refundReference }: PreparedRefund,
): Promise<RequestedRefund | Refused> {
  const { accountId, number, reference, amountXof } = payment
  // An approval locks it too: its refund is either seen here, or comes after this request was added to it.
  await lockAccount(tx, accountId)
  const fault = await refundFault(tx, payment)
  if (fault !== undefined) return fault
  const refund = await findLatestRefund(tx, accountId, number)
  if (refund !== undefined && refund.status !== 'failed') return { refused: 'refund_exists' }
  const { merchantId = '' } = (await findAccountOfMerchant(tx, accountId)) ?? {}
  const about = { kind: 'approve_refund', merchantId, accountId, subject: reference } as const
  await askForApproval(deps, tx, caller, { ...about, amountXof, reason: '', refundReference })
  return {
    refundReference: await keepRefundReference(tx, reference, refundReference),
    reference,
    isWaiting: true,
  }
}

export interface PreparedRefund {
  refundReference: string
  storyEntry: number
}

/** What must be known before the transaction. */
export const prepareRefund = async ({ random, nextStoryEntry }: RefundDeps): Promise<PreparedRefund> => ({
  refundReference: makeReference(random.bytes(REFERENCE_BYTES)),
  storyEntry: await nextStoryEntry(),
})

/** As part of a larger transaction. Whoever calls this has an approval, or needs none. */
export async function requestRefundIn(
  { clock }: Pick<RefundDeps, 'clock'>,
  tx: Transaction,
  caller: AccountCaller,
  payment: Refundable,
  { refundReference, storyEntry }: PreparedRefund,
): Promise<RequestedRefund | Refused> {
  const { accountId, number, reference } = payment
  const now = clock.now()
  const fault = await refundFault(tx, payment)
  if (fault !== undefined) return fault
  const requestedBy = actorOf(caller)
  const refund = { accountId, number, refundReference, requestedBy, createdAt: now }
  if (!(await insertRefund(tx, refund))) return { refused: 'refund_exists' }
  const detail = refundDetail(refundReference, { by: requestedBy })
  await insertStory(tx, [{ accountId, number, entry: storyEntry, at: now, kind: 'refund_asked', detail }])
  await insertAudit(tx, caller, { at: now, action: 'payment.refund', subject: reference, accountId, detail })
  return { refundReference, reference, isWaiting: false }
}

async function refundFault(tx: Transaction, { accountId, number }: Refundable): Promise<Refused | undefined> {
  const status = (await findStatus(tx, accountId, number)) as PaymentStatus
  if (status === 'refunded') return { refused: 'refund_exists' }
  return status === 'succeeded' ? undefined : { refused: 'payment_not_refundable', status }
}

// The API's refund. Asking again returns the same refund, so a merchant that lost the answer can ask again and the money goes back once. Only after
// a failed refund does asking begin another (D-87).

/** A refund as its merchant reads it. */
export interface MerchantRefund extends Omit<Refund, 'status' | 'failureReason'> {
  status: Refund['status'] | 'waiting_for_approval'
  failureReason: Refund['failureReason'] | 'approval_rejected'
}

/** Any reference by which the merchant reads the payment; undefined when it could not be decoded. */
interface RefundInput {
  name: string | undefined
}

export async function refundOnce(
  deps: RefundDeps,
  caller: MerchantCaller,
  { name }: RefundInput,
): Promise<MerchantRefund | RefusedAs<'payment_not_found' | 'payment_not_refundable'>> {
  const payment = await readPayment(deps, caller, { name })
  if (isRefused(payment)) return payment
  const { environment } = caller
  const asked = await requestRefund(deps, caller, { ...payment, environment })
  if (isRefused(asked) && asked.refused === 'payment_not_refundable') return asked
  if (isRefused(asked) && asked.refused !== 'refund_exists') throw new Error(`a refund was refused: ${asked.refused}`)
  return (await findRefundOf(deps.db, payment)) ?? missing()
}

export async function readRefund(
  { db }: { db: Database },
  caller: MerchantCaller,
  { name }: RefundInput,
): Promise<MerchantRefund | RefusedAs<'payment_not_found' | 'refund_not_found'>> {
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment)) return payment
  return (await findRefundOf(db, payment)) ?? { refused: 'refund_not_found' }
}

/**
 * The operator may have given the money back of its own accord: then the payment is refunded, and its reference is all there is. What waits for
 * approval has no row yet, and what was rejected never gets one.
 */
async function findRefundOf(
  db: Database,
  { accountId, reference, amountXof }: Payment,
): Promise<MerchantRefund | undefined> {
  const refund = await findRefund(db, accountId, reference)
  if (refund !== undefined && refund.status !== 'failed') return refund
  const at = await findReversal(db, accountId, reference)
  const own = { reference, amountXof, failureReason: null }
  if (at !== undefined) {
    return { ...own, refundReference: reference, status: 'succeeded', createdAt: at, updatedAt: at }
  }
  const approval = await findLatestApproval(db, accountId, 'approve_refund', reference)
  if (approval === undefined || approval.askedAt < (refund?.createdAt ?? 0)) return refund
  const { state, askedAt, decidedAt } = approval
  const asked = { ...own, refundReference: approval.refundReference as string, createdAt: askedAt }
  if (state === 'waiting') return { ...asked, status: 'waiting_for_approval', updatedAt: askedAt }
  if (state === 'approved') return refund
  return { ...asked, status: 'failed', failureReason: 'approval_rejected', updatedAt: decidedAt ?? askedAt }
}

function missing(): never {
  throw new Error('a refund exists and is not there')
}
