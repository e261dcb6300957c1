// The words of statements for people, in French and in English.
import type {
  Reconciliation,
  StatementRow,
  StatementSums,
} from '../domain/books/account-statement.ts'
import { explainedText } from '../domain/books/closing.ts'
import type { Environment } from '../domain/environment.ts'
import type { EntryKind } from '../domain/ledger/ledger.ts'
import type { Language } from '../domain/texts/language.ts'

type JournalHeadings = readonly [string, string, string, string, string, string, string]

const french = {
  title: 'Relevé de compte',
  // The file's name begins with it: no accents and no spaces.
  file: 'releve',
  account: 'Compte',
  environments: { live: 'production', sandbox: 'bac à sable, sans argent réel' } as Record<
    Environment,
    string
  >,
  connection: 'Connexion',
  everyConnection: 'Toutes les connexions',
  // Of the name of a file.
  everyConnectionFile: 'toutes-les-connexions',
  period: 'Période',
  kinds: {
    payment: 'Encaissement',
    refund: 'Remboursement',
    reversal: 'Remboursé par le réseau',
    fee: 'Frais du réseau',
    tax: 'Taxe',
    settlement: 'Virement vers la banque',
    withheld: 'Somme bloquée',
    collected: 'Encaissement à expliquer',
    refund_confirmed: 'Remboursement à expliquer',
    unexplained: 'Mouvement à expliquer',
    closing: 'Correction',
    opening: 'Solde avant le premier relevé',
  } satisfies Record<EntryKind, string>,
  // Withheld money that came back.
  released: 'Somme débloquée',
  // Above the sums of a connection that merchants share.
  sharedWallet:
    'Portefeuille partagé du service : les soldes sont ce qui a été encaissé pour vous. Ce que le service vous a versé n’en est pas déduit.',
  language: 'fr' as Language,
  sums: {
    openingXof: 'Solde d’ouverture',
    collectedXof: 'Encaissements',
    refundedXof: 'Remboursements',
    feesXof: 'Frais',
    taxesXof: 'Taxes',
    withheldXof: 'Sommes bloquées',
    settledXof: 'Virements vers la banque',
    unexplainedXof: 'Mouvements à expliquer',
    otherXof: 'Autres mouvements',
    closingXof: 'Solde de clôture',
    confirmedXof: 'Encaissements confirmés par le réseau',
  } satisfies Record<keyof StatementSums, string>,
  // From the payments received to those that the network confirms.
  reconciliation: {
    notConfirmedXof: 'Encaissements pas encore confirmés',
    onOtherDaysXof: 'Encaissements datés par le réseau hors de la période',
    ofOtherDaysXof: 'Confirmations d’encaissements hors de la période',
  } satisfies Record<keyof Reconciliation, string>,
  columns: {
    bookedAt: 'Date et heure',
    day: 'Date de valeur',
    kind: 'Opération',
    amount: 'Montant (FCFA)',
    balance: 'Solde (FCFA)',
    isConfirmed: 'Confirmé par le réseau',
    publicReference: 'Code du paiement',
    externalReference: 'Votre référence',
    operatorReference: 'Référence de l’opérateur',
    refundReference: 'Référence du remboursement',
    reference: 'Référence du paiement',
    entry: 'N° d’écriture',
  },
  journal: ['Date', 'Journal', 'Pièce', 'Compte', 'Libellé', 'Débit', 'Crédit'] as JournalHeadings,
  pdf: {
    merchant: 'Commerçant',
    tradeName: 'Nom commercial',
    registration: 'RCCM, NIF ou IFU',
    address: 'Adresse',
    contact: 'Contact',
    writtenAt: 'Établi le',
    reference: 'Référence',
    star: '* pas encore confirmé par le relevé du réseau',
    tooMany: (movements: string) =>
      `${movements} mouvements : trop pour un PDF. Ils sont tous dans les fichiers CSV, Excel et CAMT.053.`,
    page: 'Page',
  },
  yes: 'oui',
  no: 'non',
  // Of a row that the network's statement does not have yet.
  toConfirm: 'à confirmer par le réseau',
}

export type Words = typeof french

