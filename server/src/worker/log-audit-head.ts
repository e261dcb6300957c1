// Says what the head of the audit log's chain is, so that a copy is kept outside the database: `karba audit verify --head` compares with it. Chains
// first what is not chained: what an older server wrote.
import { chainAudit } from '../actions/audit/chain-audit.ts'
import { type ChainHead, writeHead } from '../domain/audit-chain.ts'
import type { ServiceItself } from '../domain/caller.ts'
import type { Database } from '../store/engine/database.ts'

const AUDIT: ServiceItself = { is: 'service', part: 'audit log' }

export interface AuditHeadDeps {
  db: Database
  told(head: string): void
}

/** One round; nothing is ever left over for the next. */
export async function logAuditHead({ db, told }: AuditHeadDeps): Promise<boolean> {
  const head: ChainHead | undefined = await chainAudit({ db }, AUDIT)
  if (head !== undefined) told(writeHead(head))
  return false
}
