// Looks after payments that are due and not asked about: tells when an operator's oldest has waited too long, and makes payments due again
// that an earlier clock has put too far into the future.
import type { Clock } from '../domain/clock-and-random.ts'
import { CALL_KINDS, type ConnectionKey } from '../domain/operator-report.ts'
import { LONGEST_POLL_MS } from '../domain/verdict.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import { allAccountsInTurn, bringBackPayments } from '../store/payments/pending-payments.ts'

export interface Backlog extends ConnectionKey {
  /** How long the oldest has been due; 0 when none is. */
  oldestMs: number
}

export interface WatchBacklogDeps {
  db: Database
  clock: Clock
  connections(): readonly ConnectionKey[]
  /** The oldest has waited for longer than a minute. Told again every minute. */
  backlogTold(backlog: Backlog): void
  backlogIsOver(connection: ConnectionKey): void
  /** Payments were due too far in the future, and are due now. */
  broughtBackTold(connection: ConnectionKey, count: number): void
}

const ALARM_AFTER_MS = 60_000
const TOLD_EVERY_MS = 60_000
/** A due time further ahead than any poll or lease cannot have been written by this clock. */
const LEEWAY_MS = 30_000

/** How long the oldest due payment of each connection has waited. */
export async function readBacklogs(
  db: Queries,
  clock: Pick<Clock, 'now'>,
  connections: readonly ConnectionKey[],
): Promise<Backlog[]> {
  const reading = connections.map(async ({ environment, connection }) => {
    let oldest = clock.now()
    for (const kind of CALL_KINDS)
      for await (const { firstDueAt } of allAccountsInTurn(db, { environment, connection, kind }))
        oldest = Math.min(oldest, firstDueAt)
    return { environment, connection, oldestMs: Math.max(0, clock.now() - oldest) }
  })
  return Promise.all(reading)
}

/** Returns one round of the work; nothing is ever left over for the next. */
export function backlogWatch(deps: WatchBacklogDeps): () => Promise<boolean> {
  const { db, clock, connections, backlogTold, backlogIsOver, broughtBackTold } = deps
  const toldAt = new Map<string, number>()

  function tell(backlog: Backlog): void {
    const key = `${backlog.environment} ${backlog.connection}`
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

  async function bringBack(connection: ConnectionKey): Promise<void> {
    const now = clock.now()
    const latestOnFirstDay = now + LONGEST_POLL_MS.onFirstDay + LEEWAY_MS
    const latest = now + LONGEST_POLL_MS.later + LEEWAY_MS
    let count = 0
    for (const kind of CALL_KINDS) {
      const line = { ...connection, kind }
      for await (const { accountId, lastDueAt } of allAccountsInTurn(db, line)) {
        if (lastDueAt <= latestOnFirstDay) continue
        count += await bringBackPayments(db, line, accountId, { now, latestOnFirstDay, latest })
      }
    }
    if (count > 0) broughtBackTold(connection, count)
  }

  return async () => {
    for (const backlog of await readBacklogs(db, clock, connections())) tell(backlog)
    for (const connection of connections()) await bringBack(connection)
    return false
  }
}
