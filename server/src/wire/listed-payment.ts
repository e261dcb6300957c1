// Payments in a list. The merchant API shows those of one account; commands show those of any, with the account, environment and operator.
import type { Environment } from '../domain/environment.ts'
import { PAGE_LIMIT, type Page } from '../domain/page.ts'
import type { Payment } from '../domain/payment.ts'
import { isStatus, type PaymentStatus } from '../domain/payment-status.ts'
import type { RefusedAs } from '../domain/refusal.ts'
import { ISO_DAY, ISO_TIME, isoTime } from './json.ts'
import { paymentFields } from './payment.ts'

interface ListedPayment extends Payment {
  environment: Environment
  customerName: string | null
  createdAt: number
  linkReference: string | null
}

const listedPaymentFields = (payment: ListedPayment): object => ({
  ...paymentFields({ ...payment, linkReference: payment.linkReference ?? undefined }),
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
export const paymentListBody = ({ rows, next }: Page<ListedPayment>): string =>
  JSON.stringify({
    data: rows.map((payment) => ({
      ...paymentFields({ ...payment, linkReference: payment.linkReference ?? undefined }),
      created_at: isoTime(payment.createdAt),
    })),
    next: next ?? null,
  })

interface PaymentQuery {
  after: string | undefined
  limit: number
  status: PaymentStatus | undefined
  operator: string | undefined
  from: number | undefined
  to: number | undefined
}

/** In the order in which they are checked; a cursor that is no cursor is found by the list itself. */
export const PAYMENT_QUERY_FAULTS = [
  'status_filter_not_valid',
  'operator_filter_not_valid',
  'time_filter_not_valid',
  'limit_not_valid',
] as const

export const TIME_PARAMETERS = { start: 'from', end: 'to' } as const

const OPERATOR_NAME = /^[a-z0-9_]{1,40}$/

/** Every parameter is optional; a repeated one is refused, as is a value that nothing can have. */
export function readPaymentQuery(
  query: Record<string, unknown>,
): PaymentQuery | RefusedAs<(typeof PAYMENT_QUERY_FAULTS)[number]> {
  const { after, limit = String(PAGE_LIMIT.usual), status, operator } = query
  if (status !== undefined && !isStatus(status)) return { refused: 'status_filter_not_valid' }
  if (operator !== undefined && !(typeof operator === 'string' && OPERATOR_NAME.test(operator))) {
    return { refused: 'operator_filter_not_valid' }
  }
  const [from, to] = [readTime(query.from), readTime(query.to)]
  if (from === null || to === null) return { refused: 'time_filter_not_valid', bound: from === null ? 'start' : 'end' }
  if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit)) return { refused: 'limit_not_valid' }
  // An array is no cursor either, and the list says so.
  return { after: after === undefined ? undefined : String(after), limit: Number(limit), status, operator, from, to }
}

/** Undefined when it is left out, null when it is no time: a day in UTC, or a time with its zone. */
function readTime(value: unknown): number | undefined | null {
  if (value === undefined) return undefined
  const isTime = typeof value === 'string' && (ISO_DAY.test(value) || ISO_TIME.test(value))
  const time = isTime ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : time
}
