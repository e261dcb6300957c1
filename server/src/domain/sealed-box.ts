// Encryption of secrets that we must be able to read again: AES-256-GCM, with the place where the value is stored as
// associated data, so that a value copied into another row cannot be decrypted. Pure: key and nonce are arguments.
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The kinds of sealed values: for each, a separate key is derived from the master key. */
export type SealPurpose =
  | 'webhook secrets'
  | 'order keys'
  | 'hashing keys'
  | 'totp secrets'
  | 'documents'
  | 'network credentials'
  | 'statement files'
  | 'receipt codes'

export type SealedBox = ReturnType<typeof sealedBox>

/** A box whose key is derived from the master key. */
export interface MasterBox extends SealedBox {
  /** A check value by which the store recognises the master key. */
  masterKeyCheck: string
}

export function sealedBox(key: Uint8Array, nonce: () => Uint8Array) {
  return {
    seal(text: string, place: string): string {
      const iv = nonce()
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64')
    },
    /** Throws when the value was sealed for another place, with another key, or was changed. */
    open(sealed: string, place: string): string {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
