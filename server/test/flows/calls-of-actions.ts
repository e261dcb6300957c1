// Every action that takes a name, with one call for each kind of name that it accepts. A new action
// needs a line here.
import { Readable } from 'node:stream'
import { findActingAccount } from '../../src/actions/accounts/acting-account.ts'
import { listWrittenArchives, readArchive } from '../../src/actions/archives/read-archive.ts'
import { findMonthToArchive, writeArchive } from '../../src/actions/archives/write-archive.ts'
import { listLatestAudit, verifyAudit } from '../../src/actions/audit/audit-log.ts'
import {
  closeDifference,
  correctClosing,
  readClosingChoice,
} from '../../src/actions/books/close-difference.ts'
import { fillDemoMonth } from '../../src/actions/books/demo-month.ts'
import { listDifferences, listExceptions } from '../../src/actions/books/exceptions.ts'
import { importStatementFile, setStatementColumns } from '../../src/actions/books/import-file.ts'
import { importStatement } from '../../src/actions/books/import-statement.ts'
import { beginUpload } from '../../src/actions/books/kept-files.ts'
import { exportMonth } from '../../src/actions/books/month-package.ts'
import { exportStatement } from '../../src/actions/books/read-account-statement.ts'
import {
  confirmSettlement,
  listAccountSettlements,
  readSettlement,
} from '../../src/actions/books/settlements.ts'
import { listTariffs, setTariff } from '../../src/actions/books/tariffs.ts'
import { readEvents } from '../../src/actions/events/read-events.ts'
import { acknowledgeSecret, listKeptSecrets } from '../../src/actions/keys/kept-secrets.ts'
import {
  listAccountKeys,
  makeKey,
  revokeKeys,
  rollKey,
  rollKeys,
} from '../../src/actions/keys/manage-keys.ts'
import {
  cancelLink,
  cancelOnce,
  closePaymentLink,
} from '../../src/actions/links/close-payment-link.ts'
import { createLinkFor } from '../../src/actions/links/create-payment-link.ts'
import {
  abandonAttempt,
  payPaymentLink,
  returnFromProvider,
} from '../../src/actions/links/pay-payment-link.ts'
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
import { listMerchants } from '../../src/actions/merchants/show-merchants.ts'
import {
  changeMerchantConnection,
  replaceConnectionCredentials,
  testMerchantConnection,
} from '../../src/actions/operators/merchant-connections.ts'
import {
  confirmMoneyChange,
  listMoneyChanges,
  rejectMoneyChange,
} from '../../src/actions/operators/money-changes.ts'
import { pauseConnection, resumeConnection } from '../../src/actions/operators/pause-connection.ts'
import {
  acceptLateMoney,
  closeAnomaly,
  listLatestAnomalies,
  refundLateMoney,
} from '../../src/actions/payments/anomalies.ts'
import {
  listNewestPayments,
  listOwnPayments,
  searchAndSum,
  searchPayments,
} from '../../src/actions/payments/list-payments.ts'
import { listRefundsOfAccount } from '../../src/actions/payments/list-refunds.ts'
import { waitForPayment } from '../../src/actions/payments/payment-watcher.ts'
import {
  findNamedPayment,
  readPayment,
  showPayment,
  showPaymentPage,
} from '../../src/actions/payments/read-payment.ts'
import {
  endRefundByHand,
  listRefundTasks,
} from '../../src/actions/payments/record-refund-outcome.ts'
import { readRefund, refundOnce, refundPayment } from '../../src/actions/payments/refund-payment.ts'
import { removeDemo } from '../../src/actions/people/demo-people.ts'
import {
  createStaff,
  listStaff,
  removeStaff,
  resetStaff,
} from '../../src/actions/people/service-people.ts'
import { inviteToMerchant } from '../../src/actions/people/team.ts'
import { erasePayer } from '../../src/actions/privacy/erase-payer.ts'
import { verifyStore } from '../../src/actions/verify/verify-store.ts'
import {
  listLatestDeliveries,
  replayEvents,
  showDelivery,
} from '../../src/actions/webhooks/deliveries.ts'
import {
  addEndpoint,
  changeEndpoint,
  type EndpointChange,
  listOldestEndpoints,
  showEndpoints,
  testEndpoint,
} from '../../src/actions/webhooks/endpoints.ts'
import { monthOf } from '../../src/domain/countries/business-day.ts'
import type { UncheckedLink } from '../../src/domain/links/payment-link.ts'
import type { MerchantCaller, Payer } from '../../src/domain/people/caller.ts'
import type { Refusal } from '../../src/domain/refusals/refusal.ts'
import { useOf } from '../../src/service/master-key.ts'
import { PASSWORD } from '../kit/people.ts'
import { browserTokenOf, LINK, SUCCEEDS } from '../links/payer.ts'
import { CONNECTION, type depsOf, type Owned, ownerOf } from './owned-things.ts'

