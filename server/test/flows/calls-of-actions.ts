// Every action that names something, each with a call that names what an account has: by every kind of name that it takes. A new action
// is a line here.
import { listLatestAudit } from '../../src/actions/audit/audit-log.ts'
import { listAccountKeys, revokeKeys, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { cancelLink, cancelOnce, closePaymentLink } from '../../src/actions/links/close-payment-link.ts'
import { createLinkFor } from '../../src/actions/links/create-payment-link.ts'
import { findNamedLink, listNewestLinks, showLink } from '../../src/actions/links/read-payment-link.ts'
import {
  changeAccountStatus,
  changeCheckoutSettings,
  readCheckoutSettings,
} from '../../src/actions/merchants/change-account.ts'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { findActingAccount } from '../../src/actions/merchants/show-merchants.ts'
import { pauseConnection, resumeConnection } from '../../src/actions/operators/pause-connection.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  listLatestAnomalies,
  refundLateMoney,
} from '../../src/actions/payments/anomalies.ts'
import { listNewestPayments } from '../../src/actions/payments/list-payments.ts'
import { waitForPayment } from '../../src/actions/payments/payment-watcher.ts'
import { findNamedPayment, readPayment, showPayment } from '../../src/actions/payments/read-payment.ts'
import { endRefundByHand, listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import { readRefund, refundOnce, refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { listLatestDeliveries, replayEvents, showDelivery } from '../../src/actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  listOldestEndpoints,
  testEndpoint,
} from '../../src/actions/webhooks/endpoints.ts'
import { readEvents } from '../../src/actions/webhooks/read-events.ts'
import type { MerchantCaller } from '../../src/domain/caller.ts'
import type { UncheckedLink } from '../../src/domain/payment-link.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { LINK } from '../links/payer.ts'
import { ABOUT_PEOPLE_NOT_IN_THE_TABLE, FOR_THE_SERVICE_ABOUT_PEOPLE } from './calls-of-people.ts'
import { SHOP_CALLS, SHOP_CALLS_NOT_IN_THE_TABLE } from './calls-of-shop-actions.ts'
import { CONNECTION, type depsOf, type Owned, ownerOf } from './owned-things.ts'

type Deps = ReturnType<typeof depsOf>

const order = LINK as UncheckedLink
const cancelling = (linkReference: string) => ({ linkReference, because: 'cancelled' }) as const
const ENDPOINT = { url: 'https://shop.example.com/', secretHash: 'a word of the shop', events: [] }
const FEED = { limit: 10, replaysAfter: undefined }
const CHANGES: EndpointChange[] = [
  { to: 'on' },
  { to: 'off' },
  { to: 'removed' },
  { to: 'new target', url: 'https://shop.example.com/new', events: [] },
  { to: 'new signing secret', keepOldMs: 0 },
  { to: 'new secret hash', secretHash: 'a word of the shop', keepOldMs: 0 },
]

const NOBODY_WAITS = { watch: async () => undefined }

/** What a stranger gets. */
export type Denial = Refusal | 'none of its rows'

/** `caller` is a merchant's: the right one, or a stranger. */
type Call = (deps: Deps, caller: MerchantCaller, own: Owned) => Promise<object>

export type Line = [action: string, of: string, denial: Denial, call: Call]

/** By each kind of name that an action takes. */
export const CALLS: Line[] = [
  ...SHOP_CALLS,
  [
    'listLatestAudit',
    'endpoint',
    'none of its rows',
    (d, c, { endpointId: subject }) => listLatestAudit(d, c, { subject }),
  ],
  ['listLatestAudit', 'log', 'none of its rows', (d, c) => listLatestAudit(d, c, {})],
  ['listAccountKeys', 'account', 'account_not_found', (d, c, { accountId }) => listAccountKeys(d, c, { accountId })],
  ['revokeKeys', 'key’s id', 'key_not_found', (d, c, { keyId: which }) => revokeKeys(d, c, { which })],
  ['revokeKeys', 'account', 'key_not_found', (d, c, { accountId: which }) => revokeKeys(d, c, { which })],
  ['revokeKeys', 'key', 'key_not_found', (d, c, { secretKey: which }) => revokeKeys(d, c, { which })],
  [
    'rollKeys',
    'account',
    'account_not_found',
    (d, c, { accountId }) => rollKeys(d, ownerOf(c.accountId), { accountId, keepOldMs: 0 }),
  ],
  ['closePaymentLink', 'link', 'link_not_found', (d, c, { link }) => closePaymentLink(d, c, cancelling(link))],
  ['createLinkFor', 'account', 'account_not_found', (d, c, { accountId }) => createLinkFor(d, c, { accountId, order })],
  ['listNewestLinks', 'account', 'account_not_found', (d, c, { accountId }) => listNewestLinks(d, c, { accountId })],
  ['listNewestLinks', 'links', 'none of its rows', (d, c) => listNewestLinks(d, c, {})],
  ['showLink', 'link', 'link_not_found', (d, c, { link: name }) => showLink(d, c, { name })],
  ['findNamedLink', 'link', 'link_not_found', (d, c, { link: name }) => findNamedLink(d, c, name)],
  ['cancelLink', 'link', 'link_not_found', (d, c, { link: name }) => cancelLink(d, c, { name })],
  ['findActingAccount', 'account', 'account_not_found', (d, c, { accountId }) => findActingAccount(d.db, c, accountId)],
  [
    'changeCheckoutSettings',
    'account',
    'account_not_found',
    (d, c, { accountId }) => changeCheckoutSettings(d, c, { accountId, methods: ['wallet'] }),
  ],
  [
    'readCheckoutSettings',
    'account',
    'account_not_found',
    (d, c, { accountId }) => readCheckoutSettings(d, c, { accountId }),
  ],
  [
    'findNamedPayment',
    'reference',
    'payment_not_found',
    (d, c, { reference: name }) => findNamedPayment(d, c, { name }),
  ],
  [
    'findNamedPayment',
    'public reference',
    'payment_not_found',
    (d, c, { publicReference: name }) => findNamedPayment(d, c, { name }),
  ],
  [
    'findNamedPayment',
    'transaction_id',
    'payment_not_found',
    (d, c, { externalReference: name }) => findNamedPayment(d, c, { name }),
  ],
  ['findNamedPayment', 'link', 'payment_not_found', (d, c, { link: name }) => findNamedPayment(d, c, { name })],
  ['listLatestAnomalies', 'anomalies', 'none of its rows', (d, c) => listLatestAnomalies(d, c, {})],
  [
    'listNewestPayments',
    'account',
    'account_not_found',
    (d, c, { accountId }) => listNewestPayments(d, c, { accountId }),
  ],
  ['listNewestPayments', 'payments', 'none of its rows', (d, c) => listNewestPayments(d, c, {})],
  ['readPayment', 'reference', 'payment_not_found', (d, c, { reference: name }) => readPayment(d, c, { name })],
  [
    'readPayment',
    'transaction_id',
    'payment_not_found',
    (d, c, { externalReference: name }) => readPayment(d, c, { name }),
  ],
  ['readPayment', 'link', 'payment_not_found', (d, c, { link: name }) => readPayment(d, c, { name })],
  ['listRefundTasks', 'refunds', 'none of its rows', (d, c) => listRefundTasks(d, c)],
  [
    'endRefundByHand',
    'refund',
    'refund_not_by_hand',
    (d, c, { refundByHand: refundReference }) =>
      endRefundByHand(d, c, { refundReference, isMade: true, proof: 'slip 12' }),
  ],
  ['refundPayment', 'payment', 'payment_not_found', (d, c, { reference: name }) => refundPayment(d, c, { name })],
  [
    'waitForPayment',
    'reference',
    'payment_not_found',
    (d, c, { reference: name }) =>
      waitForPayment({ ...d, watcher: NOBODY_WAITS }, c, { name, waitMs: 0, gone: new AbortController().signal }),
  ],
  ['refundOnce', 'payment', 'payment_not_found', (d, c, { reference: name }) => refundOnce(d, c, { name })],
  [
    'refundOnce',
    'transaction_id',
    'payment_not_found',
    (d, c, { externalReference: name }) => refundOnce(d, c, { name }),
  ],
  [
    'readRefund',
    'payment',
    'payment_not_found',
    (d, c, { reference: name }) => refundOnce(d, c, { name }).then(() => readRefund(d, c, { name })),
  ],
  ['cancelOnce', 'link', 'payment_not_found', (d, c, { link: linkReference }) => cancelOnce(d, c, { linkReference })],
  ['showPayment', 'payment', 'payment_not_found', (d, c, { reference: name }) => showPayment(d, c, { name })],
  [
    'addEndpoint',
    'account',
    'account_not_found',
    (d, c, { accountId }) => addEndpoint(d, c, { accountId, ...ENDPOINT }),
  ],
  ...CHANGES.map(
    (change): Line => [
      'changeEndpoint',
      `endpoint to ${change.to}`,
      'endpoint_not_found',
      (d, c, { endpointId }) => changeEndpoint(d, c, { endpointId, change }),
    ],
  ),
  [
    'listLatestDeliveries',
    'account',
    'account_not_found',
    (d, c, { accountId }) => listLatestDeliveries(d, c, { accountId }),
  ],
  [
    'listLatestDeliveries',
    'endpoint',
    'endpoint_not_found',
    (d, c, { endpointId }) => listLatestDeliveries(d, c, { endpointId }),
  ],
  ['listLatestDeliveries', 'deliveries', 'none of its rows', (d, c) => listLatestDeliveries(d, c, {})],
  ['showDelivery', 'delivery', 'delivery_not_found', (d, c, { delivery: name }) => showDelivery(d, c, { name })],
  [
    'listOldestEndpoints',
    'account',
    'account_not_found',
    (d, c, { accountId }) => listOldestEndpoints(d, c, { accountId }),
  ],
  ['listOldestEndpoints', 'endpoints', 'none of its rows', (d, c) => listOldestEndpoints(d, c, {})],
  ['readEvents', 'event', 'event_not_found', (d, c, { eventId: after }) => readEvents(d, c, { ...FEED, after })],
  ['replayEvents', 'delivery', 'delivery_not_found', (d, c, { delivery }) => replayEvents(d, c, { delivery })],
  ['replayEvents', 'payment', 'payment_not_found', (d, c, { reference: payment }) => replayEvents(d, c, { payment })],
  [
    'replayEvents',
    'account',
    'account_not_found',
    (d, c, { accountId }) => replayEvents(d, c, { failedSince: 0, accountId }),
  ],
  [
    'replayEvents',
    'endpoint',
    'endpoint_not_found',
    (d, c, { endpointId }) => replayEvents(d, c, { failedSince: 0, endpointId }),
  ],
  ['testEndpoint', 'endpoint', 'endpoint_not_found', (d, c, { endpointId }) => testEndpoint(d, c, { endpointId })],
]

/** No merchant may, not even for its own: the right caller is of the service. */
export const FOR_THE_SERVICE: Line[] = [
  ...FOR_THE_SERVICE_ABOUT_PEOPLE,
  [
    'pauseConnection',
    'connection',
    'caller_not_allowed',
    (d, c) => pauseConnection({ ...d, isConnected: () => true }, c, { ...CONNECTION, reason: 'maintenance' }),
  ],
  [
    'resumeConnection',
    'connection',
    'caller_not_allowed',
    (d, c) => resumeConnection(d, c, { ...CONNECTION, reason: 'maintenance is over' }),
  ],
  [
    'acceptLateMoney',
    'anomaly',
    'anomaly_not_found',
    (d, c, { lateMoneyId: anomalyId }) => acceptLateMoney(d, c, { anomalyId, note: 'looked at' }),
  ],
  [
    'refundLateMoney',
    'anomaly',
    'anomaly_not_found',
    (d, c, { lateMoneyId: anomalyId }) => refundLateMoney(d, c, { anomalyId, note: 'looked at' }),
  ],
  [
    'closeAnomaly',
    'anomaly',
    'anomaly_not_found',
    (d, c, { anomalyId }) => closeAnomaly(d, c, { anomalyId, note: 'looked at' }),
  ],
  [
    'changeAccountStatus',
    'merchant',
    'merchant_not_found',
    (d, c, { merchant: { merchantId } }) =>
      changeAccountStatus(d, c, { merchantId, environment: 'sandbox', status: 'suspended' }),
  ],
  [
    'createMerchant',
    'service',
    'caller_not_allowed',
    (d, c) => createMerchant(d, c, { name: 'Chez Ali', validateLive: true }),
  ],
]

const MAKES_ITS_OWN = 'makes something in the caller’s own account, and names nothing that is there'
const SERVICE_ITSELF = 'only the service itself calls it, and its caller’s type says so'
export const NOT_IN_THE_TABLE: Record<string, string> = {
  ...SHOP_CALLS_NOT_IN_THE_TABLE,
  ...ABOUT_PEOPLE_NOT_IN_THE_TABLE,
  createPayment: MAKES_ITS_OWN,
  createPaymentLink: MAKES_ITS_OWN,
  showAccount: 'shows the caller’s own account, and names nothing',
  createLinkFromSite: MAKES_ITS_OWN,
  recordOutcomes: SERVICE_ITSELF,
  recordRefundOutcome: SERVICE_ITSELF,
  recordAttempts: SERVICE_ITSELF,
  takeCallback: SERVICE_ITSELF,
}
