// Validates or suspends a merchant's account in one environment: changed by hand, and noted by whom (D-18).
import type { AccountStatus } from '../../domain/account.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { setAccountStatus } from '../../store/merchants/accounts.ts'

/** False when there is no such merchant. */
export function changeAccountStatus(
  { db, clock }: { db: Database; clock: Clock },
  merchantId: string,
  { environment, status }: { environment: Environment; status: AccountStatus },
  actor: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await setAccountStatus(tx, merchantId, environment, status))) return false
    const detail = { environment, status }
    await insertAudit(tx, { at: clock.now(), actor, action: 'merchant.status', subject: merchantId, detail })
    return true
  })
}
