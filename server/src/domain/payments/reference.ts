// The references that we make (D-11): our own, and the public one. Random bytes are an argument, so
// that a run can be repeated.

/** Crockford's base32: without I, L, O and U, which could be mistaken for something else. */
export const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** The same in lower case, for our own references. */
const LOWER = ALPHABET.toLowerCase()
const REFERENCE = /^[0-9a-hjkmnp-tv-z]{24}$/

/** 120 random bits. */
export const REFERENCE_BYTES = 15

export function makeReference(bytes: Uint8Array): string {
  return base32(bytes, 24)
}

/** Of a reference that begins with the time: 80 random bits. */
export const TIMED_REFERENCE_BYTES = 10

/**
 * For rows that are created all the time. The first 40 bits are the time in milliseconds, so that
 * an index on references grows at its end: a page of it is written once for many rows, and not a
 * page for each row. The rest is random.
 */
export const makeTimedReference = (now: number, bytes: Uint8Array): string =>
  fourDigits(Math.floor(now / 2 ** 20)) + fourDigits(now) + base32(bytes, 16)

/**
 * Undefined for another text. Its 40 bits begin again after 35 years: of the possible times, the
 * nearest to `near`.
 */
export function timeOfReference(reference: string, near: number): number | undefined {
  if (!REFERENCE.test(reference)) return undefined
  const bits = [...reference.slice(0, 8)].reduce((sum, each) => sum * 32 + LOWER.indexOf(each), 0)
  return bits + Math.round((near - bits) / 2 ** 40) * 2 ** 40
}

/** The last 20 bits of a whole number. */
function fourDigits(number: number): string {
  const bits = number % 2 ** 20
  return digit(bits >> 15) + digit(bits >> 10) + digit(bits >> 5) + digit(bits)
}

const digit = (bits: number): string => LOWER[bits & 31] as string

export const looksLikeReference = (name: string): boolean => REFERENCE.test(name)

/**
 * Our own reference as somebody copied it by hand: it has no O, I or L, which stand for 0 and 1.
 */
export function referenceTyped(written: string): string | undefined {
  const reference = written.toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
  return /\d/.test(written) && looksLikeReference(reference) ? reference : undefined
}

/**
 * A UUID of version 4, for networks that take nothing else. It can be read back, and needs no
 * table.
 */
