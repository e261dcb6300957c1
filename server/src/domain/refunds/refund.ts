// A refund of a payment, whole or in part, as the worker, the merchant and the staff see it.

import type { ConnectionKey } from '../operators/connection-key.ts'
import { AMOUNT_DIGITS, MAXIMUM_XOF } from '../payments/money.ts'
import type { OperatorPayment } from '../payments/operator-payment.ts'
import { isNewReference, type PaymentNames } from '../payments/payment.ts'
import type { FailureReason, PaymentStatus } from '../payments/payment-status.ts'
import type { RefusedOf } from '../refused.ts'
import type { RefundRefusals } from './refund-refusals.ts'

/** Refunds of one payment that have not failed. */
export const MOST_REFUNDS = 500

/** What a caller asks for: without an amount, what is left of the payment. */
export interface RefundOrder {
  amountXof: number | undefined
  /** The caller's own name of the refund: a repeated request with it returns the first refund. */
  refundId: string | undefined
}

export const REFUND_FAULTS = ['refund_amount_not_valid', 'refund_id_not_valid'] as const

/** Null is not absent: a client that lost its amount must not refund the whole payment. */
export function readRefundOrder({
  amount,
  refundId,
}: Partial<Record<'amount' | 'refundId', unknown>>):
  | RefundOrder
  | RefusedOf<RefundRefusals, (typeof REFUND_FAULTS)[number]> {
  const amountXof =
    typeof amount === 'string' && AMOUNT_DIGITS.test(amount) ? Number(amount) : amount
  const isAmount =
    Number.isInteger(amountXof) &&
    (amountXof as number) >= 1 &&
    (amountXof as number) <= MAXIMUM_XOF
  if (amountXof !== undefined && !isAmount) return { refused: 'refund_amount_not_valid' }
  if (refundId !== undefined && !isNewReference(refundId)) return { refused: 'refund_id_not_valid' }
  return { amountXof: amountXof as number | undefined, refundId }
}

type OfPayment = 'operator' | 'msisdnWritten' | 'attemptReference' | 'networkId'

/** `requestedAt`, `polls` and `claims` are of the refund. */
export interface OperatorRefund
  extends ConnectionKey,
    PaymentNames,
    Pick<OperatorPayment, OfPayment | 'requestedAt' | 'polls' | 'claims'> {
  refundReference: string
  /** The merchant's own name of it. */
  refundId: string | null
  /** Of the refund, and of the debit that it gives back. */
  amountXof: number
  debitXof: number
  validatedAt: number
  /** When this claim expires; null for a refund that waits for a person. */
  claimedDueAt: number | null
  /** The operator's own reference of the refunded debit. */
  operatorReference: string
  /**
   * The operator's reference of the late debit that this refunds; null for the payment's own debit.
   */
  lateReference: string | null
}

export const REFUND_STATUSES = [
  'waiting_for_approval',
  'pending',
  'by_hand',
  'succeeded',
  'failed',
] as const

export type RefundStatus = (typeof REFUND_STATUSES)[number]

/** What a list of refunds may be narrowed to: one state, or all that have not ended. */
export const REFUND_FILTERS = ['open', ...REFUND_STATUSES] as const

export type RefundFilterState = (typeof REFUND_FILTERS)[number]

/** A refund as the merchant sees it. */
export interface Refund {
  refundReference: string
  refundId: string | null
  /** The payment's. */
  reference: string
  amountXof: number
  status: RefundStatus
  failureReason: FailureReason | 'approval_rejected' | null
  createdAt: number
  updatedAt: number
}

/** In a list of an account's refunds, with the names of its payment. */
export interface ListedRefund
  extends Refund,
    Pick<PaymentNames, 'accountId' | 'publicReference' | 'externalReference'> {}

/** What the refunds of a payment add up to. */
export interface RefundSums {
  refundedXof: number
  /** Neither given back nor asked for. */
  remainingXof: number
}

export interface RefundablePayment extends ConnectionKey {
  status: PaymentStatus
  amountXof: number
  /** What its refunds take that have not failed. */
  reservedXof: number
  /** What those that succeeded gave back. */
  refundedXof: number
}

/** What the network reversed by itself is given back whole. */
export const refundSumsOf = ({
  status,
  amountXof,
  reservedXof,
  refundedXof,
}: RefundablePayment): RefundSums =>
  status === 'refunded'
    ? { refundedXof: amountXof, remainingXof: 0 }
    : { refundedXof, remainingXof: status === 'succeeded' ? amountXof - reservedXof : 0 }

/** A refund with the others of its payment, the newest first. */
export interface RefundOfPayment extends Refund, RefundSums {
  refunds: readonly Refund[]
}

type Shown =
  | 'accountId'
  | 'refundReference'
  | 'reference'
  | 'operator'
  | 'operatorReference'
  | 'amountXof'

export interface RefundByHand extends Pick<OperatorRefund, Shown | 'msisdnWritten'> {
  since: number
  why: string
}
