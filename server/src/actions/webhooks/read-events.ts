// The feed of an account: every event in an order without gaps, and beside it what was sent again by hand.
import type { MerchantCaller } from '../../domain/caller.ts'
import { type FeedPage, type FeedQuery, isFeedPlace } from '../../domain/event-feed.ts'
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
  // One more than asked for tells whether there is more.
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

/** What lies beyond the end is the end: whoever follows a restored database must not wait for numbers that come again. */
const replaysStart = (after: number | 'latest', last: number): number =>
  after === 'latest' ? last : Math.min(after, last)

async function startOf(db: Database, accountId: string, after: string, last: number): Promise<number | undefined> {
  if (after === '') return 0
  if (after === 'latest') return last
  if (isFeedPlace(after)) return Math.min(Number(after), last)
  // What cannot be an id is not asked for: PostgreSQL refuses a NUL, and says so as an error.
  return /^evt_[0-9a-z]+$/.test(after) ? sequenceOfEvent(db, accountId, after) : undefined
}
