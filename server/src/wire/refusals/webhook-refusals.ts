// The refusals of webhooks and the feed of events, as the catalogue has them.

import { EVENTS } from '../../domain/webhooks/webhook-event.ts'
import type { UrlFault, WebhookRefusals } from '../../domain/webhooks/webhook-refusals.ts'
import type { Both, Rows } from './row.ts'

export const WEBHOOK_REFUSALS = {
  after_not_valid: {
    api: [400, 'Bad Request: After Not Valid', ({ parameter }) => parameter],
    en: 'after is the id or the sequence of an event, or latest; in GET /entries, the number of an entry; replays_after is a number, or latest.',
    fr: 'after est l’identifiant ou la séquence d’un événement, ou latest ; dans GET /entries, le numéro d’une écriture ; replays_after est un nombre, ou latest.',
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
} as const satisfies Rows<keyof WebhookRefusals>

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
