// Follows all accounts in turn, so that the figures and the search of the dashboard cost no create
// anything. While work with priority waits, it does one slice a round.
import { SETTLED_AFTER_MS, summariseAccount } from '../actions/figures/summarise-account.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import type { Database } from '../store/engine/database.ts'
import { type Followed, listFollowed } from '../store/figures/summaries.ts'

const SUMMARIES: ServiceItself = { is: 'service', part: 'summaries' }
const ACCOUNTS_AT_ONCE = 100

/** One round; true while there may be more. `goesAfter`: whether requests or payments wait. */
export function paymentSummariser(
  db: Database,
  clock: Clock,
  goesAfter: () => boolean,
): () => Promise<boolean> {
  let after = ''
  /** Whether an account of this turn may have more. */
  let isMore = false

  return async () => {
    const accounts = await listFollowed(db, after, ACCOUNTS_AT_ONCE)
    for (const account of accounts) {
      after = account.accountId
      if (!isBehind(account, clock.now())) continue
      // Another place means progress, so that there may be more.
      if ((await summariseAccount({ db, clock }, SUMMARIES, account)) !== account) isMore = true
      if (goesAfter()) return true
    }
    if (accounts.length === ACCOUNTS_AT_ONCE) return true
    const more = isMore
    after = ''
    isMore = false
    return more
  }
}

const isBehind = (
  { lastSequence, feedEnd, summedEntry, lastEntry, nextCreatedAt }: Followed,
  now: number,
): boolean =>
  feedEnd > lastSequence ||
  lastEntry > summedEntry ||
  (nextCreatedAt !== null && nextCreatedAt <= now - SETTLED_AFTER_MS)
