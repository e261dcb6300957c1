// Turns a function on many items into a function on one: calls that wait at the same time share one
// flush. A call never waits for others to join it, only for a free flush, so a lone caller loses
// nothing. Packages that join calls, such as dataloader, fail all calls of a batch together; here
// each is tried alone after an error.
import { StoreContended, StoreOutcomeUnknown, StoreUnavailable } from './database.ts'

/** After this many lock time-outs in a row, the other items of the batch are not tried. */
const MOST_CONTENDED = 2

export interface BatchLimits {
  /** How many flushes may run at once. */
  flushes: number
  batchSize: number
  /** Resolves when the next flush may begin: for low-priority work. */
  pause?(): Promise<void>
  maxWaiting: number
}

type Waiting<Item, Result> = {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export function batch<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  /** A function for limits that change. */
  limits: BatchLimits | (() => BatchLimits),
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = 0
  let isScheduled = false
  /**
   * The last items timed out on a lock: the next is tried alone, and its result decides for those
   * that wait.
   */
  let isLocked = false
  const limitsNow = typeof limits === 'function' ? limits : () => limits

  function startFlushes(): void {
    isScheduled = false
    const limits = limitsNow()
    const { flushes, batchSize } = isLocked ? { flushes: 1, batchSize: 1 } : limits
    while (running < flushes && waiting.length > 0) void flushBatch(waiting.splice(0, batchSize))
  }

  async function flushBatch(batched: Waiting<Item, Result>[]): Promise<void> {
    running++
    try {
      const results = await flush(batched.map(({ item }) => item))
      isLocked = false
      for (let at = 0; at < batched.length; at++) batched[at]?.resolve(results[at] as Result)
    } catch (error) {
      if (isLocked && error instanceof StoreContended)
        rejectAll([...batched, ...waiting.splice(0)], error)
      else await flushOneByOne(batched, error)
    } finally {
      const { pause } = limitsNow()
      if (pause !== undefined) await pause()
      running--
      startFlushes()
    }
  }

  /**
   * One bad item must not fail the rest of its batch: after an error that is not an outage, each
   * item is flushed by itself. That stops at an outage, or after two lock time-outs in a row: 500
   * items would each wait as long.
   */
  async function flushOneByOne(batched: Waiting<Item, Result>[], error: unknown): Promise<void> {
    if (batched.length === 1 || isOutage(error)) {
      rejectAll(batched, error)
      return
    }
    let inARow = 0
    for (let at = 0; at < batched.length; at++) {
      const { item, resolve, reject } = batched[at] as Waiting<Item, Result>
      try {
        const [result] = await flush([item])
        inARow = 0
        resolve(result as Result)
      } catch (failure) {
        reject(failure)
        inARow = failure instanceof StoreContended ? inARow + 1 : 0
        if (isOutage(failure) || inARow === MOST_CONTENDED) {
          isLocked = inARow === MOST_CONTENDED
          rejectAll(batched.slice(at + 1), asNotTried(failure))
          return
        }
      }
    }
  }

  function rejectAll(items: readonly Waiting<Item, Result>[], error: unknown): void {
    for (const { reject } of items) reject(error)
  }

  return (item) => {
    if (waiting.length >= limitsNow().maxWaiting)
      throw new StoreUnavailable('too many calls are waiting')
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isScheduled) return
      isScheduled = true
      setImmediate(startFlushes)
    })
  }
}

const isOutage = (error: unknown): boolean =>
  (error instanceof StoreUnavailable && !(error instanceof StoreContended)) ||
  error instanceof StoreOutcomeUnknown

/**
 * An item that was not flushed again was not recorded, whatever the result of the item before it.
 */
const asNotTried = (failure: unknown): unknown =>
  failure instanceof StoreUnavailable
    ? failure
    : new StoreUnavailable('the store failed before this was tried', { cause: failure })
