// Ends keys at once: one by its id, one by itself (a leaked key somebody found), or all of an account.
import { readApiKey } from '../domain/api-key.ts'
import type { Clock } from '../domain/clock-and-chance.ts'
import { expireKeyByHash, expireKeyById, expireKeys } from '../store/api-keys.ts'
import type { Database } from '../store/database.ts'

export interface RevokeKeysNeeds {
  db: Database
  clock: Clock
  hashKey(key: string): string
}

/** How many keys were still valid and no longer are. */
export function revokeKeys({ db, clock, hashKey }: RevokeKeysNeeds, which: string): Promise<number> {
  const now = clock.now()
  if (which.startsWith('acc_')) return expireKeys(db, which, now)
  if (readApiKey(which) !== undefined) return expireKeyByHash(db, hashKey(which), now)
  return expireKeyById(db, which, now)
}
