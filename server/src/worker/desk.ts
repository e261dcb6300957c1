// Where payments meet their operators: a lane for each, with a limit on calls under way and a memory of how it has been
// answering. An operator that does not answer is left alone for a while and then tried with one call, not hammered; what was
// waiting for it comes back by its due time. Nothing here is lost by forgetting it: the store knows what is due.

import type { Word } from '../actions/settle-payments.ts'
import type { Clock } from '../domain/clock-and-chance.ts'
import type { Environment } from '../domain/environment.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { Operator } from '../operators/operator.ts'
import type { Operators } from '../operators/registry.ts'
import type { PaymentInHand } from '../store/pending-payments.ts'

export type OperatorState = 'working' | 'slow' | 'down'

export interface OperatorHealth {
  environment: Environment
  operator: string
  state: OperatorState
  since: number
  waiting: number
  underWay: number
}

export interface Desk {
  /** Takes a payment to its operator: a request if it has never been sent, else a question. Never throws, never waits. */
  take(payment: PaymentInHand): void
  /** Asks now and says what came of it: for a callback's hint. */
  ask(payment: PaymentInHand): Promise<void>
  health(): OperatorHealth[]
  /** How much more it would take now. */
  room(): number
  /** Takes nothing more; resolves when nothing is under way. */
  stop(): Promise<void>
}

export interface DeskNeeds {
  operators: Operators
  clock: Clock
  settle(word: Word): Promise<boolean>
  /** A fault of ours while settling: told to the log. */
  failed(error: unknown): void
}

/** Few enough that creates keep most of the machine while a backlog is worked off. */
const MOST_UNDER_WAY = 16
const MOST_WAITING = 2_000
const SILENT_CALLS_UNTIL_DOWN = 10
const SHORTEST_REST_MS = 1_000
const LONGEST_REST_MS = 15_000
const SLOW_MS = 5_000

interface Lane {
  environment: Environment
  operator: Operator
  waiting: PaymentInHand[]
  underWay: number
  silentInARow: number
  restUntil: number
  state: OperatorState
  since: number
}

export function operatorDesk({ operators, clock, settle, failed }: DeskNeeds): Desk {
  const lanes = new Map<string, Lane>()
  for (const { environment, operator } of operators.all()) {
    lanes.set(`${environment} ${operator.name}`, {
      environment,
      operator,
      waiting: [],
      underWay: 0,
      silentInARow: 0,
      restUntil: 0,
      state: 'working',
      since: clock.now(),
    })
  }
  const whenIdle: (() => void)[] = []
  let stopped = false

  const laneOf = (payment: PaymentInHand): Lane | undefined => lanes.get(`${payment.environment} ${payment.operator}`)

  function take(payment: PaymentInHand): void {
    const lane = laneOf(payment)
    // Nobody is connected, or too much waits already: the payment stays due in the store.
    if (stopped || lane === undefined || lane.waiting.length >= MOST_WAITING) return
    lane.waiting.push(payment)
    work(lane)
  }

  function work(lane: Lane): void {
    if (lane.restUntil > clock.now()) {
      lane.waiting = []
      return
    }
    const most = lane.state === 'down' ? 1 : MOST_UNDER_WAY
    while (lane.underWay < most && lane.waiting.length > 0) void serve(lane, lane.waiting.shift() as PaymentInHand)
  }

  async function serve(lane: Lane, payment: PaymentInHand): Promise<void> {
    lane.underWay++
    try {
      await exchange(lane, payment, payment.handedOverAt === null ? 'request' : 'status')
    } catch (error) {
      failed(error)
    } finally {
      lane.underWay--
      work(lane)
      if ([...lanes.values()].every((each) => each.underWay === 0 && each.waiting.length === 0)) {
        for (const tell of whenIdle.splice(0)) tell()
      }
    }
  }

  async function exchange(lane: Lane, payment: PaymentInHand, via: Word['via']): Promise<void> {
    const askedAt = clock.now()
    const answer = await (via === 'request' ? lane.operator.request(payment) : lane.operator.status(payment.reference))
    remember(lane, answer, clock.now() - askedAt)
    await settle({ payment, via, askedAt, answer })
  }

  function remember(lane: Lane, answer: OperatorAnswer, tookMs: number): void {
    lane.silentInARow = answer.is === 'unknown' ? lane.silentInARow + 1 : 0
    const over = lane.silentInARow - SILENT_CALLS_UNTIL_DOWN
    if (over >= 0) lane.restUntil = clock.now() + Math.min(SHORTEST_REST_MS * 2 ** over, LONGEST_REST_MS)
    const state: OperatorState = over >= 0 ? 'down' : tookMs > SLOW_MS ? 'slow' : 'working'
    if (state !== lane.state) [lane.state, lane.since] = [state, clock.now()]
  }

  return {
    take,
    ask: async (payment) => {
      const lane = laneOf(payment)
      // A hint about a payment that we have not yet noted as sent is still a reason to ask: the call may have arrived.
      if (lane !== undefined) await exchange(lane, payment, 'callback')
    },
    health: () =>
      [...lanes.values()].map(({ environment, operator, state, since, waiting, underWay }) => ({
        environment,
        operator: operator.name,
        state,
        since,
        waiting: waiting.length,
        underWay,
      })),
    room: () => Math.min(...[...lanes.values()].map((lane) => MOST_WAITING - lane.waiting.length)),
    stop: () => {
      stopped = true
      for (const lane of lanes.values()) lane.waiting = []
      if ([...lanes.values()].every((lane) => lane.underWay === 0)) return Promise.resolve()
      return new Promise((resolve) => {
        whenIdle.push(resolve)
      })
    },
  }
}
