// A secret that must be given back as it came, sealed for the database: AES-256-GCM, bound to the place it is kept in, so that a
// sealed value copied into another row opens nothing. Pure: key and nonce are arguments.
import { createCipheriv, createDecipheriv } from 'node:crypto'

export const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SealedBox {
  seal(text: string, place: string): string
  /** Throws when it was sealed elsewhere, with another key, or changed. */
  open(sealed: string, place: string): string
}

export function sealedBox(key: Uint8Array, nonce: () => Uint8Array): SealedBox {
  return {
    seal(text, place) {
      const once = nonce()
      const cipher = createCipheriv('aes-256-gcm', key, once).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([once, sealed, cipher.getAuthTag()]).toString('base64')
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    },
  }
}
