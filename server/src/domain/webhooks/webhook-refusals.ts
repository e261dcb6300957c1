// The refusals of webhooks and the feed of events, with their facts.
import type { NoFacts } from '../refused.ts'

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

export interface WebhookRefusals {
  // the feed
  after_not_valid: { parameter: 'after' | 'replays_after' }
  event_not_found: NoFacts
  /**
   * Events after the cursor were removed: those up to `keptAfter`, which were written until
   * `removedUntil` (D-165).
   */
  cursor_too_old: { parameter: 'after' | 'replays_after'; keptAfter: number; removedUntil: number }
  // webhooks
  endpoint_not_found: NoFacts
  endpoint_off: NoFacts
  endpoint_removed: NoFacts
  /** The account has an endpoint of this address: a repeated request finds it by its id (D-217). */
  endpoint_url_taken: { existingReference: string }
  endpoint_status_not_valid: NoFacts
  secret_overlap_not_valid: NoFacts
  too_many_endpoints: { most: number }
  webhook_url_not_valid: { fault: UrlFault }
  event_name_not_valid: { event: string }
  secret_hash_not_valid: { shortest: number; longest: number }
  delivery_not_found: NoFacts
  no_events_yet: NoFacts
  /** They are older than the service keeps events. */
  events_removed: NoFacts
}
