// The audit log is a chain: the hash of each entry covers the hash of the entry before, so an entry
// that is altered, removed or moved no longer fits. The content of an entry is covered by a salted
// hash of its own: personal data can be erased with its salt, and the chain stays valid (ADR-0013).
import { createHmac, hash } from 'node:crypto'

export const CHAIN_START = '0'.repeat(64)

export type AuditContent = { earlier: string | null; detail: string }

export interface ChainedEntry extends AuditContent {
  entry: number
  at: number
  actor: string
  action: string
  subject: string
  accountId: string | null
  network: string | null
  /** Null once something in it was erased. */
  salt: string | null
  /** Null only where the row was tampered with, like the hash of the entry. */
  contentHash: string | null
  entryHash: string | null
}

/**
 * From a key that is replaced at each erasure, so that an erased entry's salt cannot be derived.
 */
export const saltOf = (key: string, entry: number): string =>
  createHmac('sha256', key).update(`${entry}`).digest('hex').slice(0, 32)

/** Without a salt for the remainder of an erased entry. */
export const contentHashOf = (salt: string, { earlier, detail }: AuditContent): string =>
  hash('sha256', JSON.stringify([salt, earlier, detail]))

export function entryHashOf(
  before: string,
  entry: Omit<ChainedEntry, 'salt' | 'entryHash' | keyof AuditContent>,
): string {
  const { entry: number, at, actor, action, subject, accountId, network, contentHash } = entry
  return hash(
    'sha256',
    JSON.stringify([before, number, at, actor, action, subject, accountId, network, contentHash]),
  )
}

export type ChainHead = { entry: number; hash: string }

export const writeHead = ({ entry, hash: of }: ChainHead): string => `${entry}:${of}`

/** Undefined for an invalid head. */
export function readHead(text: string): ChainHead | undefined {
  const [, entry, of] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return of === undefined ? undefined : { entry: Number(entry), hash: of }
}

/** The action of the entry that names the erased entries, each with the hash of the rest. */
export const ERASURE_ACTION = 'privacy.erase_audit'

/** An entry that no longer says all that it said, and the entry of the erasure that names it. */
export type ErasedEntry = { entry: number; by: number }

/** Follows the chain in order, and reports the erasures without an entry at the end. */
export function chainChecker(head: ChainHead | undefined) {
  let before: ChainHead | undefined = { entry: -1, hash: CHAIN_START }
  const erased = new Map<number, string>()
  const noted = new Map<string, { left: string; by: number }>()

  return {
    check(entry: ChainedEntry): boolean {
      const { entryHash, contentHash, salt, entry: number } = entry
      // After a gap the hash before the entry is unknown: the gap itself is reported.
      const previous = before?.entry === number - 1 ? before.hash : undefined
      before = entryHash === null ? undefined : { entry: number, hash: entryHash }
      if (entryHash === null || contentHash === null) return false
      if (entry.action === ERASURE_ACTION) {
        for (const [name, left] of Object.entries(readErasure(entry.detail)))
          noted.set(name, { left, by: number })
      }
      const isFit = previous === undefined || entryHash === entryHashOf(previous, entry)
      if (salt === null) erased.set(number, contentHashOf('', entry))
      else if (contentHash !== contentHashOf(salt, entry)) return false
      return isFit && (number !== head?.entry || entryHash === head.hash)
    },
    /** Entries whose content changed although no erasure names them as they are now. */
    changedWithoutErasure: (): number[] =>
      [...erased]
        .filter(([entry, left]) => noted.get(`${entry}`)?.left !== left)
        .map(([entry]) => entry),
    /**
     * Entries whose content changed as an erasure says. The chain cannot show what they said
     * before.
     */
    erasedEntries: (): ErasedEntry[] =>
      [...erased].flatMap(([entry, left]) => {
        const note = noted.get(`${entry}`)
        return note?.left === left ? [{ entry, by: note.by }] : []
      }),
  }
}

function readErasure(detail: string): Record<string, string> {
  try {
    return (JSON.parse(detail) as { entries?: Record<string, string> }).entries ?? {}
  } catch {
    return {}
  }
}

export interface AuditRecord {
  at: number
  action: string
  /** What it was done to: an account, a merchant, an endpoint, a payment, a link. */
  subject: string
  /** The account concerned; none when it is no single one. */
  accountId?: string | null
  /** The values before a change. */
  earlier?: object
  detail?: object
}

export interface AuditEntry extends Pick<AuditRecord, 'at' | 'action' | 'subject'> {
  entry: number
  accountId: string | null
  actor: string
  network: string | null
  earlier: object | null
  detail: object
}
