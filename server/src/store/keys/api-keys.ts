// API keys by their keyed hash. The keys themselves are never here, but for the public ones, which are public.
import type { Account, AccountStatus } from '../../domain/account.ts'
import type { KeyKind } from '../../domain/api-key.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Database, Queries } from '../engine/database.ts'

export interface KeyRow {
  key_id: string
  kind: KeyKind
  shown_as: string
  created_at: number
  expires_at: number | null
}

export interface KeyHolder extends Account {
  kind: KeyKind
  expiresAt: number | null
}

export async function insertKey(
  tx: Queries,
  key: { accountId: string; keyId: string; kind: KeyKind; hash: string; shownAs: string; createdAt: number },
): Promise<void> {
  await tx.change(
    `insert into api_keys (account_id, key_id, kind, key_hash, shown_as, created_at) values ($1, $2, $3, $4, $5, $6)`,
    [key.accountId, key.keyId, key.kind, key.hash, key.shownAs, key.createdAt],
  )
}

interface HolderRow {
  account_id: string
  environment: Environment
  status: AccountStatus
  kind: KeyKind
  expires_at: number | null
}

/** The only read that names no account: the key is what tells the account. */
export async function findKeyHolder(db: Database, hash: string): Promise<KeyHolder | undefined> {
  const row = await db.find<HolderRow>(
    `select k.account_id, a.environment, a.status, k.kind, k.expires_at
     from api_keys k join accounts a on a.account_id = k.account_id where k.key_hash = $1`,
    [hash],
  )
  if (row === undefined) return undefined
  const { account_id: accountId, environment, status, kind, expires_at: expiresAt } = row
  return { accountId, environment, status, kind, expiresAt }
}

export async function listKeys(db: Queries, accountId: string): Promise<KeyRow[]> {
  return db.rows<KeyRow>(
    `select key_id, kind, shown_as, created_at, expires_at from api_keys
     where account_id = $1 order by created_at, key_id`,
    [accountId],
  )
}

export type KeysNamed = { accountId: string } | { keyId: string } | { hash: string }

/** Ends keys that would have gone on past `at`. Gives back which. */
export async function expireKeys(
  tx: Queries,
  which: KeysNamed,
  at: number,
): Promise<{ account_id: string; key_id: string }[]> {
  const [column, value] =
    'accountId' in which
      ? ['account_id', which.accountId]
      : 'keyId' in which
        ? ['key_id', which.keyId]
        : ['key_hash', which.hash]
  return tx.rows(
    `update api_keys set expires_at = $2 where ${column} = $1 and (expires_at is null or expires_at > $2)
     returning account_id, key_id`,
    [value as string, at],
  )
}
