// The keys of an account, as commands print them in JSON.
import type { KeyKind } from '../domain/api-key.ts'
import { isoTime, optionalTime } from './json.ts'

/** New keys: the only output that shows a secret key. */
export const keyPairFields = ({ publicKey, secretKey }: { publicKey: string; secretKey: string }): object => ({
  public_key: publicKey,
  secret_key: secretKey,
})

interface ListedKey {
  keyId: string
  kind: KeyKind
  shownAs: string
  createdAt: number
  expiresAt: number | null
}

export const keyFields = ({ keyId, kind, shownAs, createdAt, expiresAt }: ListedKey): object => ({
  key: keyId,
  kind,
  shown_as: shownAs,
  created_at: isoTime(createdAt),
  expires_at: optionalTime(expiresAt),
})
