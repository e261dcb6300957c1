// The short code a customer reads out on the phone: XXXX-XXXX-X in Crockford's base32, the last a check character (D-11).
//
// A code is a payment's number, shuffled over all 2^40 codes by a key of this database. So two payments can never get the
// same code, no index has to enforce it, and a code cannot be guessed from another one. A random code under a unique index
// was ruled out: with a million payments stored that index alone added 20 µs to a create of about 130.
import { hash } from 'node:crypto'
import { halfSipHash } from './half-siphash.ts'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const HALF = 2 ** 20

/** How many payments one database can number. */
export const NUMBERS = HALF * HALF

/** A Feistel network over two halves of 20 bits: any function of a half will do for its rounds, so a keyed hash cut to 20 bits. */
interface Shuffle {
  rounds: number
  mix(half: number, round: number): number
}

/** How the key of a database begins that was made since D-123. */
const QUICK = 'quick:'
export const CODE_KEY_BYTES = 16
export const makeCodeKey = (random: Uint8Array): string => QUICK + Buffer.from(random).toString('hex')
export const usesQuickCodes = (key: string): boolean => key.startsWith(QUICK)

function quickShuffle(key: string): Shuffle {
  const bytes = Buffer.from(key.slice(QUICK.length), 'hex')
  const [a, b, c, d] = [0, 4, 8, 12].map((at) => bytes.readInt32LE(at)) as [number, number, number, number]
  const hashed = (word: number, round: number): number =>
    round % 2 === 0 ? halfSipHash(word, a, b) : halfSipHash(word, c, d)
  return { rounds: 8, mix: (half, round) => hashed(half | (round << 20), round) >>> 12 }
}

/** As the codes of older databases are made, for as long as there are such: 5 µs for each. */
const shaShuffle = (key: string): Shuffle => ({
  rounds: 4,
  mix(half, round) {
    const bytes = hash('sha256', `${key}:${round}:${half}`, 'binary')
    return (bytes.charCodeAt(0) << 12) | (bytes.charCodeAt(1) << 4) | (bytes.charCodeAt(2) >> 4)
  },
})

export interface PublicReferences {
  of(number: number): string
  /** Accepts what was heard or typed: any case, with or without dashes, O for 0, I or L for 1. Undefined for what is no code. */
  numberOf(spoken: string): number | undefined
}

export function publicReferences(key: string): PublicReferences {
  const { rounds, mix } = usesQuickCodes(key) ? quickShuffle(key) : shaShuffle(key)
  return {
    of(number) {
      let left = Math.floor(number / HALF)
      let right = number % HALF
      for (let round = 0; round < rounds; round++) {
        const mixed = left ^ mix(right, round)
        left = right
        right = mixed
      }
      const [head, tail] = [digits(left), digits(right)]
      return `${head}-${tail}-${checkCharacter(head + tail)}`
    },
    numberOf(spoken) {
      const normalised = spoken.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
      if (!/^[0-9A-HJKMNP-TV-Z]{9}$/.test(normalised)) return undefined
      const body = normalised.slice(0, 8)
      if (checkCharacter(body) !== normalised[8]) return undefined
      let left = value(body.slice(0, 4))
      let right = value(body.slice(4))
      for (let round = rounds - 1; round >= 0; round--) [left, right] = [right ^ mix(left, round), left]
      return left * HALF + right
    },
  }
}

function digits(half: number): string {
  return digit(half >> 15) + digit(half >> 10) + digit(half >> 5) + digit(half)
}

const digit = (bits: number): string => ALPHABET[bits & 31] as string

function value(four: string): number {
  return [...four].reduce((sum, character) => sum * 32 + ALPHABET.indexOf(character), 0)
}

/** Luhn's rule over 32 characters: detects every single wrong character, and every swap of neighbours but 0 with Z. */
function checkCharacter(body: string): string {
  let sum = 0
  for (let at = 0; at < body.length; at++) {
    const plain = ALPHABET.indexOf(body[at] as string)
    const doubled = plain * 2
    sum += at % 2 === body.length % 2 ? plain : doubled < 32 ? doubled : doubled - 31
  }
  return ALPHABET[(32 - (sum % 32)) % 32] as string
}
