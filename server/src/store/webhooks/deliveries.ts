// Webhook deliveries and their attempts. A delivery is queued in the commit of its event; recording an attempt is guarded by the number of
// attempts before it, so that none is counted twice.
import type { DeliveryKey } from '../../domain/webhook-event.ts'
import { columns } from '../engine/columns.ts'
import type { Queries, SqlTexts, Transaction } from '../engine/database.ts'

export interface DueDelivery extends DeliveryKey {
  number: number
  attempts: number
  eventId: string
  payload: string
}

/** Events of one account that follow each other in its feed. */
export interface FeedRange {
  accountId: string
  firstSequence: number
  lastSequence: number
}

const QUEUED = `insert into webhook_deliveries
    (account_id, endpoint_id, sequence, round, is_replay, number, status, created_at, due_at)
  select s.account_id, s.endpoint_id, e.sequence, 0, 0, e.number, 'waiting', e.created_at, e.created_at`

const QUEUE: SqlTexts = {
  // `cross join` makes SQLite begin with the subscriptions: an account that has none costs one look-up, however many events there are.
  sqlite: `${QUEUED} from webhook_subscriptions s cross join events e
    where s.account_id = $1 and e.account_id = $1 and e.event = s.event and e.sequence >= $2 and e.sequence <= $3
    returning account_id as "accountId"`,
  postgres: `${QUEUED} from unnest($1::text[], $2::bigint[], $3::bigint[]) as feed (account_id, first_sequence, last_sequence)
    join webhook_subscriptions s on s.account_id = feed.account_id
    join events e on e.account_id = feed.account_id and e.event = s.event
      and e.sequence >= feed.first_sequence and e.sequence <= feed.last_sequence
    returning account_id as "accountId"`,
}

/** Queues one delivery of each event for each endpoint that is subscribed to it; returns the accounts that have deliveries now. */
export async function queueDeliveries(tx: Transaction, ranges: readonly FeedRange[]): Promise<string[]> {
  const rows = ranges.map(({ accountId, firstSequence, lastSequence }) => [accountId, firstSequence, lastSequence])
  const queued = await tx.many<{ accountId: string }>(QUEUE, rows)
  return [...new Set(queued.map(({ accountId }) => accountId))]
}

/** Queues one event for one endpoint, subscribed or not: for a test, and for a replay. */
export async function queueDelivery(tx: Queries, key: DeliveryKey & { number: number }, now: number): Promise<void> {
  await tx.change(
    `insert into webhook_deliveries (account_id, endpoint_id, sequence, round, is_replay, number, status, created_at, due_at)
     values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $7)`,
    [key.accountId, key.endpointId, key.sequence, key.round, key.round === 0 ? 0 : 1, key.number, now],
  )
}

/**
 * No earlier delivery about the same payment is waiting. Not written as `not exists`: PostgreSQL makes a join of that, and with statistics
 * from a quieter hour a join that reads the whole queue for each row (270 ms instead of 2 with 3,000 waiting).
 */
const IS_FIRST_OF_PAYMENT = `(
  select f.sequence from webhook_deliveries f
  where f.account_id = d.account_id and f.endpoint_id = d.endpoint_id and f.number = d.number and f.status = 'waiting'
    and f.is_replay = d.is_replay and f.sequence <= d.sequence and (f.sequence < d.sequence or f.round < d.round)
  limit 1) is null`

const DUE = columns<Omit<DueDelivery, 'accountId' | 'endpointId'>>({
  sequence: 'd.sequence',
  round: 'd.round',
  number: 'd.number',
  attempts: 'd.attempts',
  eventId: 'e.event_id',
  payload: 'e.payload',
})

