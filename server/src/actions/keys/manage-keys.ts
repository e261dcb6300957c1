// One more key for an account, perhaps restricted; or a new one in the place of another, which
// stays valid for a while. No caller makes or rolls a key with a right that they lack (D-135).
// Audited.

import type { Environment } from '../../domain/environment.ts'
import { base32 } from '../../domain/payments/reference.ts'
import {
  hintOf,
  type KeyKind,
  LONGEST_OVERLAP_MS,
  makeApiKey,
  orderKeyOf,
  readApiKey,
} from '../../domain/people/api-key.ts'
import { type AccountCaller, scopeOf } from '../../domain/people/caller.ts'
import {
  canBeTogether,
  KEY_PERMISSIONS,
  type KeyPermission,
  permissionsOfKey,
  permissionsOfRole,
  readPermissions,
} from '../../domain/people/role.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { MasterBox, SealedBox } from '../../domain/sealed-box.ts'
import { isShownText } from '../../domain/texts/free-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Queries } from '../../store/engine/database.ts'
import {
  type ApiKey,
  expireKeys,
  findKey,
  findKeys,
  findOrderKeys,
  insertKey,
  type KeySelector,
  listKeys,
} from '../../store/keys/api-keys.ts'
import { removeSecretsOfEndedKeys } from '../../store/keys/kept-secrets.ts'
import { sealForStore } from '../../store/master-key/sealed-values.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findAccountOfMerchant, listMembers } from '../../store/people/members.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import type { Deps } from '../deps.ts'
import { isNetwork } from './authenticate-key.ts'
import { keepSandboxKey } from './kept-secrets.ts'

export interface MakeKeyDeps extends IssueKeysDeps, Pick<Deps, 'db' | 'keptSecrets'> {}

export interface KeyRestrictions {
  /** A public key has no restrictions: it makes links and nothing else. */
  kind?: KeyKind | undefined
  name: string
  /** Null for everything. */
  permissions: readonly KeyPermission[] | null
  /** Null for all. */
  networks: readonly string[] | null
}

const LONGEST_KEY_NAME = 60
const MOST_NETWORKS = 50

export async function makeKey(
  deps: MakeKeyDeps,
  caller: AccountCaller,
  { accountId, ...wanted }: KeyRestrictions & { accountId: string },
): Promise<MadeKey | Refused> {
  const fault = faultOf(wanted)
  if (fault !== undefined) return fault
  return deps.db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, accountId)
    if (isRefused(account)) return account
    const stored = storedOf(wanted)
    const notHeld = rightNotHeld(caller, stored)
    if (notHeld !== undefined) return notHeld
    await lockAccount(tx, account.accountId)
    const at = deps.clock.now()
    const valid = await listValidKeys(tx, account.accountId, at)
    if (valid.length >= MOST_KEYS) return { refused: 'too_many_keys', most: MOST_KEYS }
    const made = await issueKey(deps, tx, account, { ...stored, madeBy: makerOf(caller) })
    if (isReadLater(caller, stored)) await keepSandboxKey(deps, tx, { ...account, ...made })
    const record = { at, action: 'keys.make', subject: made.keyId, accountId: account.accountId }
    await insertAudit(tx, caller, { ...record, detail: { ...wanted } })
    return made
  })
}

/**
 * The new key has all properties of the key that it replaces, except its secret. Each key is rolled
 * once.
 */
