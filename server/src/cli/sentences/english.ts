// The English sentence for each refusal: what is wrong, and what to do next. Commands cannot meet all of them; the type requires them all.
import { COUNTRIES } from '../../domain/country.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../../domain/money.ts'
import { PAGE_LIMIT } from '../../domain/page.ts'
import { LONGEST_PASSWORD, type PasswordFault, SHORTEST_PASSWORD } from '../../domain/password.ts'
import { METADATA_LIMITS } from '../../domain/payment.ts'
import { LINK_METHODS, LONGEST_DESCRIPTION, LONGEST_TITLE } from '../../domain/payment-link.ts'
import { STATUSES } from '../../domain/payment-status.ts'
import type { Rest } from '../../domain/prompt-limit.ts'
import type { RefusalFacts } from '../../domain/refusal.ts'
import type { OriginFault } from '../../domain/web-address.ts'
import { EVENTS } from '../../domain/webhook-event.ts'
import { URL_FAULT_SENTENCES } from '../../webhooks/failure-text.ts'
import { isoTime } from '../../wire/json.ts'
import type { Sentences } from './refusal-sentences.ts'

/** The only order that a command can place is for a link. */
const NO_LINK = 'No link was made.'
const PLAIN = '1 to 255 characters, none of them a control character'

const REST_WORDS: Readonly<Record<Rest['why'], string>> = {
  number_pending: 'A prompt is waiting on this phone already.',
  number: 'Several prompts to this number were not approved.',
  link: 'This link has been tried too often.',
  account: 'The pages of this account have sent many prompts that nobody approved.',
}

const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  short: `A password has at least ${SHORTEST_PASSWORD} characters.`,
  long: `A password has at most ${LONGEST_PASSWORD} characters.`,
  easy: 'This password is too easy to guess.',
}

