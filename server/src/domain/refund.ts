// A refund as the worker, the merchant and the staff see it.
import type { ConnectionKey } from './operator-report.ts'
import type { PaymentNames } from './payment.ts'
import type { FailureReason } from './payment-status.ts'

export interface OperatorRefund extends ConnectionKey, PaymentNames {
  refundReference: string
  operator: string
  msisdnWritten: string | null
  amountXof: number
  validatedAt: number
  /** When it was requested. */
  requestedAt: number
  polls: number
  /** Claims with no recorded result, this one included. */
  claims: number
  /** When this claim expires; null for a refund that waits for a person. */
  claimedUntil: number | null
  /** The reference that the operator was sent for the payment, when it was paid through a link. */
  attemptReference: string | null
  /** The operator's own reference of the refunded debit. */
  operatorReference: string
  /** The network's own id of that debit, where it was kept. */
  networkId: string | null
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

export interface RefundByHand {
  accountId: string
  refundReference: string
  /** The payment's. */
  reference: string
  operator: string
  operatorReference: string
  amountXof: number
  msisdnWritten: string | null
  since: number
  why: string
}

export interface ShownRefund {
  refundReference: string
  status: 'pending' | 'succeeded' | 'failed'
  /** Since when a person must make it; null when the network does. */
  byHandSince: number | null
  createdAt: number
}
