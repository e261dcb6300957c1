// The audit log: actions of people, keys and commands. Rows are added, never changed, and chained
// by hashes.

import { actorOf, type Caller, type Scope, whereOf } from '../../domain/people/caller.ts'
import {
  type AuditEntry,
  type AuditRecord,
  CHAIN_START,
  type ChainedEntry,
  type ChainHead,
  contentHashOf,
  entryHashOf,
  readHead,
  saltOf,
  writeHead,
} from '../../domain/verify/audit-chain.ts'
import type { Queries, Value } from '../engine/database.ts'
import { listAccountsOfMerchant } from '../people/members.ts'
import { columnsOf, inScope, insertRow, scopeValues, updateRows } from '../rows.ts'
import { findFact, takeNumbers, writeFact } from '../service/service-facts.ts'

const HEAD = 'audit_head'
export const SALT_KEY = 'audit_salt_key'

const ENTRY_FIELDS = {
  entry: 'entry',
  at: 'at',
  actor: 'actor',
  action: 'action',
  subject: 'subject',
  accountId: 'account_id',
  network: 'network',
  earlier: 'earlier',
  detail: 'detail',
}
const ENTRY = columnsOf<AuditEntry>(ENTRY_FIELDS)
const CHAINED = columnsOf<ChainedEntry>({
  ...ENTRY_FIELDS,
  salt: 'salt',
  contentHash: 'content_hash',
  entryHash: 'entry_hash',
})

/** Call it last in a transaction: it locks the counter of entries until the commit. */
export async function insertAudit(tx: Queries, caller: Caller, record: AuditRecord): Promise<void> {
  const { at, action, subject, accountId = null, earlier, detail = {} } = record
  const written = await chainEntry(tx, {
    entry: await takeNumbers(tx, 'audit', 1),
    at,
    action,
    subject,
    accountId,
    actor: actorOf(caller),
    network: whereOf(caller),
    earlier: earlier === undefined ? null : JSON.stringify(earlier),
    detail: JSON.stringify(detail),
  })
  await insertRow(tx, 'audit_log', { ...written })
}

export interface AuditFilter {
  since: number
  until?: number | undefined
  /** Only entries about this subject. */
  subject?: string | undefined
  /** Only entries of this action, or of those that begin with it and a dot: `team`. */
  action?: string | undefined
  /** Only entries of this actor: a person, a key, a CLI user. */
  actor?: string | undefined
}

type StoredEntry = Omit<AuditEntry, 'detail' | 'earlier'> & {
  detail: string
  earlier: string | null
}

/** Newest first, with numbers below `before`. */
export async function listAudit(
  db: Queries,
  scope: Scope,
  { since, until, subject, action, actor }: AuditFilter,
  before: number,
  most: number,
): Promise<AuditEntry[]> {
  const values: Record<string, Value> = { before, since, most, ...scopeValues(scope) }
  let filter = inScope(scope)
  if (subject !== undefined) {
    filter += ' and subject = :subject'
    values.subject = subject
  }
  if (until !== undefined) {
    filter += ' and at < :until'
    values.until = until
  }
  if (action !== undefined) {
    filter += ' and (action = :action or substr(action, 1, :groupLength) = :group)'
    values.action = action
    values.group = `${action}.`
    values.groupLength = action.length + 1
  }
  if (actor !== undefined) {
    filter += ' and (actor = :actor or substr(actor, length(actor) - :actorLength) = :actorEnd)'
    values.actor = actor
    values.actorEnd = ` ${actor}`
    values.actorLength = actor.length
  }
  const rows = await db.read<StoredEntry>(
    `select ${ENTRY} from audit_log where entry < :before and at >= :since${filter}
     order by entry desc limit :most`,
    values,
  )
  return rows.map(({ detail, earlier, ...row }) => ({
    ...row,
    detail: JSON.parse(detail),
    earlier: earlier === null ? null : JSON.parse(earlier),
  }))
}

/**
 * About a whole merchant: an entry of each of its accounts. Call it last in a transaction, like
 * `insertAudit`.
 */
export async function insertMerchantAudit(
  tx: Queries,
  caller: Caller,
  merchantId: string,
  record: Omit<AuditRecord, 'accountId'>,
): Promise<void> {
  for (const { accountId } of await listAccountsOfMerchant(tx, merchantId)) {
    await insertAudit(tx, caller, { ...record, accountId })
  }
}

// The chain: entries with their hashes, and the head.

/** Undefined while there is no entry. */
export const findHead = async (db: Queries): Promise<ChainHead | undefined> =>
  readHead((await findFact(db, HEAD)) ?? '')

export const listChained = (db: Queries, after: number, most: number) =>
  db.read<ChainedEntry>(
    `select ${CHAINED} from audit_log where entry > :after order by entry limit :most`,
    { after, most },
  )

/** Chains a new entry to the head. The caller holds the counter's lock and inserts the result. */
export async function chainEntry(
  tx: Queries,
  entry: Omit<ChainedEntry, 'salt' | 'contentHash' | 'entryHash'>,
): Promise<ChainedEntry> {
  const key = await findFact(tx, SALT_KEY)
  if (key === undefined) throw new Error('the database has no key for the salts of its audit log')
  const salt = saltOf(key, entry.entry)
  const contentHash = contentHashOf(salt, entry)
  const entryHash = entryHashOf((await findHead(tx))?.hash ?? CHAIN_START, {
    ...entry,
    contentHash,
  })
  await writeFact(tx, HEAD, writeHead({ entry: entry.entry, hash: entryHash }))
  return { ...entry, salt, contentHash, entryHash }
}

/**
 * Removes the salt of an entry after personal data in it was erased. Returns the hash of the
 * remainder.
 */
export async function removeSalt(tx: Queries, entry: number): Promise<string> {
  await updateRows(tx, 'audit_log', { entry }, { salt: null })
  const [left] = await listChained(tx, entry - 1, 1)
  return contentHashOf('', left as ChainedEntry)
}
