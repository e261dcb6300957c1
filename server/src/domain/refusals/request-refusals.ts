// The refusals of the head of a request and of lists, with their facts.
import type { NoFacts } from '../refused.ts'

export interface RequestRefusals {
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
  // reading and listing
  wait_not_valid: NoFacts
  cursor_not_valid: NoFacts
  time_filter_not_valid: { bound: 'start' | 'end' }
  day_filter_not_valid: { bound: 'start' | 'end' }
  // the feed
  limit_not_valid: NoFacts
  // callers
  caller_not_allowed: NoFacts
}
