// Rows that may be removed after a retention time: histories that no rule of payments depends on.
// Read from the oldest on by an index, a few at a time, so that a round costs the same however much
// there is. Nothing of a pending payment, no delivery that still waits, and none of its attempts.
// Events are not here: their feed has a start (feed-starts.ts).
import type { Queries, Value, Values } from '../engine/database.ts'
import { firstRow, listOf } from '../rows.ts'

export interface OldRows {
  table: 'payment_story' | 'webhook_deliveries' | 'webhook_attempts' | 'request_log'
  /** The first columns of the primary key: within a group, rows at higher positions are newer. */
  group: readonly string[]
  position: 'number' | 'sequence' | 'at'
  /** The column by which a row is old; while it is null, the row stays. */
  time: 'at' | 'ended_at'
  /** The condition for rows that are not pruned yet; `remove` prunes them. */
  still: string
  remove: string
  keeps: string
}

const SETTLED = `not exists (select 1 from payments p where p.account_id = payment_story.account_id
    and p.number = payment_story.number and p.status = 'pending')
  and not exists (select 1 from refunds r where r.account_id = payment_story.account_id
    and r.number = payment_story.number and r.status = 'pending')`
const ENDED = `not exists (select 1 from webhook_deliveries d
  where d.account_id = webhook_attempts.account_id
    and d.endpoint_id = webhook_attempts.endpoint_id and d.sequence = webhook_attempts.sequence
    and d.round = webhook_attempts.round and d.status = 'waiting')`

const OF_ENDPOINT = { group: ['account_id', 'endpoint_id'], position: 'sequence' } as const

export const OLD_STORIES: OldRows = {
  table: 'payment_story',
  group: ['account_id'],
  position: 'number',
  time: 'at',
  still: 'true',
  remove: 'delete from payment_story',
  keeps: SETTLED,
}
export const OLD_DELIVERIES: OldRows = {
  ...OF_ENDPOINT,
  table: 'webhook_deliveries',
  time: 'ended_at',
  still: 'true',
  remove: 'delete from webhook_deliveries',
  keeps: "status <> 'waiting'",
}
export const OLD_ATTEMPTS: OldRows = {
  ...OF_ENDPOINT,
  table: 'webhook_attempts',
  time: 'at',
  still: 'true',
  remove: 'delete from webhook_attempts',
  keeps: ENDED,
}
/** Erases only the receiver's answer: the attempt itself stays. */
export const OLD_ANSWERS: OldRows = {
  ...OF_ENDPOINT,
  table: 'webhook_attempts',
  time: 'at',
  still: "answer <> ''",
  remove: "update webhook_attempts set answer = ''",
  keeps: ENDED,
}

export const OLD_REQUESTS: OldRows = {
  table: 'request_log',
  group: ['account_id'],
  position: 'at',
  time: 'at',
  still: 'true',
  remove: 'delete from request_log',
  keeps: 'true',
}

/** The group after one, in the order of the primary key. */
export async function findNextGroup(
  db: Queries,
  { table, group, still }: OldRows,
  after: readonly Value[],
): Promise<Value[] | undefined> {
  const names = group.join(', ')
  const place = listOf('after', after)
  const row = await firstRow<Record<string, Value>>(
    db,
    `select ${names} from ${table} where (${names}) > (${place.places}) and ${still}
     order by ${names} limit 1`,
    place.values,
  )
  return row && group.map((name) => row[name] ?? null)
}

/**
 * The positions after one, each with the time of its oldest row; null when none of its rows can be
 * old yet.
 */
export const listPositions = (
  db: Queries,
  { table, group, position, time, still }: OldRows,
  of: readonly Value[],
  after: number,
  most: number,
): Promise<{ position: number; oldest: number | null }[]> =>
  db.read(
    `select ${position} as position, min(${time}) as oldest from ${table}
     where ${same(group)} and ${position} > :after and ${still}
     group by ${position} order by ${position} limit :most`,
    { ...groupValues(group, of), after, most },
  )

/**
 * Returns how many rows were removed, of those after one position and up to another that are from
 * before a time.
 */
export const removeOld = (
  db: Queries,
  { group, position, time, still, remove, keeps }: OldRows,
  of: readonly Value[],
  [after, upTo]: readonly [number, number],
  before: number,
): Promise<number> =>
  db.change(
    `${remove} where ${same(group)} and ${position} > :after and ${position} <= :upTo
     and ${time} < :before
     and ${still} and ${keeps}`,
    { ...groupValues(group, of), after, upTo, before },
  )

const same = (group: readonly string[]): string =>
  group.map((name) => `${name} = :${name}`).join(' and ')
const groupValues = (group: readonly string[], values: readonly Value[]): Values =>
  Object.fromEntries(group.map((name, at) => [name, values[at] ?? null]))
