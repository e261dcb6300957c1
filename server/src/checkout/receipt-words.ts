// The texts of receipts and of the page that checks a code, one table for each language.
import type { Language } from './link-view.ts'

const french = {
  title: 'Reçu de paiement',
  paid: 'Paiement reçu',
  refunded: 'Paiement remboursé',
  inPart: 'Paiement remboursé en partie',
  paidHint: 'Ce paiement est enregistré. Le montant a été débité.',
  refundedHint: 'Le montant a été rendu au compte qui avait payé.',
  inPartHint: (given: string, all: string) => `${given} rendus sur ${all}.`,
  test: 'TEST',
  testHint: 'TEST : aucun argent n’a été payé. Ce reçu ne prouve rien.',
  to: 'Payé à',
  amount: 'Montant',
  at: 'Date',
  state: 'État',
  given: 'Remboursé',
  code: 'Code du reçu',
  qr: 'Code QR qui mène à ce reçu',
  checkAt: (address: string) => `À vérifier sur ${address}`,
  genuine: (host: string) => `Vérifiez que l’adresse de cette page est bien ${host}.`,
  pdf: 'Télécharger en PDF',
  another: 'Vérifier un autre code',
  link: 'Reçu vérifiable',
  check: 'Vérifier un reçu',
  checkHint: 'Tapez le code qui est écrit sur le reçu. Vous verrez le marchand, le montant, la date et l’état.',
  send: 'Vérifier',
  unknown: 'Aucun paiement n’a ce code. Relisez-le sur le reçu. S’il est bien écrit, le reçu est faux.',
}

export type ReceiptWords = typeof french

const english: ReceiptWords = {
  title: 'Payment receipt',
  paid: 'Payment received',
  refunded: 'Payment refunded',
  inPart: 'Payment refunded in part',
  paidHint: 'This payment is recorded. The amount was debited.',
  refundedHint: 'The amount was given back to the account that paid.',
  inPartHint: (given, all) => `${given} of ${all} given back.`,
  test: 'TEST',
  testHint: 'TEST: no money was paid. This receipt proves nothing.',
  to: 'Paid to',
  amount: 'Amount',
  at: 'Date',
  state: 'State',
  given: 'Refunded',
  code: 'Code of the receipt',
  qr: 'QR code that leads to this receipt',
  checkAt: (address) => `Check it at ${address}`,
  genuine: (host) => `Make sure that the address of this page is ${host}.`,
  pdf: 'Download as PDF',
  another: 'Check another code',
  link: 'Receipt that can be checked',
  check: 'Check a receipt',
  checkHint: 'Type the code that is on the receipt. You will see the merchant, the amount, the date and the state.',
  send: 'Check',
  unknown: 'No payment has this code. Read it again on the receipt. If it is typed correctly, the receipt is false.',
}

export const RECEIPT_WORDS: Readonly<Record<Language, ReceiptWords>> = { fr: french, en: english }
