// The contract as tables: the checks of the headers, and every operation with its refusals in the
// order in which they are checked, for a reviewer to compare with docs/contract.md. The OpenAPI
// description and docs/errors.md read it too. How each refusal is answered is in wire/refusals.ts.

import type { IncomingHttpHeaders } from 'node:http'
import { CONFIRM_REFUSALS } from '../actions/books/settlements.ts'
import { KEY_REFUSALS, SITE_REFUSALS } from '../actions/keys/authenticate-key.ts'
import {
  CREATE_LINK_FROM_SITE_REFUSALS,
  CREATE_LINK_REFUSALS,
} from '../actions/links/create-payment-link.ts'
import { CREATE_PAYMENT_REFUSALS } from '../actions/payments/create-payment.ts'
import { REFUND_REFUSALS } from '../actions/payments/refund-payment.ts'
import {
  ADD_ENDPOINT_REFUSALS,
  CHANGE_ENDPOINT_REFUSALS,
  TEST_ENDPOINT_REFUSALS,
} from '../actions/webhooks/endpoints.ts'
import { type Environment, isEnvironment } from '../domain/environment.ts'
import { REFUND_FAULTS } from '../domain/refunds/refund.ts'
import type { Refusal, RefusedAs } from '../domain/refusals/refusal.ts'
import type { Rate } from '../http/rate-limit.ts'
import type { BODIES } from '../wire/bodies.ts'
import { GENERAL_ERRORS, type GeneralError, type WireError } from '../wire/error.ts'
import { FEED_QUERY_FAULTS } from '../wire/event.ts'
import {
  ENTRY_QUERY,
  faultsOf,
  PAYMENT_QUERY,
  REFUND_QUERY,
  SETTLEMENT_QUERY,
} from '../wire/queries.ts'
import { WIRE_ERRORS, type WireRefusal } from '../wire/refusals.ts'

/** The four headers of spec §5; an absent one is an empty string. */
export type Head = {
  contentType: string
  authorization: string
  environment: string
  paymentType: string
}

/**
 * Whether each check is unmet, in the order of D-01 (rows 1 to 5): the first that is unmet is the
 * refusal.
 */
const HEAD_CHECKS = {
  header_missing: (head) =>
    head.contentType === '' ||
    head.authorization === '' ||
    head.environment === '' ||
    head.paymentType === '',
  environment_not_allowed: (head) => !isEnvironment(head.environment),
  payment_type_not_allowed: (head, paymentTypes) => !paymentTypes.includes(head.paymentType),
  key_malformed: (head) => !/^Bearer [^\s]+$/.test(head.authorization),
  content_type_not_json: ({ contentType }) =>
    contentType !== 'application/json' && contentType.toLowerCase() !== 'application/json',
} as const satisfies {
  [Name in Refusal]?: (head: Head, paymentTypes: readonly string[]) => boolean
}

export type HeadRefusal = keyof typeof HEAD_CHECKS

export const HEAD_REFUSALS = Object.keys(HEAD_CHECKS) as HeadRefusal[]

/**
 * A page sends only its key and JSON: the environment is that of the key, and a link has one
 * payment type (D-52).
 */
export const PAGE_HEAD_REFUSALS = [
  'key_malformed',
  'content_type_not_json',
] as const satisfies readonly HeadRefusal[]

/** As the contract writes them. */
const HEADER_NAMES = {
  contentType: 'Content-Type',
  authorization: 'Authorization',
  environment: 'Svc-Target-Environment',
  paymentType: 'Svc-Payment-Type',
} as const satisfies Record<keyof Head, string>

/** The first of the four that is absent; there is one when the first check is unmet. */
function missingHeader(head: Head): string {
  const names = Object.keys(HEADER_NAMES) as (keyof Head)[]
  return HEADER_NAMES[names.find((name) => head[name] === '') as keyof Head]
}

export const environmentOf = (head: Head): Environment => head.environment as Environment
export const keyOf = (head: Head): string => head.authorization.slice('Bearer '.length)

type CheckedOperation = { refusals: readonly Refusal[]; paymentTypes: readonly string[] }

type HeadRefusalOf<Op extends CheckedOperation> = Extract<Op['refusals'][number], HeadRefusal>

