// A payment on the wire, in and out (spec §2). Answers and events show it with the same fields, written here once.
import { type CreatedPayment, orderReferenceOf, type Payment, type UncheckedOrder } from '../domain/payment.ts'
import type { RefusedAs } from '../domain/refusal.ts'
import { optionalTime, parseObject } from './json.ts'

/** The fields of the body, unchecked; a body that is not a JSON object has none of them (D-06). */
export function readOrderBody(raw: unknown): UncheckedOrder {
  const body = parseObject(raw)
  return {
    amount: body.amount,
    country: body.country,
    currency: body.currency,
    msisdn: body.msisdn,
    externalReference: body.transaction_id,
    customerName: body.customer_name,
    orderReference: body.order_reference,
    metadata: body.metadata,
  }
}

/** How the body names each field. */
export const ORDER_FIELDS: Readonly<Record<keyof UncheckedOrder, string>> = {
  orderReference: 'order_reference',
  metadata: 'metadata',
  amount: 'amount',
  country: 'country',
  currency: 'currency',
  msisdn: 'msisdn',
  externalReference: 'transaction_id',
  customerName: 'customer_name',
}

/** spec §2.2 */
export function createdPaymentBody(payment: CreatedPayment): string {
  const { reference, publicReference, operator } = payment
  // Our own references have nothing to escape.
  return `{"status":"pending","reference":"${reference}","public_reference":"${publicReference}","meta_data":{"operator":${JSON.stringify(operator)}}}`
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
    metadata: metadataField(payment),
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
export const makerFields = (payment: Pick<Payment, 'createdBy' | 'clientReference'>) => ({
  created_by: payment.createdBy === 'page' ? payment.createdBy : undefined,
  client_reference: payment.createdBy === 'page' ? (payment.clientReference ?? undefined) : undefined,
  order_reference: orderReferenceOf(payment) ?? undefined,
})

/** As the merchant gave it; left out when it gave none (D-89). */
export const metadataField = ({ metadata }: Pick<Payment, 'metadata'>): object | undefined =>
  metadata === null ? undefined : JSON.parse(metadata)

export const paymentBody = (payment: Payment): string => JSON.stringify(paymentFields(payment))

export const LONGEST_WAIT_SECONDS = 60

/** `wait`: how many whole seconds to wait for an outcome; left out, none (D-91). */
export function readWait(query: Record<string, unknown>): { waitMs: number } | RefusedAs<'wait_not_valid'> {
  const { wait = '0' } = query
  const isValid = typeof wait === 'string' && /^\d{1,2}$/.test(wait) && Number(wait) <= LONGEST_WAIT_SECONDS
  return isValid ? { waitMs: Number(wait) * 1_000 } : { refused: 'wait_not_valid' }
}
