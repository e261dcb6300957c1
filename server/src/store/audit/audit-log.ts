// Who did what by hand. Rows are added and never changed.
import type { Queries } from '../engine/database.ts'
import { takeNumbers } from '../service/service-facts.ts'

export interface AuditEntry {
  at: number
  actor: string
  action: string
  /** What it was done to: an account, a merchant, an endpoint, a payment, a link. */
  subject: string
  detail: object
}

/** As the last step of a transaction: the number holds up everybody else who has something to note until the commit. */
export async function insertAudit(tx: Queries, { at, actor, action, subject, detail }: AuditEntry): Promise<void> {
  await tx.change('insert into audit_log (entry, at, actor, action, subject, detail) values ($1, $2, $3, $4, $5, $6)', [
    await takeNumbers(tx, 'audit', 1),
    at,
    actor,
    action,
    subject,
    JSON.stringify(detail),
  ])
}

export interface AuditWish {
  since: number
  /** Of this subject alone. */
  subject?: string | undefined
  most: number
}

/** The latest ones, in the order in which they were noted. */
export async function listAudit(db: Queries, { since, subject, most }: AuditWish): Promise<AuditEntry[]> {
  const rows = await db.rows<Omit<AuditEntry, 'detail'> & { detail: string }>(
    `select at, actor, action, subject, detail from audit_log
     where at >= $1 and subject = coalesce(cast($2 as text), subject) order by entry desc limit $3`,
    [since, subject ?? null, most],
  )
  return rows.reverse().map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
}