type Deps = ReturnType<typeof depsOf>

/** The refusal that another account gets. */
export type Denial = Refusal | 'none of its rows'

/** `caller` is a merchant: the owner, or another account. */
type Call = (deps: Deps, caller: MerchantCaller, own: Owned) => Promise<object>
type Action<Input> = (deps: Deps, caller: MerchantCaller, input: Input) => Promise<object>

export type Line = [action: string, of: string, denial: Denial, call: Call]

type Name = { [Key in keyof Owned]: Owned[Key] extends string ? Key : never }[keyof Owned]

/** One line for each kind of name that the action accepts. */
const named = <Input>(
  action: Action<Input>,
  names: readonly Name[],
  denial: Denial,
  input: (name: string) => Input,
  as = (caller: MerchantCaller): MerchantCaller => caller,
): Line[] =>
  names.map((name) => [
    action.name,
    name,
    denial,
    (d, c, own) => action(d, as(c), input(own[name])),
  ])

/** A list of everything that the caller can see. */
const listed = <Input>(action: Action<Input>): Line => [
  action.name,
  'list',
  'none of its rows',
  (d, c) => action(d, c, {} as Input),
]

const order = LINK as UncheckedLink
const ENDPOINT = { url: 'https://shop.example.com/', secretHash: 'a word of the shop', events: [] }
const KEY = { name: 'till', permissions: null, networks: null }
const FEED = { limit: 10, replaysAfter: undefined }
const BY_HAND = { isMade: true, proof: 'slip 12' }
const asTopUp = (exceptionId: string) => ({ exceptionId, reason: 'top_up' as const, note: 'Seen.' })
const CANCELLED = { because: 'cancelled' } as const
const OFFER = { methods: ['wallet'] } as const
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
const NAMES_OF_PAYMENT = ['reference', 'publicReference', 'externalReference', 'link'] as const
const asOwner = ({ accountId }: MerchantCaller): MerchantCaller => ownerOf(accountId)

const ofConnection = (connectionId: string) => ({
  connectionId,
  to: 'suspended' as const,
  fields: {},
})

