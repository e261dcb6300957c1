// The audit log, newest first. A merchant sees what was done to its own account.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type AuditEntry, listAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { namesOfPeople } from '../../store/people/people.ts'

export interface ListAuditInput extends PageInput {
  /** Only what was done to this merchant, account, endpoint, payment, link or person. */
  subject?: string | undefined
  /** Only this action, or those that begin with it and a dot. */
  action?: string | undefined
  /** Only what this person, key or user of the shell did. */
  actor?: string | undefined
  /** In milliseconds. */
  since?: number | undefined
  until?: number | undefined
}

export interface ListedAudit extends AuditEntry {
  /** Of a person. */
  actorName: string | undefined
  subjectName: string | undefined
}

const PERSON = /\bper_\w+$/

export async function listLatestAudit(
  { db }: { db: Database },
  caller: AccountCaller,
  { since = 0, after, limit, ...filter }: ListAuditInput,
): Promise<Page<ListedAudit> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await listAudit(db, scopeOf(caller), { ...filter, since }, wanted.cursor[0], wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ entry }) => [entry])
  const idIn = (text: string): string => PERSON.exec(text)?.[0] ?? ''
  const people = new Set(page.rows.flatMap(({ actor, subject }) => [idIn(actor), idIn(subject)]))
  const names = await namesOfPeople(db, [...people].filter(Boolean))
  const named = (row: AuditEntry): ListedAudit => ({
    ...row,
    actorName: names.get(idIn(row.actor)),
    subjectName: names.get(idIn(row.subject)),
  })
  return { ...page, rows: page.rows.map(named) }
}
