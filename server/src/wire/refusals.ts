// The refusal catalogue: for each refusal its HTTP status, its message in the merchant API, the
// parameter at fault, and what happened and what to do next in English and in French. The merchant
// API, the dashboard, the payer pages, the CLI, docs/errors.md and the OpenAPI description read it.
// Messages and statuses of the merchant API are the contract (spec §7); its English sentence is the
// hint, one sentence that says what to do and needs no facts (D-164). A refusal without a row does
// not compile.

import { STATEMENT_FORMATS } from '../domain/account-statement.ts'
import type { BusinessField } from '../domain/brand.ts'
import { CLOSING_REASON_WORDS, type ClosingReason } from '../domain/closing-reason.ts'
import { COUNTRIES, connectionName, eachCountry } from '../domain/country.ts'
import { ENVIRONMENTS } from '../domain/environment.ts'
import { typesetText } from '../domain/free-text.ts'
import { LINK_METHODS } from '../domain/methods/methods.ts'
import { CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../domain/money.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import { LONGEST_PASSWORD, type PasswordFault, SHORTEST_PASSWORD } from '../domain/password.ts'
import { METADATA_LIMITS } from '../domain/payment.ts'
import { LIFE_MINUTES, LONGEST_DESCRIPTION, LONGEST_TITLE } from '../domain/payment-link.ts'
import { STATUSES } from '../domain/payment-status.ts'
import type { Language } from '../domain/person.ts'
import { MOST_REFUNDS, REFUND_FILTERS } from '../domain/refund.ts'
import type { Refusal, RefusalFacts, Refused, RefusedAs, UrlFault } from '../domain/refusal.ts'
import type { Cooldown } from '../domain/try-limit.ts'
import type { OriginFault } from '../domain/web-address.ts'
import { EVENTS } from '../domain/webhook-event.ts'
import {
  BODY_LIMIT_BYTES,
  GENERAL_ERRORS,
  type GeneralError,
  HEADER_LIMIT_BYTES,
  PAGE_BODY_LIMIT_BYTES,
  REQUEST_TIMEOUT_MS,
  type UncodedError,
  type WireError,
  withCodes,
} from './error.ts'
import { isoTime } from './json.ts'
import { LINK_FIELDS } from './link.ts'
import { ORDER_FIELDS, TIME_PARAMETERS } from './payment.ts'
import { faultSentence, megabytes } from './statement-faults.ts'

type Sentence<Name extends Refusal> = string | ((facts: RefusalFacts[Name]) => string)

/** What Svc-Error-Param names; absent where no single header, field or parameter is at fault. */
type Param<Name extends Refusal> = string | ((facts: RefusalFacts[Name]) => string | undefined)

/**
 * `api`: of refusals of the merchant API. The body of a 422 there has `status: failed` too. Others
 * are 422 by default.
 */
type Row<Name extends Refusal> = { en: Sentence<Name>; fr: Sentence<Name> } & (
  | { http?: number }
  | { api: readonly [http: number, message: string, param?: Param<Name>] }
)

/** `Niger has 8 digits, Benin 10 that begin with 01`. */
const NUMBERS_EN = eachCountry(({ names, numbers }) => ({ name: names.en, ...numbers }))
  .map(({ name, digits, trunk }, index) => {
    const many = index === 0 ? `has ${digits} digits` : String(digits)
    return `${name} ${many}${trunk && ` that begin with ${trunk}`}`
  })
  .join(', ')
const NUMBERS_FR = eachCountry(({ names, numbers: { digits, trunk } }) => {
  const beginning = trunk && `, qui commencent par ${trunk}`
  return `${names.fr}\u00a0: ${digits} chiffres${beginning}`
}).join('\u00a0; ')
const CALLING_CODES = eachCountry(({ callingCode }) => `+${callingCode}`)

const TEXT_EN = '1 to 255 characters, without control characters'
const TEXT_FR = 'de 1 à 255 caractères, sans caractère de contrôle'
const AUTHORIZATION = 'Authorization'

/**
 * `top_up (Top-up), other_income (Other income)`: the name for commands, and the words for people.
 */
const reasonsIn = (offered: readonly ClosingReason[], language: Language): string =>
  offered.map((reason) => `${reason} (${CLOSING_REASON_WORDS[language][reason]})`).join(', ')

/** The parts of a merchant's file, as the dashboard names them. */
const FILE_PARTS: Readonly<Record<BusinessField | 'documents', Record<Language, string>>> = {
  legalName: { en: 'legal name', fr: 'raison sociale' },
  registration: { en: 'RCCM, NIF or IFU', fr: 'RCCM, NIF ou IFU' },
  country: { en: 'country', fr: 'pays' },
  city: { en: 'city', fr: 'ville' },
  address: { en: 'address', fr: 'adresse' },
  contact: { en: 'contact person', fr: 'personne à contacter' },
  documents: { en: 'a document', fr: 'un document' },
}

const fileParts = (parts: readonly (keyof typeof FILE_PARTS)[], language: Language): string =>
  parts.map((part) => FILE_PARTS[part][language]).join(', ')

const connectionNamed = (connection: string, language: Language): string =>
  connectionName({ connection, connectionLabel: null }, language)

export const REFUSALS = {
  // the headers, in the order in which they are checked
  header_missing: {
    api: [400, 'Bad Request: Missing params', ({ header }) => header],
    en: 'Send Content-Type, Authorization, Svc-Target-Environment and Svc-Payment-Type with every request, GET too: many generated clients drop Content-Type there.',
    fr: 'Un en-tête manque. Envoyez Content-Type, Authorization, Svc-Target-Environment et Svc-Payment-Type, aussi avec GET : beaucoup de clients générés y retirent Content-Type.',
  },
  environment_not_allowed: {
    api: [400, 'Bad Request: Not Allowed Environment', 'Svc-Target-Environment'],
    en: `Set Svc-Target-Environment to ${ENVIRONMENTS.join(' or ')}, in lower case.`,
    fr: `L’environnement est ${ENVIRONMENTS.join(' ou ')}, en minuscules.`,
  },
  payment_type_not_allowed: {
    api: [400, 'Bad Request: Not Allowed Payment Type', 'Svc-Payment-Type'],
    en: 'Set Svc-Payment-Type to mobile; links and API extensions also accept external_payment and card.',
    fr: 'Svc-Payment-Type est mobile pour les paiements. Les liens et les extensions de l’API acceptent aussi external_payment et card.',
  },
  key_malformed: {
    api: [400, 'Bad Request: Missing Authentication Key', AUTHORIZATION],
    en: 'Write Authorization as Bearer, one space, and the key.',
    fr: 'Authorization se compose de Bearer, d’une espace et de la clé.',
  },
  content_type_not_json: {
    api: [406, 'Not Acceptable: Invalid Content Type', 'Content-Type'],
    en: 'Set Content-Type to exactly application/json, without a charset: the contract accepts no other form.',
    fr: 'Content-Type est exactement application/json, sans charset : le contrat n’admet aucune autre forme.',
  },
  key_not_valid: {
    api: [401, 'Unauthorized: No Valid Key', AUTHORIZATION],
    en: 'This key is not valid in this environment, or was revoked: use a secret key (sk_…) of the environment that you name.',
    fr: 'Cette clé n’est pas valide dans cet environnement, ou a été révoquée. Utilisez une clé secrète (sk_…) de l’environnement demandé.',
  },
  account_not_available: {
    api: [403, 'Forbidden: Environment Not Available'],
    en: 'The account is not validated, is suspended, or has its pages turned off: ask the operator of the service.',
    fr: 'Le compte n’est pas validé, est suspendu, ou ses pages sont désactivées. Adressez-vous à l’exploitant du service.',
  },
  address_not_allowed: {
    api: [403, 'Forbidden: Address Not Allowed', AUTHORIZATION],
    en: 'This key does not work from this address: send from an address that the key lists, or change its list.',
    fr: 'Cette clé ne fonctionne pas depuis cette adresse. Utilisez une adresse de sa liste, ou changez la liste.',
  },
  key_not_permitted: {
    api: [403, 'Forbidden: Key Not Permitted', AUTHORIZATION],
    en: 'This restricted key does not allow this action: use another key, or create one in the dashboard.',
    fr: 'Cette clé restreinte ne permet pas cette action. Utilisez une autre clé, ou créez-en une dans le tableau de bord.',
  },
  // the body of a payment
  body_incomplete: {
    api: [
      400,
      'Bad Request: Missing Body Params',
      ({ missing }) => missing && ORDER_FIELDS[missing],
    ],
    en: 'Send a JSON object with amount, country, currency, msisdn, transaction_id and customer_name, none of them null or blank.',
    fr: 'Un champ manque. Envoyez un objet JSON avec amount, country, currency, msisdn, transaction_id et customer_name, aucun nul ni vide.',
  },
  country_not_allowed: {
    api: [400, 'Bad Request: Country Not Allowed', ORDER_FIELDS.country],
    en: `Set country to ${COUNTRIES.join(' or ')}.`,
    fr: `Le pays est ${COUNTRIES.join(' ou ')}.`,
  },
  currency_not_allowed: {
    api: [400, 'Bad Request: Currency Not Allowed', ORDER_FIELDS.currency],
    en: `Set currency to ${CURRENCY}.`,
    fr: `La devise est ${CURRENCY}.`,
  },
  amount_not_valid: {
    api: [400, 'Bad Request: Amount Not Valid', ORDER_FIELDS.amount],
    en: `The amount is a whole number of francs, from ${MINIMUM_XOF.live} (${MINIMUM_XOF.sandbox} in the sandbox) to ${MAXIMUM_XOF}.`,
    fr: `Le montant est un nombre entier de francs, de ${MINIMUM_XOF.live} (${MINIMUM_XOF.sandbox} dans le bac à sable) à ${MAXIMUM_XOF}.`,
  },
  msisdn_not_valid: {
    api: [400, 'Bad Request: Incorrect MSISDN', ORDER_FIELDS.msisdn],
    en: `This number is not valid: ${NUMBERS_EN}.`,
    fr: `Ce numéro n’est pas valide. ${NUMBERS_FR}.`,
  },
  external_reference_not_valid: {
    api: [422, 'External Reference Not Valid', ORDER_FIELDS.externalReference],
    en: `A transaction_id has ${TEXT_EN}, and is not a card number.`,
    fr: `Un transaction_id compte ${TEXT_FR}, et n’est pas un numéro de carte.`,
  },
  customer_name_not_valid: {
    api: [422, 'Customer Name Not Valid', ORDER_FIELDS.customerName],
    en: `A customer_name has ${TEXT_EN}.`,
    fr: `Un customer_name compte ${TEXT_FR}.`,
  },
  order_reference_not_valid: {
    api: [422, 'Order Reference Not Valid', ORDER_FIELDS.orderReference],
    en: `An order_reference has ${TEXT_EN}, and is not a card number.`,
    fr: `Un order_reference compte ${TEXT_FR}, et n’est pas un numéro de carte.`,
  },
  metadata_not_valid: {
    api: [422, 'Metadata Not Valid', ORDER_FIELDS.metadata],
    en: `metadata has at most ${METADATA_LIMITS.keys} texts: keys of 1 to ${METADATA_LIMITS.key} characters, values of at most ${METADATA_LIMITS.value}.`,
    fr: `metadata contient au plus ${METADATA_LIMITS.keys} textes : des clés de 1 à ${METADATA_LIMITS.key} caractères, des valeurs de ${METADATA_LIMITS.value} au plus.`,
  },
  operator_not_available: {
    api: [403, 'Forbidden: Environment Not Available'],
    en: 'The network is paused or not connected now: read its state in the operators of GET /account, then try later or ask the operator of the service.',
    fr: 'Le réseau est en pause ou n’est pas connecté en ce moment. Son état est dans operators de GET /account. Réessayez plus tard, ou adressez-vous à l’exploitant du service.',
  },
  external_reference_taken: {
    api: [422, 'External Reference Not Valid', ORDER_FIELDS.externalReference],
    en: 'A payment has this transaction_id: read the one in Svc-Existing-Reference before you try again with another.',
    fr: 'Ce compte a déjà un paiement avec ce transaction_id ; Svc-Existing-Reference donne sa référence. Lisez-le avant de réessayer avec un autre.',
  },
  order_reference_taken: {
    api: [422, 'Order Reference Taken', ORDER_FIELDS.orderReference],
    en: 'Another payment of this order is pending, open or paid: read the one in Svc-Existing-Reference before you try again.',
    fr: 'Un autre paiement de cette commande est en attente, ouvert ou payé ; Svc-Existing-Reference donne sa référence. Lisez-le avant de réessayer.',
  },
  // the body of a link
  link_body_incomplete: {
    api: [400, 'Bad Request: Missing Body Params', ({ missing }) => missing],
    en: 'A link needs a title, and an amount or a minimum_amount, none of them null or blank.',
    fr: 'Un lien a besoin d’un titre, et d’un montant ou d’un minimum_amount, aucun nul ni vide.',
  },
  title_not_valid: {
    api: [422, 'Title Not Valid', 'title'],
    en: `A title has 1 to ${LONGEST_TITLE} visible characters on one line.`,
    fr: `Un titre compte de 1 à ${LONGEST_TITLE} caractères visibles, sur une seule ligne.`,
  },
  description_not_valid: {
    api: [422, 'Description Not Valid', 'description'],
    en: `A description has at most ${LONGEST_DESCRIPTION} visible characters.`,
    fr: `Une description compte au plus ${LONGEST_DESCRIPTION} caractères visibles.`,
  },
  link_reference_not_valid: {
    api: [422, 'External Reference Not Valid', 'reference'],
    en: 'Use a UUID or random hexadecimal digits as the reference, or leave it out: then the service creates one.',
    fr: 'La référence propre d’un lien est un UUID ou des chiffres hexadécimaux aléatoires. Sans elle, le service en crée une.',
  },
  should_expire_not_valid: {
    api: [422, 'Should Expire Not Valid', 'shouldExpire'],
    en: 'shouldExpire is true or false.',
    fr: 'shouldExpire vaut true ou false.',
  },
  redirection_url_not_valid: {
    api: [422, 'Redirection Url Not Valid', ({ which }) => LINK_FIELDS[which]],
    en: 'Use an https address (in the sandbox also http on localhost); from a page, one on a site that the account lists.',
    fr: 'Une adresse de retour est en https ; dans le bac à sable, http sur localhost aussi. Depuis une page, elle mène à un site que le compte a déclaré.',
  },
  minimum_amount_not_valid: {
    api: [422, 'Minimum Amount Not Valid', LINK_FIELDS.minimumAmount],
    en: 'A link has either amount, or a minimum_amount that can be paid.',
    fr: 'Un lien a soit amount, soit un minimum_amount qui peut être payé.',
  },
  suggested_amounts_not_valid: {
    api: [422, 'Suggested Amounts Not Valid', LINK_FIELDS.suggestedAmounts],
    en: 'suggested_amounts lists at most four amounts, none below minimum_amount.',
    fr: 'suggested_amounts contient quatre montants au plus, aucun sous minimum_amount.',
  },
  reusable_not_valid: {
    api: [422, 'Reusable Not Valid', 'reusable'],
    en: 'reusable is true or false; a reusable link has neither transaction_id nor order_reference.',
    fr: 'reusable vaut true ou false. Un lien réutilisable n’a ni transaction_id ni order_reference.',
  },
  expires_in_minutes_not_valid: {
    api: [422, 'Expires In Minutes Not Valid', LINK_FIELDS.expiresInMinutes],
    en: `expires_in_minutes is a whole number from ${LIFE_MINUTES.least} to ${LIFE_MINUTES.most}, of a link that expires.`,
    fr: `expires_in_minutes est un nombre entier de ${LIFE_MINUTES.least} à ${LIFE_MINUTES.most}, pour un lien qui expire.`,
  },
  link_reference_taken: {
    api: [422, 'External Reference Not Valid', 'reference'],
    en: 'Another link has this reference: choose another at random, or leave it out.',
    fr: 'Un autre lien porte déjà cette référence. Choisissez-en une autre au hasard, ou ne l’indiquez pas.',
  },
  // reading and listing
  payment_not_found: {
    api: [404, 'Payment Not Found'],
    en: 'There is no such payment or link in this account and environment: check the reference and the key.',
    fr: 'Ce paiement ou ce lien n’existe pas dans ce compte et cet environnement : vérifiez la référence et la clé.',
  },
  wait_not_valid: {
    api: [400, 'Bad Request: Wait Not Valid', 'wait'],
    en: 'wait is a whole number of seconds, at most 60.',
    fr: 'wait est un nombre entier de secondes, 60 au plus.',
  },
  payment_name_ambiguous: {
    en: ({ references }) =>
      `Several accounts have a payment of this name. Use its reference, one of: ${references.join(', ')}.`,
    fr: ({ references }) =>
      `Plusieurs comptes ont un paiement de ce nom. Utilisez sa référence, l’une de celles-ci : ${references.join(', ')}.`,
  },
  payment_not_recorded_then: {
    en: ({ createdAt }) =>
      `The payment did not exist at that time: it was recorded at ${isoTime(createdAt)}.`,
    fr: ({ createdAt }) =>
      `Le paiement n’existait pas à ce moment : il a été enregistré le ${isoTime(createdAt)}.`,
  },
  cursor_not_valid: {
    api: [400, 'Bad Request: After Not Valid', 'after'],
    en: 'This is not a cursor of this list: use the next of the page before, or leave it out for the first page.',
    fr: 'Ce n’est pas un curseur de cette liste. Utilisez le next de la page précédente, ou rien pour la première page.',
  },
  status_filter_not_valid: {
    api: [400, 'Bad Request: Status Not Valid', 'status'],
    en: `The status is one of ${STATUSES.join(', ')}.`,
    fr: `L’état est l’un de ceux-ci : ${STATUSES.join(', ')}.`,
  },
  refund_filter_not_valid: {
    api: [400, 'Bad Request: Refund Status Not Valid', 'status'],
    en: `The status is one of ${REFUND_FILTERS.join(', ')}; open means every refund that has not ended.`,
    fr: `L’état est l’un de ceux-ci : ${REFUND_FILTERS.join(', ')}. open désigne tous les remboursements qui ne sont pas terminés.`,
  },
  operator_filter_not_valid: {
    api: [400, 'Bad Request: Operator Not Valid', 'operator'],
    en: 'Use the name of an operator, such as mtn_bj.',
    fr: 'Indiquez le nom d’un opérateur, par exemple mtn_bj.',
  },
  time_filter_not_valid: {
    api: [400, 'Bad Request: Time Not Valid', ({ bound }) => TIME_PARAMETERS[bound]],
    en: 'A time is a day, such as 2026-11-15, or a time with its zone, such as 2026-11-15T09:30:00Z.',
    fr: 'Une date est un jour, comme 2026-11-15, ou une heure avec son fuseau, comme 2026-11-15T09:30:00Z.',
  },
  day_filter_not_valid: {
    api: [400, 'Bad Request: Day Not Valid', ({ bound }) => TIME_PARAMETERS[bound]],
    en: 'A day is written as 2026-11-15, and to is not before from.',
    fr: 'Un jour s’écrit 2026-11-15, et to n’est pas avant from.',
  },
  after_not_valid: {
    api: [400, 'Bad Request: After Not Valid', ({ parameter }) => parameter],
    en: 'after is the id or the sequence of an event, or latest; in GET /entries, the number of an entry; replays_after is a number, or latest.',
    fr: 'after est l’identifiant ou la séquence d’un événement, ou latest ; dans GET /entries, le numéro d’une écriture ; replays_after est un nombre, ou latest.',
  },
  limit_not_valid: {
    api: [400, 'Bad Request: Limit Not Valid', 'limit'],
    en: `The limit is a whole number from 1 to ${PAGE_LIMIT.most}.`,
    fr: `La limite est un nombre entier de 1 à ${PAGE_LIMIT.most}.`,
  },
  event_not_found: {
    api: [404, 'Event Not Found', 'after'],
    en: 'There is no such event in this account and environment: check after, or leave it out to begin with the first.',
    fr: 'Cet événement n’existe pas dans ce compte et cet environnement : vérifiez after, ou omettez-le pour commencer au premier.',
  },
  cursor_too_old: {
    api: [410, 'Gone: Events Removed', ({ parameter }) => parameter],
    en: 'The next events were removed: list the payments since your last event, then go on after Svc-Kept-After; replays go on at latest.',
    fr: 'Les événements suivants ont été supprimés. Listez les paiements depuis votre dernier événement, puis reprenez après Svc-Kept-After ; les renvois reprennent à latest.',
  },
  // links made by a page with a public key
  secret_key_in_page: {
    api: [
      401,
      'Unauthorized: THIS IS A SECRET KEY. It Must Never Be In A Page: Revoke It Now And Use The Public Key',
      AUTHORIZATION,
    ],
    en: 'Every visitor of the page can read this secret key: roll the keys now, and use the public key (pk_…) in the page.',
    fr: 'Tous les visiteurs de la page peuvent lire cette clé secrète. Renouvelez les clés maintenant, et utilisez la clé publique (pk_…) dans la page.',
  },
  public_key_not_valid: {
    api: [401, 'Unauthorized: No Valid Key', AUTHORIZATION],
    en: 'This public key is not valid, or was revoked: use the account’s public key (pk_…).',
    fr: 'Cette clé publique n’est pas valide, ou a été révoquée. Utilisez la clé publique (pk_…) du compte.',
  },
  origin_not_allowed: {
    api: [403, 'Forbidden: Origin Not Allowed', 'Origin'],
    en: 'The account does not list the site of this page: add it in the account’s checkout settings.',
    fr: 'Le compte n’a pas déclaré le site de cette page. Ajoutez-le dans ses réglages de paiement.',
  },
  order_not_valid: {
    api: [401, 'Unauthorized: Order Not Valid', 'order'],
    en: 'The signed order was changed, has expired, or was signed with another key: sign a new one on your server.',
    fr: 'La commande signée a été modifiée, a expiré, ou porte la signature d’une autre clé. Signez-en une nouvelle sur votre serveur.',
  },
  // refunds and anomalies
  payment_not_refundable: {
    api: [422, 'Payment Not Refundable'],
    en: 'Only a payment that has succeeded can be refunded: read its status.',
    fr: 'Seul un paiement réussi peut être remboursé. Vérifiez son état.',
  },
  refund_exists: {
    http: 409,
    en: 'This payment is already refunded, or its refund is in progress.',
    fr: 'Ce paiement est déjà remboursé, ou son remboursement est en cours.',
  },
  refund_not_found: {
    api: [404, 'Refund Not Found'],
    en: 'This payment has no refund: POST to this address creates one.',
    fr: 'Ce paiement n’a pas de remboursement : un POST à cette adresse en crée un.',
  },
  refund_amount_not_valid: {
    api: [400, 'Bad Request: Amount Not Valid', 'amount'],
    en: `Send no body, or a JSON object whose amount is a whole number of francs from 1 to ${MAXIMUM_XOF}.`,
    fr: `Le corps est vide ou un objet JSON. Le montant d’un remboursement est un nombre entier de francs, de 1 à ${MAXIMUM_XOF} ; sans montant, le reste est remboursé.`,
  },
  refund_id_not_valid: {
    api: [400, 'Bad Request: Refund Id Not Valid', 'refund_id'],
    en: `The refund_id has ${TEXT_EN}.`,
    fr: `Le refund_id compte ${TEXT_FR}.`,
  },
  refund_id_taken: {
    api: [422, 'Refund Id Not Valid', 'refund_id'],
    en: 'This payment already has a refund of another amount with this refund_id: use another refund_id.',
    fr: 'Ce paiement a déjà un remboursement d’un autre montant avec ce refund_id. Utilisez un autre refund_id.',
  },
  refund_amount_too_large: {
    api: [422, 'Refund Amount Too Large', 'amount'],
    en: 'The amount is more than what is left to refund of this payment: read its refunds, then refund at most the remaining amount.',
    fr: 'Le montant dépasse ce qui reste à rembourser sur ce paiement. Lisez ses remboursements, puis remboursez au plus le reste.',
  },
  refund_in_part_not_possible: {
    api: [422, 'Refund In Part Not Possible', 'amount'],
    en: 'This network does not support partial refunds: refund the whole amount, or pay the customer back in another way.',
    fr: 'Ce réseau ne permet pas le remboursement partiel. Remboursez le montant total, ou rendez l’argent au client autrement.',
  },
  too_many_refunds: {
    api: [422, 'Too Many Refunds'],
    en: `A payment has at most ${MOST_REFUNDS} refunds: pay the customer back in another way.`,
    fr: `Un paiement a au plus ${MOST_REFUNDS} remboursements : rendez l’argent au client autrement.`,
  },
  anomaly_not_found: {
    http: 404,
    en: 'There is no such open anomaly.',
    fr: 'Cette anomalie n’existe pas ou n’est plus ouverte.',
  },
  anomaly_not_late_money: {
    en: 'This anomaly is not open, or is not about a late payment. Close it with a note instead.',
    fr: 'Cette anomalie n’est pas ouverte, ou ne concerne pas un paiement tardif. Clôturez-la plutôt avec une note.',
  },
  late_money_not_needed: {
    en: ({ status }) =>
      `The payment is ${status}: it was paid in another way, is being paid, or ended with another amount. Refund this money.`,
    fr: ({ status }) =>
      `Le paiement est ${status} : il a été payé autrement, est en cours, ou s’est terminé avec un autre montant. Remboursez cet argent.`,
  },
  late_money_denied: {
    http: 409,
    en: ({ reported }) =>
      `The network was asked now, and does not report this payment as paid (${reported}). Nothing has changed: ask the network in writing, or close this with a note.`,
    fr: ({ reported }) =>
      `Le réseau, interrogé à l’instant, n’indique pas ce paiement comme payé (${reported}). Rien n’a changé : écrivez au réseau, ou clôturez avec une note.`,
  },
  late_money_unknown: {
    http: 409,
    en: 'The network did not answer whether this payment was paid. Nothing has changed: try again later.',
    fr: 'Le réseau n’a pas dit si ce paiement a été payé. Rien n’a changé : réessayez plus tard.',
  },
  refund_not_by_hand: {
    en: 'This refund does not wait for a manual decision.',
    fr: 'Ce remboursement n’attend pas de décision manuelle.',
  },
  proof_not_valid: {
    en: ({ longest }) => `The proof has 1 to ${longest} characters on one line.`,
    fr: ({ longest }) => `La preuve compte de 1 à ${longest} caractères, sur une seule ligne.`,
  },
  connection_not_found: {
    http: 404,
    en: 'There is no such connection to a network.',
    fr: 'Cette connexion à un réseau n’existe pas.',
  },
  connection_not_paused: {
    en: 'This connection is not paused.',
    fr: 'Cette connexion n’est pas en pause.',
  },
  connector_not_available: {
    http: 404,
    en: 'This service does not connect merchants to that network.',
    fr: 'Ce service ne connecte pas de marchands à ce réseau.',
  },
  credentials_not_valid: {
    en: ({ field }) =>
      `The field ${field} is missing or does not have the format that the network expects.`,
    fr: ({ field }) => `Le champ ${field} manque ou n’a pas le format attendu par le réseau.`,
  },
  credentials_refused: {
    http: 422,
    en: ({ why }) => `The network refuses these credentials (${why}). Nothing was saved.`,
    fr: ({ why }) => `Le réseau refuse ces identifiants (${why}). Rien n’a été enregistré.`,
  },
  network_not_reached: {
    http: 422,
    en: ({ why }) =>
      `The network did not confirm the credentials (${why}). Nothing was saved: try again later.`,
    fr: ({ why }) =>
      `Le réseau n’a pas confirmé les identifiants (${why}). Rien n’a été enregistré : réessayez plus tard.`,
  },
  connection_label_not_valid: {
    en: ({ longest }) =>
      `The name of a connection has 1 to ${longest} visible characters and no card number.`,
    fr: ({ longest }) =>
      `Le nom d’une connexion compte de 1 à ${longest} caractères visibles, sans numéro de carte.`,
  },
  connection_serves_not_valid: {
    en: 'Choose at least one operator or method that this network serves.',
    fr: 'Choisissez au moins un opérateur ou un moyen de paiement que ce réseau propose.',
  },
  too_many_connections: {
    en: ({ most }) =>
      `An account has at most ${most} connections. Remove one, or ask the service’s staff.`,
    fr: ({ most }) =>
      `Un compte a au plus ${most} connexions. Supprimez-en une, ou adressez-vous au service.`,
  },
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
  // links
  archive_not_valid: {
    en: 'This is not an archive that this version of Karba can read.',
    fr: 'Ce n’est pas une archive que cette version de Karba peut lire.',
  },
  archive_not_found: {
    http: 404,
    en: 'This store has no key for this archive: use the store that wrote it. `karba archive list` shows its archives.',
    fr: 'Ce service n’a pas la clé de cette archive. Utilisez celui qui l’a écrite.',
  },
  archive_exists: {
    en: 'Another run has archived this month. Its file is complete; this one was removed.',
    fr: 'Ce mois a été archivé par un autre processus. Ce fichier a été supprimé.',
  },
  link_not_found: { http: 404, en: 'There is no such link.', fr: 'Ce lien n’existe pas.' },
  link_being_paid: {
    api: [422, 'Payment Link Being Paid'],
    en: 'A customer is paying this link now: try again when that payment has ended.',
    fr: 'Un client est en train de payer ce lien. Réessayez quand ce paiement sera terminé.',
  },
  link_paid: {
    api: [422, 'Payment Link Already Paid'],
    en: 'This link is paid: to return the money, refund its payment.',
    fr: 'Ce lien est payé. Pour rendre l’argent, remboursez son paiement.',
  },
  link_closed: {
    en: ({ state }) => `This link can no longer be cancelled: it is ${CLOSED_LINKS[state].en}.`,
    fr: ({ state }) => `Ce lien ne peut plus être annulé : il est ${CLOSED_LINKS[state].fr}.`,
  },
  link_not_due: { en: 'This link has not expired yet.', fr: 'Ce lien n’a pas encore expiré.' },
  page_behind: {
    en: 'The page is out of date. Load it again.',
    fr: 'La page n’est plus à jour. Rechargez-la.',
  },
  provider_unreachable: {
    en: 'This payment method does not answer. Try again in a moment, or choose another.',
    fr: 'Ce moyen de paiement ne répond pas. Réessayez dans un moment ou choisissez-en un autre.',
  },
  payer_operator_closed: {
    en: ({ paused }) =>
      paused === undefined
        ? 'Payments from this number are not possible right now. Try again later, or pay another way.'
        : `Payments with ${connectionNamed(paused, 'en')} are paused right now. Try again later, or pay another way.`,
    fr: ({ paused }) =>
      paused === undefined
        ? 'Les paiements depuis ce numéro ne sont pas possibles en ce moment. Réessayez plus tard, ou payez autrement.'
        : `Les paiements par ${connectionNamed(paused, 'fr')} sont en pause en ce moment. Réessayez plus tard, ou payez autrement.`,
  },
  no_attempt_to_abandon: {
    en: 'No payment of this link is in progress in this browser.',
    fr: 'Aucun paiement de ce lien n’est en cours dans ce navigateur.',
  },
  payer_must_wait: {
    http: 429,
    en: ({ why, until }) => `${COOLDOWNS[why].en} Try again after ${isoTime(until)}.`,
    fr: ({ why, until }) => `${COOLDOWNS[why].fr} Réessayez après ${isoTime(until)}.`,
  },
  // merchants and keys
  merchant_not_found: {
    http: 404,
    en: 'There is no such merchant.',
    fr: 'Ce marchand n’existe pas.',
  },
  merchant_name_not_valid: {
    en: `The name of the business has ${TEXT_EN}.`,
    fr: `Le nom de l’entreprise compte ${TEXT_FR}.`,
  },
  account_not_found: { http: 404, en: 'There is no such account.', fr: 'Ce compte n’existe pas.' },
  key_not_found: {
    http: 404,
    en: 'There is no such valid key.',
    fr: 'Cette clé n’existe pas ou n’est plus valable.',
  },
  secret_not_found: {
    http: 404,
    en: 'This secret can be read no longer: somebody has said that they have it.',
    fr: 'Ce secret n’est plus lisible : quelqu’un a confirmé l’avoir.',
  },
  overlap_not_valid: {
    en: ({ mostMs }) => `The old keys stay valid for at most ${mostMs / 3_600_000} hours.`,
    fr: ({ mostMs }) => `Les anciennes clés restent valables ${mostMs / 3_600_000} heures au plus.`,
  },
  link_methods_missing: {
    en: `Choose at least one payment method: ${LINK_METHODS.join(', ')}.`,
    fr: `Choisissez au moins un moyen de paiement : ${LINK_METHODS.join(', ')}.`,
  },
  wording_not_valid: {
    en: ({ longest }) => `The wording has at most ${longest} visible characters on one line.`,
    fr: ({ longest }) =>
      `Le texte compte au plus ${longest} caractères visibles, sur une seule ligne.`,
  },
  too_many_origins: {
    en: ({ most }) => `An account lists at most ${most} sites. Remove one first.`,
    fr: ({ most }) => `Un compte a au plus ${most} sites. Retirez-en un d’abord.`,
  },
  site_origin_not_valid: {
    en: ({ origin, fault }) =>
      `${origin} ${ORIGIN_FAULTS[fault.is].en}${'origin' in fault ? fault.origin : ''}.`,
    fr: ({ origin, fault }) =>
      `${origin} ${ORIGIN_FAULTS[fault.is].fr}${'origin' in fault ? fault.origin : ''}.`,
  },
  // webhooks
  endpoint_not_found: {
    http: 404,
    en: 'There is no such endpoint.',
    fr: 'Ce webhook n’existe pas.',
  },
  endpoint_off: {
    en: 'This endpoint is paused. Resume it first.',
    fr: 'Ce webhook est en pause. Reprenez-le d’abord.',
  },
  endpoint_removed: {
    en: 'The endpoint of this delivery was removed. Replay the events of its payment to the other endpoints instead.',
    fr: 'Le webhook de cet envoi a été supprimé. Renvoyez plutôt les événements de son paiement aux autres webhooks.',
  },
  too_many_endpoints: {
    en: ({ most }) => `An account has at most ${most} endpoints. Remove one first.`,
    fr: ({ most }) => `Un compte a au plus ${most} webhooks. Supprimez-en un d’abord.`,
  },
  webhook_url_not_valid: {
    en: ({ fault }) => URL_FAULTS[fault].en,
    fr: ({ fault }) => URL_FAULTS[fault].fr,
  },
  event_name_not_valid: {
    en: ({ event }) => `${event} is not an event. Choose from ${EVENTS.join(', ')}.`,
    fr: ({ event }) => `${event} n’est pas un événement. Choisissez parmi ${EVENTS.join(', ')}.`,
  },
  secret_hash_not_valid: {
    en: ({ shortest, longest }) =>
      `Secret-Hash is ${shortest} to ${longest} plain letters, digits and signs, without spaces around them.`,
    fr: ({ shortest, longest }) =>
      `Secret-Hash compte de ${shortest} à ${longest} lettres sans accent, chiffres et signes, sans espace autour.`,
  },
  delivery_not_found: {
    http: 404,
    en: 'There is no such delivery.',
    fr: 'Cet envoi n’existe pas.',
  },
  no_events_yet: {
    en: 'This payment has no events yet.',
    fr: 'Ce paiement n’a encore aucun événement.',
  },
  events_removed: {
    en: 'The event is older than this service keeps events, and cannot be sent again.',
    fr: 'L’événement est plus ancien que la durée de conservation de ce service et ne peut plus être renvoyé.',
  },
  // the merchant's profile
  brand_name_not_valid: {
    en: ({ longest }) => `The name that customers see has 1 to ${longest} visible characters.`,
    fr: ({ longest }) =>
      `Le nom que voient les clients compte de 1 à ${longest} caractères visibles.`,
  },
  colour_not_valid: {
    en: 'A colour is # and six hexadecimal digits, such as #0a7d4f.',
    fr: 'Une couleur s’écrit avec # et six chiffres hexadécimaux, comme #0a7d4f.',
  },
  colour_not_readable: {
    en: 'White text on this colour cannot be read. Choose a darker one.',
    fr: 'Le texte blanc ne se lit pas sur cette couleur. Choisissez-en une plus foncée.',
  },
  phone_not_valid: {
    en: 'A phone number has 6 to 18 digits, with an optional + before them.',
    fr: 'Un numéro de téléphone a de 6 à 18 chiffres, avec un + facultatif devant.',
  },
  pi_alias_not_valid: {
    en: 'A PI-SPI alias has 36 characters, such as 3497a720-ab11-4973-9619-534e04f263a1. Your bank or wallet has it.',
    fr: 'Un alias PI-SPI a 36 caractères, comme 3497a720-ab11-4973-9619-534e04f263a1. Votre banque ou votre portefeuille le donne.',
  },
  pi_alias_needs_country: {
    en: 'The PI-SPI code names your country. Choose the country of your business first.',
    fr: 'Le code PI-SPI indique votre pays. Choisissez d’abord le pays de votre entreprise.',
  },
  logo_not_valid: {
    en: ({ mostBytes }) => `A logo is a PNG or a JPEG of at most ${mostBytes / 1024} kB.`,
    fr: ({ mostBytes }) => `Un logo est un PNG ou un JPEG de ${mostBytes / 1024} ko au plus.`,
  },
  business_not_valid: {
    en: ({ field }) =>
      `The text for “${FILE_PARTS[field].en}” is too long, or has invisible characters.`,
    fr: ({ field }) =>
      `Le texte de « ${FILE_PARTS[field].fr} » est trop long, ou contient des caractères invisibles.`,
  },
  validation_not_ready: {
    en: ({ missing }) => `The file is not complete yet. Missing: ${fileParts(missing, 'en')}.`,
    fr: ({ missing }) =>
      `Le dossier n’est pas encore complet. Il manque : ${fileParts(missing, 'fr')}.`,
  },
  document_not_valid: {
    en: ({ mostBytes }) =>
      `A document is a PDF, a JPEG or a PNG of at most ${mostBytes / 1024 / 1024} MB, with a name.`,
    fr: ({ mostBytes }) =>
      `Un document est un PDF, un JPEG ou un PNG de ${mostBytes / 1024 / 1024} Mo au plus, avec un nom.`,
  },
  too_many_documents: {
    en: ({ most }) => `A merchant has at most ${most} documents. Remove one first.`,
    fr: ({ most }) => `Un marchand a au plus ${most} documents. Supprimez-en un d’abord.`,
  },
  document_not_found: {
    http: 404,
    en: 'There is no such document.',
    fr: 'Ce document n’existe pas.',
  },
  // restricted keys
  key_name_not_valid: {
    en: ({ longest }) => `The name of a key has 1 to ${longest} visible characters.`,
    fr: ({ longest }) => `Le nom d’une clé compte de 1 à ${longest} caractères visibles.`,
  },
  key_network_not_valid: {
    en: ({ network }) => `${network} is neither an address nor a network such as 203.0.113.0/24.`,
    fr: ({ network }) => `${network} n’est ni une adresse ni un réseau comme 203.0.113.0/24.`,
  },
  too_many_keys: {
    en: ({ most }) => `An account has at most ${most} valid keys. Revoke one first.`,
    fr: ({ most }) => `Un compte a au plus ${most} clés valables. Révoquez-en une d’abord.`,
  },
  key_right_not_held: {
    http: 403,
    en: ({ permission }) =>
      `You cannot create or roll a key with the permission ${permission}. Ask an owner.`,
    fr: ({ permission }) =>
      `Vous ne pouvez ni créer ni renouveler une clé qui a le droit ${permission}. Demandez à un propriétaire.`,
  },
  key_already_rolled: {
    http: 409,
    en: 'This key is already rolled. Roll the key that replaced it.',
    fr: 'Cette clé est déjà renouvelée. Renouvelez celle qui l’a remplacée.',
  },
  prompt_not_found: {
    http: 404,
    en: 'This request no longer waits for an answer.',
    fr: 'Cette demande n’attend plus de réponse.',
  },
  // people
  caller_not_allowed: {
    http: 403,
    en: 'Your role does not allow this action.',
    fr: 'Votre rôle ne permet pas cette action.',
  },
  signed_out: {
    http: 401,
    en: 'Your session has ended. Sign in again.',
    fr: 'Votre session est terminée. Connectez-vous à nouveau.',
  },
  email_not_valid: {
    en: 'This email address is not valid.',
    fr: 'Cette adresse e-mail n’est pas valide.',
  },
  email_taken: {
    http: 409,
    en: 'This email address is already in use. Sign in with it, or use another.',
    fr: 'Un compte existe déjà avec cette adresse. Connectez-vous, ou utilisez-en une autre.',
  },
  person_name_not_valid: {
    en: 'A person’s name has 1 to 100 characters on one line.',
    fr: 'Le nom d’une personne compte de 1 à 100 caractères, sur une ligne.',
  },
  name_holds_address: {
    en: 'A name cannot contain a web or email address, because emails show it. Put a space after a dot.',
    fr: 'Un nom ne peut pas contenir d’adresse web ou e-mail, car il figure dans des e-mails. Mettez une espace après un point.',
  },
  password_not_good: {
    en: ({ fault }) => PASSWORD_FAULTS[fault].en,
    fr: ({ fault }) => PASSWORD_FAULTS[fault].fr,
  },
  sign_in_not_valid: {
    http: 401,
    en: 'Wrong email address or password.',
    fr: 'Adresse e-mail ou mot de passe incorrect.',
  },
  password_wrong: { http: 401, en: 'Wrong password.', fr: 'Mot de passe incorrect.' },
  too_many_tries: { http: 429, en: 'Too many attempts.', fr: 'Trop de tentatives.' },
  totp_needed: {
    http: 401,
    en: 'Enter the code from your authenticator app.',
    fr: 'Entrez le code de votre application d’authentification.',
  },
  totp_not_valid: {
    http: 401,
    en: 'This code is not valid, or was used already. Try the next one.',
    fr: 'Ce code n’est pas valide, ou a déjà servi. Essayez le suivant.',
  },
  proof_needed: {
    http: 403,
    en: ({ by }) =>
      by === 'code' ? 'Enter a code from your authenticator app.' : 'Enter your password.',
    fr: ({ by }) =>
      by === 'code'
        ? 'Entrez un code de votre application d’authentification.'
        : 'Entrez votre mot de passe.',
  },
  totp_is_on: {
    en: 'An authenticator app is already set up.',
    fr: 'Une application d’authentification est déjà configurée.',
  },
  totp_is_off: {
    en: 'No authenticator app is set up.',
    fr: 'Aucune application d’authentification n’est configurée.',
  },
  session_not_found: {
    http: 404,
    en: 'There is no such session.',
    fr: 'Cette session n’existe pas.',
  },
  token_not_valid: {
    en: 'This link is no longer valid. Ask for a new one.',
    fr: 'Ce lien n’est plus valable. Demandez-en un nouveau.',
  },
  person_not_found: {
    http: 404,
    en: 'There is no such person.',
    fr: 'Cette personne n’existe pas.',
  },
  member_exists: {
    http: 409,
    en: 'This person is already in the team.',
    fr: 'Cette personne fait déjà partie de l’équipe.',
  },
  invitation_not_found: {
    http: 404,
    en: 'This invitation is no longer valid.',
    fr: 'Cette invitation n’est plus valable.',
  },
  too_many_invitations: {
    en: ({ most }) => `At most ${most} invitations can be open. Cancel one first.`,
    fr: ({ most }) =>
      `Au plus ${most} invitations peuvent être en attente. Annulez-en une d’abord.`,
  },
  last_owner: {
    en: 'At least one owner must remain.',
    fr: 'Il doit rester au moins un propriétaire.',
  },
  approval_not_found: {
    http: 404,
    en: 'This request does not exist, or waits for no approval any more.',
    fr: 'Cette demande n’existe pas ou n’attend plus de validation.',
  },
  second_person_needed: {
    http: 403,
    en: 'A second person must approve this request.',
    fr: 'Une autre personne doit valider cette demande.',
  },
  approval_outdated: {
    http: 409,
    en: 'Something changed since this was requested. Read the changes, then reject it; it can be requested again.',
    fr: 'La situation a changé depuis cette demande. Lisez les changements, puis refusez-la ; elle peut être redemandée.',
  },
  money_change_not_found: {
    http: 404,
    en: 'There is no such change, or it waits for no confirmation any more.',
    fr: 'Ce changement n’existe pas, ou n’attend plus de confirmation.',
  },
  second_owner_needed: {
    http: 403,
    en: 'Another owner must confirm this change.',
    fr: 'Un autre propriétaire doit confirmer ce changement.',
  },
  task_not_found: { http: 404, en: 'There is no such task.', fr: 'Cette tâche n’existe pas.' },
  task_taken: {
    http: 409,
    en: ({ by }) => `${by} has already taken this task.`,
    fr: ({ by }) => `${by} s’occupe déjà de cette tâche.`,
  },
  // maintenance
  master_key_changed: {
    http: 409,
    en: 'The master key was rotated in the meantime. Nothing was changed.',
    fr: 'La clé maîtresse a été changée entre-temps. Rien n’a été modifié.',
  },
  number_not_valid: {
    en: `No payment can have this number. Write it with ${CALLING_CODES.join(' or ')}, or give its country.`,
    fr: `Aucun paiement ne peut avoir ce numéro. Écrivez-le avec ${CALLING_CODES.join(' ou ')}, ou indiquez son pays.`,
  },
  number_under_way: {
    en: 'A payment or a refund of this number is still pending. Nothing was erased: try again when it has ended.',
    fr: 'Un paiement ou un remboursement de ce numéro est encore en attente. Rien n’a été effacé : réessayez quand il sera terminé.',
  },
} as const satisfies { readonly [Name in Refusal]: Row<Name> }

type Both = Readonly<Record<Language, string>>

const CLOSED_LINKS: Readonly<Record<RefusalFacts['link_closed']['state'], Both>> = {
  succeeded: { en: 'paid', fr: 'payé' },
  refunded: { en: 'refunded', fr: 'remboursé' },
  expired: { en: 'expired', fr: 'expiré' },
  cancelled: { en: 'already cancelled', fr: 'déjà annulé' },
  failed: { en: 'closed, because the payment failed', fr: 'fermé, car le paiement a échoué' },
}

const COOLDOWNS: Readonly<Record<Cooldown['why'], Both>> = {
  number_pending: {
    en: 'A request is already waiting on this phone.',
    fr: 'Une demande attend déjà sur ce téléphone.',
  },
  number: {
    en: 'Several requests to this number were not approved.',
    fr: 'Plusieurs demandes à ce numéro n’ont pas été validées.',
  },
  link: { en: 'There were too many attempts on this link.', fr: 'Trop de tentatives sur ce lien.' },
  account: {
    en: 'The pages of this account have sent many requests that were not approved.',
    fr: 'Les pages de ce compte ont envoyé beaucoup de demandes qui n’ont pas été validées.',
  },
}

const PASSWORD_FAULTS: Readonly<Record<PasswordFault, Both>> = {
  short: {
    en: `Choose at least ${SHORTEST_PASSWORD} characters.`,
    fr: `Choisissez au moins ${SHORTEST_PASSWORD} caractères.`,
  },
  long: {
    en: `This password is too long: ${LONGEST_PASSWORD} characters at most.`,
    fr: `Ce mot de passe est trop long : ${LONGEST_PASSWORD} caractères au plus.`,
  },
  easy: {
    en: 'This password is too easy to guess.',
    fr: 'Ce mot de passe est trop facile à deviner.',
  },
}

const ORIGIN_FAULTS: Readonly<Record<OriginFault['is'], Both>> = {
  not_an_address: {
    en: 'must be the address of a site, like https://shop.example',
    fr: 'doit être l’adresse d’un site, comme https://shop.example',
  },
  written_otherwise: {
    en: 'must be written as browsers write it: ',
    fr: 'doit s’écrire comme les navigateurs l’écrivent : ',
  },
  not_https: { en: 'must begin with https://', fr: 'doit commencer par https://' },
}

/** The English half is also the reason of a delivery that was not sent. */
export const URL_FAULTS: Readonly<Record<UrlFault, Both>> = {
  too_long: {
    en: 'Use an address of at most 2048 characters.',
    fr: 'Utilisez une adresse de 2048 caractères au plus.',
  },
  has_spaces: {
    en: 'Write the address without spaces, line breaks and backslashes.',
    fr: 'Écrivez l’adresse sans espaces, sans retours à la ligne et sans barres obliques inverses.',
  },
  not_complete: {
    en: 'Use a complete address that begins with https://.',
    fr: 'Utilisez une adresse complète, qui commence par https://.',
  },
  has_user_name: {
    en: 'Leave out the user name and password before the @; use the signing secret instead.',
    fr: 'Retirez le nom d’utilisateur et le mot de passe avant le @ ; utilisez plutôt le secret de signature.',
  },
  has_fragment: {
    en: 'Leave out the # and the text after it: it is never sent to the server.',
    fr: 'Retirez le # et ce qui le suit : cette partie n’est jamais envoyée au serveur.',
  },
  has_card_number: {
    en: 'Leave out the card number: addresses are stored as they are.',
    fr: 'Retirez le numéro de carte : les adresses sont conservées telles quelles.',
  },
  host_not_readable: {
    en: 'Check the host name: it is not valid.',
    fr: 'Vérifiez le nom d’hôte : il n’est pas valide.',
  },
  host_not_public: {
    en: 'Use a host name that is reachable from the internet; this one works only inside a private network.',
    fr: 'Utilisez un nom d’hôte accessible depuis Internet ; celui-ci ne fonctionne que dans un réseau privé.',
  },
  address_not_public: {
    en: 'Use a host that is reachable from the internet; this address is not public.',
    fr: 'Utilisez un hôte accessible depuis Internet ; cette adresse n’est pas publique.',
  },
  not_https: {
    en: 'Use https:// instead of http://, so that events cannot be read or changed on the way.',
    fr: 'Utilisez https:// au lieu de http://, pour que les événements ne puissent être ni lus ni modifiés en chemin.',
  },
}

/** The refusals that the merchant API may answer with: those that have a message. */
export type WireRefusal = {
  [Name in Refusal]: (typeof REFUSALS)[Name] extends { api: unknown } ? Name : never
}[Refusal]

const ROWS: { readonly [Name in Refusal]: Row<Name> } = REFUSALS

export function statusOf(name: Refusal): number {
  const row = ROWS[name]
  return 'api' in row ? row.api[0] : (row.http ?? 422)
}

export function sentenceOf(refused: Refused, language: Language): string {
  const sentence = ROWS[refused.refused][language] as string | ((facts: Refused) => string)
  return typesetText(typeof sentence === 'string' ? sentence : sentence(refused), language)
}

/**
 * What to do about an error of the merchant API, by its code; undefined for a code that it does not
 * have.
 */
export function hintOf(code: string, language: Language): string | undefined {
  if (Object.hasOwn(WIRE_ERRORS, code))
    return typesetText(REFUSALS[code as WireRefusal][language], language)
  if (!Object.hasOwn(GENERAL_ERRORS, code)) return undefined
  const name = code as GeneralError
  return language === 'en' ? GENERAL_ERRORS[name].hint : typesetText(FRENCH_HINTS[name], language)
}

const FRENCH_HINTS: Readonly<Record<GeneralError, string>> = {
  bad_request:
    'Envoyez du HTTP valide, avec un seul en-tête Host, un seul Authorization au plus, et un corps complet.',
  unauthorized: 'Signez le rappel comme le prévoit le contrat avec le réseau.',
  not_found:
    'Vérifiez le chemin : ceux de l’API commencent par /api/v1, et /docs en donne la liste.',
  method_not_allowed: 'Utilisez une méthode que donne l’en-tête Allow.',
  request_timeout: `Envoyez toute la requête en ${REQUEST_TIMEOUT_MS / 1_000} secondes au plus.`,
  payload_too_large: `Envoyez un corps de ${BODY_LIMIT_BYTES / 1024} Kio au plus, ou de ${PAGE_BODY_LIMIT_BYTES / 1024} Kio depuis une page.`,
  too_many_requests:
    'Attendez les secondes de Retry-After, puis envoyez moins de requêtes, ou un relevé à la fois.',
  headers_too_large: `Envoyez des en-têtes de ${HEADER_LIMIT_BYTES / 1024} Kio au plus en tout.`,
  internal: 'Le service a échoué et le paiement existe peut-être : lisez-le avant de réessayer.',
  unavailable: 'Rien n’a été enregistré : réessayez après les secondes de Retry-After.',
}

export const WIRE_ERRORS = withCodes(
  Object.fromEntries(
    Object.entries<Row<never>>(REFUSALS).flatMap(([code, row]) => {
      if (!('api' in row)) return []
      const [http, message] = row.api
      return [
        [
          code,
          { http, message, hint: row.en as string, ...(http === 422 && { status: 'failed' }) },
        ],
      ]
    }),
  ) as Readonly<Record<WireRefusal, UncodedError>>,
) as Readonly<Record<WireRefusal, WireError>>

/** The header, field or parameter that is at fault, where it is a single one. */
export function errorParam(refused: RefusedAs<WireRefusal>): string | undefined {
  const param = REFUSALS[refused.refused].api[2] as Param<never> | undefined
  return typeof param === 'function'
    ? (param as (facts: object) => string | undefined)(refused)
    : param
}
