// Calls networks about payments: queues for each connection, with limits on concurrent calls and on
// calls a second, and a circuit breaker. While a connection's breaker is open it gets no call, then
// a single one as a probe; the claims of its queued payments are released. The queues are in memory
// only and need not survive a crash: the store knows which payments are due. It is:
//
// - serving: payments are queued and called.
// - stopping: nothing more is queued, waiting payments are released, and calls under way are still
//   recorded.
// - idle: no call is under way, and every answer is recorded.
import type { ServiceClock } from '../domain/clock-and-random.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { CallKind, CallLimits } from '../domain/operators/operator-call.ts'
import {
  countedFrom,
  type OperatorPayment,
  requestReferenceOf,
  SENT_WITHIN_MS,
} from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer, OperatorReport } from '../domain/payments/operator-report.ts'
import { spacedWork, type Waiting } from './call-queue.ts'
import { type ClaimLimit, ConnectionCalls, type ConnectionHealth } from './connection-calls.ts'
import { NetworkCaller, type NetworkCallerDeps } from './network-caller.ts'
import type { Operators } from './registry.ts'

export interface DispatcherDeps extends NetworkCallerDeps {
  operators: Pick<Operators, 'all'>
  clock: ServiceClock
  limitsOf(connection: ConnectionKey): CallLimits
  leaseMs: number
  /**
   * How long a payment may wait in the queue after its claim: the rest of the lease must cover the
   * call.
   */
  maxWaitMs: number
  recordOutcome(report: OperatorReport): Promise<unknown>
  /** Releases the claims that this process still holds, so that the payments are due again. */
  release(waiting: readonly Waiting[]): Promise<void>
  /** Called with each answer as soon as it arrives, for the counts of refusals. */
  answered?(report: OperatorReport): void
  /** Logs that a connection is refused for its credentials or settings, or no longer is. */
  misconfigured?(connection: ConnectionKey, why: string | null): void
}

/** Of all queues together: one connection cannot use up the room of the others. */
const MOST_WAITING = 1_600
/**
 * Between status calls for one payment: any visitor may open its page, and networks repeat
 * callbacks.
 */
const ASKED_EVERY_MS = 2_000
/**
 * Payments that wait for these two seconds; the hint of one more is dropped, since the payment is
 * polled anyway.
 */
const MOST_HINTS = 1_000

const nameOf = ({ environment, connection }: ConnectionKey): string =>
  `${environment} ${connection}`

