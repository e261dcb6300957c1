// A bank card, on the page of a card provider.
import type { Method } from './method.ts'

export const BANK_CARD = {
  name: 'bank_card',
  by: 'redirect',
  words: {
    fr: {
      name: 'Carte bancaire',
      declined: 'Votre banque a refusé le paiement. Essayez une autre carte ou payez autrement.',
    },
    en: {
      name: 'Bank card',
      declined: 'Your bank refused the payment. Try another card or pay another way.',
    },
  },
  icon: '<rect x="2.5" y="5" width="19" height="14" rx="2"/><path d="M2.5 10h19M6 15h4"/>',
} as const satisfies Method
