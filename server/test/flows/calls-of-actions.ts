// Every action that takes a name, with one call for each kind of name that it accepts. A new action needs a line here.
import { listLatestAudit, verifyAudit } from '../../src/actions/audit/audit-log.ts'
import { listExceptions, settleException } from '../../src/actions/books/exceptions.ts'
import { importStatementFile, setStatementColumns } from '../../src/actions/books/import-file.ts'
import { importStatement } from '../../src/actions/books/import-statement.ts'
import { listTariffs, setTariff } from '../../src/actions/books/tariffs.ts'
import { listAccountKeys, makeKey, revokeKeys, rollKey, rollKeys } from '../../src/actions/keys/manage-keys.ts'
import { cancelLink, cancelOnce, closePaymentLink } from '../../src/actions/links/close-payment-link.ts'
import { createLinkFor } from '../../src/actions/links/create-payment-link.ts'
import { abandonAttempt, payPaymentLink, returnFromProvider } from '../../src/actions/links/pay-payment-link.ts'
import {
  findNamedLink,
  listNewestLinks,
  openLink,
  readPaymentLink,
  showLink,
} from '../../src/actions/links/read-payment-link.ts'
import { rotateMasterKey } from '../../src/actions/master-key/rotate-master-key.ts'
import {
  askForStatus,
  changeAccountStatus,
  changeCheckoutSettings,
  readCheckoutSettings,
} from '../../src/actions/merchants/change-account.ts'
import { createMerchant } from '../../src/actions/merchants/create-merchant.ts'
import { findActingAccount, listMerchants } from '../../src/actions/merchants/show-merchants.ts'
import { pauseConnection, resumeConnection } from '../../src/actions/operators/pause-connection.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  listLatestAnomalies,
  refundLateMoney,
} from '../../src/actions/payments/anomalies.ts'
import { listNewestPayments, searchPayments } from '../../src/actions/payments/list-payments.ts'
import { waitForPayment } from '../../src/actions/payments/payment-watcher.ts'
import { findNamedPayment, readPayment, showPayment, showPaymentPage } from '../../src/actions/payments/read-payment.ts'
import { endRefundByHand, listRefundTasks } from '../../src/actions/payments/record-refund-outcome.ts'
import { readRefund, refundOnce, refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { removeDemo } from '../../src/actions/people/demo-people.ts'
import {
  createServicePerson,
  listOperators,
  removeOperator,
  resetOperator,
} from '../../src/actions/people/service-people.ts'
import { inviteToMerchant } from '../../src/actions/people/team.ts'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import { listLatestDeliveries, replayEvents, showDelivery } from '../../src/actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  listOldestEndpoints,
  showEndpoints,
  testEndpoint,
} from '../../src/actions/webhooks/endpoints.ts'
import { readEvents } from '../../src/actions/webhooks/read-events.ts'
import type { MerchantCaller, Payer } from '../../src/domain/caller.ts'
import type { UncheckedLink } from '../../src/domain/payment-link.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { useOf } from '../../src/service/master-key.ts'
import { browserTokenOf, LINK, SUCCEEDS } from '../links/payer.ts'
import { CONNECTION, type depsOf, type Owned, ownerOf } from './owned-things.ts'

type Deps = ReturnType<typeof depsOf>

/** The refusal that another account gets. */
export type Denial = Refusal | 'none of its rows'

/** `caller` is a merchant: the owner, or another account. */
type Call = (deps: Deps, caller: MerchantCaller, own: Owned) => Promise<object>
type NamedCall = (deps: Deps, caller: MerchantCaller, name: string) => Promise<object>

export type Line = [action: string, of: string, denial: Denial, call: Call]

type Name = { [Key in keyof Owned]: Owned[Key] extends string ? Key : never }[keyof Owned]

/** One line for each kind of name that the action accepts. */
const named = (action: string, names: readonly Name[], denial: Denial, call: NamedCall): Line[] =>
  names.map((name) => [action, name, denial, (d, c, own) => call(d, c, own[name])])

/** A list of everything that the caller can see. */
const listed = (action: string, call: Call): Line => [action, 'list', 'none of its rows', call]