/** The deliveries that a queue may send now: due, and each the earliest one waiting about its payment. */
export async function listDue(
  db: Queries,
  queue: { accountId: string; endpointId: string },
  now: number,
  { isReplay, most }: { isReplay: 0 | 1; most: number },
): Promise<DueDelivery[]> {
  const due = await db.rows<Omit<DueDelivery, 'accountId' | 'endpointId'>>(
    `select ${DUE}
     from webhook_deliveries d join events e on e.account_id = d.account_id and e.sequence = d.sequence
     where d.account_id = $1 and d.endpoint_id = $2 and d.is_replay = $3 and d.due_at <= $4
       and ${IS_FIRST_OF_PAYMENT}
     order by d.due_at, d.sequence limit $5`,
    [queue.accountId, queue.endpointId, isReplay, now, most],
  )
  return due.map((delivery) => ({ accountId: queue.accountId, endpointId: queue.endpointId, ...delivery }))
}

/** When a queue has something to send next. A delivery that waits for an earlier one does not count, whatever its due time. */
export async function nextDueOf(
  db: Queries,
  { accountId, endpointId }: { accountId: string; endpointId: string },
): Promise<number | null> {
  const [row] = await db.rows<{ due_at: number | null }>(
    `select min(due_at) as due_at from (${firstDue(0)} union all ${firstDue(1)}) as first`,
    [accountId, endpointId],
  )
  return row?.due_at ?? null
}

/** The first delivery by the index, instead of the minimum of all that are queued. */
const firstDue = (isReplay: 0 | 1): string => `select due_at from (
  select d.due_at from webhook_deliveries d
  where d.account_id = $1 and d.endpoint_id = $2 and d.is_replay = ${isReplay} and d.due_at is not null and ${IS_FIRST_OF_PAYMENT}
  order by d.due_at limit 1) as first_${isReplay}`

export interface MadeAttempt {
  at: number
  durationMs: number
  statusCode: number | null
  answer: string
  error: string | null
  nextAt: number | null
}

export async function insertAttempt(
  tx: Queries,
  { accountId, endpointId, sequence, round }: DeliveryKey,
  attempt: number,
  { at, durationMs, statusCode, answer, error, nextAt }: MadeAttempt,
): Promise<void> {
  await tx.change(
    `insert into webhook_attempts
       (account_id, endpoint_id, sequence, round, attempt, at, duration_ms, status_code, answer, error, next_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [accountId, endpointId, sequence, round, attempt, at, durationMs, statusCode, answer, error, nextAt],
  )
}

/** False when another process has recorded this attempt. */
export async function endDelivery(
  tx: Queries,
  { accountId, endpointId, sequence, round, attempts }: DeliveryKey & { attempts: number },
  status: 'delivered' | 'failed',
  now: number,
): Promise<boolean> {
  const changed = await tx.change(
    `update webhook_deliveries set status = $6, attempts = attempts + 1, due_at = null, ended_at = $7
     where account_id = $1 and endpoint_id = $2 and sequence = $3 and round = $4 and attempts = $5 and status = 'waiting'`,
    [accountId, endpointId, sequence, round, attempts, status, now],
  )
  return changed === 1
}

/** False when another process has recorded this attempt. */
export async function postponeDelivery(
  tx: Queries,
  { accountId, endpointId, sequence, round, attempts }: DeliveryKey & { attempts: number },
  dueAt: number,
): Promise<boolean> {
  const changed = await tx.change(
    `update webhook_deliveries set attempts = attempts + 1, due_at = $6
     where account_id = $1 and endpoint_id = $2 and sequence = $3 and round = $4 and attempts = $5 and status = 'waiting'`,
    [accountId, endpointId, sequence, round, attempts, dueAt],
  )
  return changed === 1
}

/** An endpoint gets the events of one payment in order: a delivery waits until the earlier one is delivered or given up. */
export async function postponeLaterDeliveries(
  tx: Queries,
  { accountId, endpointId, sequence, round, number }: DueDelivery,
  dueAt: number,
): Promise<void> {
  await tx.change(
    `update webhook_deliveries set due_at = $6
     where account_id = $1 and endpoint_id = $2 and number = $3 and sequence > $4 and is_replay = $5 and status = 'waiting'`,
    [accountId, endpointId, number, sequence, round === 0 ? 0 : 1, dueAt],
  )
}
