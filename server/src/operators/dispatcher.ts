// Calls operators about payments: one queue for each operator, with a limit on concurrent calls and a circuit breaker. While an
// operator's breaker is open it gets no call, then a single one as a probe; the claims of its queued payments are released. The queues
// are in memory only and need not survive a crash: the store knows which payments are due.

import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/circuit-breaker.ts'
import type { ServiceClock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import {
  type OperatorKey,
  type OperatorPayment,
  type OperatorReport,
  requestReferenceOf,
} from '../domain/operator-report.ts'
import { type OperatorAnswer, SENT_WITHIN_MS } from '../domain/outcome.ts'
import { type CallQueue, callQueue, type Waiting } from './call-queue.ts'
import type { Operator } from './operator.ts'
import type { Operators } from './registry.ts'
import { spacedWork } from './spaced-work.ts'

type OperatorState = 'working' | 'slow' | 'down'

interface OperatorHealth {
  environment: Environment
  operator: string
  state: OperatorState
  since: number
  waiting: number
  underWay: number
}

interface ClaimLimit extends OperatorKey {
  /** 0 while its queue is nearly full. */
  most: number
}

export interface Dispatcher {
  /** Queues a payment for its operator: a request if it has never been sent, else a status call. Never throws, never waits. */
  take(payment: OperatorPayment, claimedAt: number): void
  /**
   * Polls the status before what is queued, and records the answer: used when a callback or a returning payer hints at an outcome. Once in two
   * seconds for a payment, however often it is hinted at. Resolves when the answer is recorded, or when there will be none.
   */
  ask(payment: OperatorPayment): Promise<void>
  health(): OperatorHealth[]
  /** Whether this operator's queue has room for a payment that has just been made: check it before claiming one. */
  hasRoom(environment: Environment, operator: string): boolean
  /** How many payments to claim at most for each operator that may be called now. */
  claimLimits(): ClaimLimit[]
  /** How many more payments all queues together have room for. */
  room(): number
  /** Queues nothing more and releases what is queued; resolves when no call is under way. */
  stop(): Promise<void>
}

/** Concurrent calls to one operator from this process: requests for money, and questions about payments. */
export interface CallLimits {
  request: number
  status: number
}

export interface DispatcherDeps {
  operators: Pick<Operators, 'all'>
  clock: ServiceClock
  /** How many calls an operator may get at once. */
  limitsOf(operator: string): CallLimits
  /** How long a claim lasts. */
  leaseMs: number
  /** How long a payment may wait in the queue after its claim: the rest of the lease must cover the call. */
  maxWaitMs: number
  /** Whether HTTP requests are under way while the event loop is saturated. */
  isBusy(): boolean
  recordOutcome(report: OperatorReport): Promise<unknown>
  /** Releases the claims that this process still holds, so that the payments are due again. */
  release(waiting: readonly Waiting[]): Promise<void>
  /** Logs a fault of our own while an outcome is recorded or a claim released. */
  failed(error: unknown): void
}

/** While the process is saturated: answering merchants comes first, and a backlog of payments can wait. */
const MOST_WHILE_BUSY: CallLimits = { request: 12, status: 4 }
/** Few, because a payment that waits longer than its lease allows was claimed in vain. One queue cannot use up the room of all others. */
const MOST_WAITING = { perOperator: 100, total: 600 } as const
/** Creates go straight into a queue only while it is less full than this, else one merchant's creates would keep out what others have due. */
const MOST_WAITING_OF_CREATES = 50
/** A payment is asked about once in so long, however many hints there are: anybody may open a payment's page, and networks repeat themselves. */
const ASKED_EVERY_MS = 2_000
/** A hint more than these is dropped: the payment is polled anyway. */
const MOST_HINTS = 1_000
/** Answers that wait to be recorded while more calls are made: a store that is slow must not have thousands of them waiting. */
const MOST_UNRECORDED = 200
/** A claim of fewer is not worth a query. */
const LEAST_CLAIM = 25
const BREAKER: BreakerLimits = { failuresUntilOpen: 10, shortestOpenMs: 1_000, longestOpenMs: 15_000 }
const SLOW_MS = 5_000

type Kind = keyof CallLimits

interface OperatorQueue {
  environment: Environment
  operator: Operator
  limits: CallLimits
  calls: Record<Kind, CallQueue>
  breaker: CircuitBreaker
  state: OperatorState
  since: number
}

export function operatorDispatcher({
  operators,
  clock,
  limitsOf,
  leaseMs,
  maxWaitMs,
  isBusy,
  recordOutcome,
  release,
  failed,
}: DispatcherDeps): Dispatcher {
  const queueDeps = {
    clock,
    maxWaitMs,
    release: (claimed: readonly Waiting[]) => release(claimed).catch(failed),
  }
  const queues = new Map<string, OperatorQueue>()
  for (const { environment, operator } of operators.all()) {
    queues.set(`${environment} ${operator.name}`, {
      environment,
      operator,
      limits: limitsOf(operator.name),
      calls: { request: callQueue(queueDeps), status: callQueue(queueDeps) },
      breaker: CLOSED,
      state: 'working',
      since: clock.now(),
    })
  }
  const whenIdle: (() => void)[] = []
  let stopped = false

  const queueAt = (environment: Environment, operator: string): OperatorQueue | undefined =>
    queues.get(`${environment} ${operator}`)
  const queueOf = ({ environment, operator }: OperatorPayment): OperatorQueue | undefined =>
    queueAt(environment, operator)

  function take(payment: OperatorPayment, claimedAt: number): void {
    const queue = queueOf(payment)
    // Too late to send it: a status call finds out whether it was sent and a crash kept us from recording that (D-42).
    const isLate = clock.now() - payment.requestedAt >= SENT_WITHIN_MS
    // Claimed before, and nobody recorded what came of it: it may have been sent, and networks differ in how they take a second request.
    const mayBeSent = payment.claims > 1
    const kind = payment.handedOverAt === null && !isLate && !mayBeSent ? 'request' : 'status'
    // Without a connector the payment stays due in the store. The limit was checked before the claim (hasRoom); a payment that exceeds it
    // because others were queued in between is queued too, since it would otherwise be idle until its lease expires.
    if (stopped || queue === undefined) return
    queue.calls[kind].add({ payment, claimedAt })
    startCalls(queue, kind)
  }

  const questions = spacedWork(clock, ASKED_EVERY_MS, MOST_HINTS)

  async function ask(payment: OperatorPayment): Promise<void> {
    const queue = queueOf(payment)
    // Also for a payment that is not recorded as sent yet: the request may have arrived.
    if (queue !== undefined) await questions(requestReferenceOf(payment), () => askFirst(queue, payment))
  }

  function askFirst(queue: OperatorQueue, payment: OperatorPayment): Promise<void> {
    if (stopped) return Promise.resolve()
    return new Promise((asked) => {
      queue.calls.status.addFirst({ payment, claimedAt: clock.now(), asked })
      startCalls(queue, 'status')
    })
  }

  function startCalls(queue: OperatorQueue, kind: Kind): void {
    const calls = queue.calls[kind]
    // After a sleep of the machine, or with a wrong clock, the claims may have expired: another process may hold them now.
    if (!clock.isRight() || isOpen(queue.breaker, clock.now())) {
      void calls.releaseAll()
      return
    }
    calls.releaseOld()
    const most = queue.state === 'down' ? 1 : mostUnderWay(queue.limits[kind], kind)
    while (calls.underWay < most && calls.unrecorded < most + MOST_UNRECORDED) {
      const next = calls.takeFirst()
      if (next === undefined) return
      void runCall(queue, kind, next)
    }
  }

  const mostUnderWay = (limit: number, kind: Kind): number =>
    isBusy() ? Math.min(limit, MOST_WHILE_BUSY[kind]) : limit

  async function runCall(queue: OperatorQueue, kind: Kind, { payment, claimedAt, asked }: Waiting): Promise<void> {
    const calls = queue.calls[kind]
    calls.underWay++
    calls.unrecorded++
    try {
      const via = asked === undefined ? kind : 'callback'
      const claim = asked === undefined ? { claimedUntil: claimedAt + leaseMs } : {}
      const report = await callOperator(queue, payment, via).finally(() => calls.underWay--)
      // The operator is free for the next call while this one is recorded: answers then share a commit.
      startCalls(queue, kind)
      await recordOutcome({ ...report, ...claim })
    } catch (error) {
      failed(error)
    } finally {
      calls.unrecorded--
      asked?.()
      startCalls(queue, kind)
      if (whenIdle.length > 0 && isIdle()) for (const resolveStop of whenIdle.splice(0)) resolveStop()
    }
  }

  /** Free places in a queue. An operator that is down gets one call at a time, and none while its breaker is open. */
  function room(queue: OperatorQueue): number {
    const { request, status } = queue.calls
    request.releaseOld()
    status.releaseOld()
    const waiting = request.length() + status.length()
    if (queue.state !== 'down') return MOST_WAITING.perOperator - waiting
    const isFree = !isOpen(queue.breaker, clock.now()) && waiting + request.underWay + status.underWay === 0
    return isFree ? 1 : 0
  }

  function claimLimitOf(queue: OperatorQueue): ClaimLimit[] {
    const { environment, operator, state } = queue
    const free = room(queue)
    if (state === 'down') return free === 0 ? [] : [{ environment, operator: operator.name, most: free }]
    return [{ environment, operator: operator.name, most: free < LEAST_CLAIM ? 0 : free }]
  }

  const allCalls: readonly CallQueue[] = [...queues.values()].flatMap((queue) => Object.values(queue.calls))
  const isIdle = (): boolean => allCalls.every((calls) => calls.unrecorded === 0 && calls.length() === 0)
  const totalWaiting = (): number => allCalls.reduce((sum, calls) => sum + calls.length(), 0)

  async function callOperator(
    queue: OperatorQueue,
    payment: OperatorPayment,
    via: OperatorReport['via'],
  ): Promise<OperatorReport> {
    const calledAt = clock.now()
    const reference = requestReferenceOf(payment)
    const call =
      via === 'request' ? queue.operator.request({ ...payment, reference }) : queue.operator.status(reference)
    const answer = await call
    trackHealth(queue, answer, clock.now() - calledAt)
    return { payment, via, calledAt, answer }
  }

  function trackHealth(queue: OperatorQueue, answer: OperatorAnswer, tookMs: number): void {
    // Only an unknown outcome counts as a failure: an operator that refuses a payment is up.
    const outcome = answer.is === 'unknown' ? 'failure' : 'success'
    queue.breaker = afterCall(queue.breaker, outcome, clock.now(), BREAKER)
    const state: OperatorState = isTripped(queue.breaker, BREAKER) ? 'down' : tookMs > SLOW_MS ? 'slow' : 'working'
    if (state !== queue.state) [queue.state, queue.since] = [state, clock.now()]
  }

  return {
    take,
    ask,
    health: () =>
      [...queues.values()].map(({ environment, operator, state, since, calls: { request, status } }) => ({
        environment,
        operator: operator.name,
        state,
        since,
        waiting: request.length() + status.length(),
        underWay: request.underWay + status.underWay,
      })),
    hasRoom: (environment, operator) => {
      const queue = queueAt(environment, operator)
      if (queue === undefined || !clock.isRight() || totalWaiting() >= MOST_WAITING.total) return false
      const kept = queue.state === 'down' ? 0 : MOST_WAITING.perOperator - MOST_WAITING_OF_CREATES
      return room(queue) > kept
    },
    claimLimits: () => [...queues.values()].flatMap(claimLimitOf),
    room: () => MOST_WAITING.total - totalWaiting(),
    stop: async () => {
      stopped = true
      await Promise.all(allCalls.map((calls) => calls.releaseAll()))
      if (isIdle()) return
      await new Promise<void>((resolve) => {
        whenIdle.push(resolve)
      })
    },
  }
}
