// The refusals of webhooks and the feed of events, as the catalogue has them.

import { LONGEST_OVERLAP_MS } from '../../domain/people/api-key.ts'
import { EVENTS, MOST_ENDPOINTS, SECRET_HASH_LENGTH } from '../../domain/webhooks/webhook-event.ts'
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
    api: [404, 'Webhook Endpoint Not Found'],
    en: 'There is no such endpoint.',
    fr: 'Ce webhook n’existe pas.',
    hint: {
      en: 'This account and environment has no such endpoint: list the endpoints to find its id.',
      fr: 'Ce compte et cet environnement n’ont pas ce webhook : listez-les pour trouver son identifiant.',
    },
  },
  endpoint_url_taken: {
    api: [422, 'Webhook Endpoint Exists', 'url'],
    en: 'This account already has an endpoint of this address. Change that one.',
    fr: 'Ce compte a déjà un webhook à cette adresse. Modifiez celui-là.',
    hint: {
      en: 'The endpoint of this address is in Svc-Existing-Reference: change it, or roll its secret if you do not have it.',
      fr: 'Le webhook de cette adresse est dans Svc-Existing-Reference : modifiez-le, ou renouvelez son secret si vous ne l’avez pas.',
    },
  },
  endpoint_status_not_valid: {
    api: [400, 'Bad Request: Endpoint Status Not Valid', 'status'],
    en: 'Use on or off as the status of an endpoint.',
    fr: 'Utilisez on ou off comme état d’un webhook.',
  },
  secret_overlap_not_valid: {
    api: [400, 'Bad Request: Overlap Not Valid', 'keep_old_minutes'],
    en: `The old secret stays valid for 0 to ${LONGEST_OVERLAP_MS / 60_000} whole minutes.`,
    fr: `L’ancien secret reste valable de 0 à ${LONGEST_OVERLAP_MS / 60_000} minutes entières.`,
  },
  endpoint_off: {
    api: [422, 'Webhook Endpoint Off'],
    hint: {
      en: 'This endpoint is off: change its status to on first.',
      fr: 'Ce webhook est en pause : remettez d’abord son état à on.',
    },
    en: 'This endpoint is paused. Resume it first.',
    fr: 'Ce webhook est en pause. Reprenez-le d’abord.',
  },
  endpoint_removed: {
    en: 'The endpoint of this delivery was removed. Replay the events of its payment to the other endpoints instead.',
    fr: 'Le webhook de cet envoi a été supprimé. Renvoyez plutôt les événements de son paiement aux autres webhooks.',
  },
  too_many_endpoints: {
    api: [422, 'Too Many Webhook Endpoints'],
    hint: {
      en: `An account has at most ${MOST_ENDPOINTS} endpoints: delete one first.`,
      fr: `Un compte a au plus ${MOST_ENDPOINTS} webhooks : supprimez-en un d’abord.`,
    },
    en: ({ most }) => `An account has at most ${most} endpoints. Remove one first.`,
    fr: ({ most }) => `Un compte a au plus ${most} webhooks. Supprimez-en un d’abord.`,
  },
  webhook_url_not_valid: {
    api: [400, 'Bad Request: Webhook URL Not Valid', 'url'],
    hint: {
      en: 'Use a complete https address that the internet reaches, without user name, # or card number.',
      fr: 'Utilisez une adresse https complète, accessible depuis Internet, sans nom d’utilisateur, # ni numéro de carte.',
    },
    en: ({ fault }) => URL_FAULTS[fault].en,
    fr: ({ fault }) => URL_FAULTS[fault].fr,
  },
  event_name_not_valid: {
    api: [400, 'Bad Request: Events Not Valid', 'events'],
    hint: {
      en: `events is a list of names among ${EVENTS.join(', ')}.`,
      fr: `events est une liste de noms parmi ${EVENTS.join(', ')}.`,
    },
    en: ({ event }) => `${event} is not an event. Choose from ${EVENTS.join(', ')}.`,
    fr: ({ event }) => `${event} n’est pas un événement. Choisissez parmi ${EVENTS.join(', ')}.`,
  },
  secret_hash_not_valid: {
    api: [400, 'Bad Request: Secret-Hash Not Valid', 'secret_hash'],
    hint: {
      en: `secret_hash is ${SECRET_HASH_LENGTH.shortest} to ${SECRET_HASH_LENGTH.longest} plain letters, digits and signs, without spaces around them.`,
      fr: `secret_hash compte de ${SECRET_HASH_LENGTH.shortest} à ${SECRET_HASH_LENGTH.longest} lettres sans accent, chiffres et signes, sans espace autour.`,
    },
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
