// The feed of an account: every event in an order without gaps, and beside it what was sent again by hand (D-47).

/** How many events are given at once. */
export const FEED_LIMIT = { usual: 100, most: 1_000 } as const
/** Longer than an event's id and than any place in the feed. */
export const LONGEST_AFTER = 40

/** A place in the feed, or the number of a replay: digits that a double holds exactly. */
export const isFeedPlace = (text: string): boolean => /^\d{1,15}$/.test(text)

export interface FeedQuery {
  /** An event's id, its sequence, `latest`, or nothing for the beginning. */
  after: string
  limit: number
  replaysAfter: number | 'latest' | undefined
}

export interface FeedEvent {
  sequence: number
  /** The very text that the webhook carries. */
  payload: string
}

export interface FeedPage {
  events: FeedEvent[]
  replays: (FeedEvent & { replay: number })[]
  hasMore: boolean
  /** To be given as `after` for what comes next. */
  nextAfter: number
  nextReplaysAfter: number
}
