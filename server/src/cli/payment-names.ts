// The help text about the names by which commands find a payment.

export const PAYMENT_NAMES =
  'any name of the payment: its reference, its public reference, its transaction_id, or the reference of its link'
