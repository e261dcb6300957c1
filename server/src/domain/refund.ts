// A refund as the worker, the merchant and the staff see it.
import type { ConnectionKey, OperatorPayment } from './operator-report.ts'
import type { PaymentNames } from './payment.ts'
import type { FailureReason } from './payment-status.ts'

type OfPayment = 'operator' | 'msisdnWritten' | 'amountXof' | 'attemptReference' | 'networkId'

/** `requestedAt`, `polls` and `claims` are of the refund. */
export interface OperatorRefund
  extends ConnectionKey,
    PaymentNames,
    Pick<OperatorPayment, OfPayment | 'requestedAt' | 'polls' | 'claims'> {
  refundReference: string
  validatedAt: number
  /** When this claim expires; null for a refund that waits for a person. */
  claimedUntil: number | null
  /** The operator's own reference of the refunded debit. */
  operatorReference: string
  /** The operator's reference of the late debit that this refunds; null for the payment's own debit. */
  lateReference: string | null
}

/** A refund as the merchant sees it. */
export interface Refund {
  refundReference: string
  /** The payment's. */
  reference: string
  amountXof: number
  status: 'pending' | 'succeeded' | 'failed' | 'by_hand'
  failureReason: FailureReason | null
  createdAt: number
  updatedAt: number
}

/** A refund as its merchant reads it. */
export interface MerchantRefund extends Omit<Refund, 'status' | 'failureReason'> {
  status: Refund['status'] | 'waiting_for_approval'
  failureReason: Refund['failureReason'] | 'approval_rejected'
}

type Shown = 'accountId' | 'refundReference' | 'reference' | 'operator' | 'operatorReference' | 'amountXof'

export interface RefundByHand extends Pick<OperatorRefund, Shown | 'msisdnWritten'> {
  since: number
  why: string
}

export interface ShownRefund extends Pick<Refund, 'refundReference' | 'createdAt'> {
  status: 'pending' | 'succeeded' | 'failed'
  /** Since when a person must make it; null when the network does. */
  byHandSince: number | null
}
