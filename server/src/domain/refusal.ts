// The only way to refuse a request: a name from this closed list, with the facts that the caller
// needs. Each entry point (merchant API, checkout, CLI) has a sentence for each name, and does not
// compile without. Outages and bugs are not refusals: those are thrown.
import type { BusinessField } from './brand.ts'
import type { ClosingReason } from './closing-reason.ts'
import type { PasswordFault } from './password.ts'
import type { PaymentStatus } from './payment-status.ts'
import type { KeyPermission } from './role.ts'
import type { StatementFault } from './statement.ts'
import type { Cooldown } from './try-limit.ts'
import type { OriginFault } from './web-address.ts'

// biome-ignore lint/complexity/noBannedTypes: a refusal without facts adds nothing to its name
type NoFacts = {}

/** The fields that an order for a payment must have (spec §2.1). */
export type RequiredField =
  | 'amount'
  | 'country'
  | 'currency'
  | 'msisdn'
  | 'externalReference'
  | 'customerName'

export interface RefusalFacts {
  // the head of a request, in the order of D-01
  header_missing: { header: string }
  environment_not_allowed: NoFacts
  payment_type_not_allowed: NoFacts
  key_malformed: NoFacts
  content_type_not_json: NoFacts
  key_not_valid: NoFacts
  account_not_available: NoFacts
  /** A key that works from some addresses only, from another one (D-102). */
  address_not_allowed: NoFacts
  /** A key that may do some things only, for another one (D-102). */
  key_not_permitted: NoFacts
  // its body, in the order of D-06
  /** The first field that is not there; undefined when none is, as in a body that is not JSON. */
  body_incomplete: { missing: RequiredField | undefined }
  country_not_allowed: NoFacts
  currency_not_allowed: NoFacts
  amount_not_valid: NoFacts
  msisdn_not_valid: NoFacts
  external_reference_not_valid: NoFacts
  customer_name_not_valid: NoFacts
  order_reference_not_valid: NoFacts
  metadata_not_valid: NoFacts
  operator_not_available: NoFacts
  /** The payment that already has this transaction_id (D-16). */
  external_reference_taken: { existingReference: string }
  /** The payment that holds this order: pending, open, or paid (D-90). */
  order_reference_taken: { existingReference: string }
  // a link's body, in the order of D-21
  link_body_incomplete: { missing: 'amount' | 'title' | undefined }
  title_not_valid: NoFacts
  description_not_valid: NoFacts
  /** The link's own reference, when the merchant chooses it (D-23). */
  link_reference_not_valid: NoFacts
  should_expire_not_valid: NoFacts
  redirection_url_not_valid: { which: 'onSuccessUrl' | 'onFailedUrl' }
  minimum_amount_not_valid: NoFacts
  suggested_amounts_not_valid: NoFacts
  reusable_not_valid: NoFacts
  expires_in_minutes_not_valid: NoFacts
  link_reference_taken: NoFacts
  // reading and listing
  payment_not_found: NoFacts
  wait_not_valid: NoFacts
  /** Several accounts use this transaction_id: the payments that have it. */
  payment_name_ambiguous: { references: readonly string[] }
  payment_not_recorded_then: { createdAt: number }
  cursor_not_valid: NoFacts
  status_filter_not_valid: NoFacts
  refund_filter_not_valid: NoFacts
  operator_filter_not_valid: NoFacts
  time_filter_not_valid: { bound: 'start' | 'end' }
  day_filter_not_valid: { bound: 'start' | 'end' }
  // the feed
  after_not_valid: { parameter: 'after' | 'replays_after' }
  limit_not_valid: NoFacts
  event_not_found: NoFacts
  /**
   * Events after the cursor were removed: those up to `keptAfter`, which were written until
   * `removedUntil` (D-165).
   */
  cursor_too_old: { parameter: 'after' | 'replays_after'; keptAfter: number; removedUntil: number }
  // a link made by a page, with a public key (D-52)
  secret_key_in_page: NoFacts
  public_key_not_valid: NoFacts
  origin_not_allowed: NoFacts
  /**
   * The order that the page gives was changed, is expired, or was signed with another key (D-57).
   */
  order_not_valid: NoFacts
  // refunds
  payment_not_refundable: { status: PaymentStatus }
  refund_exists: NoFacts
  refund_not_found: NoFacts
  refund_amount_not_valid: NoFacts
  refund_id_not_valid: NoFacts
  /** The payment has a refund of this id over another amount. */
  refund_id_taken: NoFacts
  refund_amount_too_large: NoFacts
  /** The network gives back whole payments only. */
  refund_in_part_not_possible: NoFacts
  too_many_refunds: NoFacts
  anomaly_not_found: NoFacts
  /** It is open and about something else than money that came late. */
  anomaly_not_late_money: NoFacts
  /** The money came late for a payment that was paid in another way, or is being paid now. */
  late_money_not_needed: { status: PaymentStatus }
  /** The network, which was asked now, does not say that it was paid. */
  late_money_denied: { reported: string }
  /** The network did not say now whether it was paid. */
  late_money_unknown: NoFacts
  refund_not_by_hand: NoFacts
  proof_not_valid: { longest: number }
  // connections to networks
  connection_not_found: NoFacts
  connection_not_paused: NoFacts
  // a merchant's own connections (D-155)
  connector_not_available: NoFacts
  credentials_not_valid: { field: string }
  /** What the network answered. */
  credentials_refused: { why: string }
  network_not_reached: { why: string }
  connection_label_not_valid: { longest: number }
  connection_serves_not_valid: NoFacts
  too_many_connections: { most: number }
  tariff_not_valid: NoFacts
  statement_query_not_valid: { parameter: string }
  period_not_valid: NoFacts
  period_without_movements: NoFacts
  month_not_over: NoFacts
  /** The whole file: nothing of it is kept. */
  statement_not_valid: { fault: StatementFault }
  /** The headings of the file, for a person who chooses the columns. */
  statement_columns_unknown: { headings: readonly string[] }
  /** Files are read one after the other, and too many wait. */
  too_many_statements_read: NoFacts
  /** Another import has the connection. */
  import_under_way: NoFacts
  /** The network of the connection gives no statements by its API. */
  statements_not_offered: NoFacts
  fetch_period_not_valid: { most: number }
  statement_file_not_found: NoFacts
  upload_not_complete: NoFacts
  /** What the account's uploads take that are not imported, and what they may take. */
  upload_space_taken: {
    files: number
    bytes: number
    mostFiles: number
    mostBytes: number
  }
  file_name_not_valid: { longest: number }
  exception_not_found: NoFacts
  /** The reasons that a person may choose; none where nothing is left to explain. */
  closing_reason_not_valid: { offered: readonly ClosingReason[] }
  /** Whose the wallet is: only they say what its money was. */
  wallet_of_another: { whose: 'merchant' | 'service' }
  /** No payment of this name has the number, the amount and the day of the line. */
  suggestion_not_found: NoFacts
  journal_account_not_valid: { field: string }
  settlement_not_found: NoFacts
  settlement_returned: NoFacts
  /** With another amount. */
  settlement_confirmed: NoFacts
  receipt_not_valid: NoFacts
  received_on_not_valid: NoFacts
  note_not_valid: { longest: number }
  // archives
  /** The file is not one of ours, or of a later version. */
  archive_not_valid: NoFacts
  /** This store has no key for it. */
  archive_not_found: NoFacts
  /** Another run wrote this month first. */
  archive_exists: NoFacts
  // links
  link_not_found: NoFacts
  link_being_paid: NoFacts
  link_paid: NoFacts
  link_closed: { state: 'succeeded' | 'refunded' | 'expired' | 'cancelled' | 'failed' }
  link_not_due: NoFacts
  /** The payer's page is out of date; loading it again shows the current state. */
  page_behind: NoFacts
  provider_unreachable: NoFacts
  /** No payment from this number now. `paused`: its operator, if people paused it. */
  payer_operator_closed: { paused: string | undefined }
  no_attempt_to_abandon: NoFacts
  /** Too many prompts to a number, on a link or by an account's pages (D-60). */
  payer_must_wait: Cooldown
  // merchants and keys
  merchant_not_found: NoFacts
  merchant_name_not_valid: NoFacts
  account_not_found: NoFacts
  key_not_found: NoFacts
  /** No secret of the sandbox that waits to be acknowledged. */
  secret_not_found: NoFacts
  overlap_not_valid: { mostMs: number }
  link_methods_missing: NoFacts
  wording_not_valid: { longest: number }
  too_many_origins: { most: number }
  site_origin_not_valid: { origin: string; fault: OriginFault }
  // webhooks
  endpoint_not_found: NoFacts
  endpoint_off: NoFacts
  endpoint_removed: NoFacts
  too_many_endpoints: { most: number }
  webhook_url_not_valid: { fault: UrlFault }
  event_name_not_valid: { event: string }
  secret_hash_not_valid: { shortest: number; longest: number }
  delivery_not_found: NoFacts
  no_events_yet: NoFacts
  /** They are older than the service keeps events. */
  events_removed: NoFacts
  // what a merchant is
  brand_name_not_valid: { longest: number }
  colour_not_valid: NoFacts
  colour_not_readable: NoFacts
  phone_not_valid: NoFacts
  pi_alias_not_valid: NoFacts
  pi_alias_needs_country: NoFacts
  logo_not_valid: { mostBytes: number }
  business_not_valid: { field: BusinessField }
  validation_not_ready: { missing: readonly (BusinessField | 'documents')[] }
  document_not_valid: { mostBytes: number }
  too_many_documents: { most: number }
  document_not_found: NoFacts
  // restricted keys
  key_name_not_valid: { longest: number }
  key_network_not_valid: { network: string }
  too_many_keys: { most: number }
  /** The caller may not do this, so no key that they make or roll may (D-135). */
  key_right_not_held: { permission: KeyPermission }
  /** It ends after its overlap: the key that replaced it can be rolled. */
  key_already_rolled: NoFacts
  // the sandbox phone
  prompt_not_found: NoFacts
  // callers
  caller_not_allowed: NoFacts
  // people
  signed_out: NoFacts
  email_not_valid: NoFacts
  email_taken: NoFacts
  person_name_not_valid: NoFacts
  /** A name of a person or a merchant, which goes into emails. */
  name_holds_address: NoFacts
  password_not_good: { fault: PasswordFault }
  /** The address or the password is wrong, and it is not said which. */
  sign_in_not_valid: NoFacts
  /** Of a person who is known: by the session, or by the link of an email. */
  password_wrong: NoFacts
  too_many_tries: { until: number }
  totp_needed: NoFacts
  totp_not_valid: NoFacts
  totp_is_on: NoFacts
  totp_is_off: NoFacts
  /** The password or a code again, before something that a stolen session must not do. */
  proof_needed: { by: 'password' | 'code' }
  session_not_found: NoFacts
  /** Of an email: used, too old, or never made. */
  token_not_valid: NoFacts
  person_not_found: NoFacts
  member_exists: NoFacts
  invitation_not_found: NoFacts
  too_many_invitations: { most: number }
  last_owner: NoFacts
  // what wants a second person, and tasks
  approval_not_found: NoFacts
  /** The person who requested it may not approve it. */
  second_person_needed: NoFacts
  /** What the approval relied on has changed since it was requested. */
  approval_outdated: NoFacts
  // changes of where money goes
  money_change_not_found: NoFacts
  second_owner_needed: NoFacts
  task_not_found: NoFacts
  task_taken: { by: string }
  // the master key
  master_key_changed: NoFacts
  // personal data
  number_not_valid: NoFacts
  number_under_way: NoFacts
}

export type UrlFault =
  | 'too_long'
  | 'has_spaces'
  | 'not_complete'
  | 'has_user_name'
  | 'has_fragment'
  | 'has_card_number'
  | 'host_not_readable'
  | 'host_not_public'
  | 'address_not_public'
  | 'not_https'

export type Refusal = keyof RefusalFacts

/** A refusal by one of these names: `RefusedAs<'payment_not_found'>`. */
export type RefusedAs<Name extends Refusal> = Name extends Refusal
  ? { refused: Name } & RefusalFacts[Name]
  : never

export type Refused = RefusedAs<Refusal>

export const isRefused = <Outcome extends object>(
  outcome: Outcome,
): outcome is Extract<Outcome, { refused: Refusal }> => 'refused' in outcome
