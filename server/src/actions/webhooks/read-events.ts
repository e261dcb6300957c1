// Reads the feed of an account: its events, numbered without gaps, and the list of replayed events.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MerchantCaller } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { type FeedEvent, type FeedPage, type FeedQuery, isFeedPosition } from '../../domain/webhook-event.ts'
import type { Database } from '../../store/engine/database.ts'
import * as eventStore from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'
import { eventText } from './write-event.ts'

export async function readEvents(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  query: FeedQuery,
): Promise<FeedPage | RefusedAs<'event_not_found'>> {
  const end = await eventStore.feedEnd(db, accountId)
  const after = await startOf(db, accountId, query.after, end.lastSequence)
  if (after === undefined) return { refused: 'event_not_found' }
  const events = await readSlices(query.limit, async (last: FeedEvent | undefined, most) =>
    (await eventStore.listFeed(db, accountId, last?.sequence ?? after, most)).map(feedEvent),
  )
  const replaysAfter = query.replaysAfter === undefined ? undefined : replaysStart(query.replaysAfter, end.lastReplay)
  const replays =
    replaysAfter === undefined
      ? []
      : await readSlices(query.limit, async (last: FeedPage['replays'][number] | undefined, most) =>
          (await eventStore.listReplays(db, accountId, last?.replay ?? replaysAfter, most)).map((stored) => ({
            ...feedEvent(stored),
            replay: stored.replay,
          })),
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

const feedEvent = (stored: eventStore.StoredEvent): FeedEvent => ({
  sequence: stored.sequence,
  payload: eventText(stored),
})

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
  const found = await eventStore.listLatestEvents(db, accountId, wanted.cursor[0], wanted.limit + 1)
  const listed = found.map((stored) => {
    const { event, createdAt, reference: paymentReference } = stored
    return { ...feedEvent(stored), event, createdAt, paymentReference }
  })
  return pageOf(listed, wanted.limit, ({ sequence }) => [sequence])
}
