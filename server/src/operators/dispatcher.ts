// Calls networks about payments: queues for each connection, with limits on concurrent calls and on calls a second, and
// a circuit breaker. While a connection's breaker is open it gets no call, then a single one as a probe; the claims of
// its queued payments are released. The queues are in memory only and need not survive a crash: the store knows which
// payments are due.

import type { Clock, ServiceClock } from '../domain/clock-and-random.ts'
import {
  CALL_KINDS,
  type CallKind,
  type CallLimits,
  type ConnectionKey,
  countedFrom,
  type DueLine,
  type OperatorAnswer,
  type OperatorPayment,
  type OperatorReport,
  requestReferenceOf,
  SENT_WITHIN_MS,
} from '../domain/operator-report.ts'
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/retry-schedule.ts'
import { type CallQueue, type CallRate, callQueue, callRate, spacedWork, type Waiting } from './call-queue.ts'
import type { Operator } from './operator.ts'
import type { Operators } from './registry.ts'

export interface ConnectionHealth extends ConnectionKey, StateFacts {
  waiting: number
  underWay: number
}

/** `most` is 0 while its queue is nearly full. */
type ClaimLimit = DueLine & { most: number }

export type Dispatcher = ReturnType<typeof operatorDispatcher>

export interface DispatcherDeps {
  operators: Pick<Operators, 'all'>
  clock: ServiceClock
  limitsOf(connection: ConnectionKey): CallLimits
  leaseMs: number
  /** How long a payment may wait in the queue after its claim: the rest of the lease must cover the call. */
  maxWaitMs: number
  recordOutcome(report: OperatorReport): Promise<unknown>
  /** Keeps the network's own id of a payment that this process has claimed; false when the claim has ended. */
  keepNetworkId(payment: OperatorPayment, kept: { networkId: string; claimedUntil: number }): Promise<boolean>
  /** A pending payment of the connection that its operator has accepted at about the time of this one. */
  findAccepted(payment: OperatorPayment): Promise<OperatorPayment | undefined>
  /** Releases the claims that this process still holds, so that the payments are due again. */
  release(waiting: readonly Waiting[]): Promise<void>
  /** Logs a fault of our own while an outcome is recorded or a claim released. */
  failed(error: unknown): void
  /** Called with each answer as soon as it arrives, for the counts of refusals. */
  answered?(report: OperatorReport): void
  /** Logs that a connection is refused for its credentials or settings, or no longer is. */
  misconfigured?(connection: ConnectionKey, why: string | null): void
}

/**
 * Queue limits. Small, because the claim of a payment that waits longer than its lease is wasted; but several turns of
 * calls, because the next ones are claimed meanwhile. One queue cannot use up the room of the others.
 */
const MOST_WAITING = { perQueue: 200, turns: 3, total: 1_600 } as const
/** Between status calls for one payment: any visitor may open its page, and networks repeat callbacks. */
const ASKED_EVERY_MS = 2_000
/** Payments that wait for these two seconds; the hint of one more is dropped, since the payment is polled anyway. */
const MOST_HINTS = 1_000
/** Answers that may wait to be recorded while more calls are made: with a slow store there would be thousands. */
const MOST_UNRECORDED = 300
/** A claim of fewer is not worth a query, and while one of more is written creates would wait. */
const CLAIM = { least: 25, most: 200 } as const
/** Creates go straight to the queue while fewer wait in it: the rest is for due payments, which have waited longer. */
const MOST_STRAIGHT = 100

/** How long one answer about an accepted payment holds for all whose send is not recorded. */
const MEMORY_HOLDS_MS = 5_000

interface ConnectionQueue extends ConnectionKey {
  operator: Operator
  /** Of a merchant's connection: it gets payments of this account and of no other. */
  accountId: string | undefined
  limits: CallLimits
  calls: Record<CallKind, CallQueue>
  rates: Record<CallKind, CallRate>
  state: ConnectionState
  /** Which accepted payment the operator has forgotten, when it was last asked. */
  memory?: { askedAt: number; forgotten: Promise<string | undefined> }
}

