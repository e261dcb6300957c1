// The contract as tables: routes, the order of the checks, every error, every limit. A reviewer lays this file beside
// docs/contract.md. Nothing here does anything; gate.ts and routes.ts walk through it.
import { type Environment, isEnvironment } from '../domain/environment.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { WireError } from '../wire/error.ts'

export const BASE_PATH = '/api/v1'

export interface Operation {
  id: 'createPayment' | 'readPayment' | 'createLink' | 'listEvents'
  method: 'GET' | 'POST'
  path: string
  /** D-03 */
  paymentTypes: readonly string[]
  source: string
}

export const OPERATIONS = {
  createPayment: {
    id: 'createPayment',
    method: 'POST',
    path: '/payments',
    paymentTypes: ['mobile'],
    source: 'spec §4.1',
  },
  readPayment: {
    id: 'readPayment',
    method: 'GET',
    // Everything behind the slash is the reference: a transaction_id may contain slashes, encoded or not (D-10).
    path: '/payments/*',
    paymentTypes: ['mobile'],
    source: 'spec §4.2',
  },
  createLink: {
    id: 'createLink',
    method: 'POST',
    path: '/external_payments',
    paymentTypes: ['external_payment', 'card', 'mobile'],
    source: 'spec §4.3',
  },
  // An addition of ours: the events behind the webhooks, for whoever wants to be sure that none was missed.
  listEvents: {
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    // One header set serves all calls.
    paymentTypes: ['mobile', 'external_payment', 'card'],
    source: 'D-47',
  },
} as const satisfies Record<string, Operation>

/** Needs no header at all, so it passes no gate (D-24). */
export const READ_LINK_PATH = '/external_payments/'

/** The four headers of spec §5; an absent one is an empty string. */
export interface Head {
  contentType: string
  authorization: string
  environment: string
  paymentType: string
}

const HEAD_REFUSALS = [
  'header_missing',
  'environment_not_allowed',
  'payment_type_not_allowed',
  'key_malformed',
  'content_type_not_json',
] as const

export interface HeadCheck {
  refusal: (typeof HEAD_REFUSALS)[number]
  unmet(head: Head, operation: Operation): boolean
  source: string
}

/** D-01, rows 1 to 5: the first unmet one decides, and none of them asks the store. Rows 6 and 7 are in gate.ts. */
export const HEAD_CHECKS: readonly HeadCheck[] = [
  {
    refusal: 'header_missing',
    unmet: (head) =>
      head.contentType === '' || head.authorization === '' || head.environment === '' || head.paymentType === '',
    source: 'D-01 row 1',
  },
  {
    refusal: 'environment_not_allowed',
    unmet: (head) => !isEnvironment(head.environment),
    source: 'D-01 row 2',
  },
  {
    refusal: 'payment_type_not_allowed',
    unmet: (head, operation) => !operation.paymentTypes.includes(head.paymentType),
    source: 'D-01 row 3',
  },
  {
    refusal: 'key_malformed',
    unmet: (head) => !/^Bearer [^\s]+$/.test(head.authorization),
    source: 'D-01 row 4',
  },
  {
    refusal: 'content_type_not_json',
    unmet: (head) => head.contentType !== 'application/json' && head.contentType.toLowerCase() !== 'application/json',
    source: 'D-01 row 5',
  },
]

export const ERRORS = {
  header_missing: { http: 400, message: 'Bad Request: Missing params', source: 'spec §7' },
  environment_not_allowed: { http: 400, message: 'Bad Request: Not Allowed Environment', source: 'spec §7' },
  payment_type_not_allowed: { http: 400, message: 'Bad Request: Not Allowed Payment Type', source: 'spec §7' },
  key_malformed: { http: 400, message: 'Bad Request: Missing Authentication Key', source: 'spec §7' },
  content_type_not_json: { http: 406, message: 'Not Acceptable: Invalid Content Type', source: 'D-01 row 5' },
  key_not_valid: { http: 401, message: 'Unauthorized: No Valid Key', source: 'D-01 row 6' },
  account_not_available: { http: 403, message: 'Forbidden: Environment Not Available', source: 'D-01 row 7' },
  body_incomplete: { http: 400, message: 'Bad Request: Missing Body Params', source: 'spec §7' },
  country_not_allowed: { http: 400, message: 'Bad Request: Country Not Allowed', source: 'spec §7' },
  currency_not_allowed: { http: 400, message: 'Bad Request: Currency Not Allowed', source: 'spec §7' },
  amount_not_valid: { http: 400, message: 'Bad Request: Amount Not Valid', source: 'spec §7' },
  msisdn_not_valid: { http: 400, message: 'Bad Request: Incorrect MSISDN', source: 'spec §7' },
  external_reference_not_valid: {
    http: 422,
    message: 'External Reference Not Valid',
    status: 'failed',
    source: 'D-08',
  },
  customer_name_not_valid: { http: 422, message: 'Customer Name Not Valid', status: 'failed', source: 'D-08' },
  operator_not_available: { http: 403, message: 'Forbidden: Environment Not Available', source: 'D-19' },
  external_reference_taken: { http: 422, message: 'External Reference Not Valid', status: 'failed', source: 'spec §7' },
  payment_not_found: { http: 404, message: 'Payment Not Found', source: 'spec §7' },
  link_body_incomplete: { http: 400, message: 'Bad Request: Missing Body Params', source: 'D-21' },
  title_not_valid: { http: 422, message: 'Title Not Valid', status: 'failed', source: 'D-49' },
  description_not_valid: { http: 422, message: 'Description Not Valid', status: 'failed', source: 'D-49' },
  should_expire_not_valid: { http: 422, message: 'Should Expire Not Valid', status: 'failed', source: 'D-49' },
  redirection_url_not_valid: { http: 422, message: 'Redirection Url Not Valid', status: 'failed', source: 'D-21' },
  after_not_valid: { http: 400, message: 'Bad Request: After Not Valid', source: 'D-47' },
  limit_not_valid: { http: 400, message: 'Bad Request: Limit Not Valid', source: 'D-47' },
  event_not_found: { http: 404, message: 'Event Not Found', source: 'D-47' },
  secret_key_in_page: {
    http: 401,
    message: 'Unauthorized: THIS IS A SECRET KEY. It Must Never Be In A Page: Revoke It Now And Use The Public Key',
    source: 'D-52',
  },
  public_key_not_valid: { http: 401, message: 'Unauthorized: No Valid Key', source: 'D-52' },
  origin_not_allowed: { http: 403, message: 'Forbidden: Origin Not Allowed', source: 'D-52' },
} as const satisfies Partial<Record<Refusal, WireError>>

