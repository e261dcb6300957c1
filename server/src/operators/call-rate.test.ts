// How calls are spaced: ten a second evenly, thousands in small groups, and none is owed after a pause or when the clock is set back.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import { callRate } from './call-rate.ts'

/** The times of calls that are begun whenever they are allowed, for a while. */
async function timesOf(perSecond: number | undefined, forMs: number, most = 10_000): Promise<number[]> {
  const clock = virtualClock(0)
  const rate = callRate(clock, perSecond)
  const times: number[] = []
  const begin = (): void => {
    while (times.length < most && rate.allows(begin)) times.push(clock.now())
  }
  begin()
  await clock.advance(forMs)
  return times
}

const mostInASecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length))

describe('a rate of calls', () => {
  it('of ten a second is ten in every second, a tenth of a second apart', async () => {
    const times = await timesOf(10, 2_950)
    assert.equal(times.length, 30)
    assert.ok(times.every((at, nth) => at === nth * 100))
  })

  for (const perSecond of [1, 7, 250, 2_000]) {
    it(`of ${perSecond} a second is kept in every second, but for what belongs to ten milliseconds`, async () => {
      const times = await timesOf(perSecond, 2_999)
      assert.ok(mostInASecond(times) <= perSecond * 1.01 + 1, `${mostInASecond(times)} in a second`)
      assert.ok(times.length >= 2.9 * perSecond, `${times.length} in three seconds`)
    })
  }

  it('that is not limited lets everything begin', async () => {
    assert.equal((await timesOf(undefined, 1)).length, 10_000)
  })

  it('owes nothing after a pause', async () => {
    const clock = virtualClock(0)
    const rate = callRate(clock, 10)
    rate.allows(() => {})
    await clock.advance(60_000)
    assert.deepEqual([rate.allows(() => {}), rate.allows(() => {})], [true, false])
  })
})
