// Entries of the audit log with what chains them, and the head of the chain. Whoever writes has the counter of entries locked.
import {
  CHAIN_START,
  type ChainedEntry,
  type ChainHead,
  contentHashOf,
  entryHashOf,
  readHead,
  saltOf,
  writeHead,
} from '../../domain/audit-chain.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'
import { findFact, writeFact } from '../service/service-facts.ts'

const HEAD = 'audit_head'
export const SALT_KEY = 'audit_salt_key'

/** What people read of an entry. */
export const AUDIT_COLUMNS = {
  entry: 'entry',
  at: 'at',
  actor: 'actor',
  action: 'action',
  subject: 'subject',
  accountId: 'account_id',
  network: 'network',
  earlier: 'earlier',
  detail: 'detail',
} as const

const CHAINED = columns<ChainedEntry>({
  ...AUDIT_COLUMNS,
  salt: 'salt',
  contentHash: 'content_hash',
  entryHash: 'entry_hash',
})

const SLICE = 500

/** Undefined while nothing is chained. */
export async function findHead(db: Queries): Promise<ChainHead | undefined> {
  return readHead((await findFact(db, HEAD)) ?? '')
}

export const listChained = (db: Queries, after: number, most: number): Promise<ChainedEntry[]> =>
  db.rows<ChainedEntry>(`select ${CHAINED} from audit_log where entry > $1 order by entry limit $2`, [after, most])

/** Waits for every transaction that writes an entry. */
export async function lockAudit(tx: Queries): Promise<void> {
  await tx.change(`update counters set next_free = next_free where name = 'audit'`)
}

/**
 * Chains what is not yet chained: what was written before there was a chain, or by a server that knows none, and the entry that was just written.
 * Returns the new head.
 */
export async function chainEntries(tx: Queries): Promise<ChainHead | undefined> {
  const key = await findFact(tx, SALT_KEY)
  if (key === undefined) throw new Error('the database has no key for the salts of its audit log')
  const start = await findHead(tx)
  let head = start ?? { entry: -1, hash: CHAIN_START }
  let slice: ChainedEntry[]
  do {
    slice = await listChained(tx, head.entry, SLICE)
    for (const entry of slice) head = await chainEntry(tx, key, head, entry)
  } while (slice.length === SLICE)
  if (head.entry === (start?.entry ?? -1)) return start
  await writeFact(tx, HEAD, writeHead(head))
  return head
}

async function chainEntry(tx: Queries, key: string, head: ChainHead, entry: ChainedEntry): Promise<ChainHead> {
  const salt = saltOf(key, entry.entry)
  const contentHash = contentHashOf(salt, entry)
  const entryHash = entryHashOf(head.hash, { ...entry, contentHash })
  await tx.change('update audit_log set salt = $2, content_hash = $3, entry_hash = $4 where entry = $1', [
    entry.entry,
    salt,
    contentHash,
    entryHash,
  ])
  return { entry: entry.entry, hash: entryHash }
}

/** After personal data in an entry was erased: its salt goes too. Returns the hash of what is left. */
export async function removeSalt(tx: Queries, entry: number): Promise<string> {
  await tx.change('update audit_log set salt = null where entry = $1', [entry])
  const [left] = await listChained(tx, entry - 1, 1)
  return contentHashOf('', left as ChainedEntry)
}
