// The refusals of payment links and of links that a page makes, as the catalogue has them.
import { connectionName } from '../../domain/countries/country.ts'
import type { Cooldown } from '../../domain/limits/try-limit.ts'
import type { LinkRefusals } from '../../domain/links/link-refusals.ts'
import {
  LIFE_MINUTES,
  LONGEST_DESCRIPTION,
  LONGEST_TITLE,
} from '../../domain/links/payment-link.ts'
import type { RefusalFacts } from '../../domain/refusals/refusal.ts'
import type { Language } from '../../domain/texts/language.ts'
import { isoTime } from '../json.ts'
import { LINK_FIELDS } from '../link.ts'
import { AUTHORIZATION } from './phrases.ts'
import type { Both, Rows } from './row.ts'

const connectionNamed = (connection: string, language: Language): string =>
  connectionName({ connection, connectionLabel: null }, language)

export const LINK_REFUSALS = {
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
} as const satisfies Rows<keyof LinkRefusals>

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
