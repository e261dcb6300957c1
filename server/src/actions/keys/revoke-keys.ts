// Revokes keys at once: one by its id, one by the key itself (a leaked key that was found), or all of an account. Audited.
import { type KeyHasher, readApiKey } from '../../domain/api-key.ts'
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { expireKeys, findKeys, type KeySelector } from '../../store/keys/api-keys.ts'
import { auditedKey } from './audited-key.ts'

export interface RevokeKeysDeps {
  db: Database
  clock: Clock
  hashKey: KeyHasher
}

/** Returns how many valid keys were revoked. */
export function revokeKeys(
  { db, clock, hashKey }: RevokeKeysDeps,
  caller: AccountCaller,
  /** An account, a key's id, or a key itself. */
  { which }: { which: string },
): Promise<{ revoked: number } | Refused> {
  const named: KeySelector[] = which.startsWith('acc_')
    ? [{ accountId: which }]
    : readApiKey(which) === undefined
      ? [{ keyId: which }]
      : hashKey(which).map((hash) => ({ hash }))
  return db.transaction(async (tx) => {
    const at = clock.now()
    const before = []
    for (const selector of named) before.push(...(await findKeys(tx, scopeOf(caller), selector)))
    const ended = []
    for (const selector of named) ended.push(...(await expireKeys(tx, scopeOf(caller), selector, at)))
    const accountId = ended[0]?.accountId
    if (accountId === undefined) return { refused: 'key_not_found' }
    const ids = ended.map(({ keyId }) => keyId)
    const earlier = { keys: before.filter(({ keyId }) => ids.includes(keyId)).map(auditedKey) }
    await insertAudit(tx, caller, {
      ...{ at, action: 'keys.revoke', subject: accountId, accountId },
      ...{ earlier, detail: { keys: ids } },
    })
    return { revoked: ended.length }
  })
}
