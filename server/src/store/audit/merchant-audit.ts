// Audit entries about a whole merchant: its team, its brand, its documents. Each of its accounts has them in its log, so that the merchant sees them
// from whichever account it looks at.
import type { Caller } from '../../domain/caller.ts'
import type { Queries } from '../engine/database.ts'
import { listAccountsOfMerchant } from '../people/members.ts'
import { type AuditRecord, insertAudit } from './audit-log.ts'

/** Call it last in a transaction, like `insertAudit`. */
export async function insertMerchantAudit(
  tx: Queries,
  caller: Caller,
  merchantId: string,
  record: Omit<AuditRecord, 'accountId'>,
): Promise<void> {
  for (const { accountId } of await listAccountsOfMerchant(tx, merchantId)) {
    await insertAudit(tx, caller, { ...record, accountId })
  }
}
