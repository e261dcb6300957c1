// One more secret key for an account, perhaps restricted; or a new one in the place of another, which stays valid for a while. No caller makes
// or rolls a key with a right that they lack (D-135). Audited.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { KEY_PERMISSIONS, type KeyPermission, readPermissions } from '../../domain/key-permission.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { isShownText } from '../../domain/shown-text.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { type ApiKey, expireKeys, findKey, listKeys } from '../../store/keys/api-keys.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findActingAccount } from '../merchants/acting-account.ts'
import { isNetwork } from './allowed-networks.ts'
import { auditedKey, isValidKey } from './audited-key.ts'
import { type IssueKeysDeps, issueKey, type MadeKey, MOST_KEYS, rightNotHeld } from './issue-keys.ts'
import { LONGEST_OVERLAP_MS } from './roll-keys.ts'

export interface MakeKeyDeps extends IssueKeysDeps {
  db: Database
}

export interface KeyRestrictions {
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
    const stored = { kind: 'secret' as const, ...storedOf(wanted) }
    const notHeld = rightNotHeld(caller, stored)
    if (notHeld !== undefined) return notHeld
    await lockAccount(tx, account.accountId)
    const at = deps.clock.now()
    const valid = (await listKeys(tx, account.accountId)).filter((key) => isValidKey(key, at))
    if (valid.length >= MOST_KEYS) return { refused: 'too_many_keys', most: MOST_KEYS }
    const made = await issueKey(deps, tx, account, { ...stored, madeBy: makerOf(caller) })
    const record = { at, action: 'keys.make', subject: made.keyId, accountId: account.accountId }
    await insertAudit(tx, caller, { ...record, detail: { ...wanted } })
    return made
  })
}

/** Like the key that it takes the place of in everything but its secret. Each key is rolled once. */
export async function rollKey(
  deps: MakeKeyDeps,
  caller: AccountCaller,
  { keyId, keepOldMs }: { keyId: string; keepOldMs: number },
): Promise<MadeKey | Refused> {
  if (!(keepOldMs >= 0 && keepOldMs <= LONGEST_OVERLAP_MS)) {
    return { refused: 'overlap_not_valid', mostMs: LONGEST_OVERLAP_MS }
  }
  return deps.db.transaction(async (tx) => {
    const named = await findKey(tx, scopeOf(caller), keyId)
    if (named === undefined) return { refused: 'key_not_found' }
    const account = await findActingAccount(tx, caller, named.accountId)
    if (isRefused(account)) return account
    // Read after the lock: another request may have rolled it.
    await lockAccount(tx, account.accountId)
    const at = deps.clock.now()
    const valid = (await listKeys(tx, account.accountId)).filter((key) => isValidKey(key, at))
    const old = valid.find((key) => key.keyId === keyId)
    if (old === undefined) return { refused: 'key_not_found' }
    const notHeld = rightNotHeld(caller, old)
    if (notHeld !== undefined) return notHeld
    if (old.expiresAt !== null) return { refused: 'key_already_rolled' }
    const kept = keepOldMs === 0 ? valid.length - 1 : valid.length
    if (kept >= MOST_KEYS) return { refused: 'too_many_keys', most: MOST_KEYS }
    await expireKeys(tx, account, { keyId }, at + keepOldMs)
    const made = await issueKey(deps, tx, account, { ...old, madeBy: makerOf(caller) })
    const record = { at, action: 'keys.roll', subject: keyId, accountId: account.accountId, earlier: auditedKey(old) }
    await insertAudit(tx, caller, { ...record, detail: { to: made.keyId, keep_old_ms: keepOldMs } })
    return made
  })
}

type Restricted = Pick<ApiKey, 'kind' | 'name' | 'permissions' | 'networks'>

const makerOf = (caller: AccountCaller): string | null => ('personId' in caller ? caller.personId : null)

const storedOf = ({ name, permissions, networks }: KeyRestrictions): Omit<Restricted, 'kind'> => ({
  name,
  permissions: permissions === null ? null : KEY_PERMISSIONS.filter((each) => permissions.includes(each)).join(','),
  networks: networks === null || networks.length === 0 ? null : networks.join(','),
})

function faultOf({ name, networks }: KeyRestrictions): Refused | undefined {
  if (!isShownText(name, LONGEST_KEY_NAME)) return { refused: 'key_name_not_valid', longest: LONGEST_KEY_NAME }
  const wrong = networks?.find((each, at) => at >= MOST_NETWORKS || !isNetwork(each))
  return wrong === undefined ? undefined : { refused: 'key_network_not_valid', network: wrong }
}

/** What a key may do and from where, as lists. */
export const restrictionsOf = ({
  permissions,
  networks,
}: Pick<ApiKey, 'permissions' | 'networks'>): Omit<KeyRestrictions, 'name'> => ({
  permissions: readPermissions(permissions),
  networks: networks === null ? null : networks.split(','),
})
