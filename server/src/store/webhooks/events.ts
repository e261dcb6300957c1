// Events for merchants, each written in the commit of the move that it reports. Numbered within the
// account without a gap, so that a merchant can see that none is missing.
import type { DeliveryAttempt, DeliveryKey } from '../../domain/webhooks/webhook-event.ts'
import {
  manyRows,
  type Queries,
  type SqlTexts,
  type Transaction,
  type Values,
} from '../engine/database.ts'
import {
  columnsOf,
  firstReturnedValue,
  firstRow,
  firstValue,
  insertRow,
  insertTexts,
  listOf,
  padded,
  updateOne,
} from '../rows.ts'

export interface NewEvent {
  accountId: string
  sequence: number
  eventId: string
  event: string
  number: number
  /** The text: written once, and never made again. */
  payload: string
  createdAt: number
}

export type StoredEvent = Omit<NewEvent, 'accountId'>

const STORED = columnsOf<StoredEvent>({
  sequence: 'e.sequence',
  eventId: 'e.event_id',
  event: 'e.event',
  number: 'e.number',
  payload: 'e.payload',
  createdAt: 'e.created_at',
})

const TAKE = insertTexts(
  'event_feeds',
  {
    account_id: 'text',
    last_sequence: 'bigint',
  },
  `on conflict (account_id) do update
   set last_sequence = event_feeds.last_sequence + excluded.last_sequence
   returning account_id as "accountId", last_sequence as "lastSequence"`,
)

/**
 * As many as an account has events. Locks the feeds until the commit, in the same order in all
 * processes.
 */
export async function takeFeedSequences(
  tx: Transaction,
  eventsOf: ReadonlyMap<string, number>,
): Promise<{ accountId: string; lastSequence: number }[]> {
  const rows = [...eventsOf]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([accountId, lastSequence]) => ({ accountId, lastSequence }))
  return tx.many(TAKE, rows)
}

const INSERT = insertTexts('events', {
  account_id: 'text',
  sequence: 'bigint',
  event_id: 'text',
  event: 'text',
  number: 'bigint',
  payload: 'text',
  created_at: 'bigint',
})

export async function insertEvents(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  const rows = events.map((each) => ({
    accountId: each.accountId,
    sequence: each.sequence,
    eventId: each.eventId,
    event: each.event,
    number: each.number,
    payload: each.payload,
    createdAt: each.createdAt,
  }))
  await tx.many(INSERT, rows)
}

export const listFeed = (db: Queries, accountId: string, after: number, most: number) =>
  db.read<StoredEvent>(
    `select ${STORED} from events e
     where e.account_id = :accountId and e.sequence > :after order by e.sequence limit :most`,
    { accountId, after, most },
  )

/** Newest first, before a sequence. */
export const listLatestEvents = (db: Queries, accountId: string, before: number, most: number) =>
  db.read<StoredEvent & { paymentReference: string | null }>(
    `select ${STORED}, p.reference as "paymentReference" from events e
     left join payments p on p.account_id = e.account_id and p.number = e.number
     where e.account_id = :accountId and e.sequence < :before order by e.sequence desc limit :most`,
    { accountId, before, most },
  )

export const sequenceOfEvent = (db: Queries, accountId: string, eventId: string) =>
  firstValue<number>(
    db,
    'select sequence from events where event_id = :eventId and account_id = :accountId',
    { accountId, eventId },
  )

export async function feedEnd(
  db: Queries,
  accountId: string,
): Promise<{ lastSequence: number; lastReplay: number }> {
  const sql = `select last_sequence as "lastSequence", last_replay as "lastReplay" from event_feeds
     where account_id = :accountId`
  const end = await firstRow<{ lastSequence: number; lastReplay: number }>(db, sql, { accountId })
  return end ?? { lastSequence: 0, lastReplay: 0 }
}

export const eventsOfPayment = (db: Queries, accountId: string, number: number) =>
  db.read<{ sequence: number; event: string }>(
    `select sequence, event from events where account_id = :accountId and number = :number
      order by sequence`,
    { accountId, number },
  )

export async function takeReplayNumber(tx: Queries, accountId: string): Promise<number> {
  const sql = `update event_feeds set last_replay = last_replay + 1
      where account_id = :accountId returning last_replay`
  return (await firstReturnedValue<number>(tx, sql, { accountId })) as number
}

export const insertReplay = (
  tx: Queries,
  accountId: string,
  replay: number,
  sequence: number,
  at: number,
) => insertRow(tx, 'event_replays', { accountId, replay, sequence, at })

