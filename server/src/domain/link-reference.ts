// The reference of a payment link: whoever knows it can open the link, so it must not be guessable (spec §4.3, D-23, D-59).
import { base32 } from './reference.ts'

/** 160 random bits (D-23). */
export const LINK_REFERENCE_BYTES = 20
export const makeLinkReference = (bytes: Uint8Array): string => base32(bytes, 32)

export const LINK_REFERENCE_LENGTH = { least: 32, most: 128, leastDifferent: 7 } as const
const { least, most, leastDifferent } = LINK_REFERENCE_LENGTH

/** Every reference that a link can have: ours, a merchant's, and those that merchants chose before D-59. */
export const LINK_REFERENCE_FORM = new RegExp(`^[A-Za-z0-9_-]{${least},${most}}$`)
export const looksLikeLinkReference = (text: string): boolean => LINK_REFERENCE_FORM.test(text)

/** One that a merchant chooses: hexadecimal digits or a UUID. Words and counters are not random, however long. */
export const CHOSEN_LINK_REFERENCE_FORM = new RegExp(
  `^(?:[0-9A-Fa-f]{${least},${most}}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$`,
)

/** D-59: with enough different digits not to be a counter. */
export function isChosenLinkReference(value: unknown): value is string {
  if (typeof value !== 'string' || !CHOSEN_LINK_REFERENCE_FORM.test(value)) return false
  return new Set(value.toLowerCase().replaceAll('-', '')).size >= leastDifferent
}
