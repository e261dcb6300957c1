// The refusals of people, with their facts.

import type { NoFacts } from '../refused.ts'
import type { PasswordFault } from './password.ts'

export interface PersonRefusals {
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
}
