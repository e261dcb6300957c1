// The refusals of keys, as the catalogue has them.
import type { KeyRefusals } from '../../domain/people/key-refusals.ts'
import type { Rows } from './row.ts'

export const KEY_REFUSALS = {
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
  key_name_not_valid: {
    en: ({ longest }) => `The name of a key has 1 to ${longest} visible characters.`,
    fr: ({ longest }) => `Le nom d’une clé compte de 1 à ${longest} caractères visibles.`,
  },
  key_network_not_valid: {
    en: ({ network }) => `${network} is neither an address nor a network such as 203.0.113.0/24.`,
    fr: ({ network }) => `${network} n’est ni une adresse ni un réseau comme 203.0.113.0/24.`,
  },
  key_permissions_not_valid: {
    en: 'A key that registers webhooks can have no other permission: make one key for each.',
    fr: 'Une clé qui enregistre des webhooks ne peut avoir aucun autre droit : créez une clé pour chacun.',
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
} as const satisfies Rows<keyof KeyRefusals>
