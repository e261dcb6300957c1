// The refusals of the books: statements, settlements and tariffs, as the catalogue has them.
import { STATEMENT_FORMATS } from '../../domain/books/account-statement.ts'
import type { BooksRefusals } from '../../domain/books/books-refusals.ts'
import { CLOSING_REASON_WORDS, type ClosingReason } from '../../domain/books/closing-reason.ts'
import type { Language } from '../../domain/texts/language.ts'
import { faultSentence, megabytes } from '../statement-faults.ts'
import type { Rows } from './row.ts'

/**
 * `top_up (Top-up), other_income (Other income)`: the name for commands, and the words for people.
 */
const reasonsIn = (offered: readonly ClosingReason[], language: Language): string =>
  offered.map((reason) => `${reason} (${CLOSING_REASON_WORDS[language][reason]})`).join(', ')

export const BOOKS_REFUSALS = {
  tariff_not_valid: {
    en: 'A rate is at most 25 %, amounts are whole francs up to 1,000,000, and the minimum is not above the maximum.',
    fr: 'Le taux est de 25 % au plus, les montants sont en francs entiers jusqu’à 1 000 000, et le minimum ne dépasse pas le maximum.',
  },
  statement_query_not_valid: {
    api: [400, 'Bad Request: Statement Query Not Valid', ({ parameter }) => parameter],
    en: `from and to are days (2026-11-01), month is a month (2026-11), format is ${STATEMENT_FORMATS.join(', ')}, language is fr or en, and JSON needs a connection.`,
    fr: `from et to sont des jours (2026-11-01), month est un mois (2026-11), format est ${STATEMENT_FORMATS.join(', ')}, language est fr ou en, et JSON demande une connexion.`,
  },
  period_not_valid: {
    api: [422, 'Period Not Valid', 'to'],
    en: 'A statement covers 1 to 366 days: choose a shorter period.',
    fr: 'Un relevé couvre de 1 à 366 jours. Choisissez une période plus courte.',
  },
  period_without_movements: {
    api: [422, 'Period Without Movements'],
    en: 'No money moved at any connection in this period: choose another one.',
    fr: 'Aucun mouvement sur cette période, à aucune connexion. Choisissez-en une autre.',
  },
  month_not_over: {
    api: [422, 'Month Not Over', 'month'],
    en: 'A month can be downloaded from the first day of the next one: until then, use GET /statements.',
    fr: 'Un mois se télécharge à partir du premier jour du mois suivant. D’ici là, téléchargez un relevé.',
  },
  journal_account_not_valid: {
    en: ({ field }) => `An account number of the journal has 1 to 12 letters and digits: ${field}.`,
    fr: ({ field }) =>
      `Un numéro de compte du journal compte de 1 à 12 lettres et chiffres : ${field}.`,
  },
  settlement_not_found: {
    api: [404, 'Settlement Not Found', 'reference'],
    en: 'This account has no such settlement: GET /settlements lists them.',
    fr: 'Ce virement n’existe pas dans ce compte : GET /settlements en donne la liste.',
  },
  settlement_returned: {
    api: [422, 'Settlement Returned'],
    en: 'This money came back into the wallet: there is nothing to confirm.',
    fr: 'Cet argent est revenu dans le portefeuille : il n’y a rien à confirmer.',
  },
  settlement_confirmed: {
    api: [422, 'Settlement Already Confirmed'],
    en: 'This settlement was confirmed before with another amount: read it.',
    fr: 'Ce virement a déjà été confirmé, avec un autre montant.',
  },
  receipt_not_valid: {
    api: [400, 'Bad Request: Receipt Not Valid'],
    en: 'Send amount in whole francs above 0, received_on as a day such as 2026-11-15, and a bank_reference of at most 60 characters.',
    fr: 'Le montant est en francs entiers, supérieur à 0, le jour s’écrit 2026-11-15, et la référence de la banque compte 60 caractères au plus.',
  },
  received_on_not_valid: {
    api: [422, 'Day Not Valid', 'received_on'],
    en: 'The bank received it on the day of the settlement or later, and not in the future.',
    fr: 'La banque l’a reçu le jour du virement ou après, et pas dans l’avenir.',
  },
  statement_not_valid: {
    en: ({ fault }) => `${faultSentence(fault, 'en')} Nothing of this file is kept.`,
    fr: ({ fault }) => `${faultSentence(fault, 'fr')} Rien de ce fichier n’est conservé.`,
  },
  statement_columns_unknown: {
    en: ({ headings }) =>
      `The columns of this file are not known: ${headings.join(', ')}. Choose what each one holds.`,
    fr: ({ headings }) =>
      `Les colonnes de ce fichier ne sont pas connues : ${headings.join(', ')}. Choisissez ce que chacune contient.`,
  },
  too_many_statements_read: {
    http: 429,
    en: 'Too many statement files wait to be read. Try again in a minute.',
    fr: 'Trop de fichiers de relevé attendent d’être lus. Réessayez dans une minute.',
  },
  import_under_way: {
    http: 409,
    en: 'Another statement is being imported. Try again when it has ended.',
    fr: 'Un autre relevé est en cours d’import. Réessayez quand il sera terminé.',
  },
  statements_not_offered: {
    http: 409,
    en: 'The network of this connection gives no statements by its API: import a file from its portal.',
    fr: 'Le réseau de cette connexion ne fournit pas de relevés par son API : importez un fichier de son portail.',
  },
  fetch_period_not_valid: {
    http: 400,
    en: ({ most }) => `Choose a period of at most ${most} days that ends today or earlier.`,
    fr: ({ most }) =>
      `Choisissez une période de ${most} jours au plus, qui finit aujourd’hui ou avant.`,
  },
  statement_file_not_found: {
    http: 404,
    en: 'There is no such statement file, or it is no longer kept.',
    fr: 'Ce fichier de relevé n’existe pas, ou n’est plus conservé.',
  },
  upload_space_taken: {
    http: 409,
    en: ({ files, bytes, mostFiles, mostBytes }) =>
      `This account has ${files} uploads that are not imported, of ${megabytes(bytes)} MB. It may have ${mostFiles}, of ${megabytes(mostBytes)} MB: import or delete one. Each is deleted a day after it was sent.`,
    fr: ({ files, bytes, mostFiles, mostBytes }) =>
      `Ce compte a ${files} fichiers envoyés et non importés, soit ${megabytes(bytes)} Mo. Il peut en avoir ${mostFiles}, soit ${megabytes(mostBytes)} Mo : importez-en ou supprimez-en un. Chacun est supprimé un jour après son envoi.`,
  },
  upload_not_complete: {
    http: 409,
    en: 'Parts of this file are missing. Send them again.',
    fr: 'Il manque des parties de ce fichier. Envoyez-les de nouveau.',
  },
  file_name_not_valid: {
    en: ({ longest }) => `The name of the file has 1 to ${longest} characters on one line.`,
    fr: ({ longest }) =>
      `Le nom du fichier compte de 1 à ${longest} caractères, sur une seule ligne.`,
  },
  exception_not_found: {
    http: 404,
    en: 'There is no such open difference.',
    fr: 'Cet écart n’existe pas ou n’est plus ouvert.',
  },
  closing_reason_not_valid: {
    en: ({ offered }) =>
      offered.length === 0
        ? 'This difference leaves nothing to explain: close it without a reason.'
        : `Say what it was. The reasons for this difference: ${reasonsIn(offered, 'en')}.`,
    fr: ({ offered }) =>
      offered.length === 0
        ? 'Cet écart ne laisse rien à expliquer : réglez-le sans motif.'
        : `Dites ce que c’était. Les motifs pour cet écart : ${reasonsIn(offered, 'fr')}.`,
  },
  wallet_of_another: {
    http: 403,
    en: ({ whose }) =>
      whose === 'merchant'
        ? 'This wallet is a merchant’s own: the owner or the accountant of that merchant says what its money was.'
        : 'This wallet belongs to the service: its staff say what its money was.',
    fr: ({ whose }) =>
      whose === 'merchant'
        ? 'Ce portefeuille est celui d’un marchand : son propriétaire ou son comptable dit ce qu’était l’argent.'
        : 'Ce portefeuille est celui du service : son équipe dit ce qu’était l’argent.',
  },
  suggestion_not_found: {
    http: 404,
    en: 'This payment is not suggested for this line: number, amount and day must be the same.',
    fr: 'Ce paiement n’est pas proposé pour cette ligne : le numéro, le montant et le jour doivent être les mêmes.',
  },
  note_not_valid: {
    en: ({ longest }) => `The reason or note has 1 to ${longest} characters on one line.`,
    fr: ({ longest }) =>
      `Le motif ou la note compte de 1 à ${longest} caractères, sur une seule ligne.`,
  },
} as const satisfies Rows<keyof BooksRefusals>
