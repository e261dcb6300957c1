// Removes old events from the beginning of each account's feed, in slices. The start of the feed moves first, and the
// events before it go afterwards. Several processes may do it at the same time.
import type { Clock } from '../domain/clock-and-random.ts'
import { lookUp } from '../domain/look-up.ts'
import { DAY_MS } from '../domain/verdict.ts'
import type { Database } from '../store/engine/database.ts'
import { type FollowedEvent, findSummaryPlace, listFollowedEvents } from '../store/figures/summaries.ts'
import { lockAccount } from '../store/merchants/accounts.ts'
import * as feedStarts from '../store/retention/feed-starts.ts'
import { findFirstWaiting } from '../store/webhooks/delivery-log.ts'

export interface PruneEventsDeps {
  db: Database
  clock: Pick<Clock, 'now'>
  /** 0 keeps them for ever. */
  days: number
  /** Events from this time on are kept: they are not in an archive yet. */
  archivedUntil?(): Promise<number>
  pruned(count: number): void
}

/** Some milliseconds of the one writer's time. */
const EVENTS_AT_ONCE = 50

interface Feed {
  accountId: string
  removedTo: number
  /** The first event that must stay: a delivery of it waits, or the daily figures do not count it yet. */
  keptFrom: number
}

/** A slice a round, account after account. A round returns true while there is more. */
export function eventPruner({ db, clock, days, archivedUntil, pruned }: PruneEventsDeps): () => Promise<boolean> {
  let last = ''
  let feed: Feed | undefined

  return async () => {
    if (days === 0) return false
    if (feed === undefined) {
      const accountId = await feedStarts.findNextFeed(db, last)
      last = accountId ?? ''
      feed = accountId === undefined ? undefined : await openFeed(accountId)
      return feed !== undefined
    }
    const count = await feedStarts.removeEventsTo(db, feed.accountId, feed.removedTo)
    if (count > 0) pruned(count)
    feed = await moveStart(feed)
    return true
  }

  async function openFeed(accountId: string): Promise<Feed> {
    const { removedTo } = await feedStarts.findFeedStart(db, accountId)
    const { lastSequence: counted } = await findSummaryPlace(db, accountId)
    // Later, only a replay can make an old event wait again: moveStart looks for replays.
    const waiting = (await findFirstWaiting(db, accountId)) ?? Number.POSITIVE_INFINITY
    return { accountId, removedTo, keptFrom: Math.min(waiting, counted + 1) }
  }

  /** Undefined at the first event that stays, and when another process moves the start of this feed. */
  async function moveStart({ accountId, removedTo, keptFrom }: Feed): Promise<Feed | undefined> {
    const before = Math.min(clock.now() - days * DAY_MS, (await archivedUntil?.()) ?? Number.POSITIVE_INFINITY)
    const slice = await listFollowedEvents(db, accountId, removedTo, EVENTS_AT_ONCE)
    const old = slice.slice(
      0,
      countUntil(slice, (event) => event.createdAt >= before || event.sequence >= keptFrom),
    )
    if (old.length === 0) return undefined
    return db.transaction(async (tx) => {
      // A replay locks it too: an event is either replayed or removed.
      await lockAccount(tx, accountId)
      const range = [removedTo, lastOf(old).sequence] as const
      const replayed = await feedStarts.findReplayedSince(tx, accountId, range, before)
      const removed = old.slice(0, replayed === undefined ? undefined : countUntil(old, (e) => e.sequence >= replayed))
      if (removed.length === 0) return undefined
      const to = { removedTo: lastOf(removed).sequence, removedUntil: Math.max(...removed.map((e) => e.createdAt)) }
      const isMoved = await feedStarts.moveFeedStart(tx, accountId, removedTo, to, figuresOf(removed))
      return isMoved ? { accountId, removedTo: to.removedTo, keptFrom } : undefined
    })
  }
}

const lastOf = (events: readonly FollowedEvent[]): FollowedEvent => events.at(-1) as FollowedEvent

function countUntil(events: readonly FollowedEvent[], isEnd: (event: FollowedEvent) => boolean): number {
  const end = events.findIndex(isEnd)
  return end === -1 ? events.length : end
}

const FIGURES = {
  'payment.succeeded': ['succeeded', 'succeededXof'],
  'payment.failed': ['failed', 'failedXof'],
  'payment.refunded': ['refunded', 'refundedXof'],
} as const

/** Counted as the figures count them: an event without a payment is not. */
function figuresOf(events: readonly FollowedEvent[]): feedStarts.RemovedFigures {
  const figures = { succeeded: 0, succeededXof: 0, failed: 0, failedXof: 0, refunded: 0, refundedXof: 0 }
  for (const { event, amountXof } of events) {
    const names = lookUp(FIGURES, event)
    if (names === undefined || amountXof === null) continue
    figures[names[0]]++
    figures[names[1]] += amountXof
  }
  return figures
}
