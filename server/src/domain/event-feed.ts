// The feed of an account: every event in an order without gaps, and beside it what was sent again by hand (D-47).

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
