// Entries of the audit log, as commands print them in JSON.
import { isoTime } from './json.ts'

interface AuditEntry {
  at: number
  actor: string
  action: string
  subject: string
  network: string | null
  earlier: object | null
  detail: object
}

export const auditFields = ({ at, actor, action, subject, network, earlier, detail }: AuditEntry): object => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  network: network ?? undefined,
  before: earlier ?? undefined,
  detail,
})