const order = LINK as UncheckedLink
const ENDPOINT = { url: 'https://shop.example.com/', secretHash: 'a word of the shop', events: [] }
const KEY = { name: 'till', permissions: null, networks: null }
const FEED = { limit: 10, replaysAfter: undefined }
const BY_HAND = { isMade: true, proof: 'slip 12' }
const CHANGES: EndpointChange[] = [
  { to: 'on' },
  { to: 'off' },
  { to: 'removed' },
  { to: 'new target', url: 'https://shop.example.com/new', events: [] },
  { to: 'new signing secret', keepOldMs: 0 },
  { to: 'new secret hash', secretHash: 'a word of the shop', keepOldMs: 0 },
]
/** A long poll that returns at once. */
const ENDED_WAIT = { waitMs: 0, gone: new AbortController().signal }
const NO_WATCHER = { watch: async () => undefined }

export const CALLS: Line[] = [
  ...named('listLatestAudit', ['endpointId'], 'none of its rows', (d, c, subject) =>
    listLatestAudit(d, c, { subject }),
  ),
  listed('listLatestAudit', (d, c) => listLatestAudit(d, c, {})),
  ...named('listAccountKeys', ['accountId'], 'account_not_found', (d, c, accountId) =>
    listAccountKeys(d, c, { accountId }),
  ),
  ...named('revokeKeys', ['keyId', 'accountId', 'secretKey'], 'key_not_found', (d, c, which) =>
    revokeKeys(d, c, { which }),
  ),
  ...named('rollKeys', ['accountId'], 'account_not_found', (d, c, accountId) =>
    rollKeys(d, ownerOf(c.accountId), { accountId, keepOldMs: 0 }),
  ),
  ...named('makeKey', ['accountId'], 'account_not_found', (d, c, accountId) =>
    makeKey(d, ownerOf(c.accountId), { accountId, ...KEY }),
  ),
  ...named('rollKey', ['keyId'], 'key_not_found', (d, c, keyId) =>
    rollKey(d, ownerOf(c.accountId), { keyId, keepOldMs: 0 }),
  ),
  ...named('closePaymentLink', ['link'], 'link_not_found', (d, c, linkReference) =>
    closePaymentLink(d, c, { linkReference, because: 'cancelled' }),
  ),
  ...named('cancelLink', ['link'], 'link_not_found', (d, c, name) => cancelLink(d, c, { name })),
  ...named('cancelOnce', ['link'], 'payment_not_found', (d, c, linkReference) => cancelOnce(d, c, { linkReference })),
  ...named('createLinkFor', ['accountId'], 'account_not_found', (d, c, accountId) =>
    createLinkFor(d, c, { accountId, order }),
  ),
  ...named('listNewestLinks', ['accountId'], 'account_not_found', (d, c, accountId) =>
    listNewestLinks(d, c, { accountId }),
  ),
  listed('listNewestLinks', (d, c) => listNewestLinks(d, c, {})),
  ...named('showLink', ['link'], 'link_not_found', (d, c, name) => showLink(d, c, { name })),
  ...named('findNamedLink', ['link'], 'link_not_found', (d, c, name) => findNamedLink(d, c, name)),
  ...named('findActingAccount', ['accountId'], 'account_not_found', (d, c, name) => findActingAccount(d.db, c, name)),
  ...named('changeCheckoutSettings', ['accountId'], 'account_not_found', (d, c, accountId) =>
    changeCheckoutSettings(d, c, { accountId, methods: ['wallet'] }),
  ),
  ...named('readCheckoutSettings', ['accountId'], 'account_not_found', (d, c, accountId) =>
    readCheckoutSettings(d, c, { accountId }),
  ),
  ...named(
    ...([
      'findNamedPayment',
      ['reference', 'publicReference', 'externalReference', 'link'],
      'payment_not_found',
    ] as const),
    (d, c, name) => findNamedPayment(d, c, { name }),
  ),
  listed('listExceptions', (d, c) => listExceptions(d, c)),
  listed('listLatestAnomalies', (d, c) => listLatestAnomalies(d, c, {})),
  ...named('listNewestPayments', ['accountId'], 'account_not_found', (d, c, accountId) =>
    listNewestPayments(d, c, { accountId }),
  ),
  listed('listNewestPayments', (d, c) => listNewestPayments(d, c, {})),
  ...named('searchPayments', ['reference'], 'none of its rows', (d, c, search) => searchPayments(d, c, { search })),
  listed('searchPayments', (d, c) => searchPayments(d, c, {})),
  ...named('readPayment', ['reference', 'externalReference', 'link'], 'payment_not_found', (d, c, name) =>
    readPayment(d, c, { name }),
  ),
  ...named('waitForPayment', ['reference'], 'payment_not_found', (d, c, name) =>
    waitForPayment({ ...d, watcher: NO_WATCHER }, c, { name, ...ENDED_WAIT }),
  ),
  ...named('showPayment', ['reference'], 'payment_not_found', (d, c, name) => showPayment(d, c, { name })),
  ...named('showPaymentPage', ['reference'], 'payment_not_found', (d, c, name) => showPaymentPage(d, c, { name })),
  listed('listRefundTasks', (d, c) => listRefundTasks(d, c)),
  ...named('endRefundByHand', ['refundByHand'], 'refund_not_by_hand', (d, c, refundReference) =>
    endRefundByHand(d, c, { refundReference, ...BY_HAND }),
  ),
  ...named('refundPayment', ['reference'], 'payment_not_found', (d, c, name) => refundPayment(d, c, { name })),
  ...named('refundOnce', ['reference', 'externalReference'], 'payment_not_found', (d, c, name) =>
    refundOnce(d, c, { name }),
  ),
  ...named('readRefund', ['reference'], 'payment_not_found', (d, c, name) =>
    refundOnce(d, c, { name }).then(() => readRefund(d, c, { name })),
  ),
  ...named('addEndpoint', ['accountId'], 'account_not_found', (d, c, accountId) =>
    addEndpoint(d, c, { accountId, ...ENDPOINT }),
  ),
  ...CHANGES.flatMap((change) =>
    named(`changeEndpoint`, ['endpointId'], 'endpoint_not_found', (d, c, endpointId) =>
      changeEndpoint(d, c, { endpointId, change }),
    ),
  ),
  ...named('testEndpoint', ['endpointId'], 'endpoint_not_found', (d, c, endpointId) =>
    testEndpoint(d, c, { endpointId }),
  ),
  listed('showEndpoints', (d, c) => showEndpoints(d, c)),
  ...named('listOldestEndpoints', ['accountId'], 'account_not_found', (d, c, accountId) =>
    listOldestEndpoints(d, c, { accountId }),
  ),
  listed('listOldestEndpoints', (d, c) => listOldestEndpoints(d, c, {})),
  ...named('listLatestDeliveries', ['accountId'], 'account_not_found', (d, c, accountId) =>
    listLatestDeliveries(d, c, { accountId }),
  ),
  ...named('listLatestDeliveries', ['endpointId'], 'endpoint_not_found', (d, c, endpointId) =>
    listLatestDeliveries(d, c, { endpointId }),
  ),
  listed('listLatestDeliveries', (d, c) => listLatestDeliveries(d, c, {})),
  ...named('showDelivery', ['delivery'], 'delivery_not_found', (d, c, name) => showDelivery(d, c, { name })),
  ...named('readEvents', ['eventId'], 'event_not_found', (d, c, after) => readEvents(d, c, { ...FEED, after })),
  ...named('replayEvents', ['delivery'], 'delivery_not_found', (d, c, delivery) => replayEvents(d, c, { delivery })),
  ...named('replayEvents', ['reference'], 'payment_not_found', (d, c, payment) => replayEvents(d, c, { payment })),
  ...named('replayEvents', ['accountId'], 'account_not_found', (d, c, accountId) =>
    replayEvents(d, c, { failedSince: 0, accountId }),
  ),
  ...named('replayEvents', ['endpointId'], 'endpoint_not_found', (d, c, endpointId) =>
    replayEvents(d, c, { failedSince: 0, endpointId }),
  ),
]

