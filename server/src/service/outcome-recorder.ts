// Records what networks report: of payments in batches, and of refunds.
import type { Logger } from 'pino'
import type { MoveDeps } from '../actions/deps.ts'
import { recordOutcomes } from '../actions/payments/record-outcomes.ts'
import { recordRefundOutcome } from '../actions/payments/record-refund-outcome.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorReport, RefundAnswer } from '../domain/payments/operator-report.ts'
import type { ServiceItself } from '../domain/people/caller.ts'
import type { OperatorRefund } from '../domain/refunds/refund.ts'
import type { Metrics } from '../observability/metrics.ts'
import { batch } from '../store/engine/batch.ts'
import { pause } from '../worker/loop.ts'
import { PAUSE_WHILE_BUSY_MS } from './pacing.ts'
import { refundLog } from './worker-logs.ts'

const WORKER: ServiceItself = { is: 'service', part: 'worker' }

/**
 * Two at a time: one is prepared while one is written. On SQLite creates wait about 6 ms for a
 * batch.
 */
const LIMITS = {
  postgres: { flushes: 2, batchSize: 100, maxWaiting: 50_000 },
  sqlite: { flushes: 2, batchSize: 96, maxWaiting: 50_000 },
}
/** While requests saturate the process. */
const LIMITS_WHILE_BUSY = { flushes: 1, batchSize: 20, maxWaiting: 50_000 }

interface RecorderDeps extends MoveDeps {
  clock: Clock
  isOnSqlite: boolean
  metrics: Pick<Metrics, 'outcomeRecorded'>
  /** Called with the outcome of each payment. */
  settled(status: string, operator: string): void
  /** Called when an event was written, so that it is delivered at once. */
  eventWritten(): void
  isBusy(): boolean
}

/** Reports that arrive together share a transaction. */
export function outcomeRecorder({
  isOnSqlite,
  metrics,
  settled,
  eventWritten,
  isBusy,
  ...deps
}: RecorderDeps) {
  const limits = LIMITS[isOnSqlite ? 'sqlite' : 'postgres']
  const whileBusy = { ...LIMITS_WHILE_BUSY, pause: () => pause(deps.clock, PAUSE_WHILE_BUSY_MS) }
  return batch(
    async (reports: OperatorReport[]) => {
      const moves = await recordOutcomes(deps, WORKER, reports)
      for (const [at, move] of moves.entries()) {
        if (move === undefined) continue
        metrics.outcomeRecorded(move)
        settled(move, reports[at]?.payment.operator ?? '')
      }
      if (moves.some((move) => move !== undefined)) eventWritten()
      return moves
    },
    () => (isBusy() ? whileBusy : limits),
  )
}

interface RefundRecorderDeps extends MoveDeps {
  log: Logger
  eventWritten(): void
}

export function refundRecorder({ log, eventWritten, ...deps }: RefundRecorderDeps) {
  const logRefund = refundLog(log)
  return async (refund: OperatorRefund, answer: RefundAnswer): Promise<void> => {
    logRefund(refund, answer)
    await recordRefundOutcome(deps, WORKER, { refund, answer })
    eventWritten()
  }
}
