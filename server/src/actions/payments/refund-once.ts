// The refund of a payment, as its merchant asks for it and reads it back. Asking again gives the same refund: a merchant that lost the answer
// asks again, and the money goes back once. Only after a failed refund does asking begin another (D-87).
import type { MerchantCaller } from '../../domain/caller.ts'
import type { Payment } from '../../domain/payment.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { findLatestApproval } from '../../store/console/approvals.ts'
import type { Database } from '../../store/engine/database.ts'
import { findReversal } from '../../store/payments/payment-story.ts'
import { findRefund, type Refund } from '../../store/payments/refunds.ts'
import { readPayment } from './read-payment.ts'
import { type RefundDeps, refundPayment } from './refund-payment.ts'

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
  const asked = await refundPayment(deps, caller, { name: payment.reference })
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
  const asked = { ...own, refundReference: approval.refundReference ?? reference, createdAt: askedAt }
  if (state === 'waiting') return { ...asked, status: 'waiting_for_approval', updatedAt: askedAt }
  if (state === 'approved') return refund
  return { ...asked, status: 'failed', failureReason: 'approval_rejected', updatedAt: decidedAt ?? askedAt }
}

function missing(): never {
  throw new Error('a refund exists and is not there')
}
