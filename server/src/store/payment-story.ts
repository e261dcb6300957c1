// The story of a payment: what was said to and by its operator, and every move, in order. Rows are added and never changed.
import type { Queries } from './database.ts'

export type StoryKind = 'request' | 'status' | 'callback' | 'moved' | 'refund_asked' | 'refund'

export interface StoryEntry {
  at: number
  kind: StoryKind
  detail: Record<string, unknown>
}

export async function insertStory(
  tx: Queries,
  accountId: string,
  number: number,
  entry: number,
  { at, kind, detail }: StoryEntry,
): Promise<void> {
  await tx.change(
    'insert into payment_story (account_id, number, entry, at, kind, detail) values ($1, $2, $3, $4, $5, $6)',
    [accountId, number, entry, at, kind, JSON.stringify(detail)],
  )
}

export async function listStory(db: Queries, accountId: string, number: number): Promise<StoryEntry[]> {
  const rows = await db.rows<{ at: number; kind: StoryKind; detail: string }>(
    'select at, kind, detail from payment_story where account_id = $1 and number = $2 order by at, entry',
    [accountId, number],
  )
  return rows.map((row) => ({ at: row.at, kind: row.kind, detail: JSON.parse(row.detail) }))
}
