// Deliveries for people to look at: lists, attempts, failures, and what a replay sends again. The
// queue of deliveries is in events.ts.
import type { Scope } from '../../domain/people/caller.ts'
import type { Delivery, DeliveryAttempt, DeliveryKey } from '../../domain/webhooks/webhook-event.ts'
import { ofEachAccount, type Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstRow,
  firstValue,
  inScope,
  listOf,
  scopeValues,
  updateRows,
} from '../rows.ts'

const lastAttempt = (column: string): string => `(select t.${column} from webhook_attempts t
  where t.account_id = d.account_id and t.endpoint_id = d.endpoint_id and t.sequence = d.sequence
    and t.round = d.round
  order by t.attempt desc limit 1)`

const FIELDS = {
  accountId: 'd.account_id',
  endpointId: 'd.endpoint_id',
  sequence: 'd.sequence',
  round: 'd.round',
  number: 'd.number',
  status: 'd.status',
  attempts: 'd.attempts',
  createdAt: 'd.created_at',
  dueAt: 'd.due_at',
  endedAt: 'd.ended_at',
  event: 'e.event',
  eventId: 'e.event_id',
  url: 'w.url',
}
const DELIVERY = columnsOf<Delivery>({
  ...FIELDS,
  endpointStatus: 'w.status',
  paymentReference: `(select p.reference from payments p
     where p.account_id = d.account_id and p.number = d.number)`,
  lastStatusCode: lastAttempt('status_code'),
  lastError: lastAttempt('error'),
})

export type DeliveryFilter = { endpointId: string | undefined; failedOnly: boolean; since: number }

export type DeliveryCursor = readonly [
  createdAt: number,
  accountId: string,
  endpointId: string,
  sequence: number,
  round: number,
]

const sortKeyOf = (table: string): string[] =>
  ['created_at', 'account_id', 'endpoint_id', 'sequence', 'round'].map(
    (column) => `${table}.${column}`,
  )
const newestFirst = (table: string): string =>
  sortKeyOf(table)
    .map((column) => `${column} desc`)
    .join(', ')

/** Newest first, before a cursor. */
export function listDeliveries(
  db: Queries,
  { accountId }: Scope,
  { endpointId, failedOnly, since }: DeliveryFilter,
  before: DeliveryCursor,
  most: number,
): Promise<Delivery[]> {
  const cursor = listOf('before', before)
  const values = {
    ...cursor.values,
    since,
    most,
    ...(endpointId !== undefined && { endpointId }),
  }
  const account = accountId === null ? 'a.account_id' : ':accountId'
  const latest = (
    of: string,
  ): string => `${of}.account_id = ${account} and ${of}.created_at >= :since
    and ${of}.created_at <= :before0
    and (${sortKeyOf(of).join(', ')}) < (${cursor.places})
    ${failedOnly ? `and ${of}.status = 'failed'` : ''}
      ${endpointId === undefined ? '' : `and ${of}.endpoint_id = :endpointId`}
    order by ${newestFirst(of)} limit :most`
  const joined = `join events e on e.account_id = d.account_id and e.sequence = d.sequence
    left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id`
  if (accountId !== null) {
    return db.read<Delivery>(
      `select ${DELIVERY} from webhook_deliveries d ${joined} where ${latest('d')}`,
      { ...values, accountId },
    )
  }
  // For all accounts: the newest `most` of each by an index on time, then the newest of those.
  const sql = ofEachAccount(
    { table: 'webhook_deliveries', as: 'd', key: ['endpoint_id', 'sequence', 'round'] },
    `and ${latest('q')}`,
    (chosen) =>
      `select ${DELIVERY} from accounts a ${chosen} ${joined}
       order by ${newestFirst('d')} limit :most`,
  )
  return db.read<Delivery>(sql, values)
}

/** The deliveries about one payment to existing endpoints, the oldest first. */
export const listDeliveriesOf = (db: Queries, accountId: string, number: number) =>
  db.read<Delivery>(
    `select ${DELIVERY} from events e join webhook_endpoints w on w.account_id = e.account_id
     join webhook_deliveries d on d.account_id = e.account_id and d.endpoint_id = w.endpoint_id
       and d.sequence = e.sequence
     where e.account_id = :accountId and e.number = :number
     order by e.sequence, d.endpoint_id, d.round`,
    { accountId, number },
  )

/**
 * Scanned in some milliseconds, to find the deliveries of one endpoint among those of its account.
 */
const ROWS_SCANNED = 10_000

/** The time at which the scan stops; undefined when there are fewer rows. */
export const findDeliveryFloor = (
  db: Queries,
  accountId: string,
  until: number,
  failedOnly: boolean,
) =>
  firstValue<number>(
    db,
    `select created_at from webhook_deliveries
     where account_id = :accountId
       and created_at <= :until${failedOnly ? " and status = 'failed'" : ''}
     order by created_at desc limit 1 offset :rows`,
    { accountId, until, rows: ROWS_SCANNED },
  )

