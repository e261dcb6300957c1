// Validates or suspends a merchant's account in one environment, with a reason that the merchant sees. Audited (D-18).
import type { AccountStatus } from '../../domain/account.ts'
import { type AccountCaller, isOfService, type ServiceCaller } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Refused } from '../../domain/refusal.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { setAccountStatus } from '../../store/merchants/accounts.ts'
import { listAccountsOfMerchant } from '../../store/people/members.ts'

export interface AccountStatusChange {
  merchantId: string
  environment: Environment
  status: AccountStatus
  reason?: string | undefined
}

/** Returns the changed account. */
export async function changeAccountStatus(
  deps: { db: Database; clock: Clock },
  caller: AccountCaller,
  change: AccountStatusChange,
): Promise<{ accountId: string } | Refused> {
  // No merchant decides about validation, not even about its own.
  if (!isOfService(caller)) return { refused: 'merchant_not_found' }
  return deps.db.transaction((tx) => changeStatusIn(deps, tx, caller, change))
}

/** As part of a larger transaction. */
export async function changeStatusIn(
  { clock }: { clock: Clock },
  tx: Queries,
  caller: ServiceCaller,
  { merchantId, environment, status, reason }: AccountStatusChange,
): Promise<{ accountId: string } | Refused> {
  const before = (await listAccountsOfMerchant(tx, merchantId)).find((each) => each.environment === environment)
  const accountId = await setAccountStatus(tx, merchantId, environment, status, reason ?? null)
  if (accountId === undefined || before === undefined) return { refused: 'merchant_not_found' }
  const earlier = { environment, status: before.status, ...(before.reason !== null && { reason: before.reason }) }
  const record = { at: clock.now(), action: 'merchant.status', subject: merchantId, accountId, earlier }
  await insertAudit(tx, caller, { ...record, detail: { environment, status, reason } })
  return { accountId }
}
