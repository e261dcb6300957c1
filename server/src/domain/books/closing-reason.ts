// What a difference was in the end, in names and words (what each reason books is in
// domain/books/closing.ts).
import type { Language } from '../texts/language.ts'

export const CLOSING_REASON_NAMES = [
  'top_up',
  'other_income',
  'network_correction',
  'fee',
  'duplicate_of_file',
  'owner_withdrawal',
  'not_ours',
  'amount_corrected',
] as const

export type ClosingReason = (typeof CLOSING_REASON_NAMES)[number]

export const CLOSING_REASON_WORDS: Readonly<
  Record<Language, Readonly<Record<ClosingReason, string>>>
> = {
  en: {
    top_up: 'Top-up',
    other_income: 'Other income',
    network_correction: 'Network’s correction',
    fee: 'Bank or network fee',
    duplicate_of_file: 'Duplicate in the network’s file',
    owner_withdrawal: 'Owner’s withdrawal',
    not_ours: 'Not ours',
    amount_corrected: 'Amount corrected',
  },
  fr: {
    top_up: 'Approvisionnement',
    other_income: 'Autre recette',
    network_correction: 'Correction du réseau',
    fee: 'Frais de la banque ou du réseau',
    duplicate_of_file: 'Doublon dans le fichier du réseau',
    owner_withdrawal: 'Retrait du propriétaire',
    not_ours: 'Pas à nous',
    amount_corrected: 'Montant corrigé',
  },
}
