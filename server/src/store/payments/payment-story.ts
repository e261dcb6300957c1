// The story of a payment: every exchange with its operator and every move, in order. Rows are added and never changed.
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'

type StoryKind = 'request' | 'status' | 'callback' | 'moved' | 'attempt' | 'attempt_failed' | 'refund_asked' | 'refund'

export interface StoryEntry {
  at: number
  kind: StoryKind
  detail: Record<string, unknown>
}

export interface StoryLine extends StoryEntry {
  accountId: string
  number: number
  entry: number
}

/**
 * A clock can be set back. An entry's time is never before that of the entry before it, so a story stays in the order of recording. That one is found by
 * the key: the cost of an entry does not grow with the story.
 */
const latestOf = (accountId: string, number: string): string => `coalesce((select s.at from payment_story s
  where s.account_id = ${accountId} and s.number = ${number} order by s.entry desc limit 1), 0)`

// SQLite gets `values`: for a select from the table that it inserts into it makes a temporary table, which doubled the cost of an entry.
const INSERT: SqlTexts = {
  sqlite: `insert into payment_story (account_id, number, entry, at, kind, detail)
    values ($1, $2, $3, max($4, ${latestOf('$1', '$2')}), $5, $6)`,
  postgres: `insert into payment_story (account_id, number, entry, at, kind, detail)
    select account_id, number, entry, greatest(at, ${latestOf('given.account_id', 'given.number')}), kind, detail
    from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
      as given (account_id, number, entry, at, kind, detail)`,
}

export async function insertStory(tx: Transaction, lines: readonly StoryLine[]): Promise<void> {
  const rows = lines.map(({ accountId, number, entry, at, kind, detail }) => [
    accountId,
    number,
    entry,
    at,
    kind,
    JSON.stringify(detail),
  ])
  await tx.many(INSERT, rows)
}

export async function listStory(db: Queries, accountId: string, number: number): Promise<StoryEntry[]> {
  const rows = await db.rows<{ at: number; kind: StoryKind; detail: string }>(
    'select at, kind, detail from payment_story where account_id = $1 and number = $2 order by at, entry',
    [accountId, number],
  )
  return rows.map((row) => ({ at: row.at, kind: row.kind, detail: JSON.parse(row.detail) }))
}

/** When the operator last said that it has a refund; undefined when it never did. */
export async function findRefundAccepted(
  db: Queries,
  refund: { accountId: string; number: number; refundReference: string },
): Promise<number | undefined> {
  const story = await listStory(db, refund.accountId, refund.number)
  const accepted = story.findLast(
    ({ kind, detail }) =>
      kind === 'refund' && detail.refund_reference === refund.refundReference && detail.is === 'accepted',
  )
  return accepted?.at
}

/** When a payment that is refunded became so; undefined when it is not. */
export async function findReversal(db: Queries, accountId: string, reference: string): Promise<number | undefined> {
  const [moved] = await db.rows<{ at: number }>(
    `select s.at from payments p join payment_story s on s.account_id = p.account_id and s.number = p.number
     where p.account_id = $1 and p.reference = $2 and p.status = 'refunded' and s.kind = 'moved'
     order by s.entry desc limit 1`,
    [accountId, reference],
  )
  return moved?.at
}
