// Records delivery attempts: delivered, retried later, or given up (D-28). Attempts that end
// together share a transaction. An attempt that another process has recorded is ignored.

import type { Random } from '../../domain/clock-and-random.ts'
import { nextAttemptInMs } from '../../domain/limits/retry-schedule.ts'
import type { ServiceItself } from '../../domain/people/caller.ts'
import { type Queries, together } from '../../store/engine/database.ts'
import { addFailures, markGone, setWorking } from '../../store/webhooks/endpoints.ts'
import {
  type DueDelivery,
  endDelivery,
  insertAttempt,
  postponeDelivery,
  postponeLaterDeliveries,
} from '../../store/webhooks/events.ts'
import type { Attempt } from '../../webhooks/send.ts'
import type { Deps } from '../deps.ts'

export interface AttemptMade {
  delivery: DueDelivery
  /**
   * Whether an earlier attempt to the endpoint had failed: only then does a success change its row.
   */
  hadFailed: boolean
  at: number
  attempt: Attempt
}

export type RecordDeps = Pick<Deps, 'db' | 'clock' | 'random'>

const GONE = 410

export const isGone = ({ status }: Attempt): boolean => status === GONE
export const isAccepted = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300

export function recordAttempts(
  deps: RecordDeps,
  _caller: ServiceItself,
  made: readonly AttemptMade[],
): Promise<undefined[]> {
  return deps.db.transaction(async (tx) => {
    const counted = await together(made, (each) => recordOne(deps, tx, each))
    await recordHealth(
      tx,
      made.filter((_, index) => counted[index]),
    )
    return made.map(() => undefined)
  })
}

/**
 * One statement for each endpoint, not for each attempt: what its attempts say together, in the
 * order they ended.
 */
async function recordHealth(tx: Queries, made: readonly AttemptMade[]): Promise<void> {
  for (const ofEndpoint of Map.groupBy(made, ({ delivery }) => delivery.endpointId).values()) {
    const lastSuccess = ofEndpoint.findLast(({ attempt }) => isAccepted(attempt))
    const failed = ofEndpoint.slice(
      lastSuccess === undefined ? 0 : ofEndpoint.lastIndexOf(lastSuccess) + 1,
    )
    if (lastSuccess?.hadFailed) await setWorking(tx, lastSuccess.delivery, endedAt(lastSuccess))
    const [first, last] = [failed[0], failed.at(-1)]
    if (first === undefined || last === undefined) continue
    const failures = {
      count: failed.length,
      firstAt: endedAt(first),
      lastStatusCode: last.attempt.status,
    }
    await addFailures(tx, first.delivery, failures)
  }
}

const endedAt = ({ at, attempt }: AttemptMade): number => at + attempt.durationMs

/** False when another process has recorded this attempt. */
async function recordOne(
  { clock, random }: RecordDeps,
  tx: Queries,
  made: AttemptMade,
): Promise<boolean> {
  const { delivery, at, attempt } = made
  const { accountId, endpointId } = delivery
  const now = clock.now()
  const attemptNumber = delivery.attempts + 1
  const isDelivered = isAccepted(attempt)
  const delay = isDelivered
    ? undefined
    : nextAttemptInMs(attemptNumber, fraction(random), attempt.retryAfterMs)
  const nextAt = delay === undefined ? null : now + delay
  const isFirstRecord =
    nextAt === null
      ? await endDelivery(tx, delivery, {
          status: isDelivered ? 'delivered' : 'failed',
          endedAt: now,
        })
      : await postponeDelivery(tx, delivery, nextAt)
  if (!isFirstRecord) return false
  await insertAttempt(tx, delivery, {
    attempt: attemptNumber,
    at,
    durationMs: attempt.durationMs,
    statusCode: attempt.status,
    answer: attempt.answer,
    error: attempt.error,
    nextAt,
  })
  // When this was the last attempt, later deliveries are due already: they were never postponed
  // past it.
  if (nextAt !== null) await postponeLaterDeliveries(tx, delivery, nextAt)
  if (isGone(attempt)) await markGone(tx, accountId, endpointId)
  return true
}

const fraction = (random: Random): number => (random.bytes(1)[0] as number) / 255