/** What this door refuses: an action that refuses anything else does not compile here. */
export type MerchantRefusal = keyof typeof ERRORS

/** What each error means and what to do next, for docs/errors.md. */
export const ADVICE: Readonly<Record<MerchantRefusal, string>> = {
  header_missing: 'Send Content-Type, Authorization, Svc-Target-Environment and Svc-Payment-Type, on GET too.',
  environment_not_allowed: 'Svc-Target-Environment is `sandbox` or `live`, in lower case.',
  payment_type_not_allowed: 'Svc-Payment-Type is `mobile` for payments; for links `external_payment` or `card` too.',
  key_malformed: 'Authorization is `Bearer`, one space, and the secret key.',
  content_type_not_json: 'Content-Type is `application/json` and nothing more: no charset.',
  key_not_valid: 'Use the secret key (`sk_…`) of the environment you name. A revoked key ends here too.',
  account_not_available:
    'The account is not validated for this environment, or it is suspended. Ask the operator of the service.',
  body_incomplete: 'The body is a JSON object with all six fields of spec §2.1, none of them null or blank.',
  country_not_allowed: 'country is `NE` or `BJ`.',
  currency_not_allowed: 'currency is `XOF`.',
  amount_not_valid: 'amount is a JSON integer of at least 25 (live) or 50 (sandbox) and at most 999999999.',
  msisdn_not_valid: 'msisdn is a mobile number of the request’s country. In sandbox the test numbers are valid too.',
  external_reference_not_valid:
    'transaction_id is a string of at most 255 characters without control characters; a link’s own reference is 32 to 128 random letters, digits, `-` or `_` that nobody has used.',
  customer_name_not_valid: 'customer_name is a string of at most 255 characters without control characters.',
  operator_not_available:
    'No mobile operator is connected for this country in this environment. Ask the operator of the service.',
  external_reference_taken:
    'This account already has a payment with this transaction_id. The header Svc-Existing-Reference names it: read it back before you try again with a new transaction_id.',
  payment_not_found: 'No payment of this account and environment has this reference or transaction_id.',
  link_body_incomplete: 'The body is a JSON object with at least amount and title, neither of them null or blank.',
  title_not_valid: 'title is a string of 1 to 120 characters on one line.',
  description_not_valid: 'description is a string of at most 500 characters.',
  should_expire_not_valid: 'shouldExpire is true or false.',
  redirection_url_not_valid:
    'on_success_redirection_url and on_failed_redirection_url are https addresses; in sandbox, http on localhost too.',
  after_not_valid: 'after is the id or the sequence of an event, or `latest`; replays_after is a number, or `latest`.',
  limit_not_valid: 'limit is a whole number from 1 to 1000.',
  event_not_found: 'No event of this account and environment has this id.',
  secret_key_in_page:
    'Whoever opens the page has the key. `karba keys roll` makes a new pair; the page gets the public key (`pk_…`).',
  public_key_not_valid: 'In a page, use the public key (`pk_…`) of the account. A revoked key ends here too.',
  origin_not_allowed:
    'The account does not list the site of this page. `karba merchant offer <account> --origins https://shop.example` does.',
}

/** D-05 */
export const BODY_LIMIT_BYTES = 64 * 1024

/** D-16: on a duplicate, the reference of the payment that was first. */
export const EXISTING_REFERENCE_HEADER = 'svc-existing-reference'

export const environmentOf = (head: Head): Environment => head.environment as Environment
export const keyOf = (head: Head): string => head.authorization.slice('Bearer '.length)
