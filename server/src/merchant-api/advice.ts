// What each error means and what the integrator can do next, in a sentence: docs/errors.md and the OpenAPI description show them.
import { COUNTRIES } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { CURRENCY } from '../domain/money.ts'
import { LINK_REFERENCE_LENGTH } from '../domain/payment-link.ts'
import { STATUSES } from '../domain/payment-status.ts'
import type { HouseError } from '../wire/error.ts'
import { BASE_PATH, type MerchantRefusal, OPERATIONS, type OperationId, type RefusalOf } from './contract.ts'
import { LIMITS } from './limits.ts'

const { createPayment, createLink } = OPERATIONS
const VISIBLE = 'It holds nothing invisible, and nothing that changes the direction of writing.'
const ASK = 'Ask the operator of the service.'

/** `a`, `b` or `c`. */
const oneOf = (values: readonly string[]): string =>
  values
    .map((value) => `\`${value}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1')
const plainText = ({ most }: { most: number }): string =>
  `a string of at most ${most} characters without control characters`

const ADVICE: Readonly<Record<MerchantRefusal, string>> = {
  header_missing: 'Send Content-Type, Authorization, Svc-Target-Environment and Svc-Payment-Type, on GET too.',
  environment_not_allowed: `Svc-Target-Environment is ${oneOf(ENVIRONMENTS)}, in lower case.`,
  payment_type_not_allowed: `Svc-Payment-Type is ${oneOf(createPayment.paymentTypes)} for payments; for links and events it is ${oneOf(createLink.paymentTypes)}.`,
  key_malformed: 'Authorization is `Bearer`, one space, and the secret key.',
  content_type_not_json: 'Content-Type is `application/json` and nothing more: no charset.',
  key_not_valid: 'Use the secret key (`sk_…`) of the environment you name. A revoked key ends here too.',
  account_not_available: `The account is not validated for this environment, or it is suspended. ${ASK}`,
  address_not_allowed:
    'This key works from the addresses that its account lists for it: send from one of them, or change the list.',
  key_not_permitted: 'This key is restricted. Use a key that may do this, or make one in the dashboard.',
  body_incomplete: 'The body is a JSON object with all six fields of spec §2.1, none of them null or blank.',
  country_not_allowed: `country is ${oneOf(COUNTRIES)}.`,
  currency_not_allowed: `currency is ${oneOf([CURRENCY])}.`,
  amount_not_valid: `amount is a JSON integer, or its digits in a string such as "5000" or "5000.00", of at least ${LIMITS.amountLive.least} (live) or ${LIMITS.amountSandbox.least} (sandbox) and at most ${LIMITS.amountLive.most}.`,
  msisdn_not_valid: 'msisdn is a mobile number of the request’s country. In sandbox the test numbers are valid too.',
  external_reference_not_valid: `transaction_id is ${plainText(LIMITS.externalReference)}.`,
  customer_name_not_valid: `customer_name is ${plainText(LIMITS.customerName)}.`,
  operator_not_available: `No mobile operator takes payments for this country in this environment now. ${ASK}`,
  external_reference_taken:
    'This account already has a payment with this transaction_id. The header Svc-Existing-Reference names it: read it back before you try again with a new transaction_id.',
  order_reference_not_valid: `order_reference is ${plainText(LIMITS.orderReference)}.`,
  metadata_not_valid: `metadata is an object of at most ${LIMITS.metadataKeys.most} texts: keys of 1 to ${LIMITS.metadataKey.most} characters without control characters, values of at most ${LIMITS.metadataValue.most}.`,
  order_reference_taken:
    'Another payment of this order is pending, open as a link, or paid. The header Svc-Existing-Reference names it: read it back before you try again.',
  wait_not_valid: `wait is a whole number of seconds, at most ${LIMITS.wait.most}.`,
  payment_not_found: 'No payment of this account and environment has this reference or transaction_id.',
  link_body_incomplete: 'The body is a JSON object with at least amount and title, neither of them null or blank.',
  title_not_valid: `title is a string of ${LIMITS.title.least} to ${LIMITS.title.most} characters on one line. ${VISIBLE}`,
  description_not_valid: `description is a string of at most ${LIMITS.description.most} characters. ${VISIBLE}`,
  link_reference_not_valid: `reference is ${LIMITS.linkReference.least} to ${LIMITS.linkReference.most} random hexadecimal digits, or a UUID, with at least ${LINK_REFERENCE_LENGTH.leastDifferent} different digits. Leave it out, and one is made.`,
  should_expire_not_valid: 'shouldExpire is true or false.',
  redirection_url_not_valid: `on_success_redirection_url and on_failed_redirection_url are https addresses of at most ${LIMITS.redirectionUrl.most} characters; in sandbox, http on localhost too.`,
  minimum_amount_not_valid: 'A link has either amount, or minimum_amount, which is an amount that can be paid.',
  suggested_amounts_not_valid: `suggested_amounts is a list of at most ${LIMITS.suggestedAmounts.most} amounts, none below minimum_amount.`,
  reusable_not_valid:
    'reusable is true or false. A reusable link has neither transaction_id nor order_reference: each payer’s payment has its own.',
  expires_in_minutes_not_valid: `expires_in_minutes is a whole number from ${LIMITS.linkLifeMinutes.least} to ${LIMITS.linkLifeMinutes.most}; not with shouldExpire false.`,
  link_reference_taken: 'A link has this reference already. Choose another at random, or leave it out.',
  after_not_valid: 'after is the id or the sequence of an event, or `latest`; replays_after is a number, or `latest`.',
  limit_not_valid: `limit is a whole number from ${LIMITS.feedPage.least} to ${LIMITS.feedPage.most}.`,
  cursor_not_valid: 'after is the `next` of the page before; leave it out for the first one.',
  status_filter_not_valid: `status is ${oneOf(STATUSES)}.`,
  operator_filter_not_valid: 'operator is one name of an operator, such as `mtn_bj`.',
  time_filter_not_valid:
    'from and to are days, such as `2026-11-15` in UTC, or times with their zone, such as `2026-11-15T09:30:00Z`.',
  payment_not_refundable: 'Only a payment that has succeeded can be refunded: read its status.',
  refund_not_found: 'Nobody has asked for a refund of this payment.',
  link_being_paid: 'A payer is paying it now, and the outcome decides. Ask again when that has ended.',
  link_paid: 'It was paid: refund the payment instead.',
  event_not_found: 'No event of this account and environment has this id.',
  secret_key_in_page:
    'Whoever opens the page has the key. `karba keys roll` makes a new pair; the page gets the public key (`pk_…`).',
  public_key_not_valid: 'In a page, use the public key (`pk_…`) of the account. A revoked key ends here too.',
  origin_not_allowed:
    'The account does not list the site of this page. `karba merchant checkout <account> --origins https://shop.example` does.',
  order_not_valid:
    'The signed order was changed, has expired, or was signed with another key. Your server signs a new one.',
}

