// The audit log, newest first. A merchant sees what was done to its own account.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type AuditEntry, listAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'

export interface ListAuditInput extends PageInput {
  /** Only what was done to this merchant, account, endpoint, payment or link. */
  subject?: string | undefined
  /** In milliseconds. */
  since?: number | undefined
}

export async function listLatestAudit(
  { db }: { db: Database },
  caller: AccountCaller,
  { subject, since = 0, ...page }: ListAuditInput,
): Promise<Page<AuditEntry> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(page, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await listAudit(db, scopeOf(caller), { subject, since }, wanted.cursor[0], wanted.limit + 1)
  return pageOf(found, wanted.limit, ({ entry }) => [entry])
}
