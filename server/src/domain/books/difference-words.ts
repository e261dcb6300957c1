// What each difference with the network's statement is called, in the languages of the dashboard
// and its files.

import type { Language } from '../texts/language.ts'
import type { ExceptionKind } from './matching.ts'

export const DIFFERENCE_WORDS: Readonly<Record<Language, Record<ExceptionKind, string>>> = {
  fr: {
    missing_at_network: 'Absent du relevé du réseau',
    missing_here: 'Inconnu chez Karba',
    amount_differs: 'Montant différent',
    fee_differs: 'Frais différents du tarif',
    wrong_day: 'Autre jour que le paiement',
    duplicate_line: 'Ligne en double',
    paid_although_failed: 'Échoué ici, payé chez le réseau',
    not_paid_although_succeeded: 'Réussi ici, pas payé chez le réseau',
    refund_without_payment: 'Remboursement sans paiement',
    refund_missing: 'Remboursement absent du relevé',
    balance_does_not_add_up: 'Le solde ne correspond pas',
    settled_amount_differs: 'Virement d’un autre montant',
    withheld: 'Somme bloquée par le réseau',
    too_early: 'Trop tôt pour conclure',
  },
  en: {
    missing_at_network: 'Missing from the network’s statement',
    missing_here: 'Unknown to Karba',
    amount_differs: 'Amount differs',
    fee_differs: 'Fee differs from the tariff',
    wrong_day: 'Another day than the payment',
    duplicate_line: 'Duplicate line',
    paid_although_failed: 'Failed here, paid at the network',
    not_paid_although_succeeded: 'Succeeded here, not paid at the network',
    refund_without_payment: 'Refund without a payment',
    refund_missing: 'Refund missing from the statement',
    balance_does_not_add_up: 'The balance does not add up',
    settled_amount_differs: 'Transfer of another amount',
    withheld: 'Withheld by the network',
    too_early: 'Too early to tell',
  },
}
