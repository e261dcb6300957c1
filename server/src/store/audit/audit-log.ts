// The audit log: what was done by hand, and by whom. Rows are added and never changed.
import { actorOf, type Caller, type Scope } from '../../domain/caller.ts'
import { columns } from '../engine/columns.ts'
import type { Queries, Value } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'
import { takeNumbers } from '../service/service-facts.ts'

export interface AuditRecord {
  at: number
  action: string
  /** What it was done to: an account, a merchant, an endpoint, a payment, a link. */
  subject: string
  /** The account concerned; null when it is no single one. */
  accountId: string | null
  detail: object
}

export interface AuditEntry extends AuditRecord {
  entry: number
  actor: string
}

/** Call it last in a transaction: it locks the counter of entries, and every other audited action waits until the commit. */
export async function insertAudit(tx: Queries, caller: Caller, record: AuditRecord): Promise<void> {
  const { at, action, subject, accountId, detail } = record
  const entry = await takeNumbers(tx, 'audit', 1)
  await tx.change(
    'insert into audit_log (entry, at, actor, action, subject, account_id, detail) values ($1, $2, $3, $4, $5, $6, $7)',
    [entry, at, actorOf(caller), action, subject, accountId, JSON.stringify(detail)],
  )
}

const ENTRY = columns<AuditEntry>({
  entry: 'entry',
  at: 'at',
  actor: 'actor',
  action: 'action',
  subject: 'subject',
  accountId: 'account_id',
  detail: 'detail',
})

export interface AuditFilter {
  since: number
  /** Only entries about this subject. */
  subject?: string | undefined
}

/** Newest first, with numbers below `before`. */
export async function listAudit(
  db: Queries,
  scope: Scope,
  { since, subject }: AuditFilter,
  before: number,
  most: number,
): Promise<AuditEntry[]> {
  const values: Value[] = [before, since, most, ...scopeValues(scope)]
  const ofSubject = subject === undefined ? '' : ` and subject = $${values.push(subject)}`
  const rows = await db.rows<Omit<AuditEntry, 'detail'> & { detail: string }>(
    `select ${ENTRY} from audit_log where entry < $1 and at >= $2${inScope(scope, 4)}${ofSubject}
     order by entry desc limit $3`,
    values,
  )
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
}
