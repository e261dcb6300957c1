// Version 2 of Airtel's API signs what moves money: the body encrypted with a fresh AES key, and that key encrypted with Airtel's public key.
import { constants, createCipheriv, createPublicKey, publicEncrypt } from 'node:crypto'
import type { Random } from '../../../domain/clock-and-random.ts'
import type { AirtelOptions } from './options.ts'

const AES_KEY_BYTES = 32
const AES_IV_BYTES = 16

export interface SignatureHeaders {
  'x-signature': string
  'x-key': string
}

/** Undefined when the key is no RSA key, or too short for the padding: OAEP with SHA-256 needs 2048 bits. */
export function signMessage(
  body: string,
  publicKey: string,
  { random, padding }: { random: Random; padding: AirtelOptions['padding'] },
): SignatureHeaders | undefined {
  const [key, iv] = [random.bytes(AES_KEY_BYTES), random.bytes(AES_IV_BYTES)]
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const signature = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]).toString('base64')
  const secret = `${Buffer.from(key).toString('base64')}:${Buffer.from(iv).toString('base64')}`
  try {
    const rsa = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const sealed = publicEncrypt({ key: rsa, ...PADDINGS[padding] }, Buffer.from(secret))
    return { 'x-signature': signature, 'x-key': sealed.toString('base64') }
  } catch {
    return undefined
  }
}

const PADDINGS = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  'oaep-sha256': { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
} as const

const HOUR_MS = 3_600_000

/**
 * How long a public key is used. `valid_upto` is written "12-08-2024 21:29:26", day first, in a time zone that nobody tells: so it only ever
 * shortens the hour after which the key is fetched anew, and a key that seems to be over already is used for a minute.
 */
export function keyLastsMs(validUpTo: string | undefined, now: number): number {
  const parts = /^(\d\d)-(\d\d)-(\d{4}) (\d\d):(\d\d):(\d\d)$/.exec(validUpTo ?? '')
  if (parts === null) return HOUR_MS
  const [day = 0, month = 1, year = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)
  const leftMs = Date.UTC(year, month - 1, day, hour, minute, second) - now
  return Math.min(HOUR_MS, Math.max(leftMs, 60_000))
}
