// The French sentence for each refusal, in the same order as in english.ts.
import { COUNTRIES } from '../../domain/country.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { CURRENCY, MAXIMUM_XOF, MINIMUM_XOF } from '../../domain/money.ts'
import { PAGE_LIMIT } from '../../domain/page.ts'
import { LONGEST_PASSWORD, type PasswordFault, SHORTEST_PASSWORD } from '../../domain/password.ts'
import { METADATA_LIMITS } from '../../domain/payment.ts'
import { LINK_METHODS, LONGEST_DESCRIPTION, LONGEST_TITLE } from '../../domain/payment-link.ts'
import { type PaymentStatus, STATUSES } from '../../domain/payment-status.ts'
import type { Rest } from '../../domain/prompt-limit.ts'
import type { RefusalFacts, UrlFault } from '../../domain/refusal.ts'
import type { OriginFault } from '../../domain/web-address.ts'
import { EVENTS } from '../../domain/webhook-event.ts'
import { LONGEST_URL } from '../../webhooks/safe-address.ts'
import { isoTime } from '../../wire/json.ts'
import type { Sentences } from './refusal-sentences.ts'

/** Puts a no-break space before French double punctuation. Inserted facts stay as they are. */
function fr(words: TemplateStringsArray, ...facts: (string | number)[]): string {
  const typeset = words.map((part) => part.replace(/ (?=[:;?!»])/g, '\u00a0').replace(/(?<=«) /g, '\u00a0'))
  return String.raw({ raw: typeset }, ...facts)
}

const NO_LINK = 'Aucun lien n’a été créé.'
const PLAIN = 'de 1 à 255 caractères, sans caractère de contrôle'

const REST_WORDS: Readonly<Record<Rest['why'], string>> = {
  number_pending: 'Une demande attend déjà sur ce téléphone.',
  number: 'Plusieurs demandes à ce numéro n’ont pas été approuvées.',
  link: 'Ce lien a été essayé trop souvent.',
  account: 'Les pages de ce compte ont envoyé beaucoup de demandes que personne n’a approuvées.',
}

const PASSWORD_FAULTS: Readonly<Record<PasswordFault, string>> = {
  short: fr`Un mot de passe compte au moins ${SHORTEST_PASSWORD} caractères.`,
  long: fr`Un mot de passe compte au plus ${LONGEST_PASSWORD} caractères.`,
  easy: fr`Ce mot de passe est trop facile à deviner.`,
}

