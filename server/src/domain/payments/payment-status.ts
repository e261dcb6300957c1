// The states of a payment, the moves between them, guarded in SQL by the state that they leave
// (D-14), and failures.
import type { Language } from '../texts/language.ts'

export const STATUSES = ['initiated', 'pending', 'succeeded', 'failed', 'refunded'] as const

export type PaymentStatus = (typeof STATUSES)[number]

/** Also after it was refunded. */
export const isPaid = ({ status }: { status: PaymentStatus }): boolean =>
  status === 'succeeded' || status === 'refunded'

export interface Move {
  from: PaymentStatus
  to: PaymentStatus
  because: string
  source: string
  /** Not by a rule: a person decides it, against the recorded status. */
  byPerson?: true
}

export const MOVES: readonly Move[] = [
  {
    from: 'initiated',
    to: 'pending',
    because: 'the payer chose a method on a link page',
    source: 'D-14',
  },
  { from: 'initiated', to: 'failed', because: 'the link expired or was cancelled', source: 'D-14' },
  { from: 'pending', to: 'succeeded', because: 'the payer approved', source: 'spec §3' },
  {
    from: 'pending',
    to: 'failed',
    because: 'the operator said so, or never knew the payment',
    source: 'spec §3',
  },
  {
    from: 'pending',
    to: 'refunded',
    because: 'the operator gave the money back at once',
    source: 'spec §3',
  },
  { from: 'succeeded', to: 'refunded', because: 'the merchant refunded', source: 'D-14' },
  {
    from: 'failed',
    to: 'succeeded',
    because: 'the money came late, and a person accepted it',
    source: 'D-14',
    byPerson: true,
  },
]

export type MadeMove = { at: number; from: PaymentStatus; to: PaymentStatus }

/**
 * The status at a time, from the moves of its history in order; undefined before it was recorded.
 */
export const statusAt = (
  moves: readonly MadeMove[],
  recorded: { status: PaymentStatus; at: number },
  time: number,
) =>
  time < recorded.at ? undefined : (moves.findLast(({ at }) => at <= time)?.to ?? recorded.status)

export const isFinal = (status: PaymentStatus): boolean =>
  !MOVES.some((move) => move.from === status && move.byPerson !== true)

/**
 * The reasons a merchant sees as failure_reason, each with its sentence for the documents (D-13).
 */
export const FAILURE_REASONS = {
  declined: 'The payer declined, or entered a wrong code.',
  insufficient_funds: 'The payer’s account does not hold the amount.',
  expired: 'The payer did not answer in time.',
  cancelled: 'The payer or the operator cancelled it.',
  payer_not_found: 'The number has no mobile money account.',
  payer_not_allowed: 'The payer’s account is blocked, or may not pay merchants.',
  limit_reached: 'The payer’s or the merchant’s account reached a limit.',
  amount_not_allowed: 'The operator does not accept this amount.',
  operator_error: 'The operator could not process it.',
  never_received: 'The operator never received the payment; nothing was debited.',
} as const

export type FailureReason = keyof typeof FAILURE_REASONS

export const isFailureReason = (value: unknown): value is FailureReason =>
  typeof value === 'string' && Object.hasOwn(FAILURE_REASONS, value)

// The states and why a payment failed, in the languages of the dashboard and its exports.

export const STATUS_WORDS: Readonly<Record<Language, Record<PaymentStatus, string>>> = {
  fr: {
    initiated: 'À payer',
    pending: 'En attente',
    succeeded: 'Réussi',
    failed: 'Échoué',
    refunded: 'Remboursé',
  },
  en: {
    initiated: 'To be paid',
    pending: 'Pending',
    succeeded: 'Succeeded',
    failed: 'Failed',
    refunded: 'Refunded',
  },
}

export const FAILURE_WORDS: Readonly<Record<Language, Record<FailureReason, string>>> = {
  fr: {
    declined: 'Refusé par le client',
    insufficient_funds: 'Solde insuffisant',
    expired: 'Pas de réponse à temps',
    cancelled: 'Annulé',
    payer_not_found: 'Pas de compte mobile money',
    payer_not_allowed: 'Compte du client bloqué',
    limit_reached: 'Plafond atteint',
    amount_not_allowed: 'Montant non accepté par l’opérateur',
    operator_error: 'Erreur de l’opérateur',
    never_received: 'Jamais reçu par l’opérateur',
  },
  en: {
    declined: 'Declined by the customer',
    insufficient_funds: 'Insufficient funds',
    expired: 'No answer in time',
    cancelled: 'Cancelled',
    payer_not_found: 'No mobile money account',
    payer_not_allowed: 'Customer’s account is blocked',
    limit_reached: 'Limit reached',
    amount_not_allowed: 'Amount not accepted by the operator',
    operator_error: 'Operator error',
    never_received: 'Never received by the operator',
  },
}
