// The payments that wait for one kind of call to one operator: those that were claimed, and those that were hinted at, each first in, first
// out. In memory only: the store knows which payments are due.
import type { Clock } from '../domain/clock-and-random.ts'
import { type OperatorPayment, requestReferenceOf } from '../domain/operator-report.ts'

/** A payment whose operator has not been called yet. */
export interface Waiting {
  payment: OperatorPayment
  claimedAt: number
  /** For a payment that was hinted at, and is not claimed: called when it was asked about, or will not be. */
  asked?: () => void
}

export interface CallQueue {
  /** How many wait, claimed or hinted at. */
  length(): number
  /** How many wait that were claimed. */
  claimed(): number
  add(waiting: Waiting): void
  /** A payment that was hinted at waits once, however often that was. Resolves when it was asked about, or will not be. */
  hint(payment: OperatorPayment): Promise<void>
  /** Hints first. While claimed payments wait too, every fourth is one of them. */
  takeFirst(): Waiting | undefined
  /** Releases the payments whose claim would end during a call. */
  releaseOld(): void
  releaseAll(): Promise<void>
  /** Calls that are under way now. */
  underWay: number
  /** Those, and the ones whose answer is not recorded yet. */
  unrecorded: number
}

export interface CallQueueDeps {
  clock: Pick<Clock, 'now'>
  /** After waiting longer than this, the lease would expire during the call, and another process would send the payment again. */
  maxWaitMs: number
  /** How many claimed payments wait in all queues together: asked with every create. */
  waitingInAll: { count: number }
  /** Gives claims back. Any process may claim the payments at once; if it fails, their leases expire anyway. Never throws. */
  release(claimed: readonly Waiting[]): Promise<void>
}

/**
 * With one more, the oldest is dropped: its payment is polled anyway, and one that has ended has its recheck. At the usual ten questions a
 * second these are 20 seconds, and a payment is polled within 30.
 */
const MOST_HINTS = 200
/** Then comes a claimed payment: a network that calls back faster than it may be asked would keep its own payments from being polled. */
const HINTS_IN_A_ROW = 3

interface Hint extends Waiting {
  asked: () => void
  whenAsked: Promise<void>
}

export function callQueue({ clock, maxWaitMs, waitingInAll, release }: CallQueueDeps): CallQueue {
  let waiting: Waiting[] = []
  /** By what the operator knows the payment by, the oldest first. */
  const hints = new Map<string, Hint>()
  let hintsInARow = 0
  /** No claim of those that wait is older. Known without looking at each: it is asked before every call, and with every create. */
  let oldestClaim = Number.POSITIVE_INFINITY

  function noteClaim({ claimedAt }: Waiting): void {
    if (claimedAt < oldestClaim) oldestClaim = claimedAt
  }

  async function releaseThese(released: readonly Waiting[]): Promise<void> {
    waitingInAll.count -= released.length
    waiting = waiting.filter((each) => !released.includes(each))
    if (released.length > 0) await release(released)
  }

  function takeOldestHint(): Hint | undefined {
    for (const [reference, hint] of hints) {
      hints.delete(reference)
      return hint
    }
    return undefined
  }

  return {
    length: () => waiting.length + hints.size,
    claimed: () => waiting.length,
    add: (each) => {
      noteClaim(each)
      waitingInAll.count++
      waiting.push(each)
    },
    hint: (payment) => {
      const reference = requestReferenceOf(payment)
      const already = hints.get(reference)
      if (already !== undefined) {
        already.payment = payment
        return already.whenAsked
      }
      if (hints.size >= MOST_HINTS) takeOldestHint()?.asked()
      const { promise: whenAsked, resolve: asked } = Promise.withResolvers<void>()
      hints.set(reference, { payment, claimedAt: clock.now(), asked, whenAsked })
      return whenAsked
    },
    takeFirst: () => {
      if (hints.size > 0 && (waiting.length === 0 || hintsInARow < HINTS_IN_A_ROW)) {
        hintsInARow++
        return takeOldestHint()
      }
      hintsInARow = 0
      if (waiting.length > 0) waitingInAll.count--
      return waiting.shift()
    },
    releaseOld: () => {
      const oldest = clock.now() - maxWaitMs
      if (oldestClaim >= oldest) return
      const old = waiting.filter(({ claimedAt }) => claimedAt < oldest)
      if (old.length > 0) void releaseThese(old)
      oldestClaim = Number.POSITIVE_INFINITY
      for (const each of waiting) noteClaim(each)
    },
    releaseAll: () => {
      for (let hint = takeOldestHint(); hint !== undefined; hint = takeOldestHint()) hint.asked()
      return releaseThese(waiting)
    },
    underWay: 0,
    unrecorded: 0,
  }
}
