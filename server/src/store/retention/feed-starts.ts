// Where each account's feed begins once old events are removed. The start moves in one commit, and
// the events before it go in later ones: a reader that misses an event finds the start behind it,
// and a crash in between loses nothing.
import type { Queries } from '../engine/database.ts'
import { changesOne, columnsOf, firstRow, firstValue, insertNew } from '../rows.ts'

export interface FeedStart {
  /** Events up to this sequence are removed, or are about to be. */
  removedTo: number
  /** When the newest of them was written. */
  removedUntil: number
}

/** What removed events counted in the daily figures. */
export interface RemovedFigures {
  succeeded: number
  succeededXof: number
  failed: number
  failedXof: number
  refunded: number
  refundedXof: number
}

export type FeedStartRow = FeedStart & RemovedFigures & { accountId: string }

const ROW = columnsOf<FeedStartRow>({
  accountId: 'account_id',
  removedTo: 'removed_to',
  removedUntil: 'removed_until',
  succeeded: 'succeeded',
  succeededXof: 'succeeded_xof',
  failed: 'failed',
  failedXof: 'failed_xof',
  refunded: 'refunded',
  refundedXof: 'refunded_xof',
})

export const listFeedStarts = (db: Queries) =>
  db.read<FeedStartRow>(`select ${ROW} from feed_starts`)

export async function findFeedStart(db: Queries, accountId: string): Promise<FeedStart> {
  const start = await firstRow<FeedStartRow>(
    db,
    `select ${ROW} from feed_starts where account_id = :accountId`,
    { accountId },
  )
  return start ?? { removedTo: 0, removedUntil: 0 }
}

/** The account after one that has a feed. */
export const findNextFeed = (db: Queries, after: string) =>
  firstValue<string>(
    db,
    'select account_id from event_feeds where account_id > :after order by account_id limit 1',
    { after },
  )

/** The first event in a part of the feed that was replayed at or after a time. */
export const findReplayedSince = (
  db: Queries,
  accountId: string,
  [after, upTo]: readonly [number, number],
  since: number,
) =>
  firstValue<number>(
    db,
    `select sequence from event_replays
     where account_id = :accountId and sequence > :after and sequence <= :upTo and at >= :since
     order by sequence limit 1`,
    { accountId, after, upTo, since },
  )

/** False when another process has moved it. */
export async function moveFeedStart(
  tx: Queries,
  accountId: string,
  from: number,
  to: FeedStart,
  removed: RemovedFigures,
): Promise<boolean> {
  await insertNew(tx, 'feed_starts', { accountId, removedTo: 0, removedUntil: 0 })
  const { succeeded, succeededXof, failed, failedXof, refunded, refundedXof } = removed
  return changesOne(
    tx,
    `update feed_starts
     set removed_to = :removedTo, removed_until = case when removed_until > :removedUntil
     then removed_until else :removedUntil end, succeeded = succeeded + :succeeded,
       succeeded_xof = succeeded_xof + :succeededXof, failed = failed + :failed,
         failed_xof = failed_xof + :failedXof,
       refunded = refunded + :refunded, refunded_xof = refunded_xof + :refundedXof
     where account_id = :accountId and removed_to = :from`,
    {
      accountId,
      from,
      removedTo: to.removedTo,
      removedUntil: to.removedUntil,
      succeeded,
      succeededXof,
      failed,
      failedXof,
      refunded,
      refundedXof,
    },
  )
}

/**
 * Removes the events before the start of their feed, and their replays. Returns how many events
 * there were.
 */
export async function removeEventsTo(
  db: Queries,
  accountId: string,
  removedTo: number,
): Promise<number> {
  await db.change(
    'delete from event_replays where account_id = :accountId and sequence <= :removedTo',
    { accountId, removedTo },
  )
  return db.change('delete from events where account_id = :accountId and sequence <= :removedTo', {
    accountId,
    removedTo,
  })
}