/** By its name. The endpoint may have been removed, so every account in the scope is searched. */
export const findDelivery = (
  db: Queries,
  scope: Scope,
  { endpointId, sequence, round }: Omit<DeliveryKey, 'accountId'>,
) =>
  firstRow<Delivery>(
    db,
    `select ${DELIVERY} from accounts a
     join webhook_deliveries d on d.account_id = a.account_id
     join events e on e.account_id = d.account_id and e.sequence = d.sequence
     left join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
     where d.endpoint_id = :endpointId and d.sequence = :sequence
       and d.round = :round${inScope(scope, 'a.account_id')}`,
    { endpointId, sequence, round, ...scopeValues(scope) },
  )

/** Counted in some milliseconds, by the index of waiting deliveries alone. */
const MOST_COUNTED = 50_000

/** `isMore`: more wait than were counted. */
export type Waiting = { waiting: number; isMore: boolean }

export async function countWaiting(
  db: Queries,
  accountId: string,
  endpointId: string,
): Promise<Waiting> {
  const sql = `select count(*) as count from (select 1 as one from webhook_deliveries
    where account_id = :accountId and endpoint_id = :endpointId and status = 'waiting' limit :most)
      as waiting`
  const found =
    (await firstValue<number>(db, sql, { accountId, endpointId, most: MOST_COUNTED + 1 })) ?? 0
  return { waiting: Math.min(found, MOST_COUNTED), isMore: found > MOST_COUNTED }
}

/**
 * The first event of the account that a delivery still waits to send; undefined when none waits.
 */
export const findFirstWaiting = (db: Queries, accountId: string) =>
  firstValue<number>(
    db,
    `select sequence from webhook_deliveries where account_id = :accountId and status = 'waiting'
     order by sequence limit 1`,
    { accountId },
  )

const ATTEMPT = columnsOf<DeliveryAttempt>({
  attempt: 'attempt',
  at: 'at',
  durationMs: 'duration_ms',
  statusCode: 'status_code',
  answer: 'answer',
  error: 'error',
  nextAt: 'next_at',
})

export const listDeliveryAttempts = (
  db: Queries,
  { accountId, endpointId, sequence, round }: DeliveryKey,
) =>
  db.read<DeliveryAttempt>(
    `select ${ATTEMPT} from webhook_attempts
     where account_id = :accountId and endpoint_id = :endpointId and sequence = :sequence
       and round = :round order by attempt`,
    { accountId, endpointId, sequence, round },
  )

/**
 * Failed deliveries that were not replayed since, oldest first: what a replay of all failures
 * sends.
 */
export const listFailed = (
  db: Queries,
  {
    accountId,
    endpointId,
    since,
  }: { accountId: string; endpointId?: string | undefined; since: number },
  /** The events up to this one are removed. */
  removedTo: number,
  most: number,
) =>
  db.read<{ endpointId: string; sequence: number; number: number }>(
    `select d.endpoint_id as "endpointId", d.sequence, d.number from webhook_deliveries d
     join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
     where d.account_id = :accountId and d.created_at >= :since
       and (cast(:endpointId as text) is null or d.endpoint_id = :endpointId)
       and d.sequence > :removedTo and d.status = 'failed' and not exists (
         select 1 from webhook_deliveries f
         where f.account_id = d.account_id and f.endpoint_id = d.endpoint_id
           and f.sequence = d.sequence and f.round > d.round)
     order by d.created_at, d.sequence limit :most`,
    { accountId, since, endpointId: endpointId ?? null, most, removedTo },
  )

export async function lastRound(tx: Queries, key: Omit<DeliveryKey, 'round'>): Promise<number> {
  const sql = `select max(round) as last from webhook_deliveries
    where account_id = :accountId and endpoint_id = :endpointId and sequence = :sequence`
  return (
    (await firstValue<number>(tx, sql, {
      accountId: key.accountId,
      endpointId: key.endpointId,
      sequence: key.sequence,
    })) ?? 0
  )
}

/** Ends the waiting deliveries of an endpoint that is removed. Its attempts stay on record. */
export function giveUpDeliveries(
  tx: Queries,
  accountId: string,
  endpointId: string,
  now: number,
): Promise<number> {
  const ended = { status: 'failed', dueAt: null, endedAt: now }
  // Literal, so that the partial index on waiting deliveries applies: a working endpoint has none
  // among a million.
  return updateRows(
    tx,
    'webhook_deliveries',
    { accountId, endpointId },
    ended,
    "status = 'waiting'",
  )
}
