// Chains entries of the audit log that are not yet chained, and says what the head of the chain is.
import type { ChainHead } from '../../domain/audit-chain.ts'
import type { ServiceItself } from '../../domain/caller.ts'
import { chainEntries, lockAudit } from '../../store/audit/audit-chain.ts'
import type { Database } from '../../store/engine/database.ts'

/** Undefined while there is no entry. */
export const chainAudit = ({ db }: { db: Database }, _caller: ServiceItself): Promise<ChainHead | undefined> =>
  db.transaction(async (tx) => {
    await lockAudit(tx)
    return chainEntries(tx)
  })
