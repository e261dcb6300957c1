// API keys by their keyed hash. A secret key itself is never stored; a public one is, in
// `shown_as`.

import type { Account } from '../../domain/environment.ts'
import type { KeyHasher, KeyKind } from '../../domain/people/api-key.ts'
import type { Scope } from '../../domain/people/caller.ts'
import { type Database, lookUpBy, type Queries } from '../engine/database.ts'
import { columnsOf, firstRow, inScope, insertRow, listOf, scopeValues } from '../rows.ts'

export interface ApiKey {
  keyId: string
  kind: KeyKind
  shownAs: string
  createdAt: number
  expiresAt: number | null
  /** Null for those of the pair that an account begins with. */
  name: string | null
  /** Words with commas between; null for everything. */
  permissions: string | null
  /** Addresses and networks with commas between; null for all. */
  networks: string | null
  /** To a minute. */
  lastUsedAt: number | null
  /** The person who made or rolled it in the dashboard; null for keys of a command. */
  madeBy: string | null
}

const API_KEY = columnsOf<ApiKey>({
  keyId: 'key_id',
  kind: 'kind',
  shownAs: 'shown_as',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  name: 'name',
  permissions: 'permissions',
  networks: 'networks',
  lastUsedAt: 'last_used_at',
  madeBy: 'made_by',
})

export interface KeyHolder
  extends Account,
    Pick<ApiKey, 'keyId' | 'kind' | 'expiresAt' | 'permissions' | 'networks'> {}

export const insertKey = (
  tx: Queries,
  {
    hash,
    ...key
  }: Omit<ApiKey, 'expiresAt' | 'lastUsedAt'> & {
    accountId: string
    hash: string
    /** Sealed; null for a key that may not sign orders. */
    orderKey: string | null
  },
) => insertRow(tx, 'api_keys', { ...key, keyHash: hash })

/** The sealed order keys of the account's secret keys that are valid now and may create (D-57). */
export const findOrderKeys = (
  db: Queries,
  accountId: string,
  now: number,
): Promise<{ keyId: string; orderKey: string }[]> =>
  db.read(
    `select key_id as "keyId", order_key as "orderKey" from api_keys
     where account_id = :accountId and order_key is not null
       and (expires_at is null or expires_at > :now)`,
    { accountId, now },
  )

const HOLDER = columnsOf<KeyHolder>({
  accountId: 'k.account_id',
  keyId: 'k.key_id',
  kind: 'k.kind',
  expiresAt: 'k.expires_at',
  permissions: 'k.permissions',
  networks: 'k.networks',
  environment: 'a.environment',
  status: 'a.status',
})

const HOLDER_OF_HASH = lookUpBy(
  ['hash'],
  (hash) =>
    `select ${HOLDER} from api_keys k join accounts a on a.account_id = k.account_id
     where k.key_hash = ${hash}`,
)

/**
 * Names no account: the key determines it. One look-up for a key of today's hash, then one for each
 * older hash.
 */
export async function findKeyHolder(
  db: Database,
  hashes: ReturnType<KeyHasher>,
): Promise<KeyHolder | undefined> {
  for (const hash of hashes) {
    const holder = await db.find<KeyHolder>(HOLDER_OF_HASH, { hash })
    if (holder !== undefined) return holder
  }
  return undefined
}

/** Not twice within a minute, whichever process was asked. */
export const noteKeyUsed = (
  db: Queries,
  { accountId, keyId }: Pick<KeyHolder, 'accountId' | 'keyId'>,
  at: number,
  everyMs: number,
) =>
  db.change(
    `update api_keys set last_used_at = :at
     where account_id = :accountId and key_id = :keyId
       and (last_used_at is null or last_used_at <= :lastUsedAt)`,
    { accountId, keyId, at, lastUsedAt: at - everyMs },
  )

export const findKey = (db: Queries, scope: Scope, keyId: string) =>
  firstRow<ApiKey & { accountId: string }>(
    db,
    `select account_id as "accountId", ${API_KEY} from api_keys
     where key_id = :keyId${inScope(scope)}`,
    { keyId, ...scopeValues(scope) },
  )

/** Oldest first, all of them: an account has few keys. */
export const listKeys = (db: Queries, accountId: string) =>
  db.read<ApiKey>(
    `select ${API_KEY} from api_keys where account_id = :accountId order by created_at, key_id`,
    { accountId },
  )

/** How people know keys, by the ids of keys: the name if there is one, and the first characters. */
export async function namesOfKeys(
  db: Queries,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  if (keyIds.length === 0) return new Map()
  const listed = listOf('keyId', keyIds)
  const rows = await db.read<Pick<ApiKey, 'keyId' | 'name' | 'shownAs'>>(
    `select key_id as "keyId", name, shown_as as "shownAs" from api_keys
      where key_id in (${listed.places})`,
    listed.values,
  )
  return new Map(
    rows.map(({ keyId, name, shownAs }) => [
      keyId,
      name === null ? shownAs : `${name} (${shownAs})`,
    ]),
  )
}

export type KeySelector = { accountId: string } | { keyId: string } | { hash: string }

const COLUMN_OF = { accountId: 'account_id', keyId: 'key_id', hash: 'key_hash' } as const

/** The selected keys, including expired ones. */
export function findKeys(tx: Queries, scope: Scope, which: KeySelector): Promise<ApiKey[]> {
  const [[name, value]] = Object.entries(which) as [[keyof typeof COLUMN_OF, string]]
  return tx.read<ApiKey>(
    `select ${API_KEY} from api_keys where ${COLUMN_OF[name]} = :value${inScope(scope)}`,
    { value, ...scopeValues(scope) },
  )
}

/**
 * Makes keys in the scope expire at `at`, unless they expire before. Returns those that it changed.
 */
export function expireKeys(
  tx: Queries,
  scope: Scope,
  which: KeySelector,
  at: number,
): Promise<{ accountId: string; keyId: string }[]> {
  const [[name, value]] = Object.entries(which) as [[keyof typeof COLUMN_OF, string]]
  return tx.write(
    `update api_keys set expires_at = :at
     where ${COLUMN_OF[name]} = :value and (expires_at is null or expires_at > :at)${inScope(scope)}
     returning account_id as "accountId", key_id as "keyId"`,
    { value, at, ...scopeValues(scope) },
  )
}