/** Runs the header checks that an operation lists, in the order of HEAD_CHECKS. */
export function headCheckOf<Op extends CheckedOperation>({
  refusals,
  paymentTypes,
}: Op): (headers: IncomingHttpHeaders) => Head | RefusedAs<HeadRefusalOf<Op>> {
  const checked = HEAD_REFUSALS.filter((refusal) => refusals.includes(refusal))
  return (headers) => {
    const head = headOf(headers)
    const refused = checked.find((refusal) => HEAD_CHECKS[refusal](head, paymentTypes))
    if (refused === undefined) return head
    const facts = refused === 'header_missing' ? { header: missingHeader(head) } : {}
    return { refused, ...facts } as RefusedAs<HeadRefusalOf<Op>>
  }
}

function headOf(headers: IncomingHttpHeaders): Head {
  return {
    contentType: headers['content-type'] ?? '',
    authorization: headers.authorization ?? '',
    environment: (headers['svc-target-environment'] as string | undefined) ?? '',
    paymentType: (headers['svc-payment-type'] as string | undefined) ?? '',
  }
}

export const BASE_PATH = '/api/v1'

/** For each address: many payers share one, and each creates only a few links (D-52). */
export const PAGE_LINK_RATE: Rate = { perSecond: 5, burst: 30 }

/** A body of requests or successful answers. */
export type BodyName = Exclude<keyof typeof BODIES, 'Error' | 'Failure'>

export interface Operation {
  id: string
  method: 'GET' | 'POST'
  /**
   * The prefix of the path; the operation for merchants' pages is outside the versioned API (D-52).
   */
  base: typeof BASE_PATH | ''
  /**
   * `{reference}` is the whole rest of the path: a transaction_id may contain slashes, encoded or
   * not (D-10, D-12).
   */
  path: string
  /** Allowed values of Svc-Payment-Type (D-03); empty where it is not read. */
  paymentTypes: readonly string[]
  /** In the order in which they are checked: the first that applies is the answer. */
  refusals: readonly WireRefusal[]
  /** Whether a caller may send only so many requests a second, or at once. */
  isLimited?: true
  /** The schema of its 200; a file has none. */
  success?: BodyName
  /** Where the contract has it; an addition to it has a decision of ours. */
  source: `${'spec §' | 'D-'}${string}`
}

/** D-01, rows 1 to 7: for every operation that needs a secret key. */
const GATE_REFUSALS = [...HEAD_REFUSALS, ...KEY_REFUSALS] as const

/** Of an addition: so that a client can send the same headers with every call. */
const ANY_PAYMENT_TYPE = ['mobile', 'external_payment', 'card'] as const