export async function rollKey(
  deps: MakeKeyDeps,
  caller: AccountCaller,
  { keyId, keepOldMs }: { keyId: string; keepOldMs: number },
): Promise<MadeKey | Refused> {
  if (!(keepOldMs >= 0 && keepOldMs <= LONGEST_OVERLAP_MS))
    return { refused: 'overlap_not_valid', mostMs: LONGEST_OVERLAP_MS }
  return deps.db.transaction(async (tx) => {
    const named = await findKey(tx, scopeOf(caller), keyId)
    if (named === undefined) return { refused: 'key_not_found' }
    const account = await findActingAccount(tx, caller, named.accountId)
    if (isRefused(account)) return account
    // Read after the lock: another request may have rolled it.
    await lockAccount(tx, account.accountId)
    const at = deps.clock.now()
    const valid = await listValidKeys(tx, account.accountId, at)
    const old = valid.find((key) => key.keyId === keyId)
    if (old === undefined) return { refused: 'key_not_found' }
    const notHeld = rightNotHeld(caller, old)
    if (notHeld !== undefined) return notHeld
    if (old.expiresAt !== null) return { refused: 'key_already_rolled' }
    const kept = keepOldMs === 0 ? valid.length - 1 : valid.length
    if (kept >= MOST_KEYS) return { refused: 'too_many_keys', most: MOST_KEYS }
    await expireKeys(tx, account, { keyId }, at + keepOldMs)
    const made = await issueKey(deps, tx, account, { ...old, madeBy: makerOf(caller) })
    await removeSecretsOfEndedKeys(tx, account.accountId, at)
    if (isReadLater(caller, old)) await keepSandboxKey(deps, tx, { ...account, ...made })
    const record = {
      at,
      action: 'keys.roll',
      subject: keyId,
      accountId: account.accountId,
      earlier: auditedKey(old),
    }
    await insertAudit(tx, caller, { ...record, detail: { to: made.keyId, keep_old_ms: keepOldMs } })
    return made
  })
}

type Restricted = Pick<ApiKey, 'kind' | 'name' | 'permissions' | 'networks'>

const makerOf = (caller: AccountCaller): string | null =>
  'personId' in caller ? caller.personId : null

/** A command prints the key to somebody who is not of the merchant. */
const isReadLater = ({ is }: AccountCaller, { kind }: Restricted): boolean =>
  is === 'merchant_person' && kind === 'secret'

const storedOf = ({ kind = 'secret', name, permissions, networks }: KeyRestrictions): Restricted =>
  kind === 'public'
    ? { kind, name, permissions: null, networks: null }
    : {
        kind,
        name,
        networks: networks?.join(',') || null,
        permissions:
          permissions && KEY_PERMISSIONS.filter((each) => permissions.includes(each)).join(','),
      }

function faultOf({ name, permissions, networks }: KeyRestrictions): Refused | undefined {
  if (!isShownText(name, LONGEST_KEY_NAME))
    return { refused: 'key_name_not_valid', longest: LONGEST_KEY_NAME }
  if (permissions !== null && !canBeTogether(permissions))
    return { refused: 'key_permissions_not_valid' }
  const wrong = networks?.find((each, index) => index >= MOST_NETWORKS || !isNetwork(each))
  return wrong === undefined ? undefined : { refused: 'key_network_not_valid', network: wrong }
}

export const restrictionsOf = ({
  permissions,
  networks,
}: Pick<ApiKey, 'permissions' | 'networks'>): Pick<
  KeyRestrictions,
  'permissions' | 'networks'
> => ({
  permissions: readPermissions(permissions),
  networks: networks === null ? null : networks.split(','),
})

// Makes keys for an account. A secret key is returned once and stored nowhere (D-17).

/** The limit on valid keys of an account, including rolled keys that have not expired. */
export const MOST_KEYS = 20

export type IssueKeysDeps = Pick<Deps, 'clock' | 'random' | 'hashKey' | 'orderKeys'>

export type KeyPair = { publicKey: string; secretKey: string }

export interface MadeKey {
  keyId: string
  /** Never shown again, unless it is a public key. */
  key: string
}

export async function issueKeys(
  deps: IssueKeysDeps,
  tx: Queries,
  accountId: string,
  environment: Environment,
): Promise<KeyPair> {
  const account = { accountId, environment }
  return {
    publicKey: await issueUnlimitedKey(deps, tx, account, 'public'),
    secretKey: await issueUnlimitedKey(deps, tx, account, 'secret'),
  }
}

type KeyAccount = { accountId: string; environment: Environment }

/**
 * Every account has a public key from the start, and gets a new one when all its keys are ended.
 */
export async function issueUnlimitedKey(
  deps: IssueKeysDeps,
  tx: Queries,
  account: KeyAccount,
  kind: KeyKind,
): Promise<string> {
  const unlimited = { kind, name: null, permissions: null, networks: null, madeBy: null }
  return (await issueKey(deps, tx, account, unlimited)).key
}

