// A payment on the wire, in and out (spec §2). Answers and events show it with the same fields, written here once.
import type { CreatedPayment, Payment, UncheckedOrder } from '../domain/payment.ts'
import { optionalTime, parseObject } from './json.ts'

/** The six fields of the body, unchecked; a body that is not a JSON object has none of them (D-06). */
export function readOrderBody(raw: unknown): UncheckedOrder {
  const body = parseObject(raw)
  return {
    amount: body.amount,
    country: body.country,
    currency: body.currency,
    msisdn: body.msisdn,
    externalReference: body.transaction_id,
    customerName: body.customer_name,
  }
}

/** How the body names each field. */
export const ORDER_FIELDS: Readonly<Record<keyof UncheckedOrder, string>> = {
  amount: 'amount',
  country: 'country',
  currency: 'currency',
  msisdn: 'msisdn',
  externalReference: 'transaction_id',
  customerName: 'customer_name',
}

/** spec §2.2 */
export function createdPaymentBody(payment: CreatedPayment): string {
  return JSON.stringify({
    status: 'pending',
    reference: payment.reference,
    public_reference: payment.publicReference,
    meta_data: { operator: payment.operator },
  })
}

/** spec §2.3, and in events the link it was paid through (D-26). */
export function paymentFields(payment: Omit<Payment, 'accountId'> & { linkReference?: string | undefined }) {
  return {
    public_reference: payment.publicReference,
    external_reference: payment.externalReference,
    reference: payment.reference,
    status: payment.status,
    msisdn: payment.msisdnWritten ?? undefined,
    amount: payment.amountXof,
    validated_at: optionalTime(payment.validatedAt),
    failure_reason: payment.failureReason ?? undefined,
    external_payment_reference: payment.linkReference,
    ...makerFields(payment),
    meta_data: paidThrough(payment),
  }
}

/** By what a merchant finds the money at the operator, once there is any (D-82). */
function paidThrough({
  status,
  operator,
  operatorReference,
}: Pick<Payment, 'status' | 'operator' | 'operatorReference'>) {
  if (operator === null || (status !== 'succeeded' && status !== 'refunded')) return undefined
  return { operator, operator_reference: operatorReference || undefined }
}

/** What an unsigned page calls its order is not the merchant's word, so it has a name of its own (D-57). */
export const makerFields = ({ createdBy, clientReference }: Pick<Payment, 'createdBy' | 'clientReference'>) => ({
  created_by: createdBy === 'page' ? createdBy : undefined,
  client_reference: createdBy === 'page' ? (clientReference ?? undefined) : undefined,
  order_reference: createdBy === 'order' ? (clientReference ?? undefined) : undefined,
})

export const paymentBody = (payment: Payment): string => JSON.stringify(paymentFields(payment))
