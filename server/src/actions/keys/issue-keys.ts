// Makes a pair of keys for an account. The secret key is returned once and stored nowhere (D-17).
import { hintOf, type KeyKind, makeApiKey } from '../../domain/api-key.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import { base32 } from '../../domain/reference.ts'
import type { Queries } from '../../store/engine/database.ts'
import { insertKey } from '../../store/keys/api-keys.ts'

export interface IssueKeysDeps {
  clock: Clock
  random: Random
  hashKey(key: string): string
}

export interface KeyPair {
  publicKey: string
  secretKey: string
}

export async function issueKeys(
  { clock, random, hashKey }: IssueKeysDeps,
  tx: Queries,
  accountId: string,
  environment: Environment,
): Promise<KeyPair> {
  async function issue(kind: KeyKind): Promise<string> {
    const key = makeApiKey(kind, environment, (count) => random.bytes(count))
    await insertKey(tx, {
      accountId,
      keyId: `key_${base32(random.bytes(10), 16)}`,
      kind,
      hash: hashKey(key),
      shownAs: kind === 'public' ? key : hintOf(key),
      createdAt: clock.now(),
    })
    return key
  }
  return { publicKey: await issue('public'), secretKey: await issue('secret') }
}