export const FRENCH: Sentences = {
  header_missing: () =>
    fr`Envoyez Content-Type, Authorization, Svc-Target-Environment et Svc-Payment-Type avec chaque requête.`,
  environment_not_allowed: () => fr`L’environnement est l’un de ceux-ci : ${ENVIRONMENTS.join(', ')}.`,
  payment_type_not_allowed: () => fr`Le type de paiement est mobile ; pour les liens, aussi external_payment ou card.`,
  key_malformed: () => fr`Authorization se compose de \`Bearer\`, d’une espace et de la clé secrète.`,
  content_type_not_json: () => fr`Content-Type est application/json et rien de plus.`,
  key_not_valid: () =>
    fr`Cette clé n’est pas valable dans cet environnement. \`karba keys list <account>\` montre celles qui le sont.`,
  account_not_available: (_, { name = 'de ce nom' }) =>
    fr`Le compte ${name} n’est pas validé, ou il est suspendu : \`karba merchant validate\` le met en service.`,
  address_not_allowed: () => 'Cette clé ne fonctionne pas depuis cette adresse.',
  key_not_permitted: () => 'Cette clé est restreinte, et ne permet pas cela.',
  body_incomplete: () =>
    fr`Une commande indique amount, country, currency, msisdn, transaction_id et customer_name, tous les six.`,
  country_not_allowed: () => fr`Le pays est l’un de ceux-ci : ${COUNTRIES.join(', ')}.`,
  currency_not_allowed: () => fr`La devise est ${CURRENCY}.`,
  amount_not_valid: () =>
    fr`${NO_LINK} --amount est un nombre entier de francs, au moins ${MINIMUM_XOF.live} (live) ou ${MINIMUM_XOF.sandbox} (sandbox) et au plus ${MAXIMUM_XOF}.`,
  msisdn_not_valid: () => fr`Ce msisdn n’est pas un numéro mobile de son pays.`,
  external_reference_not_valid: () => fr`${NO_LINK} --transaction-id compte ${PLAIN}.`,
  customer_name_not_valid: () => fr`Le nom du client compte ${PLAIN}.`,
  order_reference_not_valid: () => fr`Un order_reference compte ${PLAIN}.`,
  metadata_not_valid: () =>
    fr`Les métadonnées sont au plus ${METADATA_LIMITS.keys} textes d’au plus ${METADATA_LIMITS.value} caractères, sous des clés de 1 à ${METADATA_LIMITS.key}.`,
  order_reference_taken: ({ existingReference }) =>
    fr`Un autre paiement de cette commande est en attente, ouvert ou payé : ${existingReference}.`,
  operator_not_available: () =>
    fr`${NO_LINK} Aucun des moyens de paiement que ce compte propose n’est disponible dans son environnement. \`karba merchant checkout <account>\` montre ce qu’il propose, KARBA_OPERATORS indique qui est connecté.`,
  external_reference_taken: ({ existingReference }) =>
    fr`${NO_LINK} Ce compte a déjà un paiement avec ce transaction_id : \`karba payment ${existingReference}\` le montre.`,
  link_reference_not_valid: () =>
    fr`${NO_LINK} La référence propre à un lien est aléatoire ; sans elle, il en reçoit une.`,
  minimum_amount_not_valid: () => fr`Un lien a un montant, ou un minimum_amount qui peut être payé.`,
  suggested_amounts_not_valid: () => fr`Quatre montants proposés au plus, aucun sous le minimum_amount.`,
  reusable_not_valid: () =>
    fr`reusable vaut true ou false ; un lien réutilisable n’a ni transaction_id ni order_reference.`,
  expires_in_minutes_not_valid: () =>
    fr`expires_in_minutes est un nombre entier de 5 à 129600, pour un lien qui expire.`,
  link_reference_taken: () => fr`${NO_LINK} Un lien porte déjà cette référence ; sans elle, il en reçoit une.`,
  link_body_incomplete: () =>
    fr`${NO_LINK} Indiquez --title, et --amount ou --minimum-amount, et ne les laissez pas vides.`,
  title_not_valid: () => fr`${NO_LINK} --title compte de 1 à ${LONGEST_TITLE} caractères, sur une seule ligne.`,
  description_not_valid: () => fr`${NO_LINK} --description compte au plus ${LONGEST_DESCRIPTION} caractères.`,
  should_expire_not_valid: () => fr`${NO_LINK} Un lien expire, sauf avec --no-expiry.`,
  redirection_url_not_valid: () =>
    fr`${NO_LINK} Les adresses de retour sont en https ; en sandbox, http sur localhost convient aussi.`,

  payment_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun paiement ${name}. \`karba payment list\` montre les plus récents.`,
  wait_not_valid: () => fr`Une attente est un nombre entier de secondes, 60 au plus.`,
  payment_name_ambiguous: ({ references }, { name = 'de ce nom' }) =>
    fr`Plusieurs comptes ont un paiement ${name}. Désignez-le par sa référence, l’une de celles-ci : ${references.join(', ')}.`,
  payment_not_recorded_then: ({ createdAt }, { at }) =>
    fr`Ce paiement n’existait pas encore à ce moment-là${at === undefined ? '' : ` (${isoTime(at)})`} : il a été enregistré le ${isoTime(createdAt)}.`,
  status_filter_not_valid: () => fr`L’état est l’un de ${STATUSES.join(', ')}.`,
  operator_filter_not_valid: () => fr`Un opérateur a un nom comme mtn_bj.`,
  time_filter_not_valid: () =>
    fr`Une date est un jour, comme 2026-11-15, ou une heure avec son fuseau, comme 2026-11-15T09:30:00Z.`,
  cursor_not_valid: () => fr`Ce n’est pas un curseur de cette liste. Sans --after, elle commence par sa première page.`,
  after_not_valid: () => fr`after est l’identifiant ou la séquence d’un événement, ou \`latest\`.`,
  limit_not_valid: () => fr`--limit est un nombre entier de 1 à ${PAGE_LIMIT.most}.`,
  event_not_found: (_, { name = 'de ce nom' }) => fr`Il n’existe aucun événement ${name}.`,

  secret_key_in_page: () =>
    fr`Une clé secrète ne doit jamais figurer dans une page. \`karba keys roll\` crée une nouvelle paire ; la page reçoit la clé publique.`,
  public_key_not_valid: () =>
    fr`Ce n’est pas une clé publique valable. \`karba keys list <account>\` montre celles qui le sont.`,
  origin_not_allowed: () =>
    fr`Le compte n’a pas ce site dans sa liste. \`karba merchant checkout <account> --origins https://shop.example\` l’y inscrit.`,
  order_not_valid: () => fr`La commande signée a été modifiée, a expiré ou porte la signature d’une autre clé.`,

  payment_not_refundable: ({ status }) =>
    fr`Seul un paiement réussi peut être remboursé ; celui-ci est ${STATUSES_IN_FRENCH[status]} (${status}).`,
  refund_not_found: () => fr`Personne n’a demandé le remboursement de ce paiement.`,
  refund_exists: () => fr`Ce paiement a été remboursé, ou son remboursement est en cours.`,

  link_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun lien ${name}. \`karba link list\` montre les plus récents.`,
  link_paid: () => fr`Ce lien a été payé. Pour rendre l’argent, remboursez son paiement.`,
  link_being_paid: () => fr`Quelqu’un est en train de payer ce lien. Réessayez plus tard.`,
  link_closed: ({ state }) => fr`Ce lien ne peut plus être annulé : il est ${CLOSED_LINKS[state]}.`,
  link_not_due: () => fr`Ce lien n’a pas encore expiré.`,
  page_behind: () => fr`La page ne montre plus où en sont les choses. Rechargez-la.`,
  provider_unreachable: () => fr`Le prestataire de paiement est injoignable en ce moment. Réessayez plus tard.`,
  no_attempt_to_abandon: () => fr`Personne n’est en train de payer ce lien dans ce navigateur.`,
  payer_must_wait: ({ why, until }) => fr`${REST_WORDS[why]} Réessayez après ${isoTime(until)}.`,

  merchant_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun marchand ${name}. \`karba merchant list\` les montre tous.`,
  merchant_name_not_valid: () => fr`Le nom d’un marchand compte ${PLAIN}.`,
  account_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun compte ${name}. \`karba merchant list\` les montre tous.`,
  key_not_found: () => fr`Cela ne désigne aucune clé valable. \`karba keys list <account>\` montre celles d’un compte.`,
  overlap_not_valid: ({ mostMs }) => fr`Les anciennes clés restent valables ${mostMs / 3_600_000}\u00a0h au plus.`,
  link_methods_missing: () => fr`Un compte propose au moins l’un de ces moyens : ${LINK_METHODS.join(', ')}.`,
  wording_not_valid: ({ longest }) =>
    fr`--wording contient au plus ${longest} caractères sur une ligne, dont aucun n’est invisible.`,
  too_many_origins: ({ most }) => fr`La liste d’un compte contient au plus ${most} sites.`,
  site_origin_not_valid: ({ origin, fault }) => fr`${origin} ${originWords(fault)}.`,

  endpoint_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun endpoint ${name}. \`karba webhook list\` les montre tous.`,
  endpoint_off: (_, { name = '<endpoint>' }) =>
    fr`Cet endpoint est désactivé. Activez-le d’abord : \`karba webhook enable ${name}\`.`,
  endpoint_removed: () =>
    fr`L’endpoint de cet envoi a été supprimé. Envoyez plutôt aux autres ce qui concerne son paiement : \`karba webhook replay --payment\`.`,
  too_many_endpoints: ({ most }) => fr`Un compte a au plus ${most} endpoints. Supprimez-en un d’abord.`,
  webhook_url_not_valid: ({ fault }) => URL_FAULTS[fault],
  event_name_not_valid: ({ event }) => fr`${event} n’est pas un événement. Choisissez parmi ${EVENTS.join(', ')}.`,
  anomaly_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucune anomalie ouverte ${name}. \`karba anomalies\` les montre toutes.`,
  anomaly_not_late_money: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucune anomalie ouverte ${name} pour de l’argent arrivé en retard et qui est encore là. \`karba anomalies\` les montre toutes ; \`anomalies resolve\` ferme les autres.`,
  late_money_not_needed: ({ status }) =>
    fr`Le paiement est ${status} : il a été payé autrement, est en cours, ou a pris fin sur un autre montant. Rendez cet argent : \`karba anomalies refund\`.`,
  refund_not_by_hand: (_, { name = 'de ce nom' }) =>
    fr`Aucun remboursement ${name} n’attend une personne. \`karba refund tasks\` les montre tous.`,
  proof_not_valid: ({ longest }) => fr`--proof compte de 1 à ${longest} caractères, sur une seule ligne.`,
  connection_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucune connexion ${name}. \`karba operators list\` les montre toutes.`,
  connection_not_paused: (_, { name = 'Cette connexion' }) => fr`${name} n’est pas suspendue.`,
  note_not_valid: ({ longest }) => fr`--note compte de 1 à ${longest} caractères, sur une seule ligne.`,
  secret_hash_not_valid: ({ shortest, longest }) =>
    fr`Secret-Hash compte de ${shortest} à ${longest} lettres sans accent, chiffres et signes, sans espace au début ni à la fin.`,
  delivery_not_found: (_, { name = 'de ce nom' }) =>
    fr`Il n’existe aucun envoi ${name}. \`karba webhook deliveries\` montre les derniers.`,
  no_events_yet: () => fr`Il n’y a encore aucun événement pour ce paiement.`,

  caller_not_allowed: () => fr`Cette action est réservée à ceux qui s’occupent de tout le service.`,

  brand_name_not_valid: ({ longest }) => fr`Le nom que voient les payeurs a de 1 à ${longest} caractères visibles.`,
  colour_not_valid: () => 'Une couleur s’écrit avec # et six chiffres hexadécimaux, comme #0a7d4f.',
  colour_not_readable: () => fr`Un texte blanc sur cette couleur est illisible : choisissez-en une plus foncée.`,
  phone_not_valid: () => 'Un numéro de téléphone a de 6 à 18 chiffres, précédés de + si vous voulez.',
  logo_not_valid: ({ mostBytes }) => `Un logo est un PNG ou un JPEG de ${mostBytes / 1024} Ko au plus.`,
  business_not_valid: ({ field }) =>
    `Ce qui est écrit pour ${field} est trop long, ou contient des caractères invisibles.`,
  validation_not_ready: ({ missing }) => fr`Le marchand ne peut pas encore être validé : il manque ${missing}.`,
  document_not_valid: ({ mostBytes }) =>
    `Un document est un PDF, un JPEG ou un PNG de ${mostBytes / 1024 / 1024} Mo au plus, avec un nom.`,
  too_many_documents: ({ most }) => fr`Un marchand a ${most} documents au plus : supprimez-en un d’abord.`,
  document_not_found: () => 'Ce document n’existe pas.',
  key_name_not_valid: ({ longest }) => `Le nom d’une clé a de 1 à ${longest} caractères visibles.`,
  key_network_not_valid: ({ network }) => `${network} n’est ni une adresse ni un réseau comme 203.0.113.0/24.`,
  too_many_keys: ({ most }) => fr`Un compte a ${most} clés valides au plus : révoquez-en une d’abord.`,
  key_right_not_held: ({ permission }) =>
    fr`Vous ne pouvez ni créer ni renouveler une clé qui a le droit ${permission} : vous n’avez pas ce droit.`,
  key_already_rolled: () => fr`Cette clé est déjà renouvelée : renouvelez celle qui l’a remplacée.`,
  prompt_not_found: () => 'Il n’y a pas de telle demande sur le téléphone du bac à sable.',

  signed_out: () => fr`Personne n’est connecté.`,
  email_not_valid: () => fr`Ce n’est pas une adresse électronique.`,
  email_taken: () => fr`Quelqu’un a déjà cette adresse électronique.`,
  name_holds_address: () =>
    fr`Un nom ne contient ni adresse web ni adresse e-mail, car il figure dans des e-mails. Mettez une espace après un point.`,
  person_name_not_valid: () => fr`Le nom d’une personne compte 1 à 100 caractères sur une ligne.`,
  password_not_good: ({ fault }) => PASSWORD_FAULTS[fault],
  sign_in_not_valid: () => fr`L’adresse électronique ou le mot de passe n’est pas le bon.`,
  too_many_tries: ({ until }) => fr`Il y a eu trop d’essais. Réessayez après ${isoTime(until)}.`,
  totp_needed: () => fr`Il faut un code de l’application d’authentification.`,
  totp_not_valid: () => fr`Ce code n’est pas le bon, ou a déjà servi.`,
  totp_is_on: () => fr`Les codes d’une application d’authentification sont déjà en service.`,
  totp_is_off: () => fr`Aucune application d’authentification n’est en service.`,
  session_not_found: () => fr`Cette session n’existe pas.`,
  token_not_valid: () => fr`Ce message a déjà servi, ou il est trop ancien.`,
  person_not_found: (_, { name = 'de ce nom' }) =>
    fr`La personne ${name} n’existe pas. \`karba operator list\` montre celles du service.`,
  member_exists: () => fr`Cette personne est déjà dans l’équipe.`,
  invitation_not_found: () => fr`Cette invitation n’existe pas.`,
  too_many_invitations: ({ most }) => fr`Au plus ${most} invitations attendent à la fois.`,
  last_owner: () => fr`Il doit rester un propriétaire.`,
  approval_not_found: () => fr`Rien de ce nom n’attend d’approbation.`,
  second_person_needed: () => fr`Une seconde personne doit approuver.`,
  task_not_found: () => fr`Cette tâche n’existe pas.`,
  task_taken: ({ by }) => fr`${by} s’occupe de cette tâche.`,
  master_key_changed: () => fr`Quelqu’un d’autre a changé la clé maîtresse entre-temps. Rien n’a été modifié.`,
  number_not_valid: () =>
    fr`Ce n’est pas un numéro qu’un paiement puisse avoir. Écrivez-le avec +227 ou +229, ou un numéro local avec --country.`,
  number_under_way: () =>
    fr`Un paiement ou un remboursement de ce numéro est encore en attente. Rien n’a été effacé : réessayez quand il sera terminé.`,
}

