// The refusals of the head of a request and of lists, as the catalogue has them.
import { ENVIRONMENTS } from '../../domain/environment.ts'
import { PAGE_LIMIT } from '../../domain/lists/page.ts'
import type { RequestRefusals } from '../../domain/refusals/request-refusals.ts'
import { TIME_PARAMETERS } from '../payment.ts'
import { AUTHORIZATION } from './phrases.ts'
import type { Rows } from './row.ts'

export const REQUEST_REFUSALS = {
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
    en: 'This key does not allow this action: use another key, or create one with the permission in the dashboard.',
    fr: 'Cette clé ne permet pas cette action. Utilisez une autre clé, ou créez-en une qui en a le droit dans le tableau de bord.',
  },
  wait_not_valid: {
    api: [400, 'Bad Request: Wait Not Valid', 'wait'],
    en: 'wait is a whole number of seconds, at most 60.',
    fr: 'wait est un nombre entier de secondes, 60 au plus.',
  },
  cursor_not_valid: {
    api: [400, 'Bad Request: After Not Valid', 'after'],
    en: 'This is not a cursor of this list: use the next of the page before, or leave it out for the first page.',
    fr: 'Ce n’est pas un curseur de cette liste. Utilisez le next de la page précédente, ou rien pour la première page.',
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
  limit_not_valid: {
    api: [400, 'Bad Request: Limit Not Valid', 'limit'],
    en: `The limit is a whole number from 1 to ${PAGE_LIMIT.most}.`,
    fr: `La limite est un nombre entier de 1 à ${PAGE_LIMIT.most}.`,
  },
  caller_not_allowed: {
    http: 403,
    en: 'Your role does not allow this action.',
    fr: 'Votre rôle ne permet pas cette action.',
  },
} as const satisfies Rows<keyof RequestRefusals>