export const CALLS: Line[] = [
  ...named(listLatestAudit, ['endpointId'], 'none of its rows', (subject) => ({ subject })),
  listed(listLatestAudit),
  ...named(listAccountKeys, ['accountId'], 'account_not_found', (accountId) => ({ accountId })),
  ...named(revokeKeys, ['keyId', 'accountId', 'secretKey'], 'key_not_found', (which) => ({
    which,
  })),
  ...named(
    rollKeys,
    ['accountId'],
    'account_not_found',
    (accountId) => ({ accountId, keepOldMs: 0 }),
    asOwner,
  ),
  ...named(
    makeKey,
    ['accountId'],
    'account_not_found',
    (accountId) => ({ accountId, ...KEY }),
    asOwner,
  ),
  ...named(rollKey, ['keyId'], 'key_not_found', (keyId) => ({ keyId, keepOldMs: 0 }), asOwner),
  ...named(
    confirmMoneyChange,
    ['changeId'],
    'money_change_not_found',
    (changeId) => ({ changeId, password: PASSWORD }),
    asOwner,
  ),
  ...named(
    rejectMoneyChange,
    ['changeId'],
    'money_change_not_found',
    (changeId) => ({ changeId }),
    asOwner,
  ),
  ...named(
    acknowledgeSecret,
    ['keptSecret'],
    'secret_not_found',
    (subject) => ({ subject }),
    asOwner,
  ),
  [listKeptSecrets.name, 'list', 'none of its rows', (d, c) => listKeptSecrets(d, asOwner(c))],
  [listMoneyChanges.name, 'list', 'none of its rows', (d, c) => listMoneyChanges(d, asOwner(c))],
  ...named(closePaymentLink, ['link'], 'link_not_found', (linkReference) => ({
    linkReference,
    ...CANCELLED,
  })),
  ...named(cancelLink, ['link'], 'link_not_found', (name) => ({ name })),
  ...named(cancelOnce, ['link'], 'payment_not_found', (linkReference) => ({ linkReference })),
  ...named(createLinkFor, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
    order,
  })),
  ...named(listNewestLinks, ['accountId'], 'account_not_found', (accountId) => ({ accountId })),
  listed(listNewestLinks),
  ...named(showLink, ['link'], 'link_not_found', (name) => ({ name })),
  ...named(findNamedLink, ['link'], 'link_not_found', (name) => name),
  [
    'findActingAccount',
    'accountId',
    'account_not_found',
    (d, c, { accountId }) => findActingAccount(d.db, c, accountId),
  ],
  ...named(changeCheckoutSettings, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
    ...OFFER,
  })),
  ...named(readCheckoutSettings, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
  })),
  ...named(findNamedPayment, NAMES_OF_PAYMENT, 'payment_not_found', (name) => ({ name })),
  listed(listExceptions),
  listed(listDifferences),
  ...named(closeDifference, ['exceptionId'], 'exception_not_found', asTopUp, asOwner),
  ...named(correctClosing, ['closedExceptionId'], 'exception_not_found', asTopUp, asOwner),
  ...named(
    readClosingChoice,
    ['exceptionId'],
    'exception_not_found',
    (exceptionId) => ({ exceptionId }),
    asOwner,
  ),
  listed(listLatestAnomalies),
  ...named(listNewestPayments, ['accountId'], 'account_not_found', (accountId) => ({ accountId })),
  listed(listNewestPayments),
  listed(listOwnPayments),
  ...named(searchPayments, ['reference'], 'none of its rows', (search) => ({ search })),
  ...named(searchAndSum, ['reference'], 'none of its rows', (search) => ({ search })),
  listed(searchPayments),
  ...named(
    readPayment,
    ['reference', 'externalReference', 'link'],
    'payment_not_found',
    (name) => ({ name }),
  ),
  ...named(waitForPayment, ['reference'], 'payment_not_found', (name) => ({ name, ...ENDED_WAIT })),
  ...named(showPayment, ['reference'], 'payment_not_found', (name) => ({ name })),
  ...named(showPaymentPage, ['reference'], 'payment_not_found', (name) => ({ name })),
  listed(listRefundTasks),
  ...named(endRefundByHand, ['refundByHand'], 'refund_not_by_hand', (name) => ({
    refundReference: name,
    ...BY_HAND,
  })),
  ...named(refundPayment, ['reference'], 'payment_not_found', (name) => ({ name })),
  ...named(refundOnce, ['reference', 'externalReference'], 'payment_not_found', (name) => ({
    name,
  })),
  [
    'readRefund',
    'reference',
    'payment_not_found',
    (d, c, { reference: name }) =>
      refundOnce(d, c, { name }).then(() => readRefund(d, c, { name })),
  ],
  listed(listRefundsOfAccount),
  [
    'listRefundsOfAccount',
    'reference',
    'payment_not_found',
    (d, c, { reference: name }) =>
      refundOnce(d, c, { name }).then(() => listRefundsOfAccount(d, c, { payment: name })),
  ],
  ...named(listAccountSettlements, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
  })),
  [
    'readSettlement',
    'settlement',
    'settlement_not_found',
    (d, c, { accountId, settlement: name }) => readSettlement(d, c, { accountId, name }),
  ],
  [
    'confirmSettlement',
    'settlement',
    'settlement_not_found',
    (d, c, { accountId, settlement: name }) =>
      confirmSettlement(d, c, { accountId, name, receivedXof: 1_000 }),
  ],
  ...named(exportStatement, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
    ...PERIOD,
  })),
  [
    'exportMonth',
    'accountId',
    'account_not_found',
    (d, c, { accountId }) =>
      exportMonth(afterThisMonth(d), c, {
        accountId,
        month: monthOf(d.clock.now()),
        language: 'fr',
      }),
  ],
  ...named(addEndpoint, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
    ...ENDPOINT,
  })),
  ...CHANGES.flatMap((change) =>
    named(changeEndpoint, ['endpointId'], 'endpoint_not_found', (endpointId) => ({
      endpointId,
      changes: [change],
    })),
  ),
  ...named(testMerchantConnection, ['connectionId'], 'connection_not_found', ofConnection, asOwner),
  ...named(
    replaceConnectionCredentials,
    ['connectionId'],
    'connection_not_found',
    ofConnection,
    asOwner,
  ),
  ...named(
    changeMerchantConnection,
    ['connectionId'],
    'connection_not_found',
    ofConnection,
    asOwner,
  ),
  ...named(testEndpoint, ['endpointId'], 'endpoint_not_found', (endpointId) => ({ endpointId })),
  listed(showEndpoints),
  ...named(listOldestEndpoints, ['accountId'], 'account_not_found', (accountId) => ({ accountId })),
  listed(listOldestEndpoints),
  ...named(listLatestDeliveries, ['accountId'], 'account_not_found', (accountId) => ({
    accountId,
  })),
  ...named(listLatestDeliveries, ['endpointId'], 'endpoint_not_found', (endpointId) => ({
    endpointId,
  })),
  listed(listLatestDeliveries),
  ...named(showDelivery, ['delivery'], 'delivery_not_found', (name) => ({ name })),
  ...named(readEvents, ['eventId'], 'event_not_found', (after) => ({ ...FEED, after })),
  ...named(replayEvents, ['delivery'], 'delivery_not_found', (delivery) => ({ delivery })),
  ...named(replayEvents, ['reference'], 'payment_not_found', (payment) => ({ payment })),
  ...named(replayEvents, ['accountId'], 'account_not_found', (accountId) => ({
    failedSince: 0,
    accountId,
  })),
  ...named(replayEvents, ['endpointId'], 'endpoint_not_found', (endpointId) => ({
    failedSince: 0,
    endpointId,
  })),
]

