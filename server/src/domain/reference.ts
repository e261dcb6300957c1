// The references that we make (D-11). Random bytes are an argument, so that a run can be repeated.

/** Crockford's digits in lower case: no i, l, o or u to be mistaken for something else. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const REFERENCE = /^[0-9a-hjkmnp-tv-z]{24}$/

/** 120 random bits. */
export const REFERENCE_BYTES = 15

export function makeReference(bytes: Uint8Array): string {
  return base32(bytes, 24)
}

/** Of a reference that begins with the time: 80 random bits. */
export const TIMED_REFERENCE_BYTES = 10

/**
 * For rows that are created all the time. The first 40 bits are the time in milliseconds, so that an index on
 * references grows at its end: a page of it is written once for many rows, and not a page for each row. The rest is
 * random.
 */
export const makeTimedReference = (now: number, bytes: Uint8Array): string =>
  fourDigits(Math.floor(now / 2 ** 20)) + fourDigits(now) + base32(bytes, 16)

/**
 * When a timed reference was made; undefined for another text. It holds 40 bits, which begin again after 35 years: of
 * the possible times, the one nearest to `near`.
 */
export function timeOfReference(reference: string, near: number): number | undefined {
  if (!REFERENCE.test(reference)) return undefined
  const bits = [...reference.slice(0, 8)].reduce((sum, each) => sum * 32 + ALPHABET.indexOf(each), 0)
  return bits + Math.round((near - bits) / 2 ** 40) * 2 ** 40
}

/** The last 20 bits of a whole number. */
function fourDigits(number: number): string {
  const bits = number % 2 ** 20
  return digit(bits >> 15) + digit(bits >> 10) + digit(bits >> 5) + digit(bits)
}

const digit = (bits: number): string => ALPHABET[bits & 31] as string

export const looksLikeReference = (name: string): boolean => REFERENCE.test(name)

/**
 * The reference as a UUID of version 4, for networks that take nothing else. Its 120 bits fill the places that the form
 * leaves free, so that it can be read back and needs no table.
 */
export function uuidOfReference(reference: string): string {
  let hex = ''
  // Four digits of ours are 20 bits, and so are five of theirs.
  for (let at = 0; at < reference.length; at += 4) hex += hexOfFour(reference, at)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}`
}

function hexOfFour(reference: string, at: number): string {
  let bits = 0
  for (let place = at; place < at + 4; place++) bits = bits * 32 + ALPHABET.indexOf(reference[place] as string)
  return bits.toString(16).padStart(5, '0')
}

const UUID_OF_REFERENCE = /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Undefined for a UUID that was not made from a reference. */
export function referenceOfUuid(uuid: string): string | undefined {
  const parts = UUID_OF_REFERENCE.exec(uuid.toLowerCase())
  return parts === null ? undefined : makeReference(Buffer.from(parts.slice(1).join(''), 'hex'))
}

/** Five bits a character, the first bytes first; `length` characters need `length * 5 / 8` bytes. */
export function base32(bytes: Uint8Array, length: number): string {
  let text = ''
  let bits = 0
  let held = 0
  for (let at = 0; text.length < length; ) {
    if (bits < 5) {
      held = ((held << 8) | (bytes[at++] as number)) & 0xfff
      bits += 8
    }
    bits -= 5
    text += ALPHABET[(held >> bits) & 31]
  }
  return text
}
