// Looks after payments that are due and not asked about: tells when an operator's oldest has waited too long, and makes payments due again
// that an earlier clock has put too far into the future.
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorKey } from '../domain/operator-report.ts'
import { LONGEST_POLL_MS } from '../domain/verdict.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import { allAccountsInTurn, bringBackPayments } from '../store/payments/pending-payments.ts'

export interface Backlog extends OperatorKey {
  /** How long the oldest has been due; 0 when none is. */
  oldestMs: number
}

export interface WatchBacklogDeps {
  db: Database
  clock: Clock
  operators(): readonly OperatorKey[]
  /** The oldest has waited for longer than a minute. Told again every minute. */
  backlogTold(backlog: Backlog): void
  backlogIsOver(operator: OperatorKey): void
  /** Payments were due too far in the future, and are due now. */
  broughtBackTold(operator: OperatorKey, count: number): void
}

const ALARM_AFTER_MS = 60_000
const TOLD_EVERY_MS = 60_000
/** A due time further ahead than any poll or lease cannot have been written by this clock. */
const LEEWAY_MS = 30_000

/** How long the oldest due payment of each operator has waited. */
export async function readBacklogs(
  db: Queries,
  clock: Pick<Clock, 'now'>,
  operators: readonly OperatorKey[],
): Promise<Backlog[]> {
  const reading = operators.map(async ({ environment, operator }) => {
    let oldest = clock.now()
    for await (const { firstDueAt } of allAccountsInTurn(db, { environment, operator })) {
      oldest = Math.min(oldest, firstDueAt)
    }
    return { environment, operator, oldestMs: Math.max(0, clock.now() - oldest) }
  })
  return Promise.all(reading)
}

/** Returns one round of the work; nothing is ever left over for the next. */
export function backlogWatch(deps: WatchBacklogDeps): () => Promise<boolean> {
  const { db, clock, operators, backlogTold, backlogIsOver, broughtBackTold } = deps
  const toldAt = new Map<string, number>()

  function tell(backlog: Backlog): void {
    const key = `${backlog.environment} ${backlog.operator}`
    const last = toldAt.get(key)
    const isLate = backlog.oldestMs > ALARM_AFTER_MS
    if (isLate && (last === undefined || clock.now() - last >= TOLD_EVERY_MS)) {
      toldAt.set(key, clock.now())
      backlogTold(backlog)
    } else if (!isLate && last !== undefined) {
      toldAt.delete(key)
      backlogIsOver(backlog)
    }
  }

  async function bringBack(operator: OperatorKey): Promise<void> {
    const now = clock.now()
    const latestOnFirstDay = now + LONGEST_POLL_MS.onFirstDay + LEEWAY_MS
    const latest = now + LONGEST_POLL_MS.later + LEEWAY_MS
    let count = 0
    for await (const { accountId, lastDueAt } of allAccountsInTurn(db, operator)) {
      if (lastDueAt <= latestOnFirstDay) continue
      count += await bringBackPayments(db, operator, accountId, { now, latestOnFirstDay, latest })
    }
    if (count > 0) broughtBackTold(operator, count)
  }

  return async () => {
    for (const backlog of await readBacklogs(db, clock, operators())) tell(backlog)
    for (const operator of operators()) await bringBack(operator)
    return false
  }
}
