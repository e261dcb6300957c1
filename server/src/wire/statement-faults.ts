// Sentences about networks' statements: why a file is refused, why one was not fetched, and what to
// do about a difference. A refused file is named with the line, so that a person finds it in the
// spreadsheet.

import { z } from 'zod'
import type { ExceptionKind } from '../domain/books/matching.ts'
import {
  type ColumnMapping,
  MAPPED_TYPES,
  type StatementFault,
  type UnknownWord,
} from '../domain/books/statement.ts'
import type { FetchFault } from '../domain/books/statement-fetch.ts'
import { typesetText } from '../domain/texts/free-text.ts'
import type { Language } from '../domain/texts/language.ts'

type Sentences = {
  [Name in StatementFault['fault']]: (
    fault: Extract<StatementFault, { fault: Name }>,
  ) => [en: string, fr: string]
}

export const megabytes = (bytes: number): number => Math.floor(bytes / 1_000_000)

const SENTENCES: Sentences = {
  file_too_large: ({ most }) => [
    `The file is larger than ${megabytes(most)} MB.`,
    `Le fichier dépasse ${megabytes(most)} Mo.`,
  ],
  too_many_rows: ({ most }) => [
    `The file has more than ${most} rows.`,
    `Le fichier a plus de ${most} lignes.`,
  ],
  unpacks_too_large: ({ most }) => [
    `The file unpacks to more than ${megabytes(most)} MB.`,
    `Le fichier décompressé dépasse ${megabytes(most)} Mo.`,
  ],
  needs_too_much: () => [
    'The file takes too much time or memory to read. Export it as CSV, or for fewer days.',
    'La lecture du fichier demande trop de temps ou de mémoire. Exportez-le en CSV, ou pour moins de jours.',
  ],
  file_not_readable: () => [
    'The file is neither CSV nor XLSX, or it is damaged.',
    'Le fichier n’est ni un CSV ni un XLSX, ou il est endommagé.',
  ],
  encoding_not_known: () => [
    'The encoding of the file is not known: save it as UTF-8.',
    'L’encodage du fichier n’est pas reconnu : enregistrez-le en UTF-8.',
  ],
  heading_not_found: () => [
    'No row of the file has the expected headings.',
    'Aucune ligne du fichier ne contient les titres de colonnes attendus.',
  ],
  column_missing: ({ column }) => [
    `The column ${column} is missing.`,
    `La colonne ${column} manque.`,
  ],
  amount_not_valid: ({ line, column, value }) => [
    `Line ${line}, ${column}: “${value}” is not an amount in whole francs.`,
    `Ligne ${line}, ${column} : « ${value} » n’est pas un montant en francs entiers.`,
  ],
  date_not_valid: ({ line, column, value }) => [
    `Line ${line}, ${column}: “${value}” is not a date.`,
    `Ligne ${line}, ${column} : « ${value} » n’est pas une date.`,
  ],
  row_not_valid: ({ line, column, value }) => [
    `Line ${line}${column && `, ${column}`} cannot be read${value && `: “${value}”`}.`,
    `La ligne ${line}${column && `, ${column}`} est illisible${value && ` : « ${value} »`}.`,
  ],
  balance_does_not_add_up: ({ line, expectedXof, foundXof }) => [
    `Line ${line}: the balance is ${foundXof}, and the lines before it give ${expectedXof}.`,
    `Ligne ${line} : le solde est ${foundXof}, et les lignes précédentes donnent ${expectedXof}.`,
  ],
  statuses_unknown: ({ rows, words }) => [
    `The state of ${rowsOf(rows, 'row')} is not known: ${listed(words, '“', '”')}. Say in the columns of this connection what these words mean.`,
    `L’état de ${rowsOf(rows, 'ligne')} n’est pas connu : ${listed(words, '« ', ' »')}. Indiquez dans les colonnes de cette connexion ce que ces mots veulent dire.`,
  ],
  types_unknown: ({ rows, words }) => [
    `The type of ${rowsOf(rows, 'row')} is not known: ${listed(words, '“', '”')}. Say in the columns of this connection what these words mean.`,
    `Le type de ${rowsOf(rows, 'ligne')} n’est pas connu : ${listed(words, '« ', ' »')}. Indiquez dans les colonnes de cette connexion ce que ces mots veulent dire.`,
  ],
  currency_not_francs: ({ line, column, value }) => [
    `Line ${line}, ${column}: “${value}”. Only lines in CFA francs (XOF) can be read.`,
    `Ligne ${line}, ${column} : « ${value} ». Seules les lignes en francs CFA (XOF) peuvent être lues.`,
  ],
  other_sheet_has_data: ({ sheet, rows }) => [
    `The sheet “${sheet}” has ${rowsOf(rows, 'row')} too. Keep one sheet in the file, and import the other as a file of its own.`,
    `La feuille « ${sheet} » contient aussi ${rowsOf(rows, 'ligne')}. Gardez une seule feuille dans le fichier, et importez l’autre à part.`,
  ],
  date_order_unclear: ({ line, dayFirst, monthFirst }) => [
    `Line ${line} is of ${dayFirst} with the day first, and of ${monthFirst} with the month first. Nothing in the file says which: choose the order of its dates.`,
    `La ligne ${line} est du ${dayFirst} si le jour est écrit en premier, et du ${monthFirst} si c’est le mois. Rien dans le fichier ne le dit : choisissez l’ordre de ses dates.`,
  ],
  other_days: () => [
    'No line of the file is of the days that the network was asked for.',
    'Aucune ligne du fichier ne porte sur les jours demandés au réseau.',
  ],
  read_otherwise_before: ({ line, rows }) => [
    `${rows} rows of this file, the first in line ${line}, were imported by other columns. Take that import back, then import the file again.`,
    `${rows} lignes de ce fichier, la première étant la ligne ${line}, ont été importées avec d’autres colonnes. Annulez cet import, puis importez à nouveau le fichier.`,
  ],
}

