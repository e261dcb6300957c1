// How the help texts say what a payment can be called by.

export const PAYMENT_NAMES =
  'any name of the payment: its reference, its public reference, its transaction_id, or the reference of its link'
