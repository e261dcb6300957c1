// The wire forms of spec §2, in and out. The only place of this door where snake_case is spoken.
import { isUtf8 } from 'node:buffer'
import type { CreatedPayment } from '../actions/create-payment.ts'
import type { AskedOrder, Payment } from '../domain/payment.ts'

/** Whatever came, as six unknowns; what is not a JSON object has none of them (D-06). */
export function readOrderBody(raw: unknown): AskedOrder {
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

/** JSON.parse keeps the last of duplicate keys and makes `__proto__` a plain field, as D-06 asks. */
function parseObject(raw: unknown): Record<string, unknown> {
  // Bytes that are not UTF-8 would be silently replaced, and could not be given back as they came.
  if (!Buffer.isBuffer(raw) || !isUtf8(raw)) return {}
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
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

/** spec §2.3; what is not there yet is left out, not null (D-13). */
export function paymentBody(payment: Payment): string {
  return JSON.stringify({
    public_reference: payment.publicReference,
    external_reference: payment.externalReference,
    reference: payment.reference,
    status: payment.status,
    msisdn: payment.msisdnWritten,
    amount: payment.amountXof,
    validated_at: payment.validatedAt === undefined ? undefined : new Date(payment.validatedAt).toISOString(),
    failure_reason: payment.failureReason,
  })
}