const NOTE = { note: 'looked at' }
const PERIOD = {
  connection: 'airtel_ne',
  fromDay: 20_000,
  toDay: 20_000,
  format: 'csv',
  language: 'fr',
} as const
/** Longer than a month. */
const LATER_MS = 40 * 86_400_000
const afterThisMonth = (deps: Deps): Deps => ({
  ...deps,
  clock: { ...deps.clock, now: () => deps.clock.now() + LATER_MS },
})
const SUSPENDED = { environment: 'sandbox', status: 'suspended' } as const
const STAFF = { name: 'Awa', role: 'support', language: 'fr' } as const
const INVITED = { email: 'moussa@example.com', role: 'owner' } as const

/** An action about a merchant: staff only. A merchant cannot learn which merchants exist. */
const ofMerchant = <Input>(action: Action<Input & { merchantId: string }>, input: Input): Line => [
  action.name,
  'merchant',
  'merchant_not_found',
  (d, c, { merchant: { merchantId } }) => action(d, c, { ...input, merchantId }),
]

const STATEMENT = {
  name: 'statement.csv',
  sha256: 'x',
  bytes: 0,
  isDryRun: false,
  lines: (async function* () {})(),
  totals: {
    lines: 0,
    openingXof: null,
    closingXof: null,
    firstDay: 0,
    lastDay: 0,
    firstAt: 0,
    lastAt: 0,
  },
}
const FILE = {
  name: 'statement.csv',
  isDryRun: false,
  open: async function* () {
    yield Buffer.from(
      'Id,External id,Date,Status,Type,From,From Name,To,To Name,Amount,Fee,Balance\n',
    )
  },
}
const TARIFF = {
  rate: 1_500,
  fixedXof: 0,
  minimumXof: 0,
  maximumXof: null,
  rounding: 'up',
  fromDay: 20_000,
} as const