const NOTE = { note: 'looked at' }
const SUSPENDED = { environment: 'sandbox', status: 'suspended' } as const
const STAFF = { name: 'Awa', role: 'support', language: 'fr' } as const

/** An action about a merchant: staff only. A merchant cannot learn which merchants exist. */
const ofMerchant = (action: string, call: NamedCall): Line => [
  ...([action, 'merchant', 'merchant_not_found'] as const),
  (d, c, { merchant }) => call(d, c, merchant.merchantId),
]

/** A staff-only action. */
const STATEMENT = {
  ...{ name: 'statement.csv', sha256: 'x', bytes: 0, isDryRun: false, lines: (async function* () {})() },
  totals: { lines: 0, openingXof: null, closingXof: null, firstDay: 0, lastDay: 0 },
}

const LISTED = { isConnected: () => true, connectorOf: () => 'mtn-momo' }
const FILE = {
  name: 'statement.csv',
  isDryRun: false,
  open: async function* () {
    yield Buffer.from('Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance\n')
  },
}

const TARIFF = { rate: 1_500, fixedXof: 0, minimumXof: 0, maximumXof: null, rounding: 'up', fromDay: 20_000 } as const

const ofService = (action: string, call: Call): Line => [action, 'service', 'caller_not_allowed', call]

