// Schedules the calls to one network: a queue of payments for each kind of call, a limit on calls a
// second, and a minimum interval between two status calls for one payment. In memory only: the
// store knows which payments are due. Packages such as bottleneck have the rate, but neither leases
// that end nor two kinds of entries that take turns.
import { LRUCache } from 'lru-cache'
import type { Clock } from '../domain/clock-and-random.ts'
import { type OperatorPayment, requestReferenceOf } from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer } from '../domain/payments/operator-report.ts'

/** A payment whose operator has not been called yet. */
export interface Waiting {
  payment: OperatorPayment
  claimedAt: number
  /**
   * Only for a hinted payment, which is not claimed: called with the answer, or without one when it
   * was dropped.
   */
  asked?: (answer?: OperatorAnswer) => void
}

export type CallQueue = ReturnType<typeof callQueue>

interface CallQueueDeps {
  clock: Pick<Clock, 'now'>
  /**
   * After a longer wait the lease would expire during the call, and another process would send the
   * payment again.
   */
  maxWaitMs: number
  /** How many claimed payments wait in all queues together: read with every create. */
  waitingInAll: { count: number }
  /**
   * Gives claims back: any process may claim the payments at once. If it fails, their leases
   * expire. Never throws.
   */
  release(claimed: readonly Waiting[]): Promise<void>
}

/**
 * Past this length the oldest hint is dropped: its payment is polled anyway, or rechecked if it has
 * ended. At the usual ten status calls a second this is a backlog of 20 seconds, and a payment is
 * polled within 30.
 */
const MOST_HINTS = 200
/**
 * Then a claimed payment is called: a network that calls back fast would starve the polling of its
 * own payments.
 */
const HINTS_IN_A_ROW = 3

type Hint = Waiting & {
  asked: NonNullable<Waiting['asked']>
  whenAsked: Promise<OperatorAnswer | undefined>
}

export function callQueue({ clock, maxWaitMs, waitingInAll, release }: CallQueueDeps) {
  let waiting: Waiting[] = []
  /** By the reference that the operator knows, the oldest first. */
  const hints = new Map<string, Hint>()
  let hintsInARow = 0
  /**
   * No waiting claim is older. Kept here because it is read before every call and with every
   * create.
   */
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
    const [reference = '', hint] = hints.entries().next().value ?? []
    hints.delete(reference)
    return hint
  }

  return {
    length: () => waiting.length + hints.size,
    /** Queue length without hints. */
    claimed: () => waiting.length,
    add: (each: Waiting): void => {
      noteClaim(each)
      waitingInAll.count++
      waiting.push(each)
    },
    /**
     * A payment is queued once, however many hints name it. Resolves with the answer, once it is
     * recorded; without one when it was dropped.
     */
    hint: (payment: OperatorPayment): Promise<OperatorAnswer | undefined> => {
      const reference = requestReferenceOf(payment)
      const already = hints.get(reference)
      if (already !== undefined) {
        already.payment = payment
        return already.whenAsked
      }
      if (hints.size >= MOST_HINTS) takeOldestHint()?.asked()
      const { promise: whenAsked, resolve: asked } = Promise.withResolvers<
        OperatorAnswer | undefined
      >()
      hints.set(reference, { payment, claimedAt: clock.now(), asked, whenAsked })
      return whenAsked
    },
    /** Hints first. While claimed payments wait too, every fourth is one of them. */
    takeFirst: (): Waiting | undefined => {
      if (hints.size > 0 && (waiting.length === 0 || hintsInARow < HINTS_IN_A_ROW)) {
        hintsInARow++
        return takeOldestHint()
      }
      hintsInARow = 0
      if (waiting.length > 0) waitingInAll.count--
      return waiting.shift()
    },
    /** Releases the payments whose claim would end during a call. */
    releaseOld: (): void => {
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
    /** In-flight calls, and calls whose answer is not recorded yet. */
    unrecorded: 0,
  }
}

/** Timer resolution. At higher rates, the calls of one such interval begin together. */
const TOGETHER_MS = 10

export type CallRate = ReturnType<typeof callRate>

/**
 * How many calls a second a network allows: evenly spaced, so that no second of the network's own
 * clock has more.
 */
export function callRate(clock: Clock, perSecond = Infinity) {
  const gapMs = 1_000 / perSecond
  const leewayMs = Math.max(0, TOGETHER_MS - gapMs)
  /** When the next call would begin if all were evenly spaced. */
  let nextAt = Number.NEGATIVE_INFINITY
  let isWaiting = false
  return {
    /**
     * Whether a call may begin now. If not, `later` is called once when the next one may, however
     * often it is asked.
     */
    allows: (later: () => void): boolean => {
      const now = clock.now()
      // A clock that was set back does not make calls wait longer.
      if (nextAt - now > gapMs + leewayMs) nextAt = now + gapMs
      const waitMs = nextAt - leewayMs - now
      if (waitMs <= 0) {
        nextAt = Math.max(nextAt, now) + gapMs
        return true
      }
      if (!isWaiting) {
        isWaiting = true
        clock.after(Math.ceil(waitMs), () => {
          isWaiting = false
          later()
        })
      }
      return false
    },
  }
}

/**
 * Does the work for a key at most once in `everyMs`: requests in between share the next run. Drops
 * keys past `most`, which get no result.
 */
export function spacedWork<Result>(clock: Clock, everyMs: number, most: number) {
  type Work = () => Promise<Result | undefined>
  const waiting = new Map<string, ReturnType<Work>>()
  const begunAt = new LRUCache<string, number>({ max: most })

  function begin(key: string, work: Work): ReturnType<Work> {
    begunAt.set(key, clock.now())
    return work()
  }

  return (key: string, work: Work): ReturnType<Work> => {
    const passedMs = clock.now() - (begunAt.get(key) ?? Number.NEGATIVE_INFINITY)
    const already = waiting.get(key)
    if (already !== undefined) return already
    // A clock that was set back does not make work wait longer.
    if (passedMs >= everyMs || passedMs < 0) return begin(key, work)
    if (waiting.size >= most) return Promise.resolve(undefined)
    const turn = new Promise<void>((resolve) => clock.after(everyMs - passedMs, resolve)).then(
      () => {
        waiting.delete(key)
        return begin(key, work)
      },
    )
    waiting.set(key, turn)
    return turn
  }
}
