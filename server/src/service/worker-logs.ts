// What the background work of payments and refunds logs about connections: once when a state
// begins, and once when it ends.
import type { Logger } from 'pino'
import { type ConnectionKey, connectionText } from '../domain/operators/connection-key.ts'
import type { RefundAnswer } from '../domain/payments/operator-report.ts'
import type { ConfigurationRefusals } from '../operators/configuration-refusals.ts'
import type { ConnectionHealth } from '../operators/connection-calls.ts'
import type { DispatcherDeps } from '../operators/dispatcher.ts'
import type { WatchBacklogDeps } from '../worker/watch-backlog.ts'

export function withRefusals(
  health: ConnectionHealth,
  refusals: Pick<ConfigurationRefusals, 'of' | 'suspected'>,
): ConnectionHealth {
  const refused = refusals.of(health)[0] ?? refusals.suspected(health)
  if (refused === undefined) return health
  return { ...health, isMisconfigured: true, why: refused.why, since: refused.since }
}

export const misconfiguredLog =
  (log: Logger): NonNullable<DispatcherDeps['misconfigured']> =>
  ({ environment, connection }, why) => {
    if (why === null) log.info({ environment, connection }, 'this connection works again')
    else
      log.error(
        { environment, connection, why },
        'this connection is refused for its credentials or settings: `karba operators check` says what to change',
      )
  }

/**
 * Refunds often have credentials of their own: logs once that they are refused, and once that they
 * work again.
 */
export function refundLog(log: Logger): (connection: ConnectionKey, answer: RefundAnswer) => void {
  const refusing = new Set<string>()
  return ({ environment, connection }, answer) => {
    const name = connectionText({ environment, connection })
    const why = misconfiguredWhy(answer)
    // A call without any answer is no evidence about the settings.
    if (
      (why !== undefined) === refusing.has(name) ||
      (answer.is === 'unknown' && why === undefined)
    )
      return
    if (why !== undefined) {
      refusing.add(name)
      const words =
        'refunds are refused for the credentials or settings of this connection: `karba operators check` says what to change'
      log.error({ environment, connection, why }, words)
    } else {
      refusing.delete(name)
      log.info({ environment, connection }, 'refunds of this connection work again')
    }
  }
}

/** Undefined where the answer does not blame our configuration. */
function misconfiguredWhy(answer: RefundAnswer): string | undefined {
  if (answer.is === 'unknown' && answer.misconfigured === true) return answer.why
  if (answer.is === 'declined' && answer.misconfigured?.kind === 'settings') {
    return `${answer.code ?? 'refused'}: ${answer.misconfigured.remedy}`
  }
  return undefined
}

export function backlogLog(log: Logger): Omit<WatchBacklogDeps, 'db' | 'clock' | 'connections'> {
  return {
    backlogReported: ({ environment, connection, oldestMs }) =>
      log.warn(
        { environment, connection, seconds: Math.round(oldestMs / 1_000) },
        'payments wait for this connection: it is slow, down, or gets fewer calls than merchants ask for',
      ),
    backlogIsOver: ({ environment, connection }) =>
      log.info({ environment, connection }, 'payments no longer wait for this connection'),
    broughtBack: ({ environment, connection }, count) =>
      log.warn(
        { environment, connection, count },
        'payments were due too far ahead, by a clock that was wrong: they are due now',
      ),
    othersBroughtBack: (counts) =>
      log.warn(
        counts,
        'refunds or rechecks were due too far ahead, by a clock that was wrong: they are due now',
      ),
  }
}
