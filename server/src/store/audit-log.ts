// Who did what by hand. Rows are added and never changed.
import type { Queries } from './database.ts'

export interface AuditEntry {
  at: number
  actor: string
  action: string
  subject: string
  detail: object
}

export async function insertAudit(tx: Queries, entry: number, row: AuditEntry): Promise<void> {
  await tx.change('insert into audit_log (entry, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6)', [
    entry,
    row.at,
    row.actor,
    row.action,
    row.subject,
    JSON.stringify(row.detail),
  ])
}
