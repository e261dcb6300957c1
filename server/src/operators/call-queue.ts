// The payments that wait for one kind of call to one operator, first in, first out. In memory only: the store knows which payments are due.
import type { Clock } from '../domain/clock-and-random.ts'
import type { OperatorPayment } from '../domain/operator-report.ts'

/** A payment whose operator has not been called yet. */
export interface Waiting {
  payment: OperatorPayment
  claimedAt: number
  /** For a payment that was hinted at, and is not claimed: called when it was asked about, or will not be. */
  asked?: () => void
}

export interface CallQueue {
  /** How many wait. */
  length(): number
  add(waiting: Waiting): void
  /** Before all that wait. */
  addFirst(waiting: Waiting): void
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
  /** How many wait in all queues together: asked with every create. */
  waitingInAll: { count: number }
  /** Gives claims back. Any process may claim the payments at once; if it fails, their leases expire anyway. Never throws. */
  release(claimed: readonly Waiting[]): Promise<void>
}

export function callQueue({ clock, maxWaitMs, waitingInAll, release }: CallQueueDeps): CallQueue {
  let waiting: Waiting[] = []
  /** No claim of those that wait is older. Known without looking at each: it is asked before every call, and with every create. */
  let oldestClaim = Number.POSITIVE_INFINITY

  function noteClaim({ claimedAt, asked }: Waiting): void {
    // One that was hinted at has no claim that could end.
    if (asked === undefined && claimedAt < oldestClaim) oldestClaim = claimedAt
  }

  async function releaseThese(released: readonly Waiting[]): Promise<void> {
    waitingInAll.count -= released.length
    waiting = waiting.filter((each) => !released.includes(each))
    for (const { asked } of released) asked?.()
    const claimed = released.filter(({ asked }) => asked === undefined)
    if (claimed.length > 0) await release(claimed)
  }

  return {
    length: () => waiting.length,
    add: (each) => {
      noteClaim(each)
      waitingInAll.count++
      waiting.push(each)
    },
    addFirst: (each) => {
      noteClaim(each)
      waitingInAll.count++
      waiting.unshift(each)
    },
    takeFirst: () => {
      if (waiting.length > 0) waitingInAll.count--
      return waiting.shift()
    },
    releaseOld: () => {
      const oldest = clock.now() - maxWaitMs
      if (oldestClaim >= oldest) return
      const isOld = ({ claimedAt, asked }: Waiting): boolean => asked === undefined && claimedAt < oldest
      const old = waiting.filter(isOld)
      if (old.length > 0) void releaseThese(old)
      oldestClaim = Number.POSITIVE_INFINITY
      for (const each of waiting) noteClaim(each)
    },
    releaseAll: () => releaseThese(waiting),
    underWay: 0,
    unrecorded: 0,
  }
}