export const OPERATIONS = {
  createPayment: {
    id: 'createPayment',
    method: 'POST',
    base: BASE_PATH,
    path: '/payments',
    paymentTypes: ['mobile'],
    refusals: [...GATE_REFUSALS, ...CREATE_PAYMENT_REFUSALS],
    success: 'CreatedPayment',
    source: 'spec §4.1',
  },
  readPayment: {
    id: 'readPayment',
    method: 'GET',
    base: BASE_PATH,
    path: '/payments/{reference}',
    paymentTypes: ['mobile'],
    // An absent `wait` is valid.
    refusals: [...GATE_REFUSALS, 'wait_not_valid', 'payment_not_found'],
    success: 'Payment',
    source: 'spec §4.2',
  },
  createLink: {
    id: 'createLink',
    method: 'POST',
    base: BASE_PATH,
    path: '/external_payments',
    paymentTypes: ['external_payment', 'card', 'mobile'],
    refusals: [...GATE_REFUSALS, ...CREATE_LINK_REFUSALS],
    success: 'CreatedLink',
    source: 'spec §4.3',
  },
  // Needs no header and no key, so it has no gate (D-24).
  readLink: {
    id: 'readLink',
    method: 'GET',
    base: BASE_PATH,
    path: '/external_payments/{reference}',
    paymentTypes: [],
    refusals: ['payment_not_found'],
    isLimited: true,
    success: 'Link',
    source: 'spec §4.3',
  },
  // The events that webhooks deliver, so that merchants can check that they missed none.
  listEvents: {
    id: 'listEvents',
    method: 'GET',
    base: BASE_PATH,
    path: '/events',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...FEED_QUERY_FAULTS, 'event_not_found', 'cursor_too_old'],
    success: 'Feed',
    source: 'D-47',
  },
  // The way to check a key: whose it is, and what works now.
  showAccount: {
    id: 'showAccount',
    method: 'GET',
    base: BASE_PATH,
    path: '/account',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: GATE_REFUSALS,
    success: 'Account',
    source: 'D-85',
  },
  listPayments: {
    id: 'listPayments',
    method: 'GET',
    base: BASE_PATH,
    path: '/payments',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [
      ...GATE_REFUSALS,
      ...faultsOf(PAYMENT_QUERY),
      'cursor_not_valid',
      'payment_not_found',
    ],
    success: 'PaymentList',
    source: 'D-86',
  },
  readBalance: {
    id: 'readBalance',
    method: 'GET',
    base: BASE_PATH,
    path: '/balance',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: GATE_REFUSALS,
    success: 'Balance',
    source: 'D-153',
  },
  listEntries: {
    id: 'listEntries',
    method: 'GET',
    base: BASE_PATH,
    path: '/entries',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...faultsOf(ENTRY_QUERY)],
    success: 'EntryList',
    source: 'D-153',
  },
  readStatement: {
    id: 'readStatement',
    method: 'GET',
    base: BASE_PATH,
    path: '/statements',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [
      ...GATE_REFUSALS,
      'statement_query_not_valid',
      'period_not_valid',
      'period_without_movements',
    ],
    isLimited: true,
    success: 'Statement',
    source: 'D-153',
  },
  downloadMonth: {
    id: 'downloadMonth',
    method: 'GET',
    base: BASE_PATH,
    path: '/statements/package',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [
      ...GATE_REFUSALS,
      'statement_query_not_valid',
      'month_not_over',
      'period_without_movements',
    ],
    isLimited: true,
    source: 'D-182',
  },
  listSettlements: {
    id: 'listSettlements',
    method: 'GET',
    base: BASE_PATH,
    path: '/settlements',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...faultsOf(SETTLEMENT_QUERY)],
    success: 'SettlementList',
    source: 'D-156',
  },
  readSettlement: {
    id: 'readSettlement',
    method: 'GET',
    base: BASE_PATH,
    path: '/settlements/{reference}',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'limit_not_valid', 'settlement_not_found', 'cursor_not_valid'],
    success: 'SettlementLines',
    source: 'D-156',
  },
  confirmSettlement: {
    id: 'confirmSettlement',
    method: 'POST',
    base: BASE_PATH,
    path: '/settlements/{reference}/confirm',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...CONFIRM_REFUSALS],
    success: 'Settlement',
    source: 'D-156',
  },
  refundPayment: {
    id: 'refundPayment',
    method: 'POST',
    base: BASE_PATH,
    path: '/payments/{reference}/refund',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...REFUND_FAULTS, 'payment_not_found', ...REFUND_REFUSALS],
    success: 'Refund',
    source: 'D-87',
  },
  readRefund: {
    id: 'readRefund',
    method: 'GET',
    base: BASE_PATH,
    path: '/payments/{reference}/refund',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'payment_not_found', 'refund_not_found'],
    success: 'Refund',
    source: 'D-87',
  },
  listRefunds: {
    id: 'listRefunds',
    method: 'GET',
    base: BASE_PATH,
    path: '/refunds',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [
      ...GATE_REFUSALS,
      ...faultsOf(REFUND_QUERY),
      'cursor_not_valid',
      'payment_not_found',
    ],
    success: 'RefundList',
    source: 'D-180',
  },
  cancelLink: {
    id: 'cancelLink',
    method: 'POST',
    base: BASE_PATH,
    path: '/external_payments/{reference}/cancel',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'payment_not_found', 'link_being_paid', 'link_paid'],
    success: 'Link',
    source: 'D-88',
  },
  // For plugins that register their own webhook. POST throughout, like the rest of the API: some
  // hosts and proxies of shops refuse other methods.
  listWebhookEndpoints: {
    id: 'listWebhookEndpoints',
    method: 'GET',
    base: BASE_PATH,
    path: '/webhook_endpoints',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: GATE_REFUSALS,
    success: 'WebhookEndpointList',
    source: 'D-217',
  },
  createWebhookEndpoint: {
    id: 'createWebhookEndpoint',
    method: 'POST',
    base: BASE_PATH,
    path: '/webhook_endpoints',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...ADD_ENDPOINT_REFUSALS],
    success: 'WebhookEndpointWithSecret',
    source: 'D-217',
  },
  changeWebhookEndpoint: {
    id: 'changeWebhookEndpoint',
    method: 'POST',
    base: BASE_PATH,
    path: '/webhook_endpoints/{reference}',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'endpoint_status_not_valid', ...CHANGE_ENDPOINT_REFUSALS],
    success: 'WebhookEndpoint',
    source: 'D-217',
  },
  rollWebhookSecret: {
    id: 'rollWebhookSecret',
    method: 'POST',
    base: BASE_PATH,
    path: '/webhook_endpoints/{reference}/roll_secret',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'secret_overlap_not_valid', 'endpoint_not_found'],
    success: 'WebhookEndpointWithSecret',
    source: 'D-217',
  },
  deleteWebhookEndpoint: {
    id: 'deleteWebhookEndpoint',
    method: 'POST',
    base: BASE_PATH,
    path: '/webhook_endpoints/{reference}/delete',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, 'endpoint_not_found'],
    success: 'DeletedWebhookEndpoint',
    source: 'D-217',
  },
  testWebhookEndpoint: {
    id: 'testWebhookEndpoint',
    method: 'POST',
    base: BASE_PATH,
    path: '/webhook_endpoints/{reference}/test',
    paymentTypes: ANY_PAYMENT_TYPE,
    refusals: [...GATE_REFUSALS, ...TEST_ENDPOINT_REFUSALS],
    isLimited: true,
    success: 'SentWebhookTest',
    source: 'D-217',
  },
  // For the button on a merchant's page, with the public key.
  createLinkFromPage: {
    id: 'createLinkFromPage',
    method: 'POST',
    base: '',
    path: '/checkout/links',
    paymentTypes: [],
    refusals: [...PAGE_HEAD_REFUSALS, ...SITE_REFUSALS, ...CREATE_LINK_FROM_SITE_REFUSALS],
    isLimited: true,
    success: 'CreatedLink',
    source: 'D-52',
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS

/** The refusals that an operation lists: a handler that returns another does not compile. */
export type RefusalOf<Id extends OperationId> = (typeof OPERATIONS)[Id]['refusals'][number]

export type MerchantRefusal = RefusalOf<OperationId>

/**
 * Errors that are no refusals of the operation (D-05); those of the last line any request can get.
 */
export const generalErrorsOf = ({ method, isLimited }: Operation): GeneralError[] => [
  ...(method === 'POST' ? (['payload_too_large'] as const) : []),
  ...(isLimited ? (['too_many_requests'] as const) : []),
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'internal',
  'unavailable',
]

/** Not part of the original contract: clients may ignore it. */
export const isAddition = ({ source }: Operation): boolean => source.startsWith('D-')

/** In the router's syntax. */
export const routeOf = ({ base, path }: Operation): string =>
  base + path.replace(/\{reference\}$/, '*').replace('{reference}', ':name')

/** The paths with a reference in them, for the server: what is before and after it. */
export const opaquePaths = (): { method: string; prefix: string; suffix: string }[] =>
  Object.values(OPERATIONS).flatMap(({ method, base, path }) => {
    const [prefix, suffix] = path.split('{reference}') as [string, string?]
    return suffix === undefined ? [] : [{ method, prefix: base + prefix, suffix }]
  })

/**
 * D-16: on a duplicate, the reference of the payment that has the transaction_id; the id of the
 * endpoint that has the address (D-217).
 */
export const EXISTING_REFERENCE_HEADER = 'svc-existing-reference'

/** D-165: the last event that was removed, to go on after, and when it was written. */
export const KEPT_AFTER_HEADER = 'svc-kept-after'
export const REMOVED_UNTIL_HEADER = 'svc-removed-until'

/**
 * On a link that is read: the address of its page, which the body of the contract does not have.
 */
export const PAGE_URL_HEADER = 'svc-page-url'

/**
 * On a payment that succeeded and is read: the address of its receipt, which anyone can check
 * (D-161).
 */
export const RECEIPT_URL_HEADER = 'svc-receipt-url'

/** Every error of the API, by its HTTP status. */
export function errorsByStatus(): [status: number, errors: WireError[]][] {
  const used = new Set<MerchantRefusal>(
    Object.values(OPERATIONS).flatMap(({ refusals }): readonly MerchantRefusal[] => refusals),
  )
  const errors: WireError[] = [
    ...[...used].map((name) => WIRE_ERRORS[name]),
    ...Object.values(GENERAL_ERRORS),
  ]
  return [...Map.groupBy(errors, ({ http }) => http)].sort(([a], [b]) => a - b)
}
