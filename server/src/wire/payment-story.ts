// A payment with its story, as commands print it in JSON.
import type { PaymentStatus } from '../domain/payment-status.ts'
import { isoTime } from './json.ts'

interface ShownPayment {
  payment: {
    reference: string
    accountId: string
    externalReference: string
    amountXof: number
    operator: string
    createdAt: number
  }
  status: PaymentStatus
  story: readonly { at: number; kind: string; detail: object }[]
}

/** `at` is the point in time to show; undefined for now. */
export const shownPaymentFields = ({ payment, status, story }: ShownPayment, at: number | undefined): object => ({
  reference: payment.reference,
  status,
  as_of: at === undefined ? undefined : isoTime(at),
  account: payment.accountId,
  external_reference: payment.externalReference,
  amount: payment.amountXof,
  operator: payment.operator,
  created_at: isoTime(payment.createdAt),
  story: story.map((entry) => ({ at: isoTime(entry.at), kind: entry.kind, ...entry.detail })),
})

/** Pending: the worker sends it to the operator. */
export const requestedRefundFields = ({ refundReference }: { refundReference: string }): object => ({
  refund_reference: refundReference,
  status: 'pending',
})
