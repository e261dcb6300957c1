// The circuit breakers in front of merchants' receivers, in this process.
//
//   closed    its deliveries are sent
//   open      it failed five times in a row: nothing is sent until `openUntil`
//   probing   half-open: a single delivery at a time, until one is accepted
import { LRUCache } from 'lru-cache'
import { isAccepted } from '../actions/webhooks/record-attempts.ts'
import type { Clock } from '../domain/clock-and-random.ts'
import {
  afterCall,
  type BreakerLimits,
  type CircuitBreaker,
  CLOSED,
  isOpen,
  isTripped,
} from '../domain/limits/retry-schedule.ts'
import type { Attempt } from '../webhooks/send.ts'

const BREAKER: BreakerLimits = {
  failuresUntilOpen: 5,
  shortestOpenMs: 1_000,
  longestOpenMs: 60_000,
}
/** A failing endpoint whose breaker was evicted gets a few more calls. */
const MOST_BREAKERS = 10_000

/**
 * A receiver that answers is up, even if it refuses: only no answer, 5xx, 429 and 408 count towards
 * its breaker.
 */
const isFailure = ({ status }: Attempt): boolean =>
  status === null || status >= 500 || status === 429 || status === 408

export class ReceiverHealth {
  readonly #clock: Pick<Clock, 'now'>
  /** Of failing endpoints: one without a breaker here has a closed one. */
  readonly #breakers = new LRUCache<string, CircuitBreaker>({ max: MOST_BREAKERS })

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Undefined when it is not open. */
  openUntil(endpointId: string): number | undefined {
    const breaker = this.#breakerOf(endpointId)
    return isOpen(breaker, this.#clock.now(), BREAKER) ? breaker.openUntil : undefined
  }

  isProbing(endpointId: string): boolean {
    return isTripped(this.#breakerOf(endpointId), BREAKER)
  }

  record(endpointId: string, attempt: Attempt): void {
    if (isAccepted(attempt) || !isFailure(attempt)) {
      this.#breakers.delete(endpointId)
      return
    }
    const before = this.#breakerOf(endpointId)
    const now = this.#clock.now()
    // A send that was in flight when the breaker opened does not count again.
    if (isOpen(before, now, BREAKER)) return
    this.#breakers.set(endpointId, afterCall(before, 'failure', now, BREAKER))
  }

  #breakerOf(endpointId: string): CircuitBreaker {
    return this.#breakers.get(endpointId) ?? CLOSED
  }
}
