// Where payments meet their operators: a queue for each, with a limit on calls under way and a memory of how it has been
// answering. An operator that does not answer is left alone for a while and then tried with one call, not hammered; what was
// waiting for it is given back. Nothing here is lost by forgetting it: the store knows what is due.

import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/circuit-breaker.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { OperatorKey, OperatorPayment, OperatorReport } from '../domain/operator-report.ts'
import { type OperatorAnswer, SENT_WITHIN_MS } from '../domain/outcome.ts'
import type { Operator } from './operator.ts'
import type { Operators } from './registry.ts'

type OperatorState = 'working' | 'slow' | 'down'

interface OperatorHealth {
  environment: Environment
  operator: string
  state: OperatorState
  since: number
  waiting: number
  underWay: number
}

interface Wanted extends OperatorKey {
  /** 0 when it has enough for the moment. */
  most: number
}

export interface Dispatcher {
  /** Takes a payment to its operator: a request if it has never been sent, else a question. Never throws, never waits. */
  take(payment: OperatorPayment, claimedAt: number): void
  /** Asks now and says what came of it: for a callback's hint. */
  ask(payment: OperatorPayment): Promise<void>
  health(): OperatorHealth[]
  /** Whether it would take one more for this operator now: to be asked before anything is claimed for it. */
  hasRoom(environment: Environment, operator: string): boolean
  /** How many are worth claiming for each operator that is to be called now. */
  wants(): Wanted[]
  /** How many more it would take for all of them together. */
  room(): number
  /** Takes nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

/** A payment that has been claimed and not yet called. */
export interface Waiting {
  payment: OperatorPayment
  claimedAt: number
}

export interface DispatcherDeps {
  operators: Pick<Operators, 'all'>
  clock: Clock
  /** How long after its claim a payment may still be called: the rest of the claim must cover the call. */
  patienceMs: number
  /** Whether somebody waits for an answer and this process has no time to spare. */
  isBusy(): boolean
  recordOutcome(report: OperatorReport): Promise<unknown>
  /** Makes them due again, as far as they are still claimed by us. */
  giveBack(waiting: readonly Waiting[]): Promise<void>
  /** A fault of ours while settling: told to the log. */
  failed(error: unknown): void
}

/** Requests are what payers wait for: they come before questions. */
const MOST_UNDER_WAY = { request: 40, status: 8 } as const
/** While this process has no time to spare: merchants wait for their answers, and a backlog can wait for them. */
const MOST_WHILE_BUSY = { request: 12, status: 4 } as const
/** Little: what waits longer than its claim allows was claimed for nothing. And no queue may take the room of all others. */
const MOST_WAITING = { forAnOperator: 100, inAll: 600 } as const
/** Fewer are not worth a journey to the store. */
const LEAST_WANTED = 25
const BREAKER: BreakerLimits = { failuresUntilOpen: 10, shortestOpenMs: 1_000, longestOpenMs: 15_000 }
const SLOW_MS = 5_000

type Kind = keyof typeof MOST_UNDER_WAY

interface Calls {
  /** In the order in which they came. */
  waiting: Waiting[]
  underWay: number
}

interface OperatorQueue {
  environment: Environment
  operator: Operator
  calls: Record<Kind, Calls>
  breaker: CircuitBreaker
  state: OperatorState
  since: number
}

export function operatorDispatcher({
  operators,
  clock,
  patienceMs,
  isBusy,
  recordOutcome,
  giveBack,
  failed,
}: DispatcherDeps): Dispatcher {
  const queues = new Map<string, OperatorQueue>()
  for (const { environment, operator } of operators.all()) {
    queues.set(`${environment} ${operator.name}`, {
      environment,
      operator,
      calls: { request: { waiting: [], underWay: 0 }, status: { waiting: [], underWay: 0 } },
      breaker: CLOSED,
      state: 'working',
      since: clock.now(),
    })
  }
  const whenIdle: (() => void)[] = []
  let stopped = false
  /** Counted along, since every create asks. */
  let waitingInAll = 0

  const queueAt = (environment: Environment, operator: string): OperatorQueue | undefined =>
    queues.get(`${environment} ${operator}`)
  const queueOf = ({ environment, operator }: OperatorPayment): OperatorQueue | undefined =>
    queueAt(environment, operator)

  function take(payment: OperatorPayment, claimedAt: number): void {
    const queue = queueOf(payment)
    // Too late to send it: all that is left is to ask whether it was sent and not noted (D-42).
    const isLate = clock.now() - payment.requestedAt >= SENT_WITHIN_MS
    const kind = payment.handedOverAt === null && !isLate ? 'request' : 'status'
    // Nobody is connected: the payment stays due in the store. Whoever asked for room first is taken, even when others came
    // in between: to turn it away now would leave it lying until its lease is over.
    if (stopped || queue === undefined) return
    queue.calls[kind].waiting.push({ payment, claimedAt })
    waitingInAll++
    work(queue, kind)
  }

  function work(queue: OperatorQueue, kind: Kind): void {
    const calls = queue.calls[kind]
    if (isOpen(queue.breaker, clock.now())) {
      void giveBackWaiting(calls)
      return
    }
    giveBackOld(calls)
    const most = queue.state === 'down' ? 1 : (isBusy() ? MOST_WHILE_BUSY : MOST_UNDER_WAY)[kind]
    while (calls.underWay < most) {
      const next = takeFirst(calls)
      if (next === undefined) return
      void serve(queue, kind, next.payment)
    }
  }

  /** Before its call has ended it would be in somebody else's hand too. */
  const isTooOld = ({ claimedAt }: Waiting): boolean => clock.now() - claimedAt > patienceMs

  function giveBackOld(calls: Calls): void {
    const old = calls.waiting.findIndex((next) => !isTooOld(next))
    if (old !== 0) void giveBackWaiting(calls, old === -1 ? calls.waiting.length : old)
  }

  function takeFirst({ waiting }: Calls): Waiting | undefined {
    const first = waiting.shift()
    if (first !== undefined) waitingInAll--
    return first
  }

  /** What has not been called is due again at once, here or elsewhere. If that cannot be noted, it is when its claim is over. */
  function giveBackWaiting({ waiting }: Calls, howMany = waiting.length): Promise<void> {
    if (howMany === 0) return Promise.resolve()
    waitingInAll -= howMany
    return giveBack(waiting.splice(0, howMany)).catch(failed)
  }

  async function serve(queue: OperatorQueue, kind: Kind, payment: OperatorPayment): Promise<void> {
    const calls = queue.calls[kind]
    calls.underWay++
    try {
      await exchange(queue, payment, kind)
    } catch (error) {
      failed(error)
    } finally {
      calls.underWay--
      work(queue, kind)
      if (whenIdle.length > 0 && isIdle()) for (const tell of whenIdle.splice(0)) tell()
    }
  }

  /** An operator that is down gets one call at a time, and none while its breaker is open. */
  function room(queue: OperatorQueue): number {
    const { request, status } = queue.calls
    giveBackOld(request)
    giveBackOld(status)
    const waiting = request.waiting.length + status.waiting.length
    if (queue.state !== 'down') return MOST_WAITING.forAnOperator - waiting
    const isFree = !isOpen(queue.breaker, clock.now()) && waiting + request.underWay + status.underWay === 0
    return isFree ? 1 : 0
  }

  function wanted(queue: OperatorQueue): Wanted[] {
    const { environment, operator, state } = queue
    const free = room(queue)
    if (state === 'down') return free === 0 ? [] : [{ environment, operator: operator.name, most: free }]
    return [{ environment, operator: operator.name, most: free < LEAST_WANTED ? 0 : free }]
  }

  const allCalls = (): Calls[] => [...queues.values()].flatMap((queue) => Object.values(queue.calls))
  const isIdle = (): boolean => allCalls().every((calls) => calls.underWay === 0 && calls.waiting.length === 0)

  async function exchange(queue: OperatorQueue, payment: OperatorPayment, via: OperatorReport['via']): Promise<void> {
    const calledAt = clock.now()
    const reference = payment.attemptReference ?? payment.reference
    const asking =
      via === 'request' ? queue.operator.request({ ...payment, reference }) : queue.operator.status(reference)
    const answer = await asking
    trackHealth(queue, answer, clock.now() - calledAt)
    await recordOutcome({ payment, via, calledAt, answer })
  }

  function trackHealth(queue: OperatorQueue, answer: OperatorAnswer, tookMs: number): void {
    // Only silence is a failure: an operator that refuses a payment is there.
    const outcome = answer.is === 'unknown' ? 'failure' : 'success'
    queue.breaker = afterCall(queue.breaker, outcome, clock.now(), BREAKER)
    const state: OperatorState = isTripped(queue.breaker, BREAKER) ? 'down' : tookMs > SLOW_MS ? 'slow' : 'working'
    if (state !== queue.state) [queue.state, queue.since] = [state, clock.now()]
  }

  return {
    take,
    ask: async (payment) => {
      const queue = queueOf(payment)
      // A hint about a payment that we have not yet noted as sent is still a reason to ask: the call may have arrived.
      if (queue !== undefined) await exchange(queue, payment, 'callback')
    },
    health: () =>
      [...queues.values()].map(({ environment, operator, state, since, calls: { request, status } }) => ({
        environment,
        operator: operator.name,
        state,
        since,
        waiting: request.waiting.length + status.waiting.length,
        underWay: request.underWay + status.underWay,
      })),
    hasRoom: (environment, operator) => {
      const queue = queueAt(environment, operator)
      return queue !== undefined && waitingInAll < MOST_WAITING.inAll && room(queue) > 0
    },
    wants: () => [...queues.values()].flatMap(wanted),
    room: () => MOST_WAITING.inAll - waitingInAll,
    stop: async () => {
      stopped = true
      await Promise.all(allCalls().map((calls) => giveBackWaiting(calls)))
      if (isIdle()) return
      await new Promise<void>((resolve) => {
        whenIdle.push(resolve)
      })
    },
  }
}
