// The refusals of payments, as the catalogue has them.
import { COUNTRIES, eachCountry } from '../../domain/countries/country.ts'
import { CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../../domain/payments/money.ts'
import { METADATA_LIMITS } from '../../domain/payments/payment.ts'
import type { PaymentRefusals } from '../../domain/payments/payment-refusals.ts'
import { STATUSES } from '../../domain/payments/payment-status.ts'
import { isoTime } from '../json.ts'
import { ORDER_FIELDS } from '../payment.ts'
import { TEXT_EN, TEXT_FR } from './phrases.ts'
import type { Rows } from './row.ts'

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

export const PAYMENT_REFUSALS = {
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
  payment_not_found: {
    api: [404, 'Payment Not Found'],
    en: 'There is no such payment or link in this account and environment: check the reference and the key.',
    fr: 'Ce paiement ou ce lien n’existe pas dans ce compte et cet environnement : vérifiez la référence et la clé.',
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
  status_filter_not_valid: {
    api: [400, 'Bad Request: Status Not Valid', 'status'],
    en: `The status is one of ${STATUSES.join(', ')}.`,
    fr: `L’état est l’un de ceux-ci : ${STATUSES.join(', ')}.`,
  },
  operator_filter_not_valid: {
    api: [400, 'Bad Request: Operator Not Valid', 'operator'],
    en: 'Use the name of an operator, such as mtn_bj.',
    fr: 'Indiquez le nom d’un opérateur, par exemple mtn_bj.',
  },
  prompt_not_found: {
    http: 404,
    en: 'This request no longer waits for an answer.',
    fr: 'Cette demande n’attend plus de réponse.',
  },
} as const satisfies Rows<keyof PaymentRefusals>
