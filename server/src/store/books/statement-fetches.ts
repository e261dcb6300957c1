// Days whose statements are fetched from a network. One process at a time works on a day: its claim
// ends with it.

import type {
  FetchFailure,
  FetchFault,
  StatementFetch,
} from '../../domain/books/statement-fetch.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Queries } from '../engine/database.ts'
import {
  columnsOf,
  firstReturned,
  firstValue,
  insertNew,
  listOf,
  padded,
  putRow,
  updateOne,
} from '../rows.ts'

const FETCH = columnsOf<StatementFetch>({
  environment: 'environment',
  connection: 'connection',
  day: 'day',
  state: 'state',
  requestId: 'request_id',
  requestedAt: 'requested_at',
  failures: 'failures',
  claimedUntil: 'claimed_until',
})

/** False when the day has its row. */
export const insertFetch = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  day: number,
  dueAt: number,
) => insertNew(db, 'statement_fetches', { environment, connection, day, state: 'waiting', dueAt })

export const findFirstDay = async (db: Queries, { environment, connection }: ConnectionKey) =>
  (await firstValue<number>(
    db,
    `select min(day) as day from statement_fetches
     where environment = :environment and connection = :connection`,
    { environment, connection },
  )) ?? undefined

export const listFetchedConnections = (db: Queries) =>
  db.read<ConnectionKey>(
    `select distinct environment, connection from statement_fetches where state <> 'fetched'`,
  )

/** Of a connection that was removed. */
export const forgetUnfetched = (db: Queries, { environment, connection }: ConnectionKey) =>
  db.change(
    `delete from statement_fetches
     where environment = :environment and connection = :connection and state <> 'fetched'`,
    { environment, connection },
  )

export const removeOldFetches = (db: Queries, beforeDay: number) =>
  db.change('delete from statement_fetches where day < :beforeDay', { beforeDay })

/** Those that are due and not claimed, waiting longest first. */
export const listDueFetches = (db: Queries, now: number, most: number) =>
  db.read<StatementFetch>(
    `select ${FETCH} from statement_fetches where due_at <= :now and claimed_until <= :now
     order by due_at, connection, day limit :most`,
    { now, most },
  )

/** The day as it is now; undefined when another process has it. */
export const claimFetch = (
  db: Queries,
  { environment, connection, day }: Pick<StatementFetch, 'environment' | 'connection' | 'day'>,
  now: number,
  until: number,
) =>
  firstReturned<StatementFetch>(
    db,
    `update statement_fetches set claimed_until = :until
     where environment = :environment and connection = :connection and day = :day and due_at <= :now
       and claimed_until <= :now
     returning ${FETCH}`,
    { environment, connection, day, now, until },
  )

/** False when the claim has ended, and another process may have the day. */
const updateClaimed = (
  db: Queries,
  { environment, connection, day, claimedUntil }: StatementFetch,
  values: Parameters<typeof updateOne>[3],
) => updateOne(db, 'statement_fetches', { environment, connection, day, claimedUntil }, values)

export const prolongClaim = (db: Queries, claimed: StatementFetch, until: number) =>
  updateClaimed(db, claimed, { claimedUntil: until })

export type FetchStep =
  | {
      is: 'requested'
      requestId: string
      at: number
      dueAt: number
    }
  | { is: 'looked_at'; dueAt: number }
  /** `dueAt`: for a day that has not ended yet. */
  | { is: 'fetched'; at: number; dueAt: number | null }
  | {
      is: 'failed'
      at: number
      failure: FetchFailure
      dueAt: number | null
    }

