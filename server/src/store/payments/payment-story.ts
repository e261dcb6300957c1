// The story of a payment: every exchange with its operator and every move, in order. Rows are added and never changed.
import type { Database, Queries, Transaction } from '../engine/database.ts'
import type { ManyRows } from '../engine/many-rows.ts'

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

// A clock can be set back. An entry's time is never before that of the entry before it, so a story stays in the order of recording. That one
// is found by the key: the cost of an entry does not grow with the story.
const INSERT: ManyRows = {
  given: { account_id: 'text', number: 'bigint', entry: 'bigint', at: 'bigint', kind: 'text', detail: 'text' },
  sql: `insert into payment_story (account_id, number, entry, at, kind, detail)
    select given.account_id, given.number, given.entry,
      greatest(given.at, coalesce((select s.at from payment_story s
        where s.account_id = given.account_id and s.number = given.number order by s.entry desc limit 1), 0)),
      given.kind, given.detail
    from given`,
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
export async function findReversal(db: Database, accountId: string, reference: string): Promise<number | undefined> {
  const moved = await db.find<{ at: number }>(
    `select s.at from payments p join payment_story s on s.account_id = p.account_id and s.number = p.number
     where p.account_id = $1 and p.reference = $2 and p.status = 'refunded' and s.kind = 'moved'
     order by s.entry desc limit 1`,
    [accountId, reference],
  )
  return moved?.at
}