export function operatorDispatcher(deps: DispatcherDeps) {
  const {
    operators,
    clock,
    limitsOf,
    leaseMs,
    maxWaitMs,
    recordOutcome,
    keepNetworkId,
    findAccepted,
    release,
    failed,
  } = deps
  const { answered = () => {}, misconfigured = () => {} } = deps
  const waitingInAll = { count: 0 }
  const queueDeps = {
    clock,
    maxWaitMs,
    waitingInAll,
    release: (claimed: readonly Waiting[]) => release(claimed).catch(failed),
  }
  const queues = new Map<string, ConnectionQueue>()
  connect()

  /** Makes queues for connections that are new, and uses new credentials from the next call on. */
  function connect(): void {
    for (const { environment, operator, accountId } of operators.all()) {
      const key = { environment, connection: operator.name }
      const name = `${environment} ${operator.name}`
      const known = queues.get(name)
      if (known !== undefined) {
        known.operator = operator
        continue
      }
      const limits = limitsOf(key)
      queues.set(name, {
        ...{ ...key, operator, accountId, limits },
        calls: { request: callQueue(queueDeps), status: callQueue(queueDeps) },
        rates: { request: callRate(clock, limits.request.perSecond), status: callRate(clock, limits.status.perSecond) },
        state: connectionState(clock, (why) => misconfigured(key, why)),
      })
    }
  }

  const whenIdle: (() => void)[] = []
  let stopped = false

  const queueOf = ({ environment, connection }: ConnectionKey): ConnectionQueue | undefined =>
    queues.get(`${environment} ${connection}`)

  /** Queues a payment for its operator: a request if it was never sent, else a status call. Never throws or waits. */
  function take(claimed: OperatorPayment, claimedAt: number): void {
    const queue = queueOf(claimed)
    const payment = { ...claimed, requestedAt: countedFrom(claimed.requestedAt, clock.lastJump()) }
    // Too late to send it: a status call finds out whether it was sent before a crash (ADR-0007).
    const isLate = clock.now() - payment.requestedAt >= SENT_WITHIN_MS
    // Claimed before without a recorded result: it may have been sent, and networks differ about a second request.
    const mayBeSent = payment.claims > 1
    const kind = payment.handedOverAt === null && !isLate && !mayBeSent ? 'request' : 'status'
    // Without a connector the payment stays due in the store. The limit was checked before the claim (hasRoom); one
    // that exceeds it since is queued too: it would otherwise be idle until its lease expires.
    if (stopped || queue === undefined) return
    if (queue.accountId !== undefined && queue.accountId !== payment.accountId) {
      failed(new Error(`payment ${payment.reference} names a connection of another account: it is not called`))
      return
    }
    queue.calls[kind].add({ payment, claimedAt })
    startCalls(queue, kind)
  }

  const questions = spacedWork<OperatorAnswer>(clock, ASKED_EVERY_MS, MOST_HINTS)

  /**
   * Polls the status before the queued payments, and records the answer: for a callback or a returning payer. At most
   * once in two seconds for a payment. Resolves with the answer once it is recorded, or without one.
   */
  async function ask(payment: OperatorPayment): Promise<OperatorAnswer | undefined> {
    const queue = queueOf(payment)
    if (queue === undefined) return undefined
    // Also for a payment that is not recorded as sent yet: the request may have arrived.
    return questions(requestReferenceOf(payment), async () => {
      if (stopped) return undefined
      const whenAsked = queue.calls.status.hint(payment)
      startCalls(queue, 'status')
      return whenAsked
    })
  }

  function startCalls(queue: ConnectionQueue, kind: CallKind): void {
    const calls = queue.calls[kind]
    // After a sleep, or with a wrong clock, claims may have expired: another process may hold them now.
    if (!clock.isRight() || !queue.state.mayBeCalled()) {
      void calls.releaseAll()
      return
    }
    calls.releaseOld()
    const most = queue.state.isDown() ? 1 : queue.limits[kind].atOnce
    while (calls.length() > 0 && calls.underWay < most && calls.unrecorded < most + MOST_UNRECORDED) {
      // The rate limit starts the next turn.
      if (!queue.rates[kind].allows(() => startCalls(queue, kind))) return
      const next = calls.takeFirst()
      if (next === undefined) return
      void runCall(queue, kind, next)
    }
  }

  async function runCall(
    queue: ConnectionQueue,
    kind: CallKind,
    { payment, claimedAt, asked }: Waiting,
  ): Promise<void> {
    const calls = queue.calls[kind]
    let answer: OperatorAnswer | undefined
    calls.underWay++
    calls.unrecorded++
    try {
      const via = asked === undefined ? kind : 'callback'
      const claimedUntil = claimedAt + leaseMs
      const report = await callOperator(queue, payment, via, claimedUntil).finally(() => calls.underWay--)
      // The operator is free for the next call while this one is recorded: answers then share a commit.
      startCalls(queue, kind)
      await recordOutcome(asked === undefined ? { ...report, claimedUntil } : report)
      answer = report.answer
    } catch (error) {
      failed(error)
    } finally {
      calls.unrecorded--
      asked?.(answer)
      startCalls(queue, kind)
      if (whenIdle.length > 0 && isIdle()) for (const resolveStop of whenIdle.splice(0)) resolveStop()
    }
  }

  /** The queue limit of one kind of call: claiming a payment that is not called within its lease is wasted. */
  function mostWaiting({ limits }: ConnectionQueue, kind: CallKind): number {
    const { atOnce, perSecond = Infinity } = limits[kind]
    const most = Math.max(MOST_WAITING.perQueue, MOST_WAITING.turns * atOnce)
    return Math.max(1, Math.min(most, Math.floor((perSecond * maxWaitMs) / 1_000)))
  }

  /** Free places. A connection that is down gets one call at a time, and none while its breaker is open. */
  function room(queue: ConnectionQueue, kind: CallKind): number {
    const { request, status } = queue.calls
    request.releaseOld()
    status.releaseOld()
    if (!queue.state.isDown()) return mostWaiting(queue, kind) - queue.calls[kind].claimed()
    const busy = request.length() + status.length() + request.underWay + status.underWay
    return queue.state.mayBeCalled() && busy === 0 ? 1 : 0
  }

  function claimLimitsOf(queue: ConnectionQueue): ClaimLimit[] {
    const { environment, connection, state } = queue
    return CALL_KINDS.flatMap((kind) => {
      const free = room(queue, kind)
      if (state.isDown()) return free === 0 ? [] : [{ environment, connection, kind, most: free }]
      const least = Math.min(CLAIM.least, Math.ceil(mostWaiting(queue, kind) / 2))
      return [{ environment, connection, kind, most: free < least ? 0 : Math.min(free, CLAIM.most) }]
    })
  }

  const allCalls = (): CallQueue[] => [...queues.values()].flatMap((queue) => Object.values(queue.calls))
  const isIdle = (): boolean => allCalls().every((calls) => calls.unrecorded === 0 && calls.length() === 0)

  async function callOperator(
    queue: ConnectionQueue,
    payment: OperatorPayment,
    via: OperatorReport['via'],
    claimedUntil: number,
  ): Promise<OperatorReport> {
    const calledAt = clock.now()
    const reference = requestReferenceOf(payment)
    /** A store that fails counts as a claim that has ended: nothing is sent. */
    const keep = (networkId: string): Promise<boolean> =>
      keepNetworkId(payment, { networkId, claimedUntil }).catch((error) => {
        failed(error)
        return false
      })
    const answer =
      via === 'request'
        ? await queue.operator.request({ ...payment, reference, keepNetworkId: keep })
        : await checked(queue, payment, await queue.operator.status(reference, payment.networkId))
    queue.state.answered(answer, clock.now() - calledAt)
    const report = { payment, via, calledAt, clockJumpedTo: clock.lastJump().to, answer }
    answered(report)
    return report
  }

  /**
   * A payment with an unrecorded send is sent again when its operator does not know it. So before that the operator is
   * asked about another payment, which it had accepted: one with empty books would debit the payer again.
   */
  async function checked(
    queue: ConnectionQueue,
    payment: OperatorPayment,
    answer: OperatorAnswer,
  ): Promise<OperatorAnswer> {
    const wouldBeSent = answer.is === 'not_known' && payment.handedOverAt === null && payment.networkId === null
    if (!wouldBeSent || answer.notAsked || payment.claims <= 1) return answer
    const alsoForgotten = await findForgotten(queue, payment)
    return alsoForgotten === undefined ? answer : { ...answer, alsoForgotten }
  }

  /** After a crash many payments need this answer at once: they share one call. */
  function findForgotten(queue: ConnectionQueue, payment: OperatorPayment): Promise<string | undefined> {
    const passedMs = clock.now() - (queue.memory?.askedAt ?? Number.NEGATIVE_INFINITY)
    if (queue.memory === undefined || passedMs < 0 || passedMs >= MEMORY_HOLDS_MS)
      queue.memory = { askedAt: clock.now(), forgotten: askAboutAccepted(queue, payment).catch(reportFailure) }
    return queue.memory.forgotten
  }

  const reportFailure = (error: unknown): undefined => void failed(error)

  async function askAboutAccepted({ operator }: ConnectionQueue, payment: OperatorPayment) {
    const accepted = await findAccepted(payment)
    if (accepted === undefined) return undefined
    const answer = await operator.status(requestReferenceOf(accepted), accepted.networkId)
    return answer.is === 'not_known' && answer.notAsked !== true ? accepted.reference : undefined
  }

  return {
    take,
    ask,
    connect,
    health: (): ConnectionHealth[] =>
      [...queues.values()].map(({ environment, connection, state, calls: { request, status } }) => ({
        ...state.facts(),
        ...{ environment, connection, waiting: request.length() + status.length() },
        underWay: request.underWay + status.underWay,
      })),
    /** Whether this connection's queues have room for a payment that has just been made: check before claiming one. */
    hasRoom: (connection: ConnectionKey): boolean => {
      const queue = queueOf(connection)
      if (queue === undefined || !clock.isRight() || waitingInAll.count >= MOST_WAITING.total) return false
      const most = mostWaiting(queue, 'request')
      const kept = queue.state.isDown() ? 0 : most - Math.min(MOST_STRAIGHT, Math.ceil(most / 2))
      return room(queue, 'request') > kept
    },
    /** False while this connection's breaker is open, and where there is no such connection. */
    mayBeCalled: (connection: ConnectionKey): boolean => queueOf(connection)?.state.mayBeCalled() ?? false,
    /** How many payments to claim at most for each connection that may be called now, by kind of call. */
    claimLimits: (): ClaimLimit[] => [...queues.values()].flatMap(claimLimitsOf),
    /** How many more claimed payments all queues together have room for. */
    room: () => MOST_WAITING.total - waitingInAll.count,
    /** Queues nothing more and releases the queued payments; resolves when no call is in flight. */
    stop: async (): Promise<void> => {
      stopped = true
      await Promise.all(allCalls().map((calls) => calls.releaseAll()))
      if (isIdle()) return
      await new Promise<void>((resolve) => void whenIdle.push(resolve))
    },
  }
}

