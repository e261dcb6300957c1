// The refusals of refunds, and of money that came late, as the catalogue has them.
import { MAXIMUM_XOF } from '../../domain/payments/money.ts'
import { MOST_REFUNDS, REFUND_FILTERS } from '../../domain/refunds/refund.ts'
import type { RefundRefusals } from '../../domain/refunds/refund-refusals.ts'
import { TEXT_EN, TEXT_FR } from './phrases.ts'
import type { Rows } from './row.ts'

export const REFUND_REFUSALS = {
  refund_filter_not_valid: {
    api: [400, 'Bad Request: Refund Status Not Valid', 'status'],
    en: `The status is one of ${REFUND_FILTERS.join(', ')}; open means every refund that has not ended.`,
    fr: `L’état est l’un de ceux-ci : ${REFUND_FILTERS.join(', ')}. open désigne tous les remboursements qui ne sont pas terminés.`,
  },
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
} as const satisfies Rows<keyof RefundRefusals>
