// Web addresses: in names, as origins of merchants' sites, and as the pages that payers return to.
import type { Environment } from '../environment.ts'
import { addressHoldsCardNumber, holdsCardNumber, isPlainText } from './free-text.ts'

// Addresses in names. Names of merchants and people go into emails, where mail programs turn
// addresses into links: a stranger's text must not lead anywhere from our emails (ADR-0014).

/** What passes for a dot: browsers read some of these as one, people read all of them so. */
const DOTS =
  /[\u00b7\u0387\u0660\u06d4\u06f0\u0701\u0702\u2022\u2024\u2027\u2219\u22c5\u3002\u30fb\ua4f8\uff61\uff65]/g
/** What passes for a slash. */
const SLASHES = /[\u2044\u2215\u29f8\\]/g
const NOT_DRAWN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\u2028\u2029]/gu

const ADDRESSES: readonly RegExp[] = [
  /\/\//,
  /\bhttps?\b/,
  /\b(mailto|tel|sms|javascript|data|file|ftp)\s*:/,
  // A letter, digit or accent, a dot, and two letters: shop.example, bit.ly/x. Not S.A.R.L., nor
  // "Ets. Awa".
  /[\p{L}\p{M}\p{N}_-]\.\p{L}[\p{L}\p{M}\p{N}-]*[\p{L}\p{N}]/u,
  /\d+\.\d+\.\d+\.\d+/,
  /@/,
]

/**
 * Also one in full-width or decorated letters, with look-alike dots, or with invisible characters
 * between.
 */
export function holdsWebAddress(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(NOT_DRAWN, '')
    .replace(DOTS, '.')
    .replace(SLASHES, '/')
    .toLowerCase()
  return ADDRESSES.some((address) => address.test(plain))
}

// The origin of a site, exactly as a browser writes it, so that origins can be compared as strings.

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']
const LONGEST_ORIGIN = 255

export type OriginFault =
  | { is: 'not_an_address' }
  | { is: 'written_otherwise'; origin: string }
  | { is: 'not_https' }

/** Undefined when the origin is valid. */
export function originFault(written: string): OriginFault | undefined {
  const url = URL.parse(written)
  if (url === null || !/^https?:$/.test(url.protocol) || written.length > LONGEST_ORIGIN)
    return { is: 'not_an_address' }
  if (holdsCardNumber(written)) return { is: 'not_an_address' }
  if (url.origin !== written) return { is: 'written_otherwise', origin: url.origin }
  if (url.protocol === 'http:' && !OWN_MACHINE.includes(url.hostname)) return { is: 'not_https' }
  return undefined
}

export const isWithin = (address: unknown, origins: readonly string[]): boolean =>
  typeof address === 'string' && origins.includes(URL.parse(address)?.origin ?? '')

// Addresses of the merchant's site that a payer returns to (D-21, D-61).

export const LONGEST_REDIRECTION_URL = 2_048

/** https; in sandbox also http on the merchant's own machine. */
export function isRedirectionUrl(value: unknown, environment: Environment): value is string {
  // URL.parse strips or escapes control characters, but the text is stored as received, and
  // PostgreSQL takes no NUL.
  if (!isPlainText(value, LONGEST_REDIRECTION_URL) || addressHoldsCardNumber(value)) return false
  const url = URL.parse(value)
  if (url === null || url.username !== '' || url.password !== '') return false
  const isOwnMachine = OWN_MACHINE.includes(url.hostname)
  return (
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && environment === 'sandbox' && isOwnMachine)
  )
}