/** Refused to every merchant, also for its own account: the authorised caller is staff. */
export const FOR_THE_SERVICE: Line[] = [
  ofService('pauseConnection', (d, c) =>
    pauseConnection({ ...d, isConnected: () => true }, c, { ...CONNECTION, reason: 'maintenance' }),
  ),
  ofService('importStatement', (d, c) =>
    importStatement({ ...d, isConnected: () => true }, c, { ...CONNECTION, ...STATEMENT }),
  ),
  ofService('importStatementFile', (d, c) => importStatementFile({ ...d, ...LISTED }, c, { ...CONNECTION, ...FILE })),
  ofService('setStatementColumns', (d, c) =>
    setStatementColumns({ ...d, ...LISTED }, c, { ...CONNECTION, ...FILE, mapping: undefined }),
  ),
  ofService('setTariff', (d, c) => setTariff({ ...d, isConnected: () => true }, c, { ...CONNECTION, ...TARIFF })),
  ofService('listTariffs', (d, c) => listTariffs(d, c)),
  ofService('resumeConnection', (d, c) => resumeConnection(d, c, { ...CONNECTION, reason: 'maintenance is over' })),
  ...named('acceptLateMoney', ['lateMoneyId'], 'anomaly_not_found', (d, c, anomalyId) =>
    acceptLateMoney(d, c, { anomalyId, ...NOTE }),
  ),
  ...named('refundLateMoney', ['lateMoneyId'], 'anomaly_not_found', (d, c, anomalyId) =>
    refundLateMoney(d, c, { anomalyId, ...NOTE }),
  ),
  ...named('settleException', ['exceptionId'], 'exception_not_found', (d, c, exceptionId) =>
    settleException(d, c, { exceptionId, ...NOTE }),
  ),
  ...named('closeAnomaly', ['anomalyId'], 'anomaly_not_found', (d, c, anomalyId) =>
    closeAnomaly(d, c, { anomalyId, ...NOTE }),
  ),
  ofMerchant('changeAccountStatus', (d, c, merchantId) => changeAccountStatus(d, c, { merchantId, ...SUSPENDED })),
  ofMerchant('askForStatus', (d, c, merchantId) =>
    askForStatus(d, c, { merchantId, ...SUSPENDED, reason: 'papers are missing' }),
  ),
  ofMerchant('inviteToMerchant', (d, c, merchantId) =>
    inviteToMerchant(d, c, { merchantId, email: 'moussa@example.com', role: 'owner' }),
  ),
  ofService('createMerchant', (d, c) => createMerchant(d, c, { name: 'Chez Ali', validateLive: true })),
  ofService('rotateMasterKey', (d, c) =>
    rotateMasterKey(d, c, { from: useOf(d.master, d.random), to: useOf(d.master, d.random) }),
  ),
  ofService('erasePayer', (d, c) => erasePayer(d, c, { number: '+227 96 99 99 99' })),
  ofService('verifyStore', (d, c) => verifyStore(d, c)),
  ofService('listMerchants', (d, c) => listMerchants(d, c, { limit: 1_000 })),
  ofService('removeDemo', (d, c) => removeDemo(d, c)),
  ofService('verifyAudit', (d, c) => verifyAudit(d, c)),
  ofService('createServicePerson', (d, c, { accountId }) =>
    createServicePerson(d, c, { ...STAFF, email: `${accountId}@karba.example` }),
  ),
  ofService('listOperators', (d, c) => listOperators(d, c)),
  ofService('removeOperator', (d, c, { operatorEmail: email }) => removeOperator(d, c, { email })),
  ofService('resetOperator', (d, c, { operatorEmail: email }) => resetOperator(d, c, { email })),
]