export class Dispatcher {
  readonly #deps: DispatcherDeps
  readonly #caller: NetworkCaller
  readonly #connections = new Map<string, ConnectionCalls>()
  readonly #waitingInAll = { count: 0 }
  readonly #statusCalls: ReturnType<typeof spacedWork<OperatorAnswer>>
  #isStopping = false
  #whenIdle: (() => void)[] = []

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    this.#caller = new NetworkCaller(deps)
    this.#statusCalls = spacedWork<OperatorAnswer>(deps.clock, ASKED_EVERY_MS, MOST_HINTS)
    this.connect()
  }

  /** Makes queues for connections that are new, and uses new credentials from the next call on. */
  connect(): void {
    const { clock, maxWaitMs, limitsOf, release, failed, misconfigured } = this.#deps
    for (const { environment, operator, accountId } of this.#deps.operators.all()) {
      const key = { environment, connection: operator.name }
      const known = this.#connections.get(nameOf(key))
      if (known !== undefined) {
        known.operator = operator
        continue
      }
      const connection = new ConnectionCalls(key, operator, accountId, {
        clock,
        maxWaitMs,
        limits: limitsOf(key),
        waitingInAll: this.#waitingInAll,
        release: (claimed) => release(claimed).catch(failed),
        misconfigured: (why) => misconfigured?.(key, why),
      })
      this.#connections.set(nameOf(key), connection)
    }
  }

  /**
   * Queues a payment for its operator: a request if it was never sent, else a status call. Never
   * throws or waits.
   */
  take(claimed: OperatorPayment, claimedAt: number): void {
    const { clock, failed } = this.#deps
    const connection = this.#connections.get(nameOf(claimed))
    const payment = { ...claimed, requestedAt: countedFrom(claimed.requestedAt, clock.lastJump()) }
    // Without a connector the payment stays due in the store. The limit was checked before the
    // claim (hasRoom); one that exceeds it since is queued too: it would otherwise be idle until
    // its lease expires.
    if (this.#isStopping || connection === undefined) return
    if (connection.accountId !== undefined && connection.accountId !== payment.accountId) {
      failed(
        new Error(
          `payment ${payment.reference} names a connection of another account: it is not called`,
        ),
      )
      return
    }
    const kind = this.#kindFor(payment)
    connection.add(kind, { payment, claimedAt })
    this.#startCalls(connection, kind)
  }

  /**
   * Polls the status before the queued payments, and records the answer: for a callback or a
   * returning payer. At most once in two seconds for a payment. Resolves with the answer once it is
   * recorded, or without one.
   */
  async ask(payment: OperatorPayment): Promise<OperatorAnswer | undefined> {
    const connection = this.#connections.get(nameOf(payment))
    if (connection === undefined) return undefined
    // Also for a payment that is not recorded as sent yet: the request may have arrived.
    return this.#statusCalls(requestReferenceOf(payment), async () => {
      if (this.#isStopping) return undefined
      const whenAsked = connection.hint(payment)
      this.#startCalls(connection, 'status')
      return whenAsked
    })
  }

  health(): ConnectionHealth[] {
    return [...this.#connections.values()].map((connection) => connection.health())
  }

  /**
   * Whether this connection's queues have room for a payment that has just been made: check before
   * claiming one.
   */
  hasRoom(key: ConnectionKey): boolean {
    if (!this.#deps.clock.isRight() || this.room() <= 0) return false
    return this.#connections.get(nameOf(key))?.hasRoom() ?? false
  }

  /** False while this connection's breaker is open, and where there is no such connection. */
  mayBeCalled(key: ConnectionKey): boolean {
    return this.#connections.get(nameOf(key))?.mayBeCalled() ?? false
  }

  /**
   * How many payments to claim at most for each connection that may be called now, by kind of call.
   */
  claimLimits(): ClaimLimit[] {
    return [...this.#connections.values()].flatMap((connection) => connection.claimLimits())
  }

  /** How many more claimed payments all queues together have room for. */
  room(): number {
    return MOST_WAITING - this.#waitingInAll.count
  }

  /** Queues nothing more and releases the queued payments; resolves when no call is in flight. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#connections.values()].map((connection) => connection.releaseAll()))
    if (this.#isIdle()) return
    await new Promise<void>((resolve) => void this.#whenIdle.push(resolve))
  }

  #kindFor({ requestedAt, handedOverAt, claims }: OperatorPayment): CallKind {
    // Too late to send it: a status call finds out whether it was sent before a crash (ADR-0007).
    const isLate = this.#deps.clock.now() - requestedAt >= SENT_WITHIN_MS
    // Claimed before without a recorded result: it may have been sent, and networks differ about a
    // second request.
    const mayBeSent = claims > 1
    return handedOverAt === null && !isLate && !mayBeSent ? 'request' : 'status'
  }

  #startCalls(connection: ConnectionCalls, kind: CallKind): void {
    const later = (): void => this.#startCalls(connection, kind)
    for (
      let next = connection.next(kind, later);
      next !== undefined;
      next = connection.next(kind, later)
    )
      void this.#runCall(connection, kind, next)
  }

  async #runCall(
    connection: ConnectionCalls,
    kind: CallKind,
    { payment, claimedAt, asked }: Waiting,
  ): Promise<void> {
    const { leaseMs, recordOutcome, answered, failed } = this.#deps
    const claimedDueAt = claimedAt + leaseMs
    const via = asked === undefined ? kind : 'callback'
    let answer: OperatorAnswer | undefined
    connection.began(kind)
    try {
      const call = this.#caller.call(connection, { payment, via, claimedDueAt })
      const report = await call.finally(() => connection.ended(kind))
      answered?.(report)
      // The operator is free for the next call while this one is recorded: answers then share a
      // commit.
      this.#startCalls(connection, kind)
      await recordOutcome(asked === undefined ? { ...report, claimedDueAt } : report)
      answer = report.answer
    } catch (error) {
      failed(error)
    } finally {
      connection.recorded(kind)
      asked?.(answer)
      this.#startCalls(connection, kind)
      this.#noteIdle()
    }
  }

  #isIdle(): boolean {
    return [...this.#connections.values()].every((connection) => connection.isIdle())
  }

  #noteIdle(): void {
    if (this.#whenIdle.length === 0 || !this.#isIdle()) return
    for (const resolveStop of this.#whenIdle.splice(0)) resolveStop()
  }
}
