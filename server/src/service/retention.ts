// How long each kind of row is kept.
import type { Config } from '../config.ts'
import {
  OLD_ANSWERS,
  OLD_ATTEMPTS,
  OLD_DELIVERIES,
  OLD_REQUESTS,
  OLD_STORIES,
} from '../store/retention/old-rows.ts'
import type { PruneDeps } from '../worker/prune.ts'

/** A delivery stays no longer than events do, and an attempt no longer than deliveries. */
export const keptHistories = ({
  keepEventsDays,
  keepDeliveriesDays,
  ...config
}: Config): PruneDeps['keep'] => [
  { rows: OLD_STORIES, days: config.keepStoryDays, isArchived: true },
  { rows: OLD_DELIVERIES, days: shortest(keepEventsDays, keepDeliveriesDays), isArchived: true },
  {
    rows: OLD_ATTEMPTS,
    days: shortest(keepEventsDays, keepDeliveriesDays, config.keepAttemptsDays),
    isArchived: true,
  },
  { rows: OLD_ANSWERS, days: config.keepWebhookAnswersDays },
  { rows: OLD_REQUESTS, days: config.keepRequestsDays },
]

/** 0 is for ever. */
const shortest = (...days: number[]): number => {
  const limited = days.filter((each) => each > 0)
  return limited.length === 0 ? 0 : Math.min(...limited)
}