const BY_PHONE = { method: 'mobile', attempts: 0, country: 'NE', msisdn: SUCCEEDS, amount: '', page: '' }

/** A payer can name only the link that they hold. */
export const BY_PAYERS: [
  action: string,
  denial: Refusal,
  call: (deps: Deps, payer: Payer, link: string) => Promise<object>,
][] = [
  ['openLink', 'link_not_found', (d, payer) => openLink(d, payer)],
  ['readPaymentLink', 'payment_not_found', (d, payer) => readPaymentLink(d, payer)],
  ['returnFromProvider', 'link_not_found', (d, payer) => returnFromProvider(d, payer)],
  [
    'abandonAttempt',
    'link_not_found',
    (d, payer, link) => abandonAttempt(d, payer, { browserTokens: [browserTokenOf(link) ?? ''] }),
  ],
  ['payPaymentLink', 'link_not_found', (d, payer) => payPaymentLink(d, payer, BY_PHONE)],
]

const reasonFor = (reason: string, ...actions: string[]): Record<string, string> =>
  Object.fromEntries(actions.map((action) => [action, reason]))

export const NOT_IN_THE_TABLE: Record<string, string> = {
  ...reasonFor(
    'creates a row in the caller’s own account, and takes no name',
    ...['createPayment', 'createPaymentLink', 'createLinkFromSite', 'showTeam', 'invitePerson'],
  ),
  ...reasonFor(
    'reads or changes the caller’s own account, and takes no name',
    ...[
      'showAccount',
      'readBalance',
      'listEntries',
      'readHome',
      'readSettings',
      'listNewestEvents',
      'listPrompts',
      'listLatestRequests',
    ],
    ...['changeBrand', 'changeLogo', 'changeBusiness', 'askValidation', 'addDocument'],
  ),
  ...reasonFor(
    'only the service itself calls it, by its caller’s type',
    ...[
      'recordOutcomes',
      'recordRefundOutcome',
      'recordAttempts',
      'takeCallback',
      'summariseAccount',
      'findMissing',
      'writeEmail',
    ],
  ),
  answerPrompt: 'names a prompt of the caller’s own account; phone.test.ts calls it as another merchant',
  ...reasonFor(
    'belongs to the merchant in both environments; settings.test.ts calls it as another merchant',
    ...['openDocument', 'deleteDocument'],
  ),
  ...reasonFor(
    'a team belongs to both environments and to no key; test/dashboard/team.test.ts calls it as another merchant',
    ...['changeRole', 'removeFromTeam', 'withdrawInvitation'],
  ),
  actForAccount: 'test/dashboard/routes.test.ts calls it as another merchant: the account is not found',
  ...reasonFor('test/dashboard/console.test.ts calls it as another merchant', 'listOwnViewings', 'listLongWaits'),
  ...reasonFor(
    'its caller is staff by its type; the tests of the routes call it with every other role',
    ...['listTasks', 'takeTaskFor', 'releaseTaskOf', 'settleTask', 'decideApproval', 'viewMerchant', 'findAccountName'],
  ),
  ...reasonFor(
    'takes only the caller’s own token, session or name',
    ...[
      'endView',
      'openSession',
      'listWorkplaces',
      'listOwnSessions',
      'endSession',
      'endAllSessions',
      'signIn',
      'signUp',
    ],
    ...['askForReset', 'resetPassword', 'askForConfirmation', 'confirmAddress', 'readInvitation', 'acceptInvitation'],
    ...['changePassword', 'changeProfile', 'beginTotp', 'confirmTotp', 'renewRecoveryCodes', 'removeTotp'],
  ),
}
