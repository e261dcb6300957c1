// The refusals of keys, with their facts.

import type { NoFacts } from '../refused.ts'
import type { KeyPermission } from './role.ts'

export interface KeyRefusals {
  // merchants and keys
  key_not_found: NoFacts
  /** No secret of the sandbox that waits to be acknowledged. */
  secret_not_found: NoFacts
  overlap_not_valid: { mostMs: number }
  // restricted keys
  key_name_not_valid: { longest: number }
  key_network_not_valid: { network: string }
  too_many_keys: { most: number }
  /** The caller may not do this, so no key that they make or roll may (D-135). */
  /** A key for webhooks does nothing else (D-217). */
  key_permissions_not_valid: NoFacts
  key_right_not_held: { permission: KeyPermission }
  /** It ends after its overlap: the key that replaced it can be rolled. */
  key_already_rolled: NoFacts
}
