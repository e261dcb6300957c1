// The refusals of payments, with their facts.
import type { NoFacts } from '../refused.ts'

/** The fields that an order for a payment must have (spec §2.1). */
export type RequiredField =
  | 'amount'
  | 'country'
  | 'currency'
  | 'msisdn'
  | 'externalReference'
  | 'customerName'

export interface PaymentRefusals {
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
  // reading and listing
  payment_not_found: NoFacts
  /** Several accounts use this transaction_id: the payments that have it. */
  payment_name_ambiguous: { references: readonly string[] }
  payment_not_recorded_then: { createdAt: number }
  status_filter_not_valid: NoFacts
  operator_filter_not_valid: NoFacts
  // the sandbox phone
  prompt_not_found: NoFacts
}
