// The refusals of people, as the catalogue has them.
import {
  LONGEST_PASSWORD,
  type PasswordFault,
  SHORTEST_PASSWORD,
} from '../../domain/people/password.ts'
import type { PersonRefusals } from '../../domain/people/person-refusals.ts'
import type { Both, Rows } from './row.ts'

export const PERSON_REFUSALS = {
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
} as const satisfies Rows<keyof PersonRefusals>

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
