// Validates or suspends a merchant's account in one environment. Audited (D-18).
import type { AccountStatus } from '../../domain/account.ts'
import { type AccountCaller, isOfService } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { setAccountStatus } from '../../store/merchants/accounts.ts'

export interface AccountStatusChange {
  merchantId: string
  environment: Environment
  status: AccountStatus
}

/** Returns the changed account. */
export async function changeAccountStatus(
  { db, clock }: { db: Database; clock: Clock },
  caller: AccountCaller,
  { merchantId, environment, status }: AccountStatusChange,
): Promise<{ accountId: string } | Refused> {
  // No merchant decides about validation, not even about its own.
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  return db.transaction(async (tx) => {
    const accountId = await setAccountStatus(tx, merchantId, environment, status)
    if (accountId === undefined) return { refused: 'merchant_not_found' }
    const record = { at: clock.now(), action: 'merchant.status', subject: merchantId, accountId }
    await insertAudit(tx, caller, { ...record, detail: { environment, status } })
    return { accountId }
  })
}
