// The form of an API key: `sk_live_` and 40 base62 characters, the last 6 a CRC-32 of all before
// (D-17, spec §5). The checksum refuses a mistyped key without a look-up, and lets secret scanners
// recognise leaked keys.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Environment } from '../environment.ts'

/** Newest first: a key from before a rotation of the master key has an older hash. */
export type KeyHasher = (key: string) => readonly [newest: string, ...older: string[]]

export type KeyKind = 'public' | 'secret'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const KEY = /^(pk|sk)_(sandbox|live)_([0-9A-Za-z]{34})([0-9A-Za-z]{6})$/
const RANDOM_CHARACTERS = 34

/** Unbiased: 248 is the last multiple of 62 in a byte, so bytes from 248 up are discarded. */
export function makeApiKey(
  kind: KeyKind,
  environment: Environment,
  bytes: (count: number) => Uint8Array,
): string {
  let random = ''
  while (random.length < RANDOM_CHARACTERS) {
    for (const byte of bytes(RANDOM_CHARACTERS)) {
      if (byte < 248 && random.length < RANDOM_CHARACTERS) random += ALPHABET[byte % 62]
    }
  }
  const body = `${kind === 'public' ? 'pk' : 'sk'}_${environment}_${random}`
  return body + checksum(body)
}

export function readApiKey(text: string): { kind: KeyKind; environment: Environment } | undefined {
  const parts = KEY.exec(text)
  if (parts === null || checksum(text.slice(0, -6)) !== parts[4]) return undefined
  return { kind: parts[1] === 'pk' ? 'public' : 'secret', environment: parts[2] as Environment }
}

/** How lists show a secret key: enough to tell two keys apart, and useless for authentication. */
export const hintOf = (key: string): string => `${key.slice(0, key.lastIndexOf('_') + 5)}…`

function checksum(text: string): string {
  let rest = crc32(text)
  let characters = ''
  for (let place = 0; place < 6; place++) {
    characters = ALPHABET[rest % 62] + characters
    rest = Math.floor(rest / 62)
  }
  return characters
}

// Signed orders: an HMAC with a key derived from the secret key, so that the merchant's server
// needs no second secret. The derived key does not reveal the secret key (D-57).

const PURPOSE = 'karba order v1'

export const orderKeyOf = (secretKey: string): Buffer =>
  createHmac('sha256', secretKey).update(PURPOSE).digest()

/** The signature is in hexadecimal digits. */
export function isProven(payload: string, signature: string, orderKey: Uint8Array): boolean {
  const expected = Buffer.from(createHmac('sha256', orderKey).update(payload).digest('hex'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** How long a rolled key or webhook secret may stay valid beside the new one. */
export const LONGEST_OVERLAP_MS = 72 * 3_600_000
