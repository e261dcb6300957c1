// How a connection does, from the answers to its calls: working, slow or down, since when and why, and whether it may
// be called now.
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/circuit-breaker.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorAnswer } from '../domain/operator-report.ts'

export interface StateFacts {
  is: 'working' | 'slow' | 'down'
  since: number
  /** What the last call that got no answer failed by; null since the last one that got an answer. */
  why: string | null
  /** Whether that stays so until somebody changes a credential or a setting. */
  isMisconfigured: boolean
}

export interface ConnectionState {
  facts(): StateFacts
  isDown(): boolean
  /** Whether it may be called now: while it is down it gets no call for a while, then a single one. */
  mayBeCalled(): boolean
  /** Takes in what came of a call. */
  answered(answer: OperatorAnswer, tookMs: number): void
}

const BREAKER: BreakerLimits = { failuresUntilOpen: 10, shortestOpenMs: 1_000, longestOpenMs: 15_000 }
const SLOW_MS = 5_000

/**
 * Calls `misconfigured` with the reason when the network begins to refuse us for our settings, and with null when it no
 * longer does.
 */
export function connectionState(
  clock: Pick<Clock, 'now'>,
  misconfigured: (why: string | null) => void,
): ConnectionState {
  let breaker: CircuitBreaker = CLOSED
  const facts: StateFacts = { is: 'working', since: clock.now(), why: null, isMisconfigured: false }
  return {
    facts: () => ({ ...facts }),
    isDown: () => facts.is === 'down',
    mayBeCalled: () => !isOpen(breaker, clock.now(), BREAKER),
    answered: (answer, tookMs) => {
      // Only an unknown outcome counts as a failure: a network that refuses a payment is up.
      const isUnknown = answer.is === 'unknown'
      breaker = afterCall(breaker, isUnknown ? 'failure' : 'success', clock.now(), BREAKER)
      const is = isTripped(breaker, BREAKER) ? 'down' : tookMs > SLOW_MS ? 'slow' : 'working'
      if (is !== facts.is) [facts.is, facts.since] = [is, clock.now()]
      facts.why = isUnknown ? answer.why : null
      const isMisconfigured = isUnknown && answer.misconfigured === true
      // A call that got no answer at all says nothing about the settings.
      if (isMisconfigured === facts.isMisconfigured || (isUnknown && !isMisconfigured)) return
      facts.isMisconfigured = isMisconfigured
      misconfigured(facts.why)
    },
  }
}
