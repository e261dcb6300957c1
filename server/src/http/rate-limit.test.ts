// The rate limit for each address, on a clock that the test moves.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateLimit } from './rate-limit.ts'

/** `100 10 5`: after 100 ms, of 10 requests at once 5 are allowed, at 50 a second and 200 in a burst. */
const ROWS: [about: string, steps: string[]][] = [
  ['a burst', ['0 200 200']],
  ['more than a burst', ['0 1000 200']],
  ['a pause after a burst', ['0 200 200', '100 10 5', '1000 60 50']],
  ['a long pause', ['0 300 200', '3600000 300 200']],
  ['a steady 50 a second', ['0 50 50', ...Array(99).fill('1000 50 50')]],
  ['one every 10 ms, which is twice too many', ['0 200 200', ...Array(50).fill(['10 1 0', '10 1 1']).flat()]],
  ['a clock that is set back', ['0 200 200', '-60000 10 0', '1000 60 50']],
]

describe('rate limit', () => {
  for (const [about, steps] of ROWS)
    it(`allows the requests within the rate: ${about}`, () => {
      const clock = { at: 1_000_000, now: () => clock.at }
      const allow = rateLimit(clock, { perSecond: 50, burst: 200 })
      for (const [afterMs, asked, pass] of steps.map(
        (step) => step.split(' ').map(Number) as [number, number, number],
      )) {
        clock.at += afterMs
        const passed = Array.from({ length: asked }, () => allow('192.0.2.1')).filter(Boolean)
        assert.equal(passed.length, pass)
      }
    })

  it('counts each address by itself', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 })
    const allowed = ['a', 'a', 'b', 'b'].map((address) => allow(address))
    assert.deepEqual(allowed, [true, false, true, false])
  })

  it('lets a /56 have four times and a /48 sixteen times what one of its networks has', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 10 })
    const passing = (count: number, address: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => allow(address(at))).filter(Boolean).length
    const ofNarrow = passing(256, (at) => `2001:db8:1:${at.toString(16)}::1`)
    const ofWide = passing(2_048, (at) => `2001:db8:1:${(at * 32).toString(16)}::2`)
    const [ofOther, ofAddress] = [passing(1, () => '2001:db8:2::1'), passing(20, () => '192.0.2.1')]
    assert.deepEqual([ofNarrow, ofWide, ofOther, ofAddress], [40, 120, 1, 10], 'another /48 has its own')
  })

  it('keeps a limited number of buckets and evicts the least recently used', () => {
    const allow = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 }, 3)
    const first = ['a', 'b', 'c', 'a', 'd'].map((address) => allow(address))
    assert.deepEqual(first, [true, true, true, false, true])
    // d has evicted b, and b now evicts c.
    const second = ['a', 'd', 'b', 'a', 'd', 'c'].map((address) => allow(address))
    assert.deepEqual(second, [false, false, true, false, false, true])
  })
})
