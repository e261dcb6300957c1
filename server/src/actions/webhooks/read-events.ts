// Reads the feed of an account: its events, numbered without gaps, and beside them the list of events replayed by hand.
import type { MerchantCaller } from '../../domain/caller.ts'
import { type FeedPage, type FeedQuery, isFeedPosition } from '../../domain/event-feed.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { feedEnd, listFeed, listReplays, sequenceOfEvent } from '../../store/webhooks/events.ts'

export async function readEvents(
  { db }: { db: Database },
  { accountId }: MerchantCaller,
  query: FeedQuery,
): Promise<FeedPage | RefusedAs<'event_not_found'>> {
  const end = await feedEnd(db, accountId)
  const after = await startOf(db, accountId, query.after, end.lastSequence)
  if (after === undefined) return { refused: 'event_not_found' }
  // One more than the limit shows whether there is a next page.
  const found = await listFeed(db, accountId, after, query.limit + 1)
  const replaysAfter = query.replaysAfter === undefined ? undefined : replaysStart(query.replaysAfter, end.lastReplay)
  const again = replaysAfter === undefined ? [] : await listReplays(db, accountId, replaysAfter, query.limit + 1)
  const [events, replays] = [found.slice(0, query.limit), again.slice(0, query.limit)]
  return {
    events,
    replays,
    hasMore: found.length > events.length || again.length > replays.length,
    nextAfter: events.at(-1)?.sequence ?? after,
    nextReplaysAfter: replays.at(-1)?.replay ?? replaysAfter ?? end.lastReplay,
  }
}

/** A position beyond the end is the end: after a restore from a backup, a reader must not miss numbers that are used again. */
const replaysStart = (after: number | 'latest', last: number): number =>
  after === 'latest' ? last : Math.min(after, last)

async function startOf(db: Database, accountId: string, after: string, last: number): Promise<number | undefined> {
  if (after === '') return 0
  if (after === 'latest') return last
  if (isFeedPosition(after)) return Math.min(Number(after), last)
  // A text that cannot be an id needs no look-up: PostgreSQL raises an error for a NUL.
  return /^evt_[0-9a-z]+$/.test(after) ? sequenceOfEvent(db, accountId, after) : undefined
}
