// What merchants must be told, written in the commit of the move it tells of. Numbered within the account without a gap, so
// that a merchant can see that nothing is missing.
import type { Queries } from './database.ts'

export interface NewEvent {
  accountId: string
  eventId: string
  event: string
  number: number
  payload: string
  createdAt: number
}

/** Holds the account's feed until the commit: events of one account are written one after the other. */
export async function takeFeedSequence(tx: Queries, accountId: string): Promise<number> {
  const [row] = await tx.rows<{ last_sequence: number }>(
    `insert into event_feeds (account_id, last_sequence) values ($1, 1)
     on conflict (account_id) do update set last_sequence = event_feeds.last_sequence + 1 returning last_sequence`,
    [accountId],
  )
  return (row as { last_sequence: number }).last_sequence
}

export async function insertEvent(tx: Queries, sequence: number, event: NewEvent): Promise<void> {
  await tx.change(
    `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [event.accountId, sequence, event.eventId, event.event, event.number, event.payload, event.createdAt],
  )
}