/** A staff-only action. */
const ofService = <Input>(
  action: Action<Input>,
  input: (own: Owned, deps: Deps) => Input,
): Line => [
  action.name,
  'service',
  'caller_not_allowed',
  (d, c, own) => action(d, c, input(own, d)),
]

/** Refused to every merchant, also for its own account: the authorised caller is staff. */
export const FOR_THE_SERVICE: Line[] = [
  ofService(findMonthToArchive, () => ({ olderThanMonths: 1 })),
  ofService(writeArchive, () => ({ month: '2026-01' })),
  ofService(listWrittenArchives, () => undefined),
  [
    'readArchive',
    'service',
    'caller_not_allowed',
    (d, c, { archive }) => readArchive(d, c, { file: Readable.from([archive]) }),
  ],
  ofService(pauseConnection, () => ({ ...CONNECTION, reason: 'maintenance' })),
  ofService(importStatement, () => ({ ...CONNECTION, ...STATEMENT })),
  ofService(importStatementFile, () => ({ ...CONNECTION, ...FILE })),
  ofService(setStatementColumns, () => ({ ...CONNECTION, ...FILE, mapping: undefined })),
  ofService(beginUpload, () => ({ ...CONNECTION, name: 'statement.csv' })),
  ofService(setTariff, () => ({ ...CONNECTION, ...TARIFF })),
  ofService(listTariffs, () => undefined),
  ofService(resumeConnection, () => ({ ...CONNECTION, reason: 'maintenance is over' })),
  ...[acceptLateMoney, refundLateMoney].flatMap((action) =>
    named(action, ['lateMoneyId'], 'anomaly_not_found', (anomalyId) => ({ anomalyId, ...NOTE })),
  ),
  ...named(closeAnomaly, ['anomalyId'], 'anomaly_not_found', (anomalyId) => ({
    anomalyId,
    ...NOTE,
  })),
  ofMerchant(changeAccountStatus, SUSPENDED),
  ofMerchant(askForStatus, { ...SUSPENDED, reason: 'papers are missing' }),
  ofMerchant(inviteToMerchant, INVITED),
  ofService(createMerchant, () => ({ name: 'Chez Ali', validateLive: true })),
  ofService(rotateMasterKey, (_own, { master, random }) => ({
    from: useOf(master, random),
    to: useOf(master, random),
  })),
  ofService(erasePayer, () => ({ number: '+227 96 99 99 99' })),
  ofService(verifyStore, () => ({})),
  ofService(listMerchants, () => ({ limit: 1_000 })),
  ofService(removeDemo, () => ({})),
  ofService(fillDemoMonth, () => ({})),
  ofService(verifyAudit, () => ({})),
  ofService(createStaff, ({ accountId }) => ({ ...STAFF, email: `${accountId}@karba.example` })),
  ofService(listStaff, () => ({})),
  ofService(removeStaff, ({ staffEmail: email }) => ({ email })),
  ofService(resetStaff, ({ staffEmail: email }) => ({ email })),
]

const BY_PHONE = {
  method: 'mobile',
  attempts: 0,
  country: 'NE',
  msisdn: SUCCEEDS,
  amount: '',
  page: '',
}

type PayersCall = (deps: Deps, payer: Payer, link: string) => Promise<object>

