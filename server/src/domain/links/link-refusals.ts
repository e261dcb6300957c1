// The refusals of payment links and of links that a page makes, with their facts.
import type { Cooldown } from '../limits/try-limit.ts'
import type { NoFacts } from '../refused.ts'

export interface LinkRefusals {
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
  // a link made by a page, with a public key (D-52)
  secret_key_in_page: NoFacts
  public_key_not_valid: NoFacts
  origin_not_allowed: NoFacts
  /**
   * The order that the page gives was changed, is expired, or was signed with another key (D-57).
   */
  order_not_valid: NoFacts
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
}
