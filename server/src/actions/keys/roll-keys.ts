// New keys for an account; the old ones go on for a chosen time, so that a merchant can change them without a gap (D-17).
// Noted by whom.

import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { expireKeys } from '../../store/keys/api-keys.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import { type IssueKeysDeps, issueKeys, type KeyPair } from './issue-keys.ts'

export const LONGEST_OVERLAP_MS = 72 * 3_600_000

/** Undefined when there is no such account. */
export function rollKeys(
  deps: IssueKeysDeps & { db: Database },
  accountId: string,
  keepOldMs: number,
  actor: string,
): Promise<KeyPair | undefined> {
  if (!(keepOldMs >= 0 && keepOldMs <= LONGEST_OVERLAP_MS)) throw new RangeError('old keys go on for 0 to 72 hours')
  return deps.db.transaction(async (tx) => {
    const account = await findAccount(tx, accountId)
    if (account === undefined) return undefined
    const at = deps.clock.now()
    await expireKeys(tx, { accountId }, at + keepOldMs)
    const pair = await issueKeys(deps, tx, accountId, account.environment)
    await insertAudit(tx, { at, actor, action: 'keys.roll', subject: accountId, detail: { keep_old_ms: keepOldMs } })
    return pair
  })
}
