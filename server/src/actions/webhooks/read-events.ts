// Reads the feed of an account: its events, numbered without gaps, and the list of replayed events.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MerchantCaller } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type FeedEvent, type FeedPage, type FeedQuery, isFeedPosition } from '../../domain/webhook-event.ts'
import type { Database } from '../../store/engine/database.ts'
import * as eventStore from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'

export async function readEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  query: FeedQuery,
): Promise<FeedPage | RefusedAs<'event_not_found'>> {
  const end = await eventStore.feedEnd(db, accountId)
  const after = await startOf(db, accountId, query.after, end.lastSequence)
  if (after === undefined) return { refused: 'event_not_found' }
  const events = await readSlices(query.limit, (last: FeedEvent | undefined, most) =>
    eventStore.listFeed(db, accountId, last?.sequence ?? after, most),
  )
  const replaysAfter = query.replaysAfter === undefined ? undefined : replaysStart(query.replaysAfter, end.lastReplay)
  const replays =
    replaysAfter === undefined
      ? []
      : await readSlices(query.limit, (last: FeedPage['replays'][number] | undefined, most) =>
          eventStore.listReplays(db, accountId, last?.replay ?? replaysAfter, most),
        )
  return {
    events,
    replays,
    hasMore:
      (events.at(-1)?.sequence ?? after) < end.lastSequence ||
      (replaysAfter !== undefined && (replays.at(-1)?.replay ?? replaysAfter) < end.lastReplay),
    nextAfter: events.at(-1)?.sequence ?? after,
    nextReplaysAfter: replays.at(-1)?.replay ?? replaysAfter ?? end.lastReplay,
  }
}

/** A page is read in slices, and ends with the one that makes it too long: other requests run between slices. */
const SLICE = 100
const PAGE_BYTES = 256 * 1024

async function readSlices<Row extends { payload: string }>(
  limit: number,
  read: (last: Row | undefined, most: number) => Promise<Row[]>,
): Promise<Row[]> {
  const page: Row[] = []
  let bytes = 0
  while (page.length < limit && bytes < PAGE_BYTES) {
    if (page.length > 0) await nextTurn()
    const most = Math.min(SLICE, limit - page.length)
    const slice = await read(page.at(-1), most)
    page.push(...slice)
    for (const { payload } of slice) bytes += payload.length
    if (slice.length < most) break
  }
  return page
}

/** A position beyond the end is the end: after a restore, numbers are used again. */
const replaysStart = (after: number | 'latest', last: number): number =>
  after === 'latest' ? last : Math.min(after, last)

async function startOf(db: Database, accountId: string, after: string, last: number): Promise<number | undefined> {
  if (after === '') return 0
  if (after === 'latest') return last
  if (isFeedPosition(after)) return Math.min(Number(after), last)
  // A text that cannot be an id needs no look-up: PostgreSQL raises an error for a NUL.
  return /^evt_[0-9a-z]+$/.test(after) ? eventStore.sequenceOfEvent(db, accountId, after) : undefined
}

export async function listNewestEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  input: PageInput,
): Promise<Page<eventStore.ListedEvent> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await eventStore.listLatestEvents(db, accountId, wanted.cursor[0], wanted.limit + 1)
  return pageOf(found, wanted.limit, ({ sequence }) => [sequence])
}
