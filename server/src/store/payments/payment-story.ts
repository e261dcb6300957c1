// The story of a payment: every exchange with its operator and every move, in order. Rows are added and never changed.
import type { Queries } from '../engine/database.ts'

export type StoryKind =
  | 'request'
  | 'status'
  | 'callback'
  | 'moved'
  | 'attempt'
  | 'attempt_failed'
  | 'refund_asked'
  | 'refund'

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
  // A machine's clock can be set back. An entry's time is never before that of earlier entries, so a story stays in the order of recording.
  await tx.change(
    `insert into payment_story (account_id, number, entry, at, kind, detail)
     select $1, cast($2 as bigint), cast($3 as bigint), case when max(at) > $4 then max(at) else cast($4 as bigint) end, $5, $6
     from payment_story where account_id = $1 and number = $2`,
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