function valuesOf(step: FetchStep, { failures }: Pick<StatementFetch, 'failures'>) {
  const none = { requestId: null, requestedAt: null }
  switch (step.is) {
    case 'requested':
      return { requestId: step.requestId, requestedAt: step.at, dueAt: step.dueAt }
    case 'looked_at':
      return { dueAt: step.dueAt }
    case 'fetched':
      return {
        ...none,
        state: step.dueAt === null ? 'fetched' : 'waiting',
        failures: 0,
        dueAt: step.dueAt,
        fetchedAt: step.at,
        failedAt: null,
        fault: null,
        why: null,
      }
    case 'failed': {
      const { fault, why, isRequestGone } = step.failure
      return {
        ...(isRequestGone && none),
        state: step.dueAt === null ? 'failed' : 'waiting',
        failures: failures + 1,
        dueAt: step.dueAt,
        failedAt: step.at,
        fault,
        why,
      }
    }
  }
}

/** Records a step and ends the claim. */
export const endClaim = (db: Queries, claimed: StatementFetch, step: FetchStep) =>
  updateClaimed(db, claimed, { ...valuesOf(step, claimed), claimedUntil: 0 })

/** Gives the day back as it was. */
export const releaseClaim = (db: Queries, claimed: StatementFetch) =>
  updateClaimed(db, claimed, { claimedUntil: 0 })

/** Makes a day due now, unless a process works on it or has fetched it after `since`. */
export async function makeFetchDue(
  db: Queries,
  { environment, connection }: ConnectionKey,
  day: number,
  { now, since }: { now: number; since: number },
): Promise<void> {
  if (await insertFetch(db, { environment, connection }, day, now)) return
  await db.change(
    `update statement_fetches set state = 'waiting', failures = 0, due_at = :now
     where environment = :environment and connection = :connection and day = :day
       and claimed_until <= :now
       and (fetched_at is null or fetched_at <= :since)`,
    { environment, connection, day, now, since },
  )
}

/** A command has fetched the day. */
export const putFetched = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  day: number,
  at: number,
) =>
  putRow(
    db,
    'statement_fetches',
    { environment, connection, day },
    valuesOf({ is: 'fetched', at, dueAt: null }, { failures: 0 }),
  )

/** Days that failed in the last days, the oldest first. */
export const listFailedDays = (
  db: Queries,
  { environment, connection }: ConnectionKey,
  most: number,
) =>
  db.read<{ day: number }>(
    `select day from statement_fetches where environment = :environment
      and connection = :connection and state = 'failed'
     order by day desc limit :most`,
    { environment, connection, most },
  )

export interface FetchSummary extends ConnectionKey {
  /** The last success; null before the first. */
  fetchedAt: number | null
  /** Days that are being fetched, or are due. */
  underWay: number
}

/** Of these connections, by name: names of two environments may be equal. */
export const listFetchSummaries = async (
  db: Queries,
  now: number,
  names: readonly string[],
): Promise<FetchSummary[]> => {
  if (names.length === 0) return []
  const named = listOf('connection', padded(names))
  return db.read<FetchSummary>(
    `select environment, connection, max(fetched_at) as "fetchedAt",
       cast(sum(case when claimed_until > :now or due_at <= :now
         or (requested_at > coalesce(failed_at, 0) and due_at is not null)
         then 1 else 0 end) as bigint) as "underWay"
     from statement_fetches where connection in (${named.places}) group by environment, connection`,
    { now, ...named.values },
  )
}

export interface FailedFetch extends ConnectionKey {
  day: number
  failedAt: number
  fault: FetchFault
  why: string
}

const FAILED = columnsOf<FailedFetch>({
  environment: 'environment',
  connection: 'connection',
  day: 'day',
  failedAt: 'failed_at',
  fault: 'fault',
  why: 'why',
})

/** Of these connections, the last failure first. */
export const listFailures = async (
  db: Queries,
  names: readonly string[],
): Promise<FailedFetch[]> => {
  if (names.length === 0) return []
  const named = listOf('connection', padded(names))
  return db.read<FailedFetch>(
    `select ${FAILED} from statement_fetches
     where fault is not null and connection in (${named.places}) order by failed_at desc, day desc`,
    named.values,
  )
}