export const listReplays = (db: Queries, accountId: string, after: number, most: number) =>
  db.read<StoredEvent & { replay: number }>(
    `select r.replay, ${STORED} from event_replays r
     join events e on e.account_id = r.account_id and e.sequence = r.sequence
     where r.account_id = :accountId and r.replay > :after order by r.replay limit :most`,
    { accountId, after, most },
  )

/**
 * The last sequence of an account's feed, and a payment's number; undefined when there is no such
 * payment.
 */
export const findPosition = (db: Queries, accountId: string, reference: string) =>
  firstRow<{ number: number; sequence: number }>(
    db,
    `select p.number, coalesce(f.last_sequence, 0) as sequence from payments p
     left join event_feeds f on f.account_id = p.account_id
     where p.account_id = :accountId and p.reference = :reference`,
    { accountId, reference },
  )

export type FeedPosition = { accountId: string; sequence: number }

/** For `with`: the table `seen` of the positions, and its values. */
export function seenPositions(positions: readonly FeedPosition[]) {
  // No event comes after the largest number: the filler finds nothing.
  const asked = padded(positions, { accountId: '', sequence: Number.MAX_SAFE_INTEGER })
  const places = asked.map(
    (_, at) => `(cast(:account${at} as text), cast(:sequence${at} as bigint))`,
  )
  const values: Values = Object.fromEntries(
    asked.flatMap(({ accountId, sequence }, at) => [
      [`account${at}`, accountId],
      [`sequence${at}`, sequence],
    ]),
  )
  return { seen: `seen (account, last) as (values ${places.join(', ')})`, values }
}

/**
 * The payments that events were written about after these positions, for all accounts in one query.
 */
export function listMovedSince(
  db: Queries,
  positions: readonly FeedPosition[],
): Promise<(FeedPosition & { number: number })[]> {
  const { seen, values } = seenPositions(positions)
  return db.read(
    `with ${seen} select e.account_id as "accountId", e.sequence, e.number from seen
     join events e on e.account_id = seen.account and e.sequence > seen.last`,
    values,
  )
}

/**
 * When payments of the account failed or were refunded, by their numbers: their rows say only when
 * they succeeded.
 */
export async function findEndTimes(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
): Promise<Map<number, number>> {
  if (numbers.length === 0) return new Map()
  const asked = listOf('number', padded(numbers))
  const rows = await db.read<{ number: number; endedAt: number }>(
    `select number, max(created_at) as "endedAt" from events
     where account_id = :accountId and number in (${asked.places})
       and event in ('payment.failed', 'payment.refunded') group by number`,
    { accountId, ...asked.values },
  )
  return new Map(rows.map(({ number, endedAt }) => [number, endedAt]))
}

// Webhook deliveries and their attempts. A delivery is queued in the commit of its event; recording
// an attempt is guarded by the number of attempts before it, so that none is counted twice.

export interface DueDelivery extends DeliveryKey, Pick<NewEvent, 'number'> {
  attempts: number
  stored: StoredEvent
}

/** Events of one account that follow each other in its feed. */
export type FeedRange = { accountId: string; firstSequence: number; lastSequence: number }

const QUEUED = `insert into webhook_deliveries
    (account_id, endpoint_id, sequence, round, is_replay, number, status, created_at, due_at)
  select s.account_id, s.endpoint_id, e.sequence, 0, 0, e.number, 'waiting', e.created_at,
    e.created_at`

const QUEUE: SqlTexts = {
  // `cross join` makes SQLite begin with the subscriptions: an account without one costs a single
  // look-up.
  sqlite: `${QUEUED} from webhook_subscriptions s cross join events e
    where s.account_id = :accountId and e.account_id = :accountId and e.event = s.event
      and e.sequence >= :firstSequence and e.sequence <= :lastSequence
    returning account_id as "accountId"`,
  postgres: `${QUEUED} from ${manyRows(
    { account_id: 'text', first_sequence: 'bigint', last_sequence: 'bigint' },
    'feed',
  )}
    join webhook_subscriptions s on s.account_id = feed.account_id
    join events e on e.account_id = feed.account_id and e.event = s.event
      and e.sequence >= feed.first_sequence and e.sequence <= feed.last_sequence
    returning account_id as "accountId"`,
}

/**
 * Queues the events for each subscribed endpoint; returns the accounts that have deliveries now.
 */
export async function queueDeliveries(
  tx: Transaction,
  ranges: readonly FeedRange[],
): Promise<string[]> {
  const rows = ranges.map(({ accountId, firstSequence, lastSequence }) => ({
    accountId,
    firstSequence,
    lastSequence,
  }))
  const queued = await tx.many<{ accountId: string }>(QUEUE, rows)
  return [...new Set(queued.map(({ accountId }) => accountId))]
}