const english: Words = {
  title: 'Account statement',
  file: 'statement',
  account: 'Account',
  environments: { live: 'live', sandbox: 'sandbox, no real money' },
  connection: 'Connection',
  everyConnection: 'All connections',
  everyConnectionFile: 'all-connections',
  period: 'Period',
  kinds: {
    payment: 'Payment received',
    refund: 'Refund',
    reversal: 'Refunded by the network',
    fee: 'Network fee',
    tax: 'Tax',
    settlement: 'Transfer to the bank',
    withheld: 'Withheld',
    collected: 'Unexplained payment',
    refund_confirmed: 'Unexplained refund',
    unexplained: 'Unexplained movement',
    closing: 'Correction',
    opening: 'Balance before the first statement',
  },
  released: 'Released',
  sharedWallet:
    'Wallet shared by the service: the balances are what was collected for you. What the service has paid out to you is not taken off.',
  language: 'en',
  sums: {
    openingXof: 'Opening balance',
    collectedXof: 'Payments received',
    refundedXof: 'Refunds',
    feesXof: 'Fees',
    taxesXof: 'Taxes',
    withheldXof: 'Withheld',
    settledXof: 'Transfers to the bank',
    unexplainedXof: 'Unexplained movements',
    otherXof: 'Other movements',
    closingXof: 'Closing balance',
    confirmedXof: 'Payments confirmed by the network',
  },
  reconciliation: {
    notConfirmedXof: 'Payments not yet confirmed',
    onOtherDaysXof: 'Payments that the network dates outside the period',
    ofOtherDaysXof: 'Confirmations of payments outside the period',
  },
  columns: {
    bookedAt: 'Date and time',
    day: 'Value date',
    kind: 'Operation',
    amount: 'Amount (XOF)',
    balance: 'Balance (XOF)',
    isConfirmed: 'Confirmed by the network',
    publicReference: 'Payment code',
    externalReference: 'Your reference',
    operatorReference: 'Network reference',
    refundReference: 'Refund reference',
    reference: 'Payment reference',
    entry: 'Entry',
  },
  journal: ['Date', 'Journal', 'Document', 'Account', 'Label', 'Debit', 'Credit'],
  pdf: {
    merchant: 'Merchant',
    tradeName: 'Trade name',
    registration: 'RCCM, NIF or IFU',
    address: 'Address',
    contact: 'Contact',
    writtenAt: 'Written on',
    reference: 'Reference',
    star: '* not yet confirmed by the network’s statement',
    tooMany: (movements: string) =>
      `${movements} movements: too many for a PDF. The CSV, Excel and CAMT.053 files have them all.`,
    page: 'Page',
  },
  yes: 'yes',
  no: 'no',
  toConfirm: 'not yet confirmed by the network',
}

export const WORDS: Readonly<Record<Language, Words>> = { fr: french, en: english }

export function kindText(row: StatementRow, { language, released, kinds }: Words): string {
  const { kind, amountXof } = row
  return (
    explainedText(row, language) ?? (kind === 'withheld' && amountXof > 0 ? released : kinds[kind])
  )
}

/**
 * The label of a row in an accountant's books: what it is, and every reference that can match it to
 * an invoice.
 */
export function labelOf(row: StatementRow, words: Words): string {
  const { publicReference, externalReference, operatorReference, isConfirmed } = row
  const references = [publicReference, externalReference, operatorReference].filter(
    (reference) => reference !== '',
  )
  return [
    kindText(row, words),
    ...references,
    ...(isConfirmed ? [] : [`(${words.toConfirm})`]),
  ].join(' ')
}

/** Of a journal's line: Sage takes so many characters. */
const LONGEST_LABEL = 35

/**
 * What the row is, and as many of its references as fit whole; the journal has them all in columns
 * of their own.
 */
export function shortLabelOf(row: StatementRow, words: Words): string {
  const references = [row.externalReference, row.publicReference, row.operatorReference]
  const whole = references
    .filter((reference) => reference !== '')
    .reduce(
      (label, reference) => {
        const longer = `${label} ${reference}`
        return [...longer].length <= LONGEST_LABEL ? longer : label
      },
      kindText(row, words),
    )
  return [...whole].slice(0, LONGEST_LABEL).join('')
}

/**
 * What leads from the payments received to those that the network confirms: signed, in this order.
 */
export function reconciliationLines(
  { reconciliation }: { reconciliation: Reconciliation },
  words: Words,
): [label: string, xof: number][] {
  const { notConfirmedXof, onOtherDaysXof, ofOtherDaysXof } = reconciliation
  return [
    [words.reconciliation.notConfirmedXof, 0 - notConfirmedXof],
    [words.reconciliation.onOtherDaysXof, 0 - onOtherDaysXof],
    [words.reconciliation.ofOtherDaysXof, ofOtherDaysXof],
  ]
}
