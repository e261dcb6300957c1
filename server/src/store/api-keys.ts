// API keys by their keyed hash. The keys themselves are never here, but for the public ones, which are public.
import type { Account, AccountStatus } from '../domain/account.ts'
import type { KeyKind } from '../domain/api-key.ts'
import type { Environment } from '../domain/environment.ts'
import type { Database, Queries } from './database.ts'

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

/** Ends keys that would have gone on past `at`. Gives back how many. */
export async function expireKeys(tx: Queries, accountId: string, at: number): Promise<number> {
  return tx.change(
    'update api_keys set expires_at = $2 where account_id = $1 and (expires_at is null or expires_at > $2)',
    [accountId, at],
  )
}

export async function expireKeyById(db: Queries, keyId: string, at: number): Promise<number> {
  return db.change(
    'update api_keys set expires_at = $2 where key_id = $1 and (expires_at is null or expires_at > $2)',
    [keyId, at],
  )
}

export async function expireKeyByHash(db: Queries, hash: string, at: number): Promise<number> {
  return db.change(
    'update api_keys set expires_at = $2 where key_hash = $1 and (expires_at is null or expires_at > $2)',
    [hash, at],
  )
}
