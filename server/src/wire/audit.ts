// Entries of the audit log, as commands print them in JSON.
import { isoTime } from './json.ts'

interface AuditEntry {
  at: number
  actor: string
  action: string
  subject: string
  detail: object
}

export const auditFields = ({ at, actor, action, subject, detail }: AuditEntry): object => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  detail,
})