export function uuidOfReference(reference: string): string {
  let hex = ''
  // Four digits of ours are 20 bits, and so are five of theirs.
  for (let at = 0; at < reference.length; at += 4) hex += hexOfFour(reference, at)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18)}`
}

function hexOfFour(reference: string, at: number): string {
  let bits = 0
  for (let place = at; place < at + 4; place++)
    bits = bits * 32 + LOWER.indexOf(reference[place] as string)
  return bits.toString(16).padStart(5, '0')
}

const UUID_OF_REFERENCE =
  /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Undefined for a UUID that was not made from a reference. */
export function referenceOfUuid(uuid: string): string | undefined {
  const parts = UUID_OF_REFERENCE.exec(uuid.toLowerCase())
  return parts === null ? undefined : makeReference(Buffer.from(parts.slice(1).join(''), 'hex'))
}

/**
 * Five bits a character, the first bytes first; `length` characters need `length * 5 / 8` bytes.
 */
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
    text += LOWER[(held >> bits) & 31]
  }
  return text
}

// The short code a customer reads out on the phone: XXXX-XXXX-X in Crockford's base32, the last a
// check character (D-11).
//
// A code is a payment's number, shuffled over all 2^40 codes by a key of this database. So two
// payments can never get the same code, no index has to enforce it, and a code cannot be guessed
// from another one. A random code under a unique index was ruled out: with a million payments
// stored that index alone added 20 µs to a create of about 130.

const HALF = 2 ** 20

/** How many payments one database can number. */
export const NUMBERS = HALF * HALF

export const CODE_KEY_BYTES = 16
const ROUNDS = 8

/**
 * A round of a Feistel network over halves of 20 bits. The codes are printed on receipts and
 * posters, so this function can never change (ADR-0004).
 */
function mixer(key: string): (half: number, round: number) => number {
  const bytes = Buffer.from(key, 'hex')
  const [a, b, c, d] = [0, 4, 8, 12].map((at) => bytes.readInt32LE(at)) as [
    number,
    number,
    number,
    number,
  ]
  const hashed = (word: number, round: number): number =>
    round % 2 === 0 ? halfSipHash(word, a, b) : halfSipHash(word, c, d)
  return (half, round) => hashed(half | (round << 20), round) >>> 12
}

export type PublicReferences = ReturnType<typeof publicReferences>

/** `key` is CODE_KEY_BYTES in hexadecimal. */
export function publicReferences(key: string) {
  const mix = mixer(key)

  /** Of the eight characters before the check character. */
  function numberOfBody(body: string): number | undefined {
    if (!/^[0-9A-HJKMNP-TV-Z]{8}$/.test(body)) return undefined
    let left = value(body.slice(0, 4))
    let right = value(body.slice(4))
    for (let round = ROUNDS - 1; round >= 0; round--)
      [left, right] = [right ^ mix(left, round), left]
    return left * HALF + right
  }

  return {
    of(number: number): string {
      let left = Math.floor(number / HALF)
      let right = number % HALF
      for (let round = 0; round < ROUNDS; round++) {
        const mixed = left ^ mix(right, round)
        left = right
        right = mixed
      }
      const [head, tail] = [digits(left), digits(right)]
      return `${head}-${tail}-${checkCharacter(head + tail)}`
    },
    /** Any case, with or without dashes, O for 0, I or L for 1. Undefined for an invalid code. */
    numberOf(spoken: string): number | undefined {
      const text = normalised(spoken)
      const body = text.slice(0, 8)
      const number = text.length === 9 ? numberOfBody(body) : undefined
      return number !== undefined && checkCharacter(body) === text[8] ? number : undefined
    },
    numberOfBody,
  }
}

/** In capitals, without spaces and dashes, with the digits that O, I and L stand for. */
export const normalised = (spoken: string): string =>
  spoken.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')

const digits = (half: number): string =>
  [15, 10, 5, 0].map((shift) => ALPHABET[(half >> shift) & 31]).join('')

const value = (four: string): number =>
  [...four].reduce((sum, character) => sum * 32 + ALPHABET.indexOf(character), 0)

/**
 * Luhn's rule over 32 characters: detects every single wrong character, and every swap of
 * neighbours but 0 with Z.
 */
function checkCharacter(body: string): string {
  let sum = 0
  for (let at = 0; at < body.length; at++) {
    const plain = ALPHABET.indexOf(body[at] as string)
    const doubled = plain * 2
    const folded = doubled < 32 ? doubled : doubled - 31
    sum += at % 2 === body.length % 2 ? plain : folded
  }
  return ALPHABET[(32 - (sum % 32)) % 32] as string
}

// HalfSipHash-2-4 of a single 32-bit number: a keyed function whose results are unrelated without
// the key.

/** Returns 32 bits, as JavaScript's bit operations have them: with a sign. */
export function halfSipHash(word: number, key0: number, key1: number): number {
  let [v0, v1] = [key0, key1]
  let [v2, v3] = [0x6c_79_67_65 ^ key0, 0x74_65_64_62 ^ key1]
  // Two rounds over the number, two over its length, four to end.
  for (let round = 0; round < 8; round++) {
    if (round === 0) v3 ^= word
    else if (round === 2) {
      v0 ^= word
      v3 ^= LENGTH
    } else if (round === 4) {
      v0 ^= LENGTH
      v2 ^= 0xff
    }
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
  }
  return v1 ^ v3
}

/** Four bytes, in the highest byte. */
const LENGTH = 4 << 24
