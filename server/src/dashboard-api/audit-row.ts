// An entry of the audit log, as pages read it.
import type { ListedAudit } from '../actions/audit/list-audit.ts'
import type { AuditRow } from './shapes.ts'

export const auditRow = (entry: ListedAudit): AuditRow => {
  const { entry: number, at, actor, actorName, action, subject, network: from, earlier, detail } = entry
  return {
    ...{ number, at, action, subject, from },
    actor: actorName === undefined ? actor : `${actorName} (${actor})`,
    before: earlier as Record<string, unknown> | null,
    after: detail as Record<string, unknown>,
  }
}
