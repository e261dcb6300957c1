// Refunds: in the merchant API, in a payment's history and the audit log, and in the commands that list refunds to make
// by hand.
import type { MerchantRefund, RefundByHand } from '../domain/refund.ts'
import type { Body } from './bodies.ts'
import { isoTime } from './json.ts'

/** D-87 */
export const refundBody = (refund: MerchantRefund): string =>
  JSON.stringify({
    reference: refund.refundReference,
    payment_reference: refund.reference,
    amount: refund.amountXof,
    status: refund.status,
    reason: refund.failureReason ?? undefined,
    created_at: isoTime(refund.createdAt),
    updated_at: isoTime(refund.updatedAt),
  } satisfies Body<'Refund'>)

export const refundDetail = <More extends object>(refundReference: string, more: More) => ({
  refund_reference: refundReference,
  ...more,
})

export const refundTaskFields = (task: RefundByHand): object => ({
  refund_reference: task.refundReference,
  account: task.accountId,
  reference: task.reference,
  operator: task.operator,
  operator_reference: task.operatorReference,
  amount: task.amountXof,
  msisdn: task.msisdnWritten ?? undefined,
  since: isoTime(task.since),
  why: task.why,
})

export const endedRefundFields = (refundReference: string, isMade: boolean): object => ({
  refund_reference: refundReference,
  status: isMade ? 'succeeded' : 'failed',
})
