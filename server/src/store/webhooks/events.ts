// Events for merchants, each written in the commit of the move that it reports. Numbered within the account without a gap, so
// that a merchant can see that none is missing.
import type { FeedEvent } from '../../domain/webhook-event.ts'
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'
import { padded } from '../engine/padded.ts'

export interface NewEvent {
  accountId: string
  sequence: number
  eventId: string
  event: string
  number: number
  payload: string
  createdAt: number
}

const TAKEN = `on conflict (account_id) do update set last_sequence = event_feeds.last_sequence + excluded.last_sequence
  returning account_id as "accountId", last_sequence as "lastSequence"`

const TAKE: SqlTexts = {
  sqlite: `insert into event_feeds (account_id, last_sequence) values ($1, $2) ${TAKEN}`,
  postgres: `insert into event_feeds (account_id, last_sequence) select * from unnest($1::text[], $2::bigint[]) ${TAKEN}`,
}

/**
 * Takes as many sequence numbers of each account's feed as it has events. Locks the feeds until the commit: events of one account are written
 * one after the other. All processes lock in the same order.
 */
export async function takeFeedSequences(
  tx: Transaction,
  eventsOf: ReadonlyMap<string, number>,
): Promise<{ accountId: string; lastSequence: number }[]> {
  const rows = [...eventsOf].sort(([a], [b]) => (a < b ? -1 : 1))
  return tx.many(TAKE, rows)
}

const INSERT: SqlTexts = {
  sqlite: `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  postgres: `insert into events (account_id, sequence, event_id, event, number, payload, created_at)
    select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[])`,
}

export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map(({ accountId, sequence, eventId, event, number, payload, createdAt }) => [
    accountId,
    sequence,
    eventId,
    event,
    number,
    payload,
    createdAt,
  ])
  await tx.many(INSERT, rows)
}

export async function listFeed(db: Queries, accountId: string, after: number, most: number): Promise<FeedEvent[]> {
  return db.rows<FeedEvent>(
    'select sequence, payload from events where account_id = $1 and sequence > $2 order by sequence limit $3',
    [accountId, after, most],
  )
}

export interface ListedEvent {
  sequence: number
  event: string
  payload: string
  createdAt: number
  /** Null for a test. */
  paymentReference: string | null
}

/** Newest first, before a sequence. */
export const listLatestEvents = (
  db: Queries,
  accountId: string,
  before: number,
  most: number,
): Promise<ListedEvent[]> =>
  db.rows<ListedEvent>(
    `select e.sequence, e.event, e.payload, e.created_at as "createdAt",
       (select p.reference from payments p where p.account_id = e.account_id and p.number = e.number) as "paymentReference"
     from events e where e.account_id = $1 and e.sequence < $2 order by e.sequence desc limit $3`,
    [accountId, before, most],
  )

export async function sequenceOfEvent(db: Queries, accountId: string, eventId: string): Promise<number | undefined> {
  const [row] = await db.rows<{ sequence: number }>(
    'select sequence from events where event_id = $2 and account_id = $1',
    [accountId, eventId],
  )
  return row?.sequence
}

export async function feedEnd(db: Queries, accountId: string): Promise<{ lastSequence: number; lastReplay: number }> {
  const [row] = await db.rows<{ last_sequence: number; last_replay: number }>(
    'select last_sequence, last_replay from event_feeds where account_id = $1',
    [accountId],
  )
  return { lastSequence: row?.last_sequence ?? 0, lastReplay: row?.last_replay ?? 0 }
}

/** The events of a payment, in order. */
export function eventsOfPayment(
  db: Queries,
  accountId: string,
  number: number,
): Promise<{ sequence: number; event: string }[]> {
  return db.rows('select sequence, event from events where account_id = $1 and number = $2 order by sequence', [
    accountId,
    number,
  ])
}

export async function takeReplayNumber(tx: Queries, accountId: string): Promise<number> {
  const [row] = await tx.rows<{ last_replay: number }>(
    'update event_feeds set last_replay = last_replay + 1 where account_id = $1 returning last_replay',
    [accountId],
  )
  return (row as { last_replay: number }).last_replay
}

export async function insertReplay(
  tx: Queries,
  accountId: string,
  replay: number,
  sequence: number,
  at: number,
): Promise<void> {
  await tx.change('insert into event_replays (account_id, replay, sequence, at) values ($1, $2, $3, $4)', [
    accountId,
    replay,
    sequence,
    at,
  ])
}

export function listReplays(
  db: Queries,
  accountId: string,
  after: number,
  most: number,
): Promise<(FeedEvent & { replay: number })[]> {
  return db.rows(
    `select r.replay, e.sequence, e.payload from event_replays r
     join events e on e.account_id = r.account_id and e.sequence = r.sequence
     where r.account_id = $1 and r.replay > $2 order by r.replay limit $3`,
    [accountId, after, most],
  )
}

/** Where an account's feed is, and the number of one of its payments; undefined when the account has no such payment. */
export async function findPosition(
  db: Queries,
  accountId: string,
  reference: string,
): Promise<{ number: number; sequence: number } | undefined> {
  const [position] = await db.rows<{ number: number; sequence: number }>(
    `select p.number, coalesce(f.last_sequence, 0) as sequence from payments p
     left join event_feeds f on f.account_id = p.account_id where p.account_id = $1 and p.reference = $2`,
    [accountId, reference],
  )
  return position
}

export interface FeedPosition {
  accountId: string
  sequence: number
}

/** The payments that events were written about after these positions, for all accounts in one query. */
export function listMovedSince(
  db: Queries,
  positions: readonly FeedPosition[],
): Promise<(FeedPosition & { number: number })[]> {
  // No event comes after the largest number: the filler finds nothing.
  const asked = padded(positions, { accountId: '', sequence: Number.MAX_SAFE_INTEGER })
  const places = asked.map((_, at) => `(cast($${2 * at + 1} as text), cast($${2 * at + 2} as bigint))`)
  return db.rows(
    `with seen (account, last) as (values ${places.join(', ')})
     select e.account_id as "accountId", e.sequence, e.number from seen
     join events e on e.account_id = seen.account and e.sequence > seen.last`,
    asked.flatMap(({ accountId, sequence }) => [accountId, sequence]),
  )
}

/** When payments of the account failed or were refunded, by their numbers: their rows say only when they succeeded. */
export async function findEndTimes(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
): Promise<Map<number, number>> {
  if (numbers.length === 0) return new Map()
  const asked = padded(numbers)
  const places = asked.map((_, at) => `$${at + 2}`).join(', ')
  const rows = await db.rows<{ number: number; endedAt: number }>(
    `select number, max(created_at) as "endedAt" from events
     where account_id = $1 and number in (${places}) and event in ('payment.failed', 'payment.refunded') group by number`,
    [accountId, ...asked],
  )
  return new Map(rows.map(({ number, endedAt }) => [number, endedAt]))
}