/** Both languages write their plural so. */
const rowsOf = (count: number, word: 'row' | 'ligne'): string =>
  `${count} ${word}${count > 1 ? 's' : ''}`

const listed = (words: readonly UnknownWord[], open: string, close: string): string =>
  words.map(({ word, rows }) => `${open}${word}${close} (${rows})`).join(', ')

export function faultSentence(fault: StatementFault, language: Language): string {
  const [en, fr] = (SENTENCES[fault.fault] as (given: StatementFault) => [string, string])(fault)
  return language === 'en' ? en : fr
}

// Why a statement was not fetched from its network, in sentences.

const FETCH_SENTENCES: Readonly<Record<FetchFault, { en: string; fr: string }>> = {
  not_reached: { en: 'The network could not be reached', fr: 'Le réseau n’a pas répondu' },
  credentials_refused: {
    en: 'The network refused the credentials of this connection',
    fr: 'Le réseau a refusé les identifiants de cette connexion',
  },
  request_refused: {
    en: 'The network refused to make the statement',
    fr: 'Le réseau a refusé d’établir le relevé',
  },
  not_made: {
    en: 'The network did not make the statement',
    fr: 'Le réseau n’a pas établi le relevé',
  },
  answer_not_valid: {
    en: 'The network’s answer was not understood',
    fr: 'La réponse du réseau n’a pas été comprise',
  },
  address_refused: {
    en: 'The network named a download address that is not allowed',
    fr: 'Le réseau a donné une adresse de téléchargement non autorisée',
  },
  download_failed: {
    en: 'The download of the statement broke off',
    fr: 'Le téléchargement du relevé s’est interrompu',
  },
  statement_refused: { en: 'The statement was refused', fr: 'Le relevé a été refusé' },
}

/** `why` as it is stored: for a refused statement its fault as JSON. */
export function fetchFaultSentence(fault: FetchFault, why: string, language: Language): string {
  const sentence = FETCH_SENTENCES[fault][language]
  if (fault !== 'statement_refused') return why === '' ? `${sentence}.` : `${sentence} (${why}).`
  const reason = faultSentence(JSON.parse(why) as StatementFault, language)
  return typesetText(`${sentence}${language === 'fr' ? ' :' : ':'} ${reason}`, language)
}

// The one next step for each kind of difference between a network's statement and the ledger, for a
// person.

