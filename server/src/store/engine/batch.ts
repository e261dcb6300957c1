// Turns a function on many into a function on one: calls that wait together are answered by one journey. A call never
// waits for company, only for a free journey, so a lone caller loses nothing.
import { StoreContended, StoreOutcomeUnknown, StoreUnavailable } from './database.ts'

export interface BatchLimits {
  /** How many journeys may be under way at once. */
  flushes: number
  batchSize: number
  maxWaiting: number
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export function batch<Item, Result>(
  flush: (items: Item[]) => Promise<Result[]>,
  { flushes, batchSize, maxWaiting }: BatchLimits,
): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let underWay = 0
  let isScheduled = false

  function startFlushes(): void {
    isScheduled = false
    while (underWay < flushes && waiting.length > 0) void flushBatch(waiting.splice(0, batchSize))
  }

  async function flushBatch(batched: Waiting<Item, Result>[]): Promise<void> {
    underWay++
    try {
      const results = await flush(batched.map(({ item }) => item))
      for (const [at, { resolve }] of batched.entries()) resolve(results[at] as Result)
    } catch (error) {
      await flushOneByOne(batched, error)
    } finally {
      underWay--
      startFlushes()
    }
  }

  /** One bad ask must not fail its companions: after a fault that is not an outage, each is asked again by itself. */
  async function flushOneByOne(batched: Waiting<Item, Result>[], error: unknown): Promise<void> {
    if (batched.length === 1 || isOutage(error)) {
      for (const { reject } of batched) reject(error)
      return
    }
    for (const { item, resolve, reject } of batched) {
      await flush([item]).then(([result]) => resolve(result as Result), reject)
    }
  }

  return (item) => {
    if (waiting.length >= maxWaiting) throw new StoreUnavailable('too many calls are waiting')
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (isScheduled) return
      isScheduled = true
      setImmediate(startFlushes)
    })
  }
}

const isOutage = (error: unknown): boolean =>
  (error instanceof StoreUnavailable && !(error instanceof StoreContended)) || error instanceof StoreOutcomeUnknown
