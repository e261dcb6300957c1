// The answers an operator can give about a payment, and the closed list of failure reasons. A time-out, a 5xx or a broken
// connection is not an answer: it is `unknown`, and the payment stays pending (D-15).

/** The reasons a merchant sees as failure_reason, each with its sentence for the documents (D-13). */
export const FAILURE_REASONS = {
  declined: 'The payer refused, or entered a wrong code.',
  insufficient_funds: 'The payer’s account does not hold the amount.',
  expired: 'The payer did not answer in time.',
  cancelled: 'The payer or the operator cancelled it.',
  payer_not_found: 'The number has no mobile money account.',
  payer_not_allowed: 'The payer’s account is blocked, or may not pay merchants.',
  limit_reached: 'A limit of the payer’s or the merchant’s account was reached.',
  amount_not_allowed: 'The operator does not take this amount.',
  operator_error: 'The operator could not carry it out.',
  never_received: 'The operator never knew of the payment; nothing was debited.',
} as const

export type FailureReason = keyof typeof FAILURE_REASONS

export const isFailureReason = (value: unknown): value is FailureReason =>
  typeof value === 'string' && Object.hasOwn(FAILURE_REASONS, value)

export type OperatorAnswer =
  /** The operator accepted the request; the outcome comes later. */
  | { is: 'accepted' }
  | { is: 'succeeded'; amountXof: number; operatorReference: string }
  | { is: 'declined'; reason: FailureReason }
  /** Debited and refunded before we learned of the debit. */
  | { is: 'refunded'; amountXof: number; operatorReference: string }
  /** The operator has no payment with this reference. */
  | { is: 'not_known' }
  /** No answer, or none that we understand. `neverLeft` when nothing can have been sent: the connection could not be opened. */
  | { is: 'unknown'; why: string; neverLeft?: true }

/** How long after the payer's request a payment may first be sent to the operator: a later prompt is worse than none (D-42). */
export const SENT_WITHIN_MS = 15 * 60_000

/** How long after the hand-over a `not_known` is trusted: before that, our request may still be under way (D-15). */
export const NOT_KNOWN_TRUSTED_AFTER_MS = 15 * 60_000
