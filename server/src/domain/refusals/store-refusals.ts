// The refusals of archives, the master key and personal data, with their facts.
import type { NoFacts } from '../refused.ts'

export interface StoreRefusals {
  // archives
  /** The file is not one of ours, or of a later version. */
  archive_not_valid: NoFacts
  /** This store has no key for it. */
  archive_not_found: NoFacts
  /** Another run wrote this month first. */
  archive_exists: NoFacts
  // the master key
  master_key_changed: NoFacts
  // personal data
  number_not_valid: NoFacts
  number_under_way: NoFacts
}
