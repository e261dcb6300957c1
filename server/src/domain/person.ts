// People who sign in: their names, addresses and languages as we accept them.
import { holdsCardNumber } from './card-number.ts'
import type { ServiceRole } from './role.ts'
import { isShownText } from './shown-text.ts'

export type Language = 'fr' | 'en'

export interface PersonRecord {
  personId: string
  /** In lower case; the person's id while the address is not confirmed, so that it matches nobody's. */
  email: string
  /** The address that the person signed up with; null once a link sent there confirmed it. */
  unconfirmedEmail: string | null
  name: string
  language: Language
  /** For the service's own people; null for a merchant's. */
  serviceRole: ServiceRole | null
  /** 1 while the password is one that somebody else has seen. */
  isFirstPassword: number
  /** Since when signing in wants a code; null without. */
  totpSince: number | null
  createdAt: number
  lastSeenAt: number | null
}

const LONGEST_EMAIL = 254
const LONGEST_NAME = 100

/** One @ with something on both sides and a dot in the domain; whether it exists, only a mail tells. */
const EMAIL = /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

/** The form in which addresses are kept and compared; undefined when it is none. */
export function readEmail(given: string): string | undefined {
  const email = given.trim().normalize('NFC').toLowerCase()
  return email.length <= LONGEST_EMAIL && EMAIL.test(email) && !holdsCardNumber(email) ? email : undefined
}

/** The address as people read it, confirmed or not. */
export const shownEmail = ({ email, unconfirmedEmail }: Pick<PersonRecord, 'email' | 'unconfirmedEmail'>): string =>
  unconfirmedEmail ?? email

export const isPersonName = (value: unknown): value is string =>
  isShownText(value, LONGEST_NAME) && !holdsCardNumber(value)
