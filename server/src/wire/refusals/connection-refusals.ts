// The refusals of connections to networks, as the catalogue has them.
import type { ConnectionRefusals } from '../../domain/operators/connection-refusals.ts'
import type { Rows } from './row.ts'

export const CONNECTION_REFUSALS = {
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
} as const satisfies Rows<keyof ConnectionRefusals>
