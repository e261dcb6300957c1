// What the page of a paid link says to whoever is not known to have paid it (D-117), in both languages.
const french = {
  paid: 'Déjà payé',
  paidHint: 'Ce lien a été payé. Il n’y a plus rien à payer.',
  receiptElsewhere: 'Le reçu s’ouvre dans le navigateur qui a payé.',
}

const english: typeof french = {
  paid: 'Already paid',
  paidHint: 'This link has been paid. Nothing is left to pay.',
  receiptElsewhere: 'The receipt opens in the browser that paid.',
}

export const PAID_WORDS = { fr: french, en: english }