/** A payer can name only the link that they hold. */
export const BY_PAYERS: [action: string, denial: Refusal, call: PayersCall][] = [
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
    'createPayment',
    'createPaymentLink',
    'createLinkFromSite',
    'showTeam',
    'invitePerson',
    'createTestPayment',
    'addMerchantConnection',
    'changeMoney',
  ),
  ...reasonFor(
    'reads or changes the caller’s own account, and takes no name',
    'showAccount',
    'readBalance',
    'listEntries',
    'listMoneyEntries',
    'countDifferences',
    'walletsOf',
    'readHome',
    'readStatementMails',
    'setStatementMails',
    'readJournalAccounts',
    'setJournalAccounts',
    'setConnectionJournal',
    'readSettings',
    'listNewestEvents',
    'listPrompts',
    'listLatestRequests',
    'showMerchantConnections',
    'changeBrand',
    'changeLogo',
    'changeBusiness',
    'changePiAlias',
    'askValidation',
    'addDocument',
  ),
  ...reasonFor(
    'only the service itself calls it, by its caller’s type',
    'recordOutcomes',
    'recordRefundOutcome',
    'recordAttempts',
    'warnOfFailing',
    'endOldMoneyChanges',
    'takeCallback',
    'summariseAccount',
    'findMissing',
    'checkBalances',
    'resumeImport',
    'judgeDueLines',
    'bookDueOpening',
    'writeEmail',
    'announceStatements',
    'planFetches',
    'fetchDueStatement',
  ),
  ...reasonFor(
    'lists only connections that the caller may import; test/dashboard/books.test.ts calls it as a merchant',
    'listStatementSources',
  ),
  ...reasonFor(
    'holds what another action was asked for, and names nothing',
    'parsingTurn',
    'uploadSpaceRefusal',
  ),
  announceOwnerChange: 'queues emails about the team of the caller’s own merchant',
  ...reasonFor('fetch-statements.test.ts calls it as a merchant', 'fetchNow', 'fetchPeriod'),
  ...reasonFor('matching.test.ts calls it as a merchant', 'suggestPayments', 'confirmSuggestion'),
  ...reasonFor(
    'statement-uploads.test.ts calls it as a merchant',
    'findUpload',
    'uploadPart',
    'finishUpload',
    'importUpload',
    'proposeColumns',
    'setUploadColumns',
    'listStatementFiles',
    'downloadStatementFile',
    'listUnusedUploads',
    'removeUpload',
    'takeBackImport',
  ),
  ...reasonFor(
    'public: everyone with the code may read it, and receipts.test.ts forges codes',
    'readReceipt',
    'openPoster',
  ),
  answerPrompt:
    'names a prompt of the caller’s own account; phone.test.ts calls it as another merchant',
  ...reasonFor(
    'belongs to the merchant in both environments; settings.test.ts calls it as another merchant',
    'openDocument',
    'deleteDocument',
  ),
  ...reasonFor(
    'a team belongs to both environments and to no key; test/dashboard/team.test.ts calls it as another merchant',
    'changeRole',
    'removeFromTeam',
    'withdrawInvitation',
  ),
  actForAccount:
    'test/dashboard/routes.test.ts calls it as another merchant: the account is not found',
  ...reasonFor(
    'test/dashboard/console.test.ts calls it as another merchant',
    'listOwnViewings',
    'listLongWaits',
  ),
  ...reasonFor(
    'its caller is staff by its type; the tests of the routes call it with every other role',
    'listTasks',
    'takeTaskFor',
    'releaseTaskOf',
    'settleTask',
    'decideApproval',
    'viewMerchant',
    'findAccountName',
    'showMerchant',
    'openMerchantDocument',
    'searchConsole',
  ),
  ...reasonFor(
    'takes only the caller’s own token, session or name',
    'endView',
    'openSession',
    'listWorkplaces',
    'listOwnSessions',
    'endSession',
    'endAllSessions',
    'signIn',
    'signUp',
    'askForReset',
    'checkEmailLink',
    'resetPassword',
    'askForConfirmation',
    'confirmAddress',
    'readInvitation',
    'acceptInvitation',
    'listEmailChoices',
    'chooseEmail',
    'changePassword',
    'changeProfile',
    'beginTotp',
    'confirmTotp',
    'renewRecoveryCodes',
    'removeTotp',
  ),
}
