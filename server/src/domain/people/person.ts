// People who sign in: their names, addresses and languages, and their sessions.
import { hash } from 'node:crypto'
import { holdsCardNumber, isShownText } from '../texts/free-text.ts'
import type { Language } from '../texts/language.ts'
import type { ServiceRole } from './role.ts'

export interface PersonRecord {
  personId: string
  /**
   * In lower case; the person's id while the address is not confirmed, so that it matches no other.
   */
  email: string
  /** The address that the person signed up with; null once a link sent there confirmed it. */
  unconfirmedEmail: string | null
  name: string
  language: Language
  /** For staff; null for a merchant's people. */
  serviceRole: ServiceRole | null
  /** 1 while another person has seen the password. */
  isFirstPassword: number
  /** Since when sign-in needs a code; null without TOTP. */
  totpSince: number | null
  createdAt: number
  lastSeenAt: number | null
}

const LONGEST_EMAIL = 254
const LONGEST_NAME = 100

/**
 * One @ with something on both sides and a dot in the domain; only an email shows whether it
 * exists.
 */
const EMAIL =
  /^[^\s@"(),:;<>[\\\]]{1,64}@[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

/** The form in which addresses are kept and compared; undefined when it is none. */
export function readEmail(given: string): string | undefined {
  const email = given.trim().normalize('NFC').toLowerCase()
  return email.length <= LONGEST_EMAIL && EMAIL.test(email) && !holdsCardNumber(email)
    ? email
    : undefined
}

/** The address as people read it, confirmed or not. */
export const shownEmail = ({
  email,
  unconfirmedEmail,
}: Pick<PersonRecord, 'email' | 'unconfirmedEmail'>): string => unconfirmedEmail ?? email

export const isPersonName = (value: unknown): value is string =>
  isShownText(value, LONGEST_NAME) && !holdsCardNumber(value)

// Sessions end when idle, and at the latest after a longer time. Staff see every merchant: theirs
// end sooner (ADR-0014).

const HOUR_MS = 3_600_000

export const sessionLife = (serviceRole: ServiceRole | null): { idleMs: number; mostMs: number } =>
  serviceRole === null
    ? { idleMs: 12 * HOUR_MS, mostMs: 7 * 24 * HOUR_MS }
    : { idleMs: HOUR_MS, mostMs: 12 * HOUR_MS }

/** How often a session's last use is written, instead of with every request. */
export const SEEN_EVERY_MS = 60_000

/** Of a token in a browser, an email or an invitation. 256 random bits need no slow hash. */
export const TOKEN_BYTES = 32

export const makeToken = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export const hashOfToken = (token: string): string => hash('sha256', token)
