// Encryption of secrets that we must be able to read again: AES-256-GCM, with the place where the
// value is stored as associated data, so that a value copied into another row cannot be decrypted.
// Pure: the key and randomness are arguments.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from './clock-and-random.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The kinds of sealed values: for each, a separate key is derived from the master key. */
export type SealPurpose =
  | 'webhook secrets'
  | 'order keys'
  | 'sandbox secrets'
  | 'hashing keys'
  | 'totp secrets'
  | 'documents'
  | 'network credentials'
  | 'statement files'
  | 'receipt codes'
  | 'archives'

export type SealedBox = ReturnType<typeof sealedBox>

/** A box whose key is derived from the master key. */
export interface MasterBox extends SealedBox {
  /** A check value by which the store recognises the master key. */
  masterKeyCheck: string
}

export function sealedBox(key: Uint8Array, random: Random) {
  function sealBytes(bytes: Uint8Array, place: string): Buffer {
    const iv = random.bytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()])
    return Buffer.concat([iv, sealed, cipher.getAuthTag()])
  }

  /** Throws when the value was sealed for another place, with another key, or was changed. */
  function openBytes(sealed: Uint8Array, place: string): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([
      decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ])
  }

  return {
    sealBytes,
    openBytes,
    seal: (text: string, place: string): string =>
      sealBytes(Buffer.from(text), place).toString('base64'),
    open: (sealed: string, place: string): string =>
      openBytes(Buffer.from(sealed, 'base64'), place).toString('utf8'),
  }
}
