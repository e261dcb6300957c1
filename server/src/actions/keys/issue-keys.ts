// Makes keys for an account. A secret key is returned once and stored nowhere (D-17).
import { hintOf, type KeyHasher, type KeyKind, makeApiKey } from '../../domain/api-key.ts'
import type { AccountCaller } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import { permissionsOfKey, permissionsOfRole, readPermissions } from '../../domain/key-permission.ts'
import { base32 } from '../../domain/reference.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import type { Queries } from '../../store/engine/database.ts'
import { type ApiKey, insertKey } from '../../store/keys/api-keys.ts'
import { sealOrderKey } from './order-keys.ts'

/** Valid ones of an account, those that were rolled and have not ended among them. */
export const MOST_KEYS = 20

export interface IssueKeysDeps {
  clock: Clock
  random: Random
  hashKey: KeyHasher
  orderKeys: MasterBox
}

export interface KeyPair {
  publicKey: string
  secretKey: string
}

export interface MadeKey {
  keyId: string
  /** Never shown again, unless it is a public key. */
  key: string
}

/** A pair without limits, for a caller of the service. */
export async function issueKeys(
  deps: IssueKeysDeps,
  tx: Queries,
  accountId: string,
  environment: Environment,
): Promise<KeyPair> {
  const issue = async (kind: KeyKind): Promise<string> => {
    const unlimited = { kind, name: null, permissions: null, networks: null, madeBy: null }
    return (await issueKey(deps, tx, { accountId, environment }, unlimited)).key
  }
  return { publicKey: await issue('public'), secretKey: await issue('secret') }
}

export async function issueKey(
  { clock, random, hashKey, orderKeys }: IssueKeysDeps,
  tx: Queries,
  { accountId, environment }: { accountId: string; environment: Environment },
  wanted: Pick<ApiKey, 'kind' | 'name' | 'permissions' | 'networks' | 'madeBy'>,
): Promise<MadeKey> {
  const { kind, name, permissions, networks, madeBy } = wanted
  const key = makeApiKey(kind, environment, (count) => random.bytes(count))
  const keyId = `key_${base32(random.bytes(10), 16)}`
  await insertKey(tx, {
    ...{ accountId, keyId, kind, name, permissions, networks, madeBy, hash: hashKey(key)[0], createdAt: clock.now() },
    shownAs: kind === 'public' ? key : hintOf(key),
    orderKey: kind === 'secret' ? await sealOrderKey(tx, orderKeys, { keyId, permissions }, key) : null,
  })
  return { keyId, key }
}

/** The shell's user has all rights. Nobody but a merchant's own people has rights in its account; a key makes no keys. */
export function rightNotHeld(
  caller: AccountCaller,
  { kind, permissions }: Pick<ApiKey, 'kind' | 'permissions'>,
): RefusedAs<'key_right_not_held'> | undefined {
  if (caller.is === 'shell' || caller.is === 'service') return undefined
  const held = caller.is === 'merchant_person' ? permissionsOfRole(caller.role) : []
  const permission = permissionsOfKey(kind, readPermissions(permissions)).find((each) => !held.includes(each))
  return permission === undefined ? undefined : { refused: 'key_right_not_held', permission }
}
