// The feed of an account: its events, numbered without gaps, and beside them the list of events replayed by hand (D-47).

/** Events per page. */
export const FEED_LIMIT = { usual: 100, most: 1_000 } as const
/** The longest `after`: longer than any event id or sequence. */
export const LONGEST_AFTER = 40

/** A sequence in the feed, or the number of a replay: digits that a double holds exactly. */
export const isFeedPosition = (text: string): boolean => /^\d{1,15}$/.test(text)

export interface FeedQuery {
  /** An event's id, its sequence, `latest`, or empty for the beginning. */
  after: string
  limit: number
  replaysAfter: number | 'latest' | undefined
}

export interface FeedEvent {
  sequence: number
  /** Exactly the text that the webhook carries. */
  payload: string
}

export interface FeedPage {
  events: FeedEvent[]
  replays: (FeedEvent & { replay: number })[]
  hasMore: boolean
  /** The `after` of the next page. */
  nextAfter: number
  nextReplaysAfter: number
}