// The health of a connection, derived from the answers to its calls.

interface StateFacts {
  state: 'working' | 'slow' | 'down'
  since: number
  /** Why the last call failed to get an answer; null after a call that got one. */
  why: string | null
  /** Whether the failure lasts until a credential or a setting is changed. */
  isMisconfigured: boolean
}

type ConnectionState = ReturnType<typeof connectionState>

const BREAKER: BreakerLimits = { failuresUntilOpen: 10, shortestOpenMs: 1_000, longestOpenMs: 15_000 }
const SLOW_MS = 5_000

/** `misconfigured` gets the reason when the network begins to refuse us for our settings, and null when that ends. */
function connectionState(clock: Pick<Clock, 'now'>, misconfigured: (why: string | null) => void) {
  let breaker: CircuitBreaker = CLOSED
  const facts: StateFacts = { state: 'working', since: clock.now(), why: null, isMisconfigured: false }
  return {
    facts: (): StateFacts => ({ ...facts }),
    isDown: () => facts.state === 'down',
    /** While the connection is down, calls pause for a while; then a single probe is allowed. */
    mayBeCalled: () => !isOpen(breaker, clock.now(), BREAKER),
    answered: (answer: OperatorAnswer, tookMs: number): void => {
      // Only an unknown outcome counts as a failure: a network that refuses a payment is up.
      const isUnknown = answer.is === 'unknown'
      breaker = afterCall(breaker, isUnknown ? 'failure' : 'success', clock.now(), BREAKER)
      const state = isTripped(breaker, BREAKER) ? 'down' : tookMs > SLOW_MS ? 'slow' : 'working'
      if (state !== facts.state) Object.assign(facts, { state, since: clock.now() })
      facts.why = isUnknown ? answer.why : null
      const isMisconfigured = isUnknown && answer.misconfigured === true
      // A call without any answer is no evidence about the settings.
      if (isMisconfigured === facts.isMisconfigured || (isUnknown && !isMisconfigured)) return
      facts.isMisconfigured = isMisconfigured
      misconfigured(facts.why)
    },
  }
}
