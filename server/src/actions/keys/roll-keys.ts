// A new pair of keys for an account, by a command; the old ones stay valid for a chosen time, so that a merchant can switch without an outage (D-17).
import type { AccountCaller } from '../../domain/caller.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { expireKeys, listKeys } from '../../store/keys/api-keys.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findActingAccount } from '../merchants/acting-account.ts'
import { auditedKey, isValidKey } from './audited-key.ts'
import { type IssueKeysDeps, issueKeys, type KeyPair, MOST_KEYS, rightNotHeld } from './issue-keys.ts'

export const LONGEST_OVERLAP_MS = 72 * 3_600_000
const PAIR = 2

export async function rollKeys(
  deps: IssueKeysDeps & { db: Database },
  caller: AccountCaller,
  input: { accountId: string; keepOldMs: number },
): Promise<KeyPair | Refused> {
  const { keepOldMs } = input
  if (!(keepOldMs >= 0 && keepOldMs <= LONGEST_OVERLAP_MS)) {
    return { refused: 'overlap_not_valid', mostMs: LONGEST_OVERLAP_MS }
  }
  return deps.db.transaction(async (tx) => {
    const account = await findActingAccount(tx, caller, input.accountId)
    if (isRefused(account)) return account
    const notHeld = rightNotHeld(caller, { kind: 'secret', permissions: null })
    if (notHeld !== undefined) return notHeld
    const { accountId, environment } = account
    await lockAccount(tx, accountId)
    const at = deps.clock.now()
    const old = (await listKeys(tx, accountId)).filter((key) => isValidKey(key, at)).map(auditedKey)
    if (keepOldMs > 0 && old.length + PAIR > MOST_KEYS) return { refused: 'too_many_keys', most: MOST_KEYS }
    await expireKeys(tx, account, { accountId }, at + keepOldMs)
    const pair = await issueKeys(deps, tx, accountId, environment)
    const record = { at, action: 'keys.roll', subject: accountId, accountId, earlier: { keys: old } }
    await insertAudit(tx, caller, { ...record, detail: { keep_old_ms: keepOldMs } })
    return pair
  })
}
