// Payments of any account in a list: the fields of a payment on the wire, with the account, environment and operator.
import type { Environment } from '../domain/environment.ts'
import type { Page } from '../domain/page.ts'
import type { Payment } from '../domain/payment.ts'
import { isoTime } from './json.ts'
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
