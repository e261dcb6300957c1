// A payment on the wire, in and out (spec §2). Answers and events show it with the same fields,
// written here once.

import type { Page } from '../domain/lists/page.ts'
import type { OperatorPayment } from '../domain/payments/operator-payment.ts'
import type {
  CreatedPayment,
  ListedPayment,
  Payment,
  PaymentNames,
  UncheckedOrder,
} from '../domain/payments/payment.ts'
import {
  ADDED_FIELDS,
  ADDITIONS,
  type Addition,
  LISTED_PAYMENT_FIELDS,
  PAYMENT_FIELDS,
} from '../domain/payments/payment-fields.ts'
import type { PaymentMoney } from '../domain/payments/payment-money.ts'
import type { PaymentStatus } from '../domain/payments/payment-status.ts'
import type {
  ListedRefund,
  Refund,
  RefundByHand,
  RefundOfPayment,
} from '../domain/refunds/refund.ts'
import { LISTED_REFUND_FIELDS, REFUND_FIELDS } from '../domain/refunds/refund-fields.ts'
import type { RefusedAs } from '../domain/refusals/refusal.ts'
import type { Body } from './bodies.ts'
import type { BodyOf } from './field-schemas.ts'
import { bodyOf, type SubjectOf } from './fields.ts'
import { isJsonObject, isoTime, readFields } from './json.ts'

const ADDITION_NAMES = Object.fromEntries(
  ADDITIONS.map((name) => [name, PAYMENT_FIELDS[name].wire]),
) as { [Name in Addition]: (typeof PAYMENT_FIELDS)[Name]['wire'] }

/** How the body names each field. */
export const ORDER_FIELDS: Readonly<Record<keyof UncheckedOrder, keyof Body<'PaymentOrder'>>> = {
  ...ADDITION_NAMES,
  amount: 'amount',
  country: 'country',
  currency: 'currency',
  msisdn: 'msisdn',
  externalReference: 'transaction_id',
  customerName: 'customer_name',
}

/** The fields of the body, unchecked; a body that is not a JSON object has none of them (D-06). */
export const readOrderBody = (raw: unknown): UncheckedOrder => readFields(raw, ORDER_FIELDS)

/** spec §2.2 */
export function createdPaymentBody(payment: CreatedPayment): string {
  const { reference, publicReference, operator } = payment
  // Our own references have nothing to escape.
  return `{"status":"pending","reference":"${reference}","public_reference":"${publicReference}","meta_data":{"operator":${JSON.stringify(operator)}}}`
}

/** spec §2.3, and in events the link it was paid through (D-26). */
export const paymentFields = (
  payment: Omit<Payment, 'accountId' | 'number'> & { linkReference?: string | null | undefined },
): Body<'EventPayment'> => bodyOf(PAYMENT_FIELDS, payment)

/** What the merchant added to the order. */
export const addedFields = (payment: SubjectOf<typeof ADDED_FIELDS>): BodyOf<typeof ADDED_FIELDS> =>
  bodyOf(ADDED_FIELDS, payment)

export const paymentBody = (payment: Payment): string => JSON.stringify(paymentFields(payment))

export const LONGEST_WAIT_SECONDS = 60

/** `wait`: how many whole seconds to wait for an outcome; left out, none (D-91). */
export function readWait(
  query: Record<string, unknown>,
): { waitMs: number } | RefusedAs<'wait_not_valid'> {
  const { wait = '0' } = query
  const isValid =
    typeof wait === 'string' && /^\d{1,2}$/.test(wait) && Number(wait) <= LONGEST_WAIT_SECONDS
  return isValid ? { waitMs: Number(wait) * 1_000 } : { refused: 'wait_not_valid' }
}

// Lists: the merchant API shows those of one account; commands any, with account, environment and
// operator.

const listedPaymentFields = (payment: ListedPayment): object => ({
  ...paymentFields(payment),
  account: payment.accountId,
  environment: payment.environment,
  operator: payment.operator ?? undefined,
  customer_name: payment.customerName ?? undefined,
  created_at: isoTime(payment.createdAt),
})

/** `next` is left out on the last page. */
export const paymentPageFields = ({ rows, next }: Page<ListedPayment>): object => ({
  payments: rows.map(listedPaymentFields),
  next,
})

/** For the merchant API: `next` is null on the last page (D-86). */
export const paymentListBody = ({
  rows,
  next,
}: Page<ListedPayment & Pick<PaymentMoney, 'fee'>>): string =>
  JSON.stringify({
    data: rows.map((payment) => ({
      ...paymentFields(payment),
      ...bodyOf(LISTED_PAYMENT_FIELDS, payment),
    })),
    next: next ?? null,
  } satisfies Body<'PaymentList'>)

export const TIME_PARAMETERS = { start: 'from', end: 'to' } as const

// A payment with its history, as commands print it.

interface ShownPayment {
  payment: Omit<PaymentNames, 'number' | 'publicReference'> &
    Pick<OperatorPayment, 'amountXof' | 'operator' | 'connection' | 'createdAt'>
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
  ...addedFields(payment),
  created_at: isoTime(payment.createdAt),
  story: storyFields(story),
})

export const storyFields = (story: ShownPayment['story']): object[] =>
  story.map((entry) => ({ at: isoTime(entry.at), kind: entry.kind, ...entry.detail }))

export const requestedRefundFields = ({ refundReference, amountXof, status }: Refund): object =>
  refundDetail(refundReference, { amount: amountXof, status })

// Refunds: in the merchant API, in a payment's history and the audit log, and in commands.

const REFUND_ORDER_FIELDS = { amount: 'amount', refundId: 'refund_id' } as const

/**
 * No body is no amount. One that is not a JSON object is not valid: its sender may have meant an
 * amount (D-154).
 */
export function readRefundBody(raw: unknown) {
  const isEmpty = raw === undefined || raw === null || (Buffer.isBuffer(raw) && raw.length === 0)
  return isEmpty || isJsonObject(raw) ? readFields(raw, REFUND_ORDER_FIELDS) : { amount: null }
}

export const refundFields = (refund: Refund): Body<'OneRefund'> => bodyOf(REFUND_FIELDS, refund)

/** D-180 */
export const refundListBody = ({ rows, next }: Page<ListedRefund>): string =>
  JSON.stringify({
    data: rows.map((refund) => ({
      ...refundFields(refund),
      ...bodyOf(LISTED_REFUND_FIELDS, refund),
    })),
    next: next ?? null,
  } satisfies Body<'RefundList'>)

/** D-87, D-154 */
export const refundBody = (refund: RefundOfPayment): string =>
  JSON.stringify({
    ...refundFields(refund),
    refunded_amount: refund.refundedXof,
    remaining_amount: refund.remainingXof,
    refunds: refund.refunds.map(refundFields),
  } satisfies Body<'Refund'>)

/** In the event of its end. */
export const endedRefundFields = (
  refund: Pick<Refund, 'refundReference' | 'refundId' | 'amountXof' | 'failureReason'> & {
    status: 'succeeded' | 'failed'
    refundedXof: number
  },
) => ({
  refunded_amount: refund.refundedXof,
  refund: {
    reference: refund.refundReference,
    refund_id: refund.refundId ?? undefined,
    amount: refund.amountXof,
    status: refund.status,
    reason: refund.failureReason ?? undefined,
  },
})

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

export const closedRefundFields = (refundReference: string, isMade: boolean): object =>
  refundDetail(refundReference, { status: isMade ? 'succeeded' : 'failed' })
