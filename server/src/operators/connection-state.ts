// The health of a connection, derived from the answers to its calls. It is:
//
// - working: it answers.
// - slow: its last answer took long. Its calls go on as before.
// - down: it gave no answer again and again. Calls pause for a while, then one is made as a probe.
import type { Clock } from '../domain/clock-and-random.ts'
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/limits/retry-schedule.ts'
import type { OperatorAnswer } from '../domain/payments/operator-report.ts'

export interface StateFacts {
  state: 'working' | 'slow' | 'down'
  since: number
  /** Why the last call failed to get an answer; null after a call that got one. */
  why: string | null
  /** Whether the failure lasts until a credential or a setting is changed. */
  isMisconfigured: boolean
}

export type ConnectionState = ReturnType<typeof connectionState>

const BREAKER: BreakerLimits = {
  failuresUntilOpen: 10,
  shortestOpenMs: 1_000,
  longestOpenMs: 15_000,
}
const SLOW_MS = 5_000

/**
 * `misconfigured` gets the reason when the network begins to refuse us for our settings, and null
 * when that ends.
 */
export function connectionState(
  clock: Pick<Clock, 'now'>,
  misconfigured: (why: string | null) => void,
) {
  let breaker: CircuitBreaker = CLOSED
  const facts: StateFacts = {
    state: 'working',
    since: clock.now(),
    why: null,
    isMisconfigured: false,
  }
  return {
    facts: (): StateFacts => ({ ...facts }),
    isDown: () => facts.state === 'down',
    /** While the connection is down, calls pause for a while; then a single probe is allowed. */
    mayBeCalled: () => !isOpen(breaker, clock.now(), BREAKER),
    answered: (answer: OperatorAnswer, tookMs: number): void => {
      // Only an unknown outcome counts as a failure: a network that refuses a payment is up.
      const isUnknown = answer.is === 'unknown'
      breaker = afterCall(breaker, isUnknown ? 'failure' : 'success', clock.now(), BREAKER)
      const speed = tookMs > SLOW_MS ? 'slow' : 'working'
      const state = isTripped(breaker, BREAKER) ? 'down' : speed
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
