// Why a payment failed, in the languages of the dashboard and its exports.
import type { FailureReason } from './payment-status.ts'
import type { Language } from './person.ts'

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
