// Makes a pair of keys for an account. The secret key is returned once and stored nowhere (D-17).
import { hintOf, type KeyHasher, type KeyKind, makeApiKey } from '../../domain/api-key.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import { base32 } from '../../domain/reference.ts'
import type { MasterBox } from '../../domain/sealed-box.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertKey } from '../../store/keys/api-keys.ts'
import { sealOrderKey } from './order-keys.ts'

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

export async function issueKeys(
  { clock, random, hashKey, orderKeys }: IssueKeysDeps,
  tx: Queries,
  accountId: string,
  environment: Environment,
): Promise<KeyPair> {
  async function issue(kind: KeyKind): Promise<string> {
    const key = makeApiKey(kind, environment, (count) => random.bytes(count))
    const keyId = `key_${base32(random.bytes(10), 16)}`
    await insertKey(tx, {
      accountId,
      keyId,
      kind,
      name: null,
      permissions: null,
      networks: null,
      hash: hashKey(key)[0],
      shownAs: kind === 'public' ? key : hintOf(key),
      createdAt: clock.now(),
      orderKey: kind === 'secret' ? await sealOrderKey(tx, orderKeys, keyId, key) : null,
    })
    return key
  }
  return { publicKey: await issue('public'), secretKey: await issue('secret') }
}
