// The calls of calls-of-actions.ts for what a merchant's people do in the dashboard.
import { makeKey, rollKey } from '../../src/actions/keys/manage-keys.ts'
import { searchPayments } from '../../src/actions/payments/list-payments.ts'
import { showPaymentPage } from '../../src/actions/payments/read-payment.ts'
import { showEndpoints } from '../../src/actions/webhooks/endpoints.ts'
import type { Line } from './calls-of-actions.ts'
import { ownerOf } from './owned-things.ts'

const KEY = { name: 'till', permissions: null, networks: null }

export const SHOP_CALLS: Line[] = [
  ['searchPayments', 'payments', 'none of its rows', (d, c) => searchPayments(d, c, {})],
  [
    'searchPayments',
    'reference',
    'none of its rows',
    (d, c, { reference: search }) => searchPayments(d, c, { search }),
  ],
  ['showPaymentPage', 'payment', 'payment_not_found', (d, c, { reference: name }) => showPaymentPage(d, c, { name })],
  ['showEndpoints', 'endpoints', 'none of its rows', (d, c) => showEndpoints(d, c)],
  [
    'makeKey',
    'account',
    'account_not_found',
    (d, c, { accountId }) => makeKey(d, ownerOf(c.accountId), { accountId, ...KEY }),
  ],
  ['rollKey', 'key', 'key_not_found', (d, c, { keyId }) => rollKey(d, ownerOf(c.accountId), { keyId, keepOldMs: 0 })],
]

const CHANGES_ITS_OWN = 'changes the caller’s own account, and names nothing that is there'
const READS_ITS_OWN = 'reads the caller’s own account, and names nothing that is there'
const OF_BOTH_ENVIRONMENTS = 'of the merchant in both environments; settings.test.ts asks as another merchant'
const SERVICE_ITSELF = 'only the service itself calls it, and its caller’s type says so'
export const SHOP_CALLS_NOT_IN_THE_TABLE: Record<string, string> = {
  readHome: READS_ITS_OWN,
  readSettings: READS_ITS_OWN,
  listNewestEvents: READS_ITS_OWN,
  listPrompts: READS_ITS_OWN,
  answerPrompt: 'names a prompt of the caller’s own account; phone.test.ts asks as another merchant',
  listLatestRequests: READS_ITS_OWN,
  changeBrand: CHANGES_ITS_OWN,
  changeLogo: CHANGES_ITS_OWN,
  changeBusiness: CHANGES_ITS_OWN,
  askValidation: CHANGES_ITS_OWN,
  addDocument: CHANGES_ITS_OWN,
  openDocument: OF_BOTH_ENVIRONMENTS,
  deleteDocument: OF_BOTH_ENVIRONMENTS,
  summariseAccount: SERVICE_ITSELF,
}
