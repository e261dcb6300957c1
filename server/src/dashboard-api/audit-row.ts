// An entry of the audit log, as pages read it.
import type { ListedAudit } from '../actions/audit/audit-log.ts'
import { isActorOfService } from '../domain/caller.ts'
import type { ActivityRow, AuditRow } from './shapes.ts'

export const auditRow = (entry: ListedAudit): AuditRow => {
  const { entry: number, at, actor, actorName, action, subject, network: from, earlier, detail } = entry
  return {
    ...{ number, at, action, subject, from },
    actor: actorName === undefined ? actor : `${actorName} (${actor})`,
    before: earlier as Record<string, unknown> | null,
    after: detail as Record<string, unknown>,
  }
}

/** What the service's people write down for the merchant; the rest is for themselves. */
const TOLD = ['environment', 'status', 'reason']
const OWN = /^(acc|mer)_/
/** The row itself, or the page around it, says these already. */
const KNOWN = ['account', 'merchant', 'invitation', 'by']

export function activityRow({ entry: number, at, actor, actorName, ...entry }: ListedAudit): ActivityRow {
  const { action, subject, subjectName, network, earlier, detail } = entry
  const isOfService = isActorOfService(actor)
  const isTold = (name: string): boolean => (isOfService ? TOLD.includes(name) : !KNOWN.includes(name))
  const told = (facts: object | null): Record<string, unknown> | null => {
    const entries = Object.entries(facts ?? {}).filter(([name]) => isTold(name))
    return entries.length === 0 ? null : Object.fromEntries(entries)
  }
  const is = isOfService ? 'service' : actor.startsWith('key ') ? 'key' : 'person'
  return {
    ...{ number, at, action },
    subject: subjectName ?? (OWN.test(subject) ? null : subject),
    by: { is, name: actorName ?? (is === 'key' ? actor.slice('key '.length) : '') },
    from: isOfService ? null : network,
    before: told(earlier),
    after: told(detail),
  }
}