async function issueKey(
  { clock, random, hashKey, orderKeys }: IssueKeysDeps,
  tx: Queries,
  { accountId, environment }: KeyAccount,
  { kind, name, permissions, networks, madeBy }: Restricted & Pick<ApiKey, 'madeBy'>,
): Promise<MadeKey> {
  const key = makeApiKey(kind, environment, (count) => random.bytes(count))
  const keyId = `key_${base32(random.bytes(10), 16)}`
  await insertKey(tx, {
    accountId,
    keyId,
    kind,
    name,
    permissions,
    networks,
    madeBy,
    hash: hashKey(key)[0],
    createdAt: clock.now(),
    shownAs: kind === 'public' ? key : hintOf(key),
    orderKey:
      kind === 'secret' ? await sealOrderKey(tx, orderKeys, { keyId, permissions }, key) : null,
  })
  return { keyId, key }
}

/**
 * A CLI user has all rights; otherwise only the merchant's own people have rights in its account.
 */
function rightNotHeld(
  caller: AccountCaller,
  { kind, permissions }: Pick<ApiKey, 'kind' | 'permissions'>,
): RefusedAs<'key_right_not_held'> | undefined {
  if (caller.is === 'shell' || caller.is === 'service') return undefined
  const held = caller.is === 'merchant_person' ? permissionsOfRole(caller.role) : []
  const permission = permissionsOfKey(kind, readPermissions(permissions)).find(
    (each) => !held.includes(each),
  )
  return permission === undefined ? undefined : { refused: 'key_right_not_held', permission }
}

// A new pair of keys, by a command; the old ones stay valid for a time, so that a merchant can
// switch (D-17).

const PAIR = 2

export async function rollKeys(
  deps: IssueKeysDeps & Pick<Deps, 'db'>,
  caller: AccountCaller,
  input: { accountId: string; keepOldMs: number },
): Promise<KeyPair | Refused> {
  const { keepOldMs } = input
  if (!(keepOldMs >= 0 && keepOldMs <= LONGEST_OVERLAP_MS))
    return { refused: 'overlap_not_valid', mostMs: LONGEST_OVERLAP_MS }
  return deps.db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, input.accountId)
    if (isRefused(account)) return account
    const notHeld = rightNotHeld(caller, { kind: 'secret', permissions: null })
    if (notHeld !== undefined) return notHeld
    const { accountId, environment } = account
    await lockAccount(tx, accountId)
    const at = deps.clock.now()
    const old = (await listValidKeys(tx, accountId, at)).map(auditedKey)
    if (keepOldMs > 0 && old.length + PAIR > MOST_KEYS)
      return { refused: 'too_many_keys', most: MOST_KEYS }
    await expireKeys(tx, account, { accountId }, at + keepOldMs)
    await removeSecretsOfEndedKeys(tx, accountId, at)
    const pair = await issueKeys(deps, tx, accountId, environment)
    const record = {
      at,
      action: 'keys.roll',
      subject: accountId,
      accountId,
      earlier: { keys: old },
    }
    await insertAudit(tx, caller, { ...record, detail: { keep_old_ms: keepOldMs } })
    return pair
  })
}

// Revokes keys at once: one by its id, one by the leaked key itself, or all of an account. Audited.

export type RevokeKeysDeps = Pick<Deps, 'db' | 'clock' | 'hashKey'>

/** `which` is an account, a key's id, or a key as its owner has it. */
function selectorsOf(hashKey: RevokeKeysDeps['hashKey'], which: string): KeySelector[] {
  if (which.startsWith('acc_')) return [{ accountId: which }]
  if (readApiKey(which) === undefined) return [{ keyId: which }]
  return hashKey(which).map((hash) => ({ hash }))
}

