// Batches: queued calls share a flush, no call waits for others to join, a bad item fails alone, an
// outage fails all, and past a limit a call is refused at once.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type BatchLimits, batch } from './batch.ts'
import { StoreContended, StoreOutcomeUnknown, StoreUnavailable } from './database.ts'

const LIMITS: BatchLimits = { flushes: 1, batchSize: 10, maxWaiting: 100 }

interface Flushed {
  items: number[]
  /** Ends the flush: with ten times each item, or with a fault. */
  end(fault?: Error): void
}

function batched(limits: Partial<BatchLimits> = {}) {
  const flushes: Flushed[] = []
  const call = batch<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        const results = items.map((item) => item * 10)
        flushes.push({
          items,
          end: (fault) => (fault === undefined ? resolve(results) : reject(fault)),
        })
      }),
    { ...LIMITS, ...limits },
  )
  const items = () => flushes.map((each) => each.items)
  return { call, flushes, items }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)

describe('batch', () => {
  it('the calls of one turn share a flush, and each gets its own result', async () => {
    const { call, flushes, items } = batched()
    const results = Promise.all(upTo(3).map(call))
    await turn()
    assert.deepEqual(items(), [[1, 2, 3]])
    flushes[0]?.end()
    assert.deepEqual(await results, [10, 20, 30])
  })

  it('a single call is flushed in the same turn, without waiting for others', async () => {
    const { call, flushes, items } = batched()
    const result = call(7)
    await turn()
    assert.deepEqual(items(), [[7]])
    flushes[0]?.end()
    assert.equal(await result, 70)
  })

  it('calls that arrive during a flush are flushed together when it ends', async () => {
    const { call, flushes, items } = batched()
    const first = call(1)
    await turn()
    const others = Promise.all([2, 3].map(call))
    await turn()
    assert.deepEqual(items(), [[1]])
    flushes[0]?.end()
    await first
    assert.deepEqual(items(), [[1], [2, 3]])
    flushes[1]?.end()
    assert.deepEqual(await others, [20, 30])
  })

  const BOUNDS: [limits: Partial<BatchLimits>, calls: number, atOnce: number[][]][] = [
    [{ batchSize: 2 }, 5, [[1, 2]]],
    [
      { batchSize: 2, flushes: 2 },
      5,
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [{ batchSize: 2, flushes: 9 }, 5, [[1, 2], [3, 4], [5]]],
    [{ batchSize: 5, flushes: 2 }, 5, [[1, 2, 3, 4, 5]]],
  ]
  for (const [limits, calls, atOnce] of BOUNDS)
    it(`with ${JSON.stringify(limits)}, ${calls} calls have ${JSON.stringify(atOnce)} in flight at once`, async () => {
      const { call, flushes, items } = batched(limits)
      const results = Promise.all(upTo(calls).map(call))
      await turn()
      assert.deepEqual(items(), atOnce)
      for (let ended = 0; ended < flushes.length; ended++) {
        flushes[ended]?.end()
        await turn()
      }
      assert.deepEqual(
        await results,
        upTo(calls).map((item) => item * 10),
      )
      assert.deepEqual(items().flat(), upTo(calls), 'each was flushed once, in its order')
    })

  it('limits are read again before each flush', async () => {
    let batchSize = 2
    const flushed: number[][] = []
    const call = batch<number, number>(
      async (items) => {
        flushed.push(items)
        return items
      },
      () => ({ ...LIMITS, batchSize }),
    )
    const first = upTo(4).map(call)
    await turn()
    batchSize = 10
    await Promise.all([...first, ...upTo(3).map(call)])
    assert.deepEqual(flushed[0], [1, 2])
    assert.deepEqual(flushed.slice(1).flat(), [3, 4, 1, 2, 3])
    assert.ok(flushed.slice(1).some((items) => items.length > 2))
  })

  it('after a flush the next one waits for the pause, and results do not', async () => {
    let wake: () => void = () => {}
    const pause = () =>
      new Promise<void>((resolve) => {
        wake = resolve
      })
    const { call, flushes, items } = batched({ pause })
    const first = call(1)
    await turn()
    const second = call(2)
    flushes[0]?.end()
    assert.equal(await first, 10)
    await turn()
    assert.deepEqual(items(), [[1]])
    wake()
    await turn()
    assert.deepEqual(items(), [[1], [2]])
    flushes[1]?.end()
    assert.equal(await second, 20)
  })

  it('a bad item fails alone: each of the others is flushed by itself', async () => {
    const flushed: number[][] = []
    const call = batch<number, number>(async (items) => {
      flushed.push(items)
      if (items.includes(2)) throw new Error('2 is bad')
      return items
    }, LIMITS)
    const results = await Promise.allSettled(upTo(3).map(call))
    const values = results.map((result) =>
      result.status === 'fulfilled' ? result.value : result.reason.message,
    )
    assert.deepEqual(values, [1, '2 is bad', 3])
    assert.deepEqual(flushed, [[1, 2, 3], [1], [2], [3]])
    assert.equal(await call(4), 4, 'the next batch succeeds')
  })

  for (const outage of [new StoreUnavailable('away'), new StoreOutcomeUnknown('who knows')])
    it(`${outage.name} fails the whole batch: nothing is retried`, async () => {
      const { call, flushes, items } = batched()
      const results = Promise.allSettled(upTo(3).map(call))
      await turn()
      flushes[0]?.end(outage)
      const reasons = (await results).map((result) => result.status === 'rejected' && result.reason)
      assert.deepEqual([reasons, items().length], [[outage, outage, outage], 1])
    })

  const LOCKED = new StoreContended('a lock is held')
  const BAD = new Error('it is bad')
  const AWAY = new StoreUnavailable('away')
  const UNKNOWN = new StoreOutcomeUnknown('who knows')

  /**
   * `alone`: the error of each of four items when flushed by itself; `tried`: how many items are
   * tried.
   */
  const ONE_BY_ONE: [
    what: string,
    batch: Error,
    alone: (Error | undefined)[],
    tried: number,
    results: string[],
  ][] = [
    [
      'locks on some items',
      LOCKED,
      [undefined, LOCKED, undefined, LOCKED],
      4,
      ['1', LOCKED.name, '3', LOCKED.name],
    ],
    ['a lock on everything', LOCKED, Array(4).fill(LOCKED), 2, Array(4).fill(LOCKED.name)],
    [
      'bad items between locks',
      BAD,
      [LOCKED, BAD, LOCKED, BAD],
      4,
      [LOCKED.name, BAD.name, LOCKED.name, BAD.name],
    ],
    [
      'an outage',
      BAD,
      [undefined, AWAY, undefined, undefined],
      2,
      ['1', AWAY.name, AWAY.name, AWAY.name],
    ],
    [
      'a lost answer',
      BAD,
      [undefined, UNKNOWN, undefined, undefined],
      2,
      ['1', UNKNOWN.name, AWAY.name, AWAY.name],
    ],
  ]
  for (const [what, fault, alone, tried, expected] of ONE_BY_ONE)
    it(`flushing items one by one, with ${what}, tries ${tried} of them`, async () => {
      const flushed: number[][] = []
      const call = batch<number, number>(async (items) => {
        flushed.push(items)
        const met = items.length > 1 ? fault : alone[(items[0] as number) - 1]
        if (met !== undefined) throw met
        return items
      }, LIMITS)
      const results = await Promise.allSettled(upTo(4).map(call))
      const values = results.map((result) =>
        result.status === 'fulfilled' ? String(result.value) : result.reason.name,
      )
      assert.deepEqual([values, flushed.slice(1).flat()], [expected, upTo(tried)])
    })

  it('after a lock on everything the next item is tried alone, and decides for all that wait, until one succeeds', async () => {
    const flushed: number[][] = []
    let isHeld = true
    const { promise: whenMet, resolve: met } = Promise.withResolvers<void>()
    const call = batch<number, number>(async (items) => {
      flushed.push(items)
      if (flushed.length === 3) met()
      await turn()
      if (isHeld) throw LOCKED
      return items
    }, LIMITS)
    const first = Promise.allSettled(upTo(3).map(call))
    await whenMet
    const waiting = Promise.allSettled([4, 5, 6].map(call))
    const results = [...(await first), ...(await waiting)]
    assert.deepEqual(
      new Set(results.map((result) => result.status === 'rejected' && result.reason)),
      new Set([LOCKED]),
    )
    isHeld = false
    assert.deepEqual(await Promise.all([7, 8, 9].map(call)), [7, 8, 9])
    assert.deepEqual(flushed, [[1, 2, 3], [1], [2], [4], [7], [8, 9]])
  })

  it('a call is refused at once while the queue is full, and accepted when there is room again', async () => {
    const { call, flushes } = batched({ maxWaiting: 2 })
    const first = call(1)
    await turn()
    const waiting = [call(2), call(3)]
    assert.throws(() => call(4), StoreUnavailable)
    flushes[0]?.end()
    await first
    const later = call(5)
    flushes[1]?.end()
    assert.deepEqual(await Promise.all(waiting), [20, 30])
    await turn()
    flushes[2]?.end()
    assert.equal(await later, 50)
  })
})
