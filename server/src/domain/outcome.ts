// What an operator can say about a payment, and the closed list of reasons for which one fails. A time-out, a 5xx or a broken
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
  /** Taken in; the outcome comes later. */
  | { is: 'accepted' }
  | { is: 'succeeded'; amountXof: number; operatorReference: string }
  | { is: 'declined'; reason: FailureReason }
  /** Debited and given back before we knew. */
  | { is: 'refunded'; amountXof: number; operatorReference: string }
  /** The operator says that it has never heard of the payment. */
  | { is: 'not_known' }
  /** No answer, or none that we understand. `neverLeft` when we surely said nothing: the line could not even be opened. */
  | { is: 'unknown'; why: string; neverLeft?: true }

/** A prompt that comes later than this after the payer asked for it is worse than none (D-42). */
export const SENT_WITHIN_MS = 15 * 60_000

/** How long after the hand-over "I do not know it" may be believed: until then it may still be under way (D-15). */
export const NOT_KNOWN_BELIEVED_AFTER_MS = 15 * 60_000
