// The chain of the audit log: its entries with their hashes, and its head.
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

/** Undefined while there is no entry. */
export async function findHead(db: Queries): Promise<ChainHead | undefined> {
  return readHead((await findFact(db, HEAD)) ?? '')
}

export const listChained = (db: Queries, after: number, most: number): Promise<ChainedEntry[]> =>
  db.rows<ChainedEntry>(`select ${CHAINED} from audit_log where entry > $1 order by entry limit $2`, [after, most])

/** Chains a new entry to the head, and moves the head. The caller has the counter of entries locked, and inserts the result. */
export async function chainEntry(
  tx: Queries,
  entry: Omit<ChainedEntry, 'salt' | 'contentHash' | 'entryHash'>,
): Promise<ChainedEntry> {
  const key = await findFact(tx, SALT_KEY)
  if (key === undefined) throw new Error('the database has no key for the salts of its audit log')
  const salt = saltOf(key, entry.entry)
  const contentHash = contentHashOf(salt, entry)
  const entryHash = entryHashOf((await findHead(tx))?.hash ?? CHAIN_START, { ...entry, contentHash })
  await writeFact(tx, HEAD, writeHead({ entry: entry.entry, hash: entryHash }))
  return { ...entry, salt, contentHash, entryHash }
}

/** After personal data in an entry was erased: its salt goes too. Returns the hash of what is left. */
export async function removeSalt(tx: Queries, entry: number): Promise<string> {
  await tx.change('update audit_log set salt = null where entry = $1', [entry])
  const [left] = await listChained(tx, entry - 1, 1)
  return contentHashOf('', left as ChainedEntry)
}