const STATUSES_IN_FRENCH: Readonly<Record<PaymentStatus, string>> = {
  initiated: 'en attente d’un payeur',
  pending: 'en cours',
  succeeded: 'réussi',
  failed: 'échoué',
  refunded: 'remboursé',
}

const CLOSED_LINKS: Readonly<Record<RefusalFacts['link_closed']['state'], string>> = {
  succeeded: 'payé',
  refunded: 'remboursé',
  expired: 'fermé, car expiré',
  cancelled: 'fermé, car déjà annulé',
  failed: 'fermé, car le paiement a échoué',
}

function originWords(fault: OriginFault): string {
  switch (fault.is) {
    case 'not_an_address':
      return fr`doit être l’adresse d’un site, comme https://shop.example`
    case 'written_otherwise':
      return fr`doit s’écrire comme les navigateurs l’écrivent : ${fault.origin}`
    case 'not_https':
      return fr`doit commencer par https://`
  }
}

const URL_FAULTS: Readonly<Record<UrlFault, string>> = {
  too_long: fr`Utilisez une adresse de ${LONGEST_URL} caractères au plus.`,
  has_spaces: fr`Écrivez l’adresse sans espaces, sans retours à la ligne et sans barres obliques inverses.`,
  not_complete: fr`Utilisez une adresse complète, qui commence par https://.`,
  has_user_name: fr`Retirez le nom d’utilisateur et le mot de passe avant le @ ; utilisez plutôt le secret de signature.`,
  has_fragment: fr`Retirez le # et ce qui le suit : cela n’est jamais envoyé à un serveur.`,
  has_card_number: fr`Retirez le numéro de carte : les adresses sont conservées telles quelles.`,
  host_not_readable: fr`Vérifiez le nom d’hôte : il n’est pas lisible comme tel.`,
  host_not_public: fr`Utilisez un nom d’hôte que tout Internet peut joindre ; celui-ci n’est connu qu’à l’intérieur d’un réseau.`,
  address_not_public: fr`Utilisez un hôte que tout Internet peut joindre ; cette adresse n’est pas publique.`,
  not_https: fr`Utilisez https:// au lieu de http://, pour que personne en chemin ne puisse lire ni modifier un événement.`,
}
