// Watches the backlog: reports when a connection's oldest due payment has waited too long, and
// makes payments, refunds and rechecks due again that a wrong clock has put too far into the
// future.
import type { Clock } from '../domain/clock-and-random.ts'
import { LINK_METHODS } from '../domain/methods/methods.ts'
import { type ConnectionKey, connectionText } from '../domain/operators/connection-key.ts'
import { CALL_KINDS, type DueLine } from '../domain/operators/operator-call.ts'
import {
  DAY_MS,
  LONGEST_RECHECK_MS,
  LONGEST_REFUND_POLL_MS,
  longestPollMs,
} from '../domain/payments/verdict.ts'
import type { ConnectionHealth } from '../operators/connection-calls.ts'
import type { Database, Queries } from '../store/engine/database.ts'
import { writeHealth } from '../store/operators/connections.ts'
import { bringBackRechecks } from '../store/payments/payment-moves.ts'
import {
  type AccountInTurn,
  allAccountsInTurn,
  bringBackPayments,
  findLinesWithPending,
} from '../store/payments/pending-payments.ts'
import { bringBackRefunds } from '../store/payments/refunds.ts'

export interface Backlog extends ConnectionKey {
  /** How long the oldest has been due; 0 when none is. */
  oldestMs: number
}

export interface WatchBacklogDeps {
  db: Database
  clock: Clock
  connections(): readonly ConnectionKey[]
  /** The oldest has waited for longer than a minute. Called again every minute. */
  backlogReported(backlog: Backlog): void
  backlogIsOver(connection: ConnectionKey): void
  /** Payments were due too far in the future, and are due now. */
  broughtBack(connection: ConnectionKey, count: number): void
  /** The same of refunds and of requests that are rechecked. */
  othersBroughtBack(counts: { refunds: number; rechecks: number }): void
}

const ALARM_AFTER_MS = 60_000
const REPORTED_EVERY_MS = 60_000
/** A due time further ahead than any poll or lease cannot have been written by this clock. */
const LEEWAY_MS = 30_000

/** How long the oldest due payment of each connection has waited. */
export async function readBacklogs(
  db: Queries,
  clock: Pick<Clock, 'now'>,
  connections: readonly ConnectionKey[],
): Promise<Backlog[]> {
  const oldest = new Map<string, number>()
  for await (const { line, firstDueAt } of pendingAccounts(db, connections))
    oldest.set(
      connectionText(line),
      Math.min(oldest.get(connectionText(line)) ?? firstDueAt, firstDueAt),
    )
  const now = clock.now()
  return connections.map(({ environment, connection }) => {
    const firstDueAt = oldest.get(connectionText({ environment, connection })) ?? now
    return { environment, connection, oldestMs: Math.max(0, now - firstDueAt) }
  })
}

/** The accounts with pending payments. One query finds the lines that have any. */
async function* pendingAccounts(
  db: Queries,
  connections: readonly ConnectionKey[],
): AsyncGenerator<AccountInTurn & { line: DueLine }> {
  const lines = connections.flatMap(({ environment, connection }) =>
    CALL_KINDS.map((kind) => ({ environment, connection, kind })),
  )
  for (const line of await findLinesWithPending(db, lines))
    for await (const account of allAccountsInTurn(db, line)) yield { ...account, line }
}

/** Returns one round of the work; nothing is ever left over for the next. */
export function backlogWatch(deps: WatchBacklogDeps): () => Promise<boolean> {
  const { db, clock, connections, backlogReported, backlogIsOver, broughtBack, othersBroughtBack } =
    deps
  const reportedAt = new Map<string, number>()

  function report(backlog: Backlog): void {
    const key = connectionText(backlog)
    const last = reportedAt.get(key)
    const isLate = backlog.oldestMs > ALARM_AFTER_MS
    if (isLate && (last === undefined || clock.now() - last >= REPORTED_EVERY_MS)) {
      reportedAt.set(key, clock.now())
      backlogReported(backlog)
    } else if (!isLate && last !== undefined) {
      reportedAt.delete(key)
      backlogIsOver(backlog)
    }
  }

  async function bringBack(): Promise<void> {
    const now = clock.now()
    const latest = LINK_METHODS.map((method) => ({
      method,
      onFirstDay: now + longestPollMs(method, 0) + LEEWAY_MS,
      later: now + longestPollMs(method, DAY_MS) + LEEWAY_MS,
    }))
    const soonest = Math.min(...latest.map(({ onFirstDay }) => onFirstDay))
    const counts = new Map<string, number>()
    for await (const { line, accountId, lastDueAt } of pendingAccounts(db, connections())) {
      if (lastDueAt <= soonest) continue
      const count = await bringBackPayments(db, line, accountId, { now, soonest, latest })
      counts.set(connectionText(line), (counts.get(connectionText(line)) ?? 0) + count)
    }
    for (const connection of connections()) {
      const count = counts.get(connectionText(connection)) ?? 0
      if (count > 0) broughtBack(connection, count)
    }
  }

  async function bringBackOthers(): Promise<void> {
    const now = clock.now()
    const refunds = await bringBackRefunds(db, {
      now,
      latest: now + LONGEST_REFUND_POLL_MS + LEEWAY_MS,
    })
    const rechecks = await bringBackRechecks(db, {
      now,
      latest: now + LONGEST_RECHECK_MS + LEEWAY_MS,
    })
    if (refunds + rechecks > 0) othersBroughtBack({ refunds, rechecks })
  }

  return async () => {
    for (const backlog of await readBacklogs(db, clock, connections())) report(backlog)
    await bringBack()
    await bringBackOthers()
    return false
  }
}

// Shares the health of each connection with other processes: at once when it changes, and every
// minute otherwise.

const AGAIN_AFTER_MS = 60_000

/** Returns one round of the work; nothing is ever left over for the next. */
export function healthSharer(
  db: Database,
  clock: Clock,
  health: () => ConnectionHealth[],
): () => Promise<boolean> {
  const written = new Map<string, { as: string; at: number }>()
  return async () => {
    const now = clock.now()
    for (const each of health()) {
      const { environment, connection, state, since, why, isMisconfigured } = each
      const key = connectionText(each)
      const as = `${state} ${since} ${isMisconfigured}`
      const last = written.get(key)
      if (last?.as === as && now - last.at < AGAIN_AFTER_MS) continue
      const misconfigured = isMisconfigured ? 1 : 0
      await writeHealth(db, {
        environment,
        connection,
        state,
        since,
        why,
        misconfigured,
        seenAt: now,
      })
      written.set(key, { as, at: now })
    }
    return false
  }
}
