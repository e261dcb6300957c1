// Ends keys at once: one by its id, one by itself (a leaked key somebody found), or all of an account. Noted by whom.
import { readApiKey } from '../../domain/api-key.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { expireKeys, type KeysNamed } from '../../store/keys/api-keys.ts'

export interface RevokeKeysDeps {
  db: Database
  clock: Clock
  hashKey(key: string): string
}

/** How many keys were still valid and no longer are. */
export function revokeKeys({ db, clock, hashKey }: RevokeKeysDeps, which: string, actor: string): Promise<number> {
  const named: KeysNamed = which.startsWith('acc_')
    ? { accountId: which }
    : readApiKey(which) === undefined
      ? { keyId: which }
      : { hash: hashKey(which) }
  return db.transaction(async (tx) => {
    const at = clock.now()
    const ended = await expireKeys(tx, named, at)
    const subject = ended[0]?.account_id
    if (subject === undefined) return 0
    const detail = { keys: ended.map(({ key_id: keyId }) => keyId) }
    await insertAudit(tx, { at, actor, action: 'keys.revoke', subject, detail })
    return ended.length
  })
}