export const ENGLISH: Sentences = {
  header_missing: () =>
    'Send Content-Type, Authorization, Svc-Target-Environment and Svc-Payment-Type with every request.',
  environment_not_allowed: () => `The environment is one of ${ENVIRONMENTS.join(', ')}.`,
  payment_type_not_allowed: () => 'The payment type is mobile; for links external_payment or card too.',
  key_malformed: () => 'Authorization is `Bearer`, one space, and the secret key.',
  content_type_not_json: () => 'Content-Type is application/json and nothing more.',
  key_not_valid: () => 'This key is not valid in this environment. `karba keys list <account>` shows those that are.',
  account_not_available: (_, { name = 'of this name' }) =>
    `The account ${name} is not validated, or it is suspended: \`karba merchant validate\` lets it work.`,
  address_not_allowed: () => 'This key does not work from this address.',
  key_not_permitted: () => 'This key is restricted, and may not do this.',
  body_incomplete: () => 'An order has an amount, country, currency, msisdn, transaction_id and customer_name.',
  country_not_allowed: () => `The country is one of ${COUNTRIES.join(', ')}.`,
  currency_not_allowed: () => `The currency is ${CURRENCY}.`,
  amount_not_valid: () =>
    `${NO_LINK} --amount is a whole number of francs, at least ${MINIMUM_XOF.live} (live) or ${MINIMUM_XOF.sandbox} (sandbox) and at most ${MAXIMUM_XOF}.`,
  msisdn_not_valid: () => 'The msisdn is not a mobile number of its country.',
  external_reference_not_valid: () => `${NO_LINK} --transaction-id is ${PLAIN}.`,
  customer_name_not_valid: () => `The customer’s name is ${PLAIN}.`,
  order_reference_not_valid: () => `An order_reference has ${PLAIN}.`,
  metadata_not_valid: () =>
    `Metadata is at most ${METADATA_LIMITS.keys} texts of at most ${METADATA_LIMITS.value} characters, under keys of 1 to ${METADATA_LIMITS.key}.`,
  order_reference_taken: ({ existingReference }) =>
    `Another payment of this order is pending, open or paid: ${existingReference}.`,
  operator_not_available: () =>
    `${NO_LINK} Nothing that this account offers can be paid with in its environment. \`karba merchant checkout <account>\` shows what it offers, KARBA_OPERATORS says who is connected.`,
  external_reference_taken: ({ existingReference }) =>
    `${NO_LINK} This account already has a payment with this transaction_id: \`karba payment ${existingReference}\` shows it.`,
  link_reference_not_valid: () => `${NO_LINK} A link’s own reference is random; without one, one is made.`,
  minimum_amount_not_valid: () => 'A link has an amount, or a minimum_amount that can be paid.',
  suggested_amounts_not_valid: () => 'Suggested amounts are at most four, none below the minimum_amount.',
  reusable_not_valid: () =>
    'reusable is true or false; a reusable link has neither transaction_id nor order_reference.',
  expires_in_minutes_not_valid: () => 'expires_in_minutes is a whole number from 5 to 129600, of a link that expires.',
  link_reference_taken: () => `${NO_LINK} A link has this reference already; without one, one is made.`,
  link_body_incomplete: () => `${NO_LINK} --title must be there, and --amount or --minimum-amount, and not blank.`,
  title_not_valid: () => `${NO_LINK} --title is 1 to ${LONGEST_TITLE} characters on one line.`,
  description_not_valid: () => `${NO_LINK} --description is at most ${LONGEST_DESCRIPTION} characters.`,
  should_expire_not_valid: () => `${NO_LINK} It expires, or with --no-expiry it does not.`,
  redirection_url_not_valid: () =>
    `${NO_LINK} The addresses to go back to are https; in sandbox, http on localhost too.`,

  payment_not_found: (_, { name = 'of this name' }) =>
    `There is no payment ${name}. \`karba payment list\` shows the newest.`,
  wait_not_valid: () => 'A wait is a whole number of seconds, at most 60.',
  payment_name_ambiguous: ({ references }, { name = 'of this name' }) =>
    `Several accounts have a payment ${name}. Name it by its reference, one of: ${references.join(', ')}.`,
  payment_not_recorded_then: ({ createdAt }, { at }) =>
    `At ${at === undefined ? 'that time' : isoTime(at)} there was no such payment: it was recorded at ${isoTime(createdAt)}.`,
  status_filter_not_valid: () => `The status is one of ${STATUSES.join(', ')}.`,
  operator_filter_not_valid: () => 'An operator has a name such as mtn_bj.',
  time_filter_not_valid: () =>
    'A time is a day, such as 2026-11-15, or a time with its zone, such as 2026-11-15T09:30:00Z.',
  cursor_not_valid: () => 'That is not a cursor of this list. Without --after it begins with its first page.',
  after_not_valid: () => 'after is the id or the sequence of an event, or `latest`.',
  limit_not_valid: () => `--limit is a whole number from 1 to ${PAGE_LIMIT.most}.`,
  event_not_found: (_, { name = 'of this name' }) => `There is no event ${name}.`,

  secret_key_in_page: () =>
    'A secret key must never be in a page. `karba keys roll` makes a new pair; the page gets the public key.',
  public_key_not_valid: () => 'This is not a valid public key. `karba keys list <account>` shows those that are.',
  origin_not_allowed: () =>
    'The account does not list this site. `karba merchant checkout <account> --origins https://shop.example` does.',
  order_not_valid: () => 'The signed order was changed, has expired, or was signed with another key.',

  payment_not_refundable: ({ status }) => `Only a succeeded payment can be refunded; this one is ${status}.`,
  refund_not_found: () => 'Nobody has asked for a refund of this payment.',
  refund_exists: () => 'This payment has been refunded, or its refund is on its way.',

  link_not_found: (_, { name = 'of this name' }) => `There is no link ${name}. \`karba link list\` shows the newest.`,
  link_paid: () => 'This link was paid. To give the money back, refund its payment.',
  link_being_paid: () => 'Somebody is paying this link just now. Try again later.',
  link_closed: ({ state }) => `This link cannot be cancelled any more: it is ${CLOSED_LINKS[state]}.`,
  link_not_due: () => 'The time of this link is not over yet.',
  page_behind: () => 'The page does not show how things stand. Load it again.',
  provider_unreachable: () => 'The payment provider cannot be reached just now. Try again later.',
  no_attempt_to_abandon: () => 'Nobody is paying this link in this browser.',
  payer_must_wait: ({ why, until }) => `${REST_WORDS[why]} Try again after ${isoTime(until)}.`,

  merchant_not_found: (_, { name = 'of this name' }) =>
    `There is no merchant ${name}. \`karba merchant list\` shows them all.`,
  merchant_name_not_valid: () => `A merchant’s name is ${PLAIN}.`,
  account_not_found: (_, { name = 'of this name' }) =>
    `There is no account ${name}. \`karba merchant list\` shows them all.`,
  // The argument may be a secret key, so it is not repeated.
  key_not_found: () => 'No valid key is meant by that. `karba keys list <account>` shows them.',
  overlap_not_valid: ({ mostMs }) => `The old keys go on for ${mostMs / 3_600_000}h at the most.`,
  link_methods_missing: () => `An account offers at least one of ${LINK_METHODS.join(', ')}.`,
  wording_not_valid: ({ longest }) => `--wording is at most ${longest} characters on one line, none of them invisible.`,
  too_many_origins: ({ most }) => `An account lists at most ${most} sites.`,
  site_origin_not_valid: ({ origin, fault }) => `${origin} ${originWords(fault)}.`,

  endpoint_not_found: (_, { name = 'of this name' }) =>
    `There is no endpoint ${name}. \`karba webhook list\` shows them all.`,
  endpoint_off: (_, { name = '<endpoint>' }) =>
    `This endpoint is turned off. Turn it on first: \`karba webhook enable ${name}\`.`,
  endpoint_removed: () =>
    'The endpoint of this delivery has been removed. Send what was told of its payment to the others instead: `karba webhook replay --payment`.',
  too_many_endpoints: ({ most }) => `An account has at most ${most} endpoints. Remove one first.`,
  webhook_url_not_valid: ({ fault }) => URL_FAULT_SENTENCES[fault],
  event_name_not_valid: ({ event }) => `${event} is not an event. Choose from ${EVENTS.join(', ')}.`,
  anomaly_not_found: (_, { name = 'of this name' }) =>
    `There is no open anomaly ${name}. \`karba anomalies\` shows them all.`,
  anomaly_not_late_money: (_, { name = 'of this name' }) =>
    `There is no open anomaly ${name} about money that came late and is still here. \`karba anomalies\` shows them all; \`anomalies resolve\` closes the others.`,
  late_money_not_needed: ({ status }) =>
    `The payment is ${status}: it was paid in another way, is being paid, or ended over another amount. Give this money back: \`karba anomalies refund\`.`,
  refund_not_by_hand: (_, { name = 'of this name' }) =>
    `There is no refund ${name} that waits for a person. \`karba refund tasks\` shows them all.`,
  proof_not_valid: ({ longest }) => `--proof is 1 to ${longest} characters on one line.`,
  connection_not_found: (_, { name = 'of this name' }) =>
    `There is no connection ${name}. \`karba operators list\` shows them all.`,
  connection_not_paused: (_, { name = 'This connection' }) => `${name} is not paused.`,
  note_not_valid: ({ longest }) => `--note is 1 to ${longest} characters on one line.`,
  secret_hash_not_valid: ({ shortest, longest }) =>
    `Secret-Hash is ${shortest} to ${longest} plain letters, digits and signs, with no space around.`,
  delivery_not_found: (_, { name = 'of this name' }) =>
    `There is no delivery ${name}. \`karba webhook deliveries\` shows the latest.`,
  no_events_yet: () => 'Nothing has been told of this payment yet.',

  caller_not_allowed: () => 'Only somebody who looks after the whole service may do this.',

  brand_name_not_valid: ({ longest }) => `The name that payers see has 1 to ${longest} characters that can be seen.`,
  colour_not_valid: () => 'A colour is written as # and six hexadecimal digits, such as #0a7d4f.',
  colour_not_readable: () => 'White text on this colour cannot be read: choose a darker one.',
  phone_not_valid: () => 'A phone number has 6 to 18 digits, with + before them if you like.',
  logo_not_valid: ({ mostBytes }) => `A logo is a PNG or a JPEG of at most ${mostBytes / 1024} KB.`,
  business_not_valid: ({ field }) =>
    `What is written for ${field} is too long, or holds characters that cannot be seen.`,
  validation_not_ready: ({ missing }) => `The merchant cannot be validated yet: ${missing} is missing.`,
  document_not_valid: ({ mostBytes }) =>
    `A document is a PDF, a JPEG or a PNG of at most ${mostBytes / 1024 / 1024} MB, with a name.`,
  too_many_documents: ({ most }) => `A merchant has at most ${most} documents: remove one first.`,
  document_not_found: () => 'There is no such document.',
  key_name_not_valid: ({ longest }) => `The name of a key has 1 to ${longest} characters that can be seen.`,
  key_network_not_valid: ({ network }) => `${network} is neither an address nor a network such as 203.0.113.0/24.`,
  too_many_keys: ({ most }) => `An account has at most ${most} valid keys: revoke one first.`,
  key_right_not_held: ({ permission }) => `You may not make or roll a key that may ${permission}: you lack that right.`,
  key_already_rolled: () => 'This key is already rolled: roll the key that replaced it.',
  prompt_not_found: () => 'There is no such prompt on the sandbox phone.',

  signed_out: () => 'Nobody is signed in.',
  email_not_valid: () => 'That is not an email address.',
  email_taken: () => 'Somebody has this email address already.',
  name_holds_address: () =>
    'A name holds no web or email address, because it goes into emails. Put a space after a dot.',
  person_name_not_valid: () => 'A person’s name is 1 to 100 characters on one line.',
  password_not_good: ({ fault }) => PASSWORD_FAULTS[fault],
  sign_in_not_valid: () => 'The email address or the password is not right.',
  too_many_tries: ({ until }) => `There were too many tries. Try again after ${isoTime(until)}.`,
  totp_needed: () => 'A code of the authenticator app is needed.',
  totp_not_valid: () => 'That code is not right, or it was used before.',
  totp_is_on: () => 'Codes of an authenticator app are in use already.',
  totp_is_off: () => 'No codes of an authenticator app are in use.',
  session_not_found: () => 'There is no such session.',
  token_not_valid: () => 'This letter was used before, or is too old.',
  person_not_found: (_, { name = 'of this name' }) =>
    `There is no person ${name}. \`karba operator list\` shows the service’s.`,
  member_exists: () => 'They are in the team already.',
  invitation_not_found: () => 'There is no such invitation.',
  too_many_invitations: ({ most }) => `At most ${most} invitations wait at a time.`,
  last_owner: () => 'Somebody must remain the owner.',
  approval_not_found: () => 'There is nothing of this name to approve.',
  second_person_needed: () => 'A second person must approve this.',
  task_not_found: () => 'There is no such task.',
  task_taken: ({ by }) => `${by} does this task.`,
  master_key_changed: () => 'Somebody else has rotated the master key meanwhile. Nothing was changed.',
  number_not_valid: () =>
    'That is not a number that a payment could have. Write it with +227 or +229, or a local one with --country.',
  number_under_way: () =>
    'A payment or a refund of this number is still pending. Nothing was erased: try again once it has its outcome.',
}

const CLOSED_LINKS: Readonly<Record<RefusalFacts['link_closed']['state'], string>> = {
  succeeded: 'succeeded',
  refunded: 'refunded',
  expired: 'closed: expired',
  cancelled: 'closed: cancelled',
  failed: 'closed: failed',
}

function originWords(fault: OriginFault): string {
  switch (fault.is) {
    case 'not_an_address':
      return 'must be the address of a site, like https://shop.example'
    case 'written_otherwise':
      return `must be written as browsers write it: ${fault.origin}`
    case 'not_https':
      return 'must begin with https://'
  }
}
