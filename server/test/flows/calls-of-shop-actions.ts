// The calls of calls-of-actions.ts for what a merchant's people do in the dashboard.
import { searchPayments } from '../../src/actions/payments/search-payments.ts'
import { showPaymentPage } from '../../src/actions/payments/show-payment-page.ts'
import type { Line } from './calls-of-actions.ts'

export const SHOP_CALLS: Line[] = [
  ['searchPayments', 'payments', 'none of its rows', (d, c) => searchPayments(d, c, {})],
  [
    'searchPayments',
    'reference',
    'none of its rows',
    (d, c, { reference: search }) => searchPayments(d, c, { search }),
  ],
  ['showPaymentPage', 'payment', 'payment_not_found', (d, c, { reference: name }) => showPaymentPage(d, c, { name })],
]

const READS_ITS_OWN = 'reads the caller’s own account, and names nothing that is there'
const SERVICE_ITSELF = 'only the service itself calls it, and its caller’s type says so'
export const SHOP_CALLS_NOT_IN_THE_TABLE: Record<string, string> = {
  readHome: READS_ITS_OWN,
  listAttention: READS_ITS_OWN,
  summariseAccount: SERVICE_ITSELF,
}
