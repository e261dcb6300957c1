// A payment with its story, as commands print it in JSON.

import type { LinkMaker } from '../domain/payment.ts'
import { orderReferenceOf } from '../domain/payment.ts'
import type { PaymentStatus } from '../domain/payment-status.ts'
import { isoTime } from './json.ts'
import { metadataField } from './payment.ts'

interface ShownPayment {
  payment: {
    reference: string
    accountId: string
    externalReference: string
    amountXof: number
    operator: string
    /** Empty, as is the operator, on a link's payment until the payer has chosen. */
    connection: string
    createdAt: number
    createdBy: LinkMaker
    clientReference: string | null
    metadata: string | null
  }
  status: PaymentStatus
  operatorReference: string | null
  story: readonly { at: number; kind: string; detail: object }[]
}

/** `at` is the point in time to show; undefined for now. */
export const shownPaymentFields = (
  { payment, status, operatorReference, story }: ShownPayment,
  at: number | undefined,
): object => ({
  reference: payment.reference,
  status,
  as_of: at === undefined ? undefined : isoTime(at),
  account: payment.accountId,
  external_reference: payment.externalReference,
  amount: payment.amountXof,
  operator: payment.operator,
  connection: payment.connection || undefined,
  operator_reference: operatorReference || undefined,
  order_reference: orderReferenceOf(payment) ?? undefined,
  metadata: metadataField(payment),
  created_at: isoTime(payment.createdAt),
  story: story.map((entry) => ({ at: isoTime(entry.at), kind: entry.kind, ...entry.detail })),
})

/** Pending: the worker sends it to the operator. */
export const requestedRefundFields = ({ refundReference }: { refundReference: string }): object => ({
  refund_reference: refundReference,
  status: 'pending',
})