/** Queues one event for one endpoint, subscribed or not: for a test, and for a replay. */
export function queueDelivery(
  tx: Queries,
  key: DeliveryKey & { number: number },
  now: number,
): Promise<void> {
  const { accountId, endpointId, sequence, round, number } = key
  const waiting = { isReplay: round === 0 ? 0 : 1, status: 'waiting', createdAt: now, dueAt: now }
  return insertRow(tx, 'webhook_deliveries', {
    accountId,
    endpointId,
    sequence,
    round,
    number,
    ...waiting,
  })
}

/**
 * No earlier delivery about the same payment waits. PostgreSQL may make of `not exists` a join that
 * reads the whole queue for each row: 270 ms instead of 2 with 3,000 waiting.
 */
const IS_FIRST_OF_PAYMENT = `(
  select f.sequence from webhook_deliveries f
  where f.account_id = d.account_id and f.endpoint_id = d.endpoint_id and f.number = d.number
    and f.status = 'waiting'
    and f.is_replay = d.is_replay and f.sequence <= d.sequence
    and (f.sequence < d.sequence or f.round < d.round)
  limit 1) is null`

/**
 * The deliveries that a queue may send now: due, and each the earliest one waiting about its
 * payment.
 */
export async function listDue(
  db: Queries,
  queue: { accountId: string; endpointId: string },
  now: number,
  { isReplay, most }: { isReplay: 0 | 1; most: number },
): Promise<DueDelivery[]> {
  const due = await db.read<StoredEvent & { round: number; attempts: number }>(
    `select ${STORED}, d.round, d.attempts
     from webhook_deliveries d
     join events e on e.account_id = d.account_id and e.sequence = d.sequence
     where d.account_id = :accountId and d.endpoint_id = :endpointId and d.is_replay = :isReplay
       and d.due_at <= :now
       and ${IS_FIRST_OF_PAYMENT}
     order by d.due_at, d.sequence limit :most`,
    { accountId: queue.accountId, endpointId: queue.endpointId, isReplay, now, most },
  )
  const { accountId, endpointId } = queue
  return due.map(({ round, attempts, ...stored }) => ({
    accountId,
    endpointId,
    sequence: stored.sequence,
    round,
    number: stored.number,
    attempts,
    stored,
  }))
}

/** When a queue is due next. A delivery that waits for an earlier one does not count. */
export async function nextDueOf(
  db: Queries,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<number | null> {
  const sql = `select min(due_at) as due_at from (${firstDue(0)} union all ${firstDue(1)}) as first`
  return (await firstValue<number>(db, sql, { accountId, endpointId })) ?? null
}

/** The first delivery by the index, instead of the minimum of all that are queued. */
const firstDue = (isReplay: 0 | 1): string => `select due_at from (
  select d.due_at from webhook_deliveries d
  where d.account_id = :accountId and d.endpoint_id = :endpointId and d.is_replay = ${isReplay}
    and d.due_at is not null and ${IS_FIRST_OF_PAYMENT}
  order by d.due_at limit 1) as first_${isReplay}`

export const insertAttempt = (
  tx: Queries,
  { accountId, endpointId, sequence, round }: DeliveryKey,
  attempt: DeliveryAttempt,
) => insertRow(tx, 'webhook_attempts', { accountId, endpointId, sequence, round, ...attempt })

type Attempted = DeliveryKey & { attempts: number }

/** False when another process has recorded this attempt. */
const attempted = (
  tx: Queries,
  { accountId, endpointId, sequence, round, attempts }: Attempted,
  values: { dueAt: number } | ({ dueAt: null } & EndOfDelivery),
) =>
  updateOne(
    tx,
    'webhook_deliveries',
    { accountId, endpointId, sequence, round, attempts, status: 'waiting' },
    { ...values, attempts: attempts + 1 },
  )

type EndOfDelivery = { status: 'delivered' | 'failed'; endedAt: number }

export const endDelivery = (tx: Queries, delivery: Attempted, { status, endedAt }: EndOfDelivery) =>
  attempted(tx, delivery, { status, dueAt: null, endedAt })

export const postponeDelivery = (tx: Queries, delivery: Attempted, dueAt: number) =>
  attempted(tx, delivery, { dueAt })

/**
 * An endpoint gets the events of one payment in order: later deliveries wait for the earlier one.
 */
export const postponeLaterDeliveries = (
  tx: Queries,
  { accountId, endpointId, sequence, round, number }: DueDelivery,
  dueAt: number,
) =>
  tx.change(
    `update webhook_deliveries set due_at = :dueAt
     where account_id = :accountId and endpoint_id = :endpointId and number = :number
       and sequence > :sequence and is_replay = :isReplay and status = 'waiting'`,
    { accountId, endpointId, number, sequence, isReplay: round === 0 ? 0 : 1, dueAt },
  )
