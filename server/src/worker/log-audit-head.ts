// Logs the head of the audit log's chain, so that a copy of it is kept outside the database: `karba audit verify --head` compares with it.
import { writeHead } from '../domain/audit-chain.ts'
import { findHead } from '../store/audit/audit-log.ts'
import type { Database } from '../store/engine/database.ts'

export interface AuditHeadDeps {
  db: Database
  told(head: string): void
}

/** One round; nothing is ever left over for the next. */
export async function logAuditHead({ db, told }: AuditHeadDeps): Promise<boolean> {
  const head = await findHead(db)
  if (head !== undefined) told(writeHead(head))
  return false
}
