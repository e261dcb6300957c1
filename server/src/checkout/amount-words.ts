// The texts of links without an amount, where the payer types it; words.ts takes them in.

const french = {
  anyAmount: 'Montant libre',
  give: 'Payer',
  chooseAmount: 'Choisissez un montant',
  otherAmount: 'ou un autre montant, en F CFA',
  yourAmount: 'Montant, en F CFA',
  amountHint: (least: string) => `Au moins ${least}, sans centimes.`,
  amountProblem: (least: string) => `Écrivez un montant en chiffres, d’au moins ${least}.`,
}

const english: typeof french = {
  anyAmount: 'Any amount',
  give: 'Pay',
  chooseAmount: 'Choose an amount',
  otherAmount: 'or another amount, in CFA francs',
  yourAmount: 'Amount, in CFA francs',
  amountHint: (least: string) => `At least ${least}, in whole francs.`,
  amountProblem: (least: string) => `Write an amount in digits, of at least ${least}.`,
}

export const AMOUNT_WORDS = { fr: french, en: english }