const NO_METHOD = `Nothing that the account’s links can be paid with is connected in this environment. ${ASK}`

/** For operations where the same refusal means something else. */
const OWN_ADVICE: { readonly [Id in OperationId]?: Partial<Record<RefusalOf<Id>, string>> } = {
  createLink: { operator_not_available: NO_METHOD },
  readLink: { payment_not_found: 'No link has this reference.' },
  createLinkFromPage: {
    key_malformed: 'Authorization is `Bearer`, one space, and the public key.',
    redirection_url_not_valid:
      'on_success_redirection_url and on_failed_redirection_url lead to sites that the account lists.',
    operator_not_available: NO_METHOD,
    account_not_available: `The account is not validated for this environment, is suspended, or has turned its pages off. ${ASK}`,
    external_reference_taken:
      'This account already has a payment with the transaction_id of the signed order. A page is not told which: your server reads it back.',
    order_reference_taken:
      'Another payment of the signed order is pending, open as a link, or paid. A page is not told which: your server reads it back.',
  },
}

export function adviceFor(id: OperationId, refusal: MerchantRefusal): string {
  const own: Partial<Record<MerchantRefusal, string>> = OWN_ADVICE[id] ?? {}
  return own[refusal] ?? ADVICE[refusal]
}

export const HOUSE_ADVICE: Readonly<Record<HouseError, string>> = {
  bad_request: 'The bytes were not a request that HTTP knows.',
  unauthorized: 'A network’s callback without its signature.',
  not_found: `There is no such address. Paths begin with \`${BASE_PATH}\`.`,
  method_not_allowed: 'The address exists, this method does not. `Allow` says which do.',
  request_timeout: `The request did not arrive whole within ${LIMITS.request.most} seconds.`,
  payload_too_large: `A body has at most ${LIMITS.body.most} KiB; from a merchant’s page, ${LIMITS.pageBody.most} KiB.`,
  too_many_requests: 'This address asks too often. Try again after the seconds in `Retry-After`.',
  headers_too_large: `Headers have at most ${LIMITS.headers.most} KiB together.`,
  internal: 'A fault of ours. Nothing is known about the payment: read it back before you try again.',
  unavailable: 'Nothing was recorded. Try again after the seconds in `Retry-After`.',
}
