// Refunds: in the merchant API, in a payment's history and the audit log, and in the commands that list refunds to make
// by hand.
import type { Body } from './bodies.ts'
import { isoTime } from './json.ts'

interface Refund {
  refundReference: string
  /** The payment's. */
  reference: string
  amountXof: number
  status: Body<'Refund'>['status']
  failureReason: Body<'Refund'>['reason'] | null
  createdAt: number
  updatedAt: number
}

/** D-87 */
export const refundBody = (refund: Refund): string =>
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

interface RefundTask {
  accountId: string
  refundReference: string
  reference: string
  operator: string
  operatorReference: string
  amountXof: number
  msisdnWritten: string | null
  since: number
  why: string
}

export const refundTaskFields = (task: RefundTask): object => ({
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