export function revokeKeys(
  { db, clock, hashKey }: RevokeKeysDeps,
  caller: AccountCaller,
  { which }: { which: string },
): Promise<{ revoked: number } | Refused> {
  const named = selectorsOf(hashKey, which)
  return db.transaction(async (tx) => {
    const at = clock.now()
    const before = []
    for (const selector of named) before.push(...(await findKeys(tx, scopeOf(caller), selector)))
    const ended = []
    for (const selector of named)
      ended.push(...(await expireKeys(tx, scopeOf(caller), selector, at)))
    const accountId = ended[0]?.accountId
    if (accountId === undefined) return { refused: 'key_not_found' }
    await removeSecretsOfEndedKeys(tx, accountId, at)
    const ids = ended.map(({ keyId }) => keyId)
    const earlier = { keys: before.filter(({ keyId }) => ids.includes(keyId)).map(auditedKey) }
    await insertAudit(tx, caller, {
      at,
      action: 'keys.revoke',
      subject: accountId,
      accountId,
      earlier,
      detail: { keys: ids },
    })
    return { revoked: ended.length }
  })
}

// The keys of an account: public keys in full, secret keys by their first characters only, each
// with its maker.

export interface ListedKey extends Omit<ApiKey, 'madeBy'> {
  /** `hasRights` while the maker's role in the team may give what the key may do. */
  madeBy: { name: string; hasRights: boolean } | null
}

export async function listAccountKeys(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId }: { accountId: string },
): Promise<{ keys: ListedKey[] } | RefusedAs<'account_not_found'>> {
  const account = await findActingAccount(db, caller, accountId)
  if (isRefused(account)) return account
  return {
    keys: await withMakers(db, account.accountId, await listKeys(db, account.accountId)),
  }
}

async function withMakers(
  db: Queries,
  accountId: string,
  keys: readonly ApiKey[],
): Promise<ListedKey[]> {
  const makers = [...new Set(keys.flatMap(({ madeBy }) => madeBy ?? []))]
  const names = await namesOfPeople(db, makers)
  const { merchantId = '' } = (await findAccountOfMerchant(db, accountId)) ?? {}
  const roles = new Map(
    (await listMembers(db, merchantId)).map(({ personId, role }) => [personId, role]),
  )
  return keys.map(({ madeBy, ...key }) => {
    if (madeBy === null) return { ...key, madeBy: null }
    const role = roles.get(madeBy)
    const held = role === undefined ? [] : permissionsOfRole(role)
    const needed = permissionsOfKey(key.kind, readPermissions(key.permissions))
    return {
      ...key,
      madeBy: {
        name: names.get(madeBy) ?? madeBy,
        hasRights: needed.every((each) => held.includes(each)),
      },
    }
  })
}

// The keys that merchants' servers sign orders with, derived from secret keys when those are
// issued, and kept sealed (D-17, D-57). Only a key that may create has one: a signed order creates
// a link.

export interface OrderKeysDeps extends Pick<Deps, 'db' | 'clock'> {
  orderKeys: SealedBox
}

const placeOf = (keyId: string): string => `${keyId} order_key`

const maySign = (permissions: string | null): boolean =>
  readPermissions(permissions)?.includes('create') ?? true

/** Null for a key that may not create. */
const sealOrderKey = async (
  tx: Queries,
  orderKeys: MasterBox,
  { keyId, permissions }: { keyId: string; permissions: string | null },
  secretKey: string,
): Promise<string | null> =>
  maySign(permissions)
    ? sealForStore(tx, orderKeys, orderKeyOf(secretKey).toString('hex'), placeOf(keyId))
    : null

export async function openOrderKeys(
  { db, clock, orderKeys }: OrderKeysDeps,
  accountId: string,
): Promise<Buffer[]> {
  const sealed = await findOrderKeys(db, accountId, clock.now())
  return sealed.map(({ keyId, orderKey }) =>
    Buffer.from(orderKeys.open(orderKey, placeOf(keyId)), 'hex'),
  )
}

const listValidKeys = async (tx: Queries, accountId: string, at: number): Promise<ApiKey[]> =>
  (await listKeys(tx, accountId)).filter(({ expiresAt }) => expiresAt === null || expiresAt > at)

const auditedKey = ({ keyId, kind, name, permissions, networks, expiresAt }: ApiKey): object => ({
  key: keyId,
  kind,
  ...(name !== null && { name }),
  ...(permissions !== null && { permissions: permissions.split(',') }),
  ...(networks !== null && { networks: networks.split(',') }),
  ...(expiresAt !== null && { expires: new Date(expiresAt).toISOString() }),
})
