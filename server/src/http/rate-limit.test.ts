// A limit for each address, on a clock moved by hand.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateLimit } from './rate-limit.ts'

/** What passes of so many asked at once, after each pause, at 50 a second and 200 in a burst. */
const ROWS: [about: string, steps: [afterMs: number, asked: number, pass: number][]][] = [
  ['a burst', [[0, 200, 200]]],
  ['more than a burst', [[0, 1_000, 200]]],
  [
    'a rest after a burst',
    [
      [0, 200, 200],
      [100, 10, 5],
      [1_000, 60, 50],
    ],
  ],
  [
    'a long rest',
    [
      [0, 300, 200],
      [3_600_000, 300, 200],
    ],
  ],
  ['a steady 50 a second', Array.from({ length: 100 }, (_, second) => [second && 1_000, 50, 50])],
  [
    'one every 10 ms, which is twice too many',
    [[0, 200, 200], ...Array.from({ length: 100 }, (_, n): [number, number, number] => [10, 1, n % 2])],
  ],
  [
    'a clock that is set back',
    [
      [0, 200, 200],
      [-60_000, 10, 0],
      [1_000, 60, 50],
    ],
  ],
]

describe('of what an address asks', () => {
  for (const [about, steps] of ROWS) {
    it(`as ${about}, what is within the rate passes`, () => {
      const clock = { at: 1_000_000, now: () => clock.at }
      const may = rateLimit(clock, { perSecond: 50, burst: 200 })
      for (const [afterMs, asked, pass] of steps) {
        clock.at += afterMs
        const passed = Array.from({ length: asked }, () => may('192.0.2.1')).filter(Boolean)
        assert.equal(passed.length, pass)
      }
    })
  }

  it('nothing counts against another', () => {
    const may = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 })
    assert.deepEqual(['a', 'a', 'b', 'b'].map(may), [true, false, true, false])
  })

  it('only so many are remembered, and whoever asked least lately is forgotten', () => {
    const may = rateLimit({ now: () => 0 }, { perSecond: 1, burst: 1 }, 3)
    assert.deepEqual(['a', 'b', 'c', 'a', 'd'].map(may), [true, true, true, false, true])
    // d took the place of b, and b now takes that of c.
    assert.deepEqual(['a', 'd', 'b', 'a', 'd', 'c'].map(may), [false, false, true, false, false, true])
  })
})
