// Removes rows that have ended: histories past their retention, people's ended sessions and old
// emails, and unused prompt guards. Each works in slices, and several processes may do it at the
// same time.
import type { Clock } from '../domain/clock-and-random.ts'
import { FORGOTTEN_AFTER_MS, NUMBER_MEMORY_MS } from '../domain/limits/try-limit.ts'
import { DAY_MS } from '../domain/payments/verdict.ts'
import { lookUp } from '../domain/texts/free-text.ts'
import { findOldKept, removeKeptSlice } from '../store/books/kept-files.ts'
import type { Database, Value } from '../store/engine/database.ts'
import {
  type FollowedEvent,
  findSummaryPlace,
  listFollowedEvents,
} from '../store/figures/summaries.ts'
import { listPromptGuards, removePromptGuards } from '../store/links/prompts.ts'
import { lockAccount } from '../store/merchants/accounts.ts'
import { removeEndedResets, removeOldTries } from '../store/people/credentials.ts'
import { removeOldMails } from '../store/people/mails.ts'
import { removeEndedSessions } from '../store/people/sessions.ts'
import {
  findFeedStart,
  findNextFeed,
  findReplayedSince,
  moveFeedStart,
  type RemovedFigures,
  removeEventsTo,
} from '../store/retention/feed-starts.ts'
import {
  findNextGroup,
  listPositions,
  type OldRows,
  removeOld,
} from '../store/retention/old-rows.ts'
import { findFirstWaiting } from '../store/webhooks/delivery-log.ts'

export interface PruneDeps {
  db: Database
  clock: Clock
  /** How long each is kept; 0 is for ever. */
  keep: readonly { rows: OldRows; days: number; isArchived?: true }[]
  /** Rows of archived tables from this time on are kept: they are not in an archive yet. */
  archivedUntil?(): Promise<number>
  /** Called with the number of rows that a slice removed. */
  pruned(rows: OldRows, count: number): void
}

/** Some milliseconds of the one writer's time. */
const POSITIONS_AT_ONCE = 50
/** Test events have positions below those of payments. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

type Place = { group: Value[]; position: number }

/**
 * A slice a round, group after group (an account, or an endpoint), oldest rows first. True while
 * there is more.
 */
export function historyPruner({
  db,
  clock,
  keep,
  archivedUntil,
  pruned,
}: PruneDeps): () => Promise<boolean> {
  const rules = keep.filter(({ days }) => days > 0)
  let at = 0
  let place: Place | undefined

  return async () => {
    const rule = rules[at]
    if (rule === undefined) {
      at = 0
      return false
    }
    const before = clock.now() - rule.days * DAY_MS
    const archived = rule.isArchived && archivedUntil ? await archivedUntil() : before
    place = await pruneSlice(rule.rows, Math.min(before, archived), place)
    if (place === undefined) at++
    return true
  }

  /** Returns where to continue; undefined after the last group. */
  async function pruneSlice(
    rows: OldRows,
    before: number,
    from: Place | undefined,
  ): Promise<Place | undefined> {
    if (from === undefined)
      return nextGroup(
        rows,
        rows.group.map(() => ''),
      )
    const slice = await listPositions(db, rows, from.group, from.position, POSITIONS_AT_ONCE)
    const upTo = slice.at(-1)?.position
    // A single young one may be an old event that was sent again: the whole slice decides.
    if (upTo === undefined || slice.every(({ oldest }) => oldest === null || oldest >= before))
      return nextGroup(rows, from.group)
    const count = await removeOld(db, rows, from.group, [from.position, upTo], before)
    if (count > 0) pruned(rows, count)
    return { ...from, position: upTo }
  }

  async function nextGroup(rows: OldRows, after: Value[]): Promise<Place | undefined> {
    const group = await findNextGroup(db, rows, after)
    return group && { group, position: BEFORE_ALL }
  }
}

/** Several such rounds as one: each to its end, one after the other. */
export function inTurn(rounds: readonly (() => Promise<boolean>)[]): () => Promise<boolean> {
  let at = 0
  return async () => {
    const isMore = (await rounds[at]?.()) ?? false
    if (!isMore) at = (at + 1) % rounds.length
    return isMore || at > 0
  }
}

const SLICE = 500
const MAILS_KEPT_MS = 30 * FORGOTTEN_AFTER_MS

/**
 * Ended sessions, expired tokens, old sign-in tries and emails. Returns true when there may be
 * more.
 */
export async function prunePeople({ db, clock }: { db: Database; clock: Clock }): Promise<boolean> {
  const now = clock.now()
  const removed = [
    await removeEndedSessions(db, now, SLICE),
    await removeEndedResets(db, now, SLICE),
    await removeOldTries(db, now - FORGOTTEN_AFTER_MS, SLICE),
    await removeOldMails(db, now - MAILS_KEPT_MS, SLICE),
  ]
  return removed.includes(SLICE)
}

