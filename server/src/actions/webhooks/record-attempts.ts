// Records delivery attempts: delivered, retried later, or given up (D-28). Attempts that end together share a
// transaction. An attempt that another process has recorded is ignored.
import type { ServiceItself } from '../../domain/caller.ts'
import type { Random } from '../../domain/clock-and-random.ts'
import { nextAttemptInMs } from '../../domain/retry-schedule.ts'
import { type Queries, together } from '../../store/engine/database.ts'
import { markGone, setFailing } from '../../store/webhooks/endpoints.ts'
import * as eventStore from '../../store/webhooks/events.ts'
import type { Attempt } from '../../webhooks/send.ts'
import type { Deps } from '../deps.ts'

export interface AttemptMade {
  delivery: eventStore.DueDelivery
  /** Whether the endpoint was known to be failing: only then does a success change its row. */
  wasFailing: boolean
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
    await together(made, (each) => recordOne(deps, tx, each))
    return made.map(() => undefined)
  })
}

async function recordOne({ clock, random }: RecordDeps, tx: Queries, made: AttemptMade): Promise<void> {
  const { delivery, at, attempt } = made
  const { accountId, endpointId } = delivery
  const now = clock.now()
  const attemptNumber = delivery.attempts + 1
  const isDelivered = isAccepted(attempt)
  const delay = isDelivered ? undefined : nextAttemptInMs(attemptNumber, fraction(random), attempt.retryAfterMs)
  const nextAt = delay === undefined ? null : now + delay
  const isFirstRecord =
    nextAt === null
      ? await eventStore.endDelivery(tx, delivery, isDelivered ? 'delivered' : 'failed', now)
      : await eventStore.postponeDelivery(tx, delivery, nextAt)
  if (!isFirstRecord) return
  const { status: statusCode, durationMs, answer, error } = attempt
  await eventStore.insertAttempt(tx, delivery, {
    attempt: attemptNumber,
    at,
    durationMs,
    statusCode,
    answer,
    error,
    nextAt,
  })
  // When this was the last attempt, later deliveries are due already: they were never postponed past it.
  if (nextAt !== null) await eventStore.postponeLaterDeliveries(tx, delivery, nextAt)
  if (isDelivered && made.wasFailing) await setFailing(tx, accountId, endpointId, null)
  if (!isDelivered && nextAt === null) await setFailing(tx, accountId, endpointId, now)
  if (isGone(attempt)) await markGone(tx, accountId, endpointId)
}

const fraction = (random: Random): number => (random.bytes(1)[0] as number) / 255
