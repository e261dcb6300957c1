// Follows the chain of the audit log from its first entry to its head, and names what is altered, removed or moved. With a head that was noted
// outside the database (the log has one each hour), a chain that was made anew from some entry on is found as well.
import { type ChainHead, chainChecker, type ErasedEntry } from '../../domain/audit-chain.ts'
import { type AccountCaller, isOfService } from '../../domain/caller.ts'
import { gapBetween } from '../../domain/evidence.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { findHead, listChained } from '../../store/audit/audit-chain.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findAuditEnd } from '../../store/verify/evidence.ts'

interface BrokenChain {
  kind: 'audit_entries_missing' | 'audit_entry_altered'
  /** The entry's number, or those that are missing. */
  subject: string
}

export interface AuditVerification {
  entries: number
  head: ChainHead | undefined
  /** The first is where the chain breaks. */
  broken: BrokenChain[]
  /** Whoever can write to the database can also write an erasure: a person compares these with the erasures that were asked for. */
  erased: ErasedEntry[]
}

const SLICE = 2_000

export async function verifyAudit(
  { db }: { db: Database },
  caller: AccountCaller,
  { known }: { known?: ChainHead | undefined } = {},
): Promise<AuditVerification | RefusedAs<'caller_not_allowed'>> {
  if (!isOfService(caller)) return { refused: 'caller_not_allowed' }
  const broken: BrokenChain[] = []
  const followed = await followAuditChain(db, (each) => broken.push(each), known)
  return { ...followed, broken }
}

/** Entries are numbered from zero; each takes its number in the commit that writes it, so there is no gap. */
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
      if (!checker.check(entry) || isOther) {
        report({ kind: 'audit_entry_altered', subject: `${entry.entry}` })
      }
    }
    if (slice.length < SLICE) break
  }
  const written = Math.max(end.written, (head?.entry ?? -1) + 1, (known?.entry ?? -1) + 1)
  missing(gapBetween(before, written))
  for (const entry of checker.changedWithoutErasure()) report({ kind: 'audit_entry_altered', subject: `${entry}` })
  return { entries, head, erased: checker.erasedEntries() }
}