/** An upload that was not imported by then is removed. */
const UNUSED_KEPT_MS = DAY_MS

/**
 * Statement files past their retention (0 days is for ever), and uploads that were not imported; a
 * slice a round.
 */
export async function pruneKeptFiles(
  { db, clock }: { db: Database; clock: Clock },
  days: number,
): Promise<boolean> {
  const now = clock.now()
  const before = { kept: days === 0 ? 0 : now - days * DAY_MS, unused: now - UNUSED_KEPT_MS }
  const keptId = await findOldKept(db, before)
  if (keptId === undefined) return false
  await removeKeptSlice(db, keptId)
  return true
}

const NAMES_AT_ONCE = 500

/**
 * Locks of prompts that no limit remembers: anyone with a link can type any number. True while
 * there may be more.
 */
export function promptGuardPruner({
  db,
  clock,
}: {
  db: Database
  clock: Pick<Clock, 'now'>
}): () => Promise<boolean> {
  let after = ''
  return async () => {
    const slice = await listPromptGuards(db, after, NAMES_AT_ONCE)
    const upTo = slice.at(-1)?.name
    const before = clock.now() - NUMBER_MEMORY_MS
    if (upTo !== undefined && slice.some(({ at }) => at < before))
      await removePromptGuards(db, [after, upTo], before)
    after = slice.length < NAMES_AT_ONCE ? '' : (upTo ?? '')
    return after !== ''
  }
}

// Removes old events from the beginning of each account's feed, in slices. The start of the feed
// moves first, and the events before it go afterwards. Several processes may do it at the same
// time.

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
  /**
   * The first event that must stay: a delivery of it waits, or the daily figures do not count it
   * yet.
   */
  keptFrom: number
}

/** A slice a round, account after account. A round returns true while there is more. */
export function eventPruner({
  db,
  clock,
  days,
  archivedUntil,
  pruned,
}: PruneEventsDeps): () => Promise<boolean> {
  let last = ''
  let feed: Feed | undefined

  return async () => {
    if (days === 0) return false
    if (feed === undefined) {
      const accountId = await findNextFeed(db, last)
      last = accountId ?? ''
      feed = accountId === undefined ? undefined : await openFeed(accountId)
      return feed !== undefined
    }
    const count = await removeEventsTo(db, feed.accountId, feed.removedTo)
    if (count > 0) pruned(count)
    feed = await moveStart(feed)
    return true
  }

  async function openFeed(accountId: string): Promise<Feed> {
    const { removedTo } = await findFeedStart(db, accountId)
    const { lastSequence: counted } = await findSummaryPlace(db, accountId)
    // Later, only a replay can make an old event wait again: moveStart looks for replays.
    const waiting = (await findFirstWaiting(db, accountId)) ?? Number.POSITIVE_INFINITY
    return { accountId, removedTo, keptFrom: Math.min(waiting, counted + 1) }
  }

  /**
   * Undefined at the first event that stays, and when another process moves the start of this feed.
   */
  async function moveStart({ accountId, removedTo, keptFrom }: Feed): Promise<Feed | undefined> {
    const before = Math.min(
      clock.now() - days * DAY_MS,
      (await archivedUntil?.()) ?? Number.POSITIVE_INFINITY,
    )
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
      const replayed = await findReplayedSince(tx, accountId, range, before)
      const removed = old.slice(
        0,
        replayed === undefined ? undefined : countUntil(old, (e) => e.sequence >= replayed),
      )
      if (removed.length === 0) return undefined
      const to = {
        removedTo: lastOf(removed).sequence,
        removedUntil: Math.max(...removed.map((e) => e.createdAt)),
      }
      const isMoved = await moveFeedStart(tx, accountId, removedTo, to, figuresOf(removed))
      return isMoved ? { accountId, removedTo: to.removedTo, keptFrom } : undefined
    })
  }
}

const lastOf = (events: readonly FollowedEvent[]): FollowedEvent => events.at(-1) as FollowedEvent

function countUntil(
  events: readonly FollowedEvent[],
  isEnd: (event: FollowedEvent) => boolean,
): number {
  const end = events.findIndex(isEnd)
  return end === -1 ? events.length : end
}

const FIGURES = {
  'payment.succeeded': ['succeeded', 'succeededXof'],
  'payment.failed': ['failed', 'failedXof'],
  'payment.refunded': ['refunded', 'refundedXof'],
} as const

/** Counted as the figures count them: an event without a payment is not. */
function figuresOf(events: readonly FollowedEvent[]): RemovedFigures {
  const figures = {
    succeeded: 0,
    succeededXof: 0,
    failed: 0,
    failedXof: 0,
    refunded: 0,
    refundedXof: 0,
  }
  for (const { event, amountXof } of events) {
    const names = lookUp(FIGURES, event)
    if (names === undefined || amountXof === null) continue
    figures[names[0]]++
    figures[names[1]] += amountXof
  }
  return figures
}
