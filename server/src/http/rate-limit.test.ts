// The rate limit for each address, on a clock that the test moves.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateLimit } from './rate-limit.ts'

/** Steps at 50 a second and 200 in a burst: the pause, how many requests are made at once, and how many are allowed. */
const ROWS: [about: string, steps: string][] = [
  ['a burst', '0 200 200'],
  ['more than a burst', '0 1000 200'],
  ['a pause after a burst', '0 200 200, 100 10 5, 1000 60 50'],
  ['a long pause', '0 300 200, 3600000 300 200'],
  ['a steady 50 a second', `0 50 50${', 1000 50 50'.repeat(99)}`],
  ['one every 10 ms, which is twice too many', `0 200 200${', 10 1 0, 10 1 1'.repeat(50)}`],
  ['a clock that is set back', '0 200 200, -60000 10 0, 1000 60 50'],
]

describe('rate limit', () => {
  for (const [about, steps] of ROWS) {
    it(`allows the requests within the rate: ${about}`, () => {
      const clock = { at: 1_000_000, now: () => clock.at }
      const allow = rateLimit(clock, { perSecond: 50, burst: 200 })
      for (const step of steps.split(', ')) {
        const [afterMs, asked, pass] = step.split(' ').map(Number) as [number, number, number]
        clock.at += afterMs
        const passed = Array.from({ length: asked }, () => allow('192.0.2.1')).filter(Boolean)
        assert.equal(passed.length, pass)
      }
    })
  }

  it('counts each address by itself', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 })
    assert.deepEqual(
      ['a', 'a', 'b', 'b'].map((address) => allow(address)),
      [true, false, true, false],
    )
  })

  it('lets a /56 have four times and a /48 sixteen times what one of its networks has', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 10 })
    const passing = (count: number, address: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => allow(address(at))).filter(Boolean).length
    const passed = [
      passing(256, (at) => `2001:db8:1:${at.toString(16)}::1`),
      passing(2_048, (at) => `2001:db8:1:${(at * 32).toString(16)}::2`),
      // Another /48 has its own.
      passing(1, () => '2001:db8:2::1'),
      passing(20, () => '192.0.2.1'),
    ]
    assert.deepEqual(passed, [40, 120, 1, 10])
  })

  it('keeps a limited number of buckets and evicts the least recently used', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 }, 3)
    assert.deepEqual(
      ['a', 'b', 'c', 'a', 'd'].map((address) => allow(address)),
      [true, true, true, false, true],
    )
    // d has evicted b, and b now evicts c.
    assert.deepEqual(
      ['a', 'd', 'b', 'a', 'd', 'c'].map((address) => allow(address)),
      [false, false, true, false, false, true],
    )
  })
})
