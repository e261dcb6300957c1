// The calls of one connection: a queue for each kind of call, with its limits, and the health that
// its answers show. The claim of a payment that waits longer than its lease is wasted, so the
// queues are small; but they hold several turns of calls, because the next ones are claimed
// meanwhile.
import type { ServiceClock } from '../domain/clock-and-random.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import {
  CALL_KINDS,
  type CallKind,
  type CallLimits,
  type DueLine,
} from '../domain/operators/operator-call.ts'
import type { OperatorPayment } from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer } from '../domain/payments/operator-report.ts'
import { type CallQueue, type CallRate, callQueue, callRate, type Waiting } from './call-queue.ts'
import { type ConnectionState, connectionState, type StateFacts } from './connection-state.ts'
import type { Operator } from './operator.ts'

export interface ConnectionHealth extends ConnectionKey, StateFacts {
  waiting: number
  underWay: number
}

/** `most` is 0 while its queue is nearly full. */
export type ClaimLimit = DueLine & { most: number }

const LEAST_WAITING = 200
const TURNS_WAITING = 3
/**
 * Answers that may wait to be recorded while more calls are made: with a slow store there would be
 * thousands.
 */
const MOST_UNRECORDED = 300
/** A claim of fewer is not worth a query, and while one of more is written creates would wait. */
const CLAIM = { least: 25, most: 200 } as const
/**
 * Creates go straight to the queue while fewer wait in it: the rest is for due payments, which have
 * waited longer.
 */
const MOST_STRAIGHT = 100

export interface ConnectionCallsDeps {
  clock: ServiceClock
  limits: CallLimits
  /** How long a payment may wait after its claim: the rest of the lease must cover the call. */
  maxWaitMs: number
  /** Claimed payments in the queues of all connections. */
  waitingInAll: { count: number }
  /** Never throws. */
  release(claimed: readonly Waiting[]): Promise<void>
  misconfigured(why: string | null): void
}

interface Line {
  queue: CallQueue
  rate: CallRate
  atOnce: number
  /** More would not be called within their leases. */
  mostWaiting: number
}

export class ConnectionCalls {
  readonly key: ConnectionKey
  /** Of a merchant's connection: it gets payments of this account and of no other. */
  readonly accountId: string | undefined
  /** Replaced when its credentials change: the next call uses them. */
  operator: Operator
  readonly #clock: ServiceClock
  readonly #state: ConnectionState
  readonly #lines: Record<CallKind, Line>

  constructor(
    key: ConnectionKey,
    operator: Operator,
    accountId: string | undefined,
    deps: ConnectionCallsDeps,
  ) {
    this.key = key
    this.operator = operator
    this.accountId = accountId
    this.#clock = deps.clock
    this.#state = connectionState(deps.clock, deps.misconfigured)
    this.#lines = { request: lineOf('request', deps), status: lineOf('status', deps) }
  }

  add(kind: CallKind, waiting: Waiting): void {
    this.#lines[kind].queue.add(waiting)
  }

  /**
   * Asks for the status before the claimed payments. Resolves with the answer, or without one when
   * it is dropped.
   */
  hint(payment: OperatorPayment): Promise<OperatorAnswer | undefined> {
    return this.#lines.status.queue.hint(payment)
  }

  /**
   * The next payment to call. When only the rate forbids a call now, `later` is called once it
   * allows one.
   */
  next(kind: CallKind, later: () => void): Waiting | undefined {
    const { queue, rate, atOnce } = this.#lines[kind]
    // After a sleep, or with a wrong clock, claims may have expired: another process may hold them
    // now.
    if (!this.#clock.isRight() || !this.#state.mayBeCalled()) {
      void queue.releaseAll()
      return undefined
    }
    queue.releaseOld()
    const most = this.#state.isDown() ? 1 : atOnce
    const isFull = queue.underWay >= most || queue.unrecorded >= most + MOST_UNRECORDED
    if (queue.length() === 0 || isFull || !rate.allows(later)) return undefined
    return queue.takeFirst()
  }

  began(kind: CallKind): void {
    this.#lines[kind].queue.underWay++
    this.#lines[kind].queue.unrecorded++
  }

  /** The network is free for the next call while this one is recorded. */
  ended(kind: CallKind): void {
    this.#lines[kind].queue.underWay--
  }

  recorded(kind: CallKind): void {
    this.#lines[kind].queue.unrecorded--
  }

  answered(answer: OperatorAnswer, tookMs: number): void {
    this.#state.answered(answer, tookMs)
  }

  mayBeCalled(): boolean {
    return this.#state.mayBeCalled()
  }

  /** Whether a payment that has just been made may be claimed for a request. */
  hasRoom(): boolean {
    const { mostWaiting } = this.#lines.request
    const kept = this.#state.isDown()
      ? 0
      : mostWaiting - Math.min(MOST_STRAIGHT, Math.ceil(mostWaiting / 2))
    return this.#room('request') > kept
  }

  claimLimits(): ClaimLimit[] {
    return CALL_KINDS.flatMap((kind) => {
      const room = this.#room(kind)
      if (this.#state.isDown()) return room === 0 ? [] : [{ ...this.key, kind, most: room }]
      const least = Math.min(CLAIM.least, Math.ceil(this.#lines[kind].mostWaiting / 2))
      return [{ ...this.key, kind, most: room < least ? 0 : Math.min(room, CLAIM.most) }]
    })
  }

  async releaseAll(): Promise<void> {
    await Promise.all(this.#queues().map((queue) => queue.releaseAll()))
  }

  isIdle(): boolean {
    return this.#queues().every((queue) => queue.unrecorded === 0 && queue.length() === 0)
  }

  health(): ConnectionHealth {
    const { request, status } = this.#lines
    return {
      ...this.#state.facts(),
      ...this.key,
      waiting: request.queue.length() + status.queue.length(),
      underWay: request.queue.underWay + status.queue.underWay,
    }
  }

  /**
   * Free places. A connection that is down gets one call at a time, and none while its breaker is
   * open.
   */
  #room(kind: CallKind): number {
    for (const queue of this.#queues()) queue.releaseOld()
    const { queue, mostWaiting } = this.#lines[kind]
    if (!this.#state.isDown()) return mostWaiting - queue.claimed()
    const isBusy = this.#queues().some((each) => each.length() + each.underWay > 0)
    return this.#state.mayBeCalled() && !isBusy ? 1 : 0
  }

  #queues(): CallQueue[] {
    return CALL_KINDS.map((kind) => this.#lines[kind].queue)
  }
}

function lineOf(kind: CallKind, { limits, maxWaitMs, ...deps }: ConnectionCallsDeps): Line {
  const { atOnce, perSecond = Infinity } = limits[kind]
  const most = Math.max(LEAST_WAITING, TURNS_WAITING * atOnce)
  return {
    queue: callQueue({ ...deps, maxWaitMs }),
    rate: callRate(deps.clock, perSecond),
    atOnce,
    mostWaiting: Math.max(1, Math.min(most, Math.floor((perSecond * maxWaitMs) / 1_000))),
  }
}
