// The refusals of refunds, and of money that came late, with their facts.
import type { PaymentStatus } from '../payments/payment-status.ts'
import type { NoFacts } from '../refused.ts'

export interface RefundRefusals {
  // reading and listing
  refund_filter_not_valid: NoFacts
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
}