const NEXT_STEPS: Readonly<Record<ExceptionKind, { en: string; fr: string }>> = {
  missing_at_network: {
    en: 'Ask the network for this payment, with its reference. A later statement that has it closes this difference.',
    fr: 'Demandez ce paiement au réseau, avec sa référence. Un relevé ultérieur qui le contient règle cet écart.',
  },
  missing_here: {
    en: 'Ask the network about this line; the service’s staff can attach a payment to it.',
    fr: 'Demandez au réseau ce qu’est cette ligne ; l’équipe du service peut la rattacher à un paiement.',
  },
  amount_differs: {
    en: 'Compare both amounts with the network: one of them must be corrected.',
    fr: 'Comparez les deux montants avec le réseau : l’un des deux doit être corrigé.',
  },
  fee_differs: {
    en: 'Compare the tariff of the connection with your contract, then correct it or claim the difference.',
    fr: 'Comparez le tarif de la connexion avec votre contrat, puis corrigez-le ou réclamez la différence.',
  },
  duplicate_line: {
    en: 'Ask the network whether it paid twice or listed one payment twice.',
    fr: 'Demandez au réseau s’il a payé deux fois ou écrit deux fois le même paiement.',
  },
  paid_although_failed: {
    en: 'Karba asks the network. If it confirms the payment, the service’s staff accept it or refund it.',
    fr: 'Karba interroge le réseau. S’il confirme le paiement, l’équipe du service l’accepte ou le rembourse.',
  },
  not_paid_although_succeeded: {
    en: 'Ask the network which of its two answers is right, then close the anomaly.',
    fr: 'Demandez au réseau laquelle de ses deux réponses est juste, puis clôturez l’anomalie.',
  },
  refund_without_payment: {
    en: 'Ask the network why it gave this money back; the service’s staff can attach a refund to it.',
    fr: 'Demandez au réseau pourquoi il a rendu cet argent ; l’équipe du service peut le rattacher à un remboursement.',
  },
  refund_missing: {
    en: 'Ask the network for this refund: the customer may not have received it.',
    fr: 'Demandez ce remboursement au réseau : le client ne l’a peut-être pas reçu.',
  },
  balance_does_not_add_up: {
    en: 'Import the statement of the days between both files. If there is none, ask the network.',
    fr: 'Importez le relevé des jours entre les deux fichiers. S’il n’y en a pas, demandez au réseau.',
  },
  settled_amount_differs: {
    en: 'Compare the settlement with the bank’s line, and ask the network for the difference.',
    fr: 'Comparez le virement avec la ligne de la banque, et demandez la différence au réseau.',
  },
  wrong_day: {
    en: 'Compare the day of the line with the payment: if many lines differ, the dates of the file were misread.',
    fr: 'Comparez le jour de la ligne avec le paiement : si beaucoup de lignes diffèrent, les dates du fichier ont été mal lues.',
  },
  withheld: {
    en: 'Answer the network’s complaint. The line of its release closes this difference.',
    fr: 'Répondez à la réclamation du réseau. La ligne de déblocage règle cet écart.',
  },
  too_early: {
    en: 'Wait: Karba checks the line again when the payment has its result.',
    fr: 'Attendez : Karba vérifie la ligne à nouveau quand le paiement a son résultat.',
  },
}

export const nextStep = (kind: ExceptionKind, language: Language): string =>
  typesetText(NEXT_STEPS[kind][language], language)

// How a source writes its statement, as a person gives it in JSON.

const heading = z.string().min(1).max(200)
const optional = heading.exactOptional()
const lineType = z.enum(MAPPED_TYPES)

export const columnMapping = z.strictObject({
  columns: z.strictObject({
    bookedAt: heading,
    time: optional,
    amount: optional,
    credit: optional,
    debit: optional,
    fee: optional,
    tax: optional,
    balance: optional,
    type: optional,
    networkReference: optional,
    ourReference: optional,
    counterparty: optional,
    text: optional,
    status: optional,
    refundedAt: optional,
    currency: optional,
  }),
  types: z.record(z.string().max(200), lineType).default({}),
  outgoing: z.array(lineType).default([]),
  statuses: z.array(z.string().max(200)).default([]),
  failures: z.array(z.string().max(200)).exactOptional(),
  refunds: z.array(z.string().max(200)).exactOptional(),
  undecided: z.array(z.string().max(200)).exactOptional(),
  dateOrder: z.enum(['day_first', 'month_first', 'year_first']).default('day_first'),
  utcOffsetMinutes: z.int().min(-720).max(840).default(60),
}) satisfies z.ZodType<ColumnMapping, unknown>
