// Verifies the chain of the audit log from its first entry to its head, and reports entries that
// were altered, removed or moved. With a head recorded outside the database (the log has one each
// hour), a chain that was rewritten from some entry on is detected too.

import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { type AccountCaller, isOfService, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type AuditEntry,
  type ChainHead,
  chainChecker,
  type ErasedEntry,
} from '../../domain/verify/audit-chain.ts'
import { gapBetween } from '../../domain/verify/evidence.ts'
import { type AuditFilter, findHead, listAudit, listChained } from '../../store/audit/audit-log.ts'
import { namesOfMerchants } from '../../store/console/tasks.ts'
import type { Queries } from '../../store/engine/database.ts'
import { namesOfKeys } from '../../store/keys/api-keys.ts'
import { namesOfPeople } from '../../store/people/people.ts'
import { findAuditEnd } from '../../store/verify/evidence.ts'
import type { Deps } from '../deps.ts'

type BrokenChain = { kind: 'audit_entries_missing' | 'audit_entry_altered'; subject: string }

export interface AuditVerification {
  entries: number
  head: ChainHead | undefined
  /** The first is where the chain breaks. */
  broken: BrokenChain[]
  /** An attacker could write erasures too: a person compares these with the requested erasures. */
  erased: ErasedEntry[]
}

const SLICE = 2_000

export async function verifyAudit(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { known }: { known?: ChainHead | undefined } = {},
): Promise<AuditVerification | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const broken: BrokenChain[] = []
  const followed = await followAuditChain(db, (each) => broken.push(each), known)
  return { ...followed, broken }
}

/**
 * Entries are numbered from zero; each takes its number in the commit that writes it, so there is
 * no gap.
 */
export async function followAuditChain(
  db: Queries,
  report: (broken: BrokenChain) => void,
  known?: ChainHead,
): Promise<Omit<AuditVerification, 'broken'>> {
  // Read first: entries that are written meanwhile are after it.
  const [head, end] = [await findHead(db), await findAuditEnd(db)]
  const checker = chainChecker(head)
  const missing = (gap: string | undefined): void => {
    if (gap !== undefined) report({ kind: 'audit_entries_missing', subject: gap })
  }
  let before = -1
  let entries = 0
  for (;;) {
    const slice = await listChained(db, before, SLICE)
    for (const entry of slice) {
      missing(gapBetween(before, entry.entry))
      before = entry.entry
      entries++
      const isOther = entry.entry === known?.entry && entry.entryHash !== known.hash
      if (!checker.check(entry) || isOther)
        report({ kind: 'audit_entry_altered', subject: `${entry.entry}` })
    }
    if (slice.length < SLICE) break
  }
  const written = Math.max(end.written, (head?.entry ?? -1) + 1, (known?.entry ?? -1) + 1)
  missing(gapBetween(before, written))
  for (const entry of checker.changedWithoutErasure())
    report({ kind: 'audit_entry_altered', subject: `${entry}` })
  return { entries, head, erased: checker.erasedEntries() }
}

export interface ListAuditInput extends PageInput, Omit<AuditFilter, 'since'> {
  since?: number | undefined
}

export interface ListedAudit extends AuditEntry {
  actorName: string | undefined
  subjectName: string | undefined
}

const NAMED = /\b(per|key|acc|mer)_\w+$/
/** Of the person, key, account or merchant that an actor or a subject names; empty for none. */
const idIn = (text: string): string => NAMED.exec(text)?.[0] ?? ''

export async function listLatestAudit(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { since = 0, after, limit, ...filter }: ListAuditInput,
): Promise<Page<ListedAudit> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await listAudit(
    db,
    scopeOf(caller),
    { ...filter, since },
    wanted.cursor[0],
    wanted.limit + 1,
  )
  const page = pageOf(found, wanted.limit, ({ entry }) => [entry])
  return { ...page, rows: await namedEntries(db, page.rows) }
}

/** With the names of the people, keys and merchants that they mention. */
export async function namedEntries(
  db: Queries,
  entries: readonly AuditEntry[],
): Promise<ListedAudit[]> {
  const ids = new Set(entries.flatMap(({ actor, subject }) => [idIn(actor), idIn(subject)]))
  const {
    per = [],
    key = [],
    acc = [],
    mer = [],
  } = Object.groupBy(ids, (id) => id.split('_')[0] ?? '')
  const names = new Map([
    ...(await namesOfPeople(db, per)),
    ...(await namesOfKeys(db, key)),
    ...(await namesOfMerchants(db, [...acc, ...mer])),
  ])
  return entries.map((row) => ({
    ...row,
    actorName: names.get(idIn(row.actor)),
    subjectName: names.get(idIn(row.subject)),
  }))
}

/**
 * For actors as `actorOf` names them: a person's name, `shell` for a user of the CLI, nothing for
 * the service itself.
 */
export async function nameActors(
  { db }: Pick<Deps, 'db'>,
  actors: readonly (string | null)[],
): Promise<(actor: string | null) => string> {
  const ids = new Set(actors.map((actor) => idIn(actor ?? '')).filter(Boolean))
  const names = await namesOfPeople(db, [...ids])
  return (actor) =>
    names.get(idIn(actor ?? '')) ?? (actor?.startsWith('shell') === true ? 'shell' : '')
}
