// Reads the feed of an account: its events, numbered without gaps, and the list of replayed events.
// Old events may be removed: then the numbers show that something is missing, and the reader gets a
// refusal instead of a gap (D-165).
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { timeOfReference } from '../../domain/payments/reference.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type FeedEvent,
  type FeedPage,
  type FeedQuery,
  isFeedPosition,
} from '../../domain/webhooks/webhook-event.ts'
import type { Database } from '../../store/engine/database.ts'
import { findFeedStart } from '../../store/retention/feed-starts.ts'
import {
  feedEnd,
  listFeed,
  listLatestEvents,
  listReplays,
  type StoredEvent,
  sequenceOfEvent,
} from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'

export async function readEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  query: FeedQuery,
): Promise<FeedPage | RefusedAs<'event_not_found' | 'cursor_too_old'>> {
  // Read before the page: what was written by then must be on it, or is removed.
  const end = await feedEnd(db, accountId)
  const after = await startOf(db, accountId, query.after, end.lastSequence)
  if (after === undefined)
    return (await tooOldId(db, accountId, query.after)) ?? { refused: 'event_not_found' }
  const found = await readSlices(query.limit, async (last: FeedEvent | undefined, most) =>
    (await listFeed(db, accountId, last?.sequence ?? after, most)).map(feedEvent),
  )
  // Without a cursor, the feed begins with the oldest event that is kept.
  const begin = query.after === '' ? (found[0]?.sequence ?? end.lastSequence + 1) - 1 : after
  const events = withoutGap(found, begin, ({ sequence }) => sequence)
  if (events.length === 0 && begin < end.lastSequence) return tooOld(db, accountId, 'after')
  const replaysAfter =
    query.replaysAfter === undefined ? undefined : replaysStart(query.replaysAfter, end.lastReplay)
  const replays =
    replaysAfter === undefined
      ? []
      : withoutGap(
          await readSlices(
            query.limit,
            async (last: FeedPage['replays'][number] | undefined, most) =>
              (await listReplays(db, accountId, last?.replay ?? replaysAfter, most)).map(
                (stored) => ({
                  ...feedEvent(stored),
                  replay: stored.replay,
                }),
              ),
          ),
          replaysAfter,
          ({ replay }) => replay,
        )
  if (replaysAfter !== undefined && replays.length === 0 && replaysAfter < end.lastReplay)
    return tooOld(db, accountId, 'replays_after')
  return {
    events,
    replays,
    hasMore:
      (events.at(-1)?.sequence ?? begin) < end.lastSequence ||
      (replaysAfter !== undefined && (replays.at(-1)?.replay ?? replaysAfter) < end.lastReplay),
    nextAfter: events.at(-1)?.sequence ?? begin,
    nextReplaysAfter: replays.at(-1)?.replay ?? replaysAfter ?? end.lastReplay,
  }
}

const feedEvent = ({ sequence, payload }: StoredEvent): FeedEvent => ({
  sequence,
  payload,
})

/**
 * The rows up to the first missing number: events were removed between two slices, and the next
 * page is refused.
 */
function withoutGap<Row>(
  rows: readonly Row[],
  after: number,
  numberOf: (row: Row) => number,
): Row[] {
  const gap = rows.findIndex((row, at) => numberOf(row) !== after + 1 + at)
  return rows.slice(0, gap === -1 ? undefined : gap)
}

async function tooOld(
  db: Database,
  accountId: string,
  parameter: 'after' | 'replays_after',
): Promise<RefusedAs<'cursor_too_old'>> {
  const { removedTo, removedUntil } = await findFeedStart(db, accountId)
  return { refused: 'cursor_too_old', parameter, keptAfter: removedTo, removedUntil }
}

/**
 * The id of an event has its time: an unknown one that is as old as removed events was probably
 * removed with them.
 */
async function tooOldId(
  db: Database,
  accountId: string,
  eventId: string,
): Promise<RefusedAs<'cursor_too_old'> | undefined> {
  const { removedTo, removedUntil } = await findFeedStart(db, accountId)
  const at = eventId.startsWith('evt_')
    ? timeOfReference(eventId.slice(4), removedUntil)
    : undefined
  if (removedTo === 0 || at === undefined || at > removedUntil) return undefined
  return { refused: 'cursor_too_old', parameter: 'after', keptAfter: removedTo, removedUntil }
}

/**
 * A page is read in slices, and ends with the one that makes it too long: other requests run
 * between slices.
 */
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

async function startOf(
  db: Database,
  accountId: string,
  after: string,
  last: number,
): Promise<number | undefined> {
  if (after === '') return 0
  if (after === 'latest') return last
  if (isFeedPosition(after)) return Math.min(Number(after), last)
  // A text that cannot be an id needs no look-up: PostgreSQL raises an error for a NUL.
  return /^evt_[0-9a-z]+$/.test(after) ? sequenceOfEvent(db, accountId, after) : undefined
}

export interface ListedEvent extends FeedEvent {
  event: string
  createdAt: number
  /** Null where it is about no payment. */
  paymentReference: string | null
}

export async function listNewestEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  input: PageInput,
): Promise<Page<ListedEvent> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(input, ['number'], [Number.MAX_SAFE_INTEGER])
  if (isRefused(wanted)) return wanted
  const found = await listLatestEvents(db, accountId, wanted.cursor[0], wanted.limit + 1)
  const listed = found.map((stored) => {
    const { event, createdAt, paymentReference } = stored
    return { ...feedEvent(stored), event, createdAt, paymentReference }
  })
  return pageOf(listed, wanted.limit, ({ sequence }) => [sequence])
}
