// The closed list of ways the service says no. The doors map each to their own wire form; a new name here does not
// compile until every door has an answer for it. Outages and bugs are not refusals: those are thrown.

export type Refusal =
  // the head of a request, in the order of D-01
  | 'header_missing'
  | 'environment_not_allowed'
  | 'payment_type_not_allowed'
  | 'key_malformed'
  | 'content_type_not_json'
  | 'key_not_valid'
  | 'account_not_available'
  // its body, in the order of D-06
  | 'body_incomplete'
  | 'country_not_allowed'
  | 'currency_not_allowed'
  | 'amount_not_valid'
  | 'msisdn_not_valid'
  | 'external_reference_not_valid'
  | 'customer_name_not_valid'
  | 'operator_not_available'
  | 'external_reference_taken'
  // a link's body, in the order of D-21
  | 'link_body_incomplete'
  | 'title_not_valid'
  | 'description_not_valid'
  | 'should_expire_not_valid'
  | 'redirection_url_not_valid'
  // reading
  | 'payment_not_found'
  // the feed
  | 'after_not_valid'
  | 'limit_not_valid'
  | 'event_not_found'
  // a link made by a page, with a public key (D-52)
  | 'secret_key_in_page'
  | 'public_key_not_valid'
  | 'origin_not_allowed'

export interface Refused {
  refused: Refusal
  /** Only with external_reference_taken: the payment that holds it (D-16). */
  existingReference?: string
}

export const isRefused = (outcome: object): outcome is Refused => 'refused' in outcome
