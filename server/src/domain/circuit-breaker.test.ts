// A circuit breaker call by call: when it opens, for how long, when it lets a single call through, and when it closes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { afterCall, type BreakerLimits, CLOSED, isOpen, isTripped } from './circuit-breaker.ts'

const LIMITS: BreakerLimits = { failuresUntilOpen: 3, shortestOpenMs: 1_000, longestOpenMs: 5_000 }

type State = 'closed' | 'open' | 'half-open'
type Step = [at: number, outcome: 'success' | 'failure' | 'nothing', state: State, openUntil: number]

const CASES: [about: string, steps: Step[]][] = [
  [
    'stays closed while calls succeed',
    [
      [0, 'success', 'closed', 0],
      [1, 'success', 'closed', 0],
    ],
  ],
  [
    'opens after three failures in a row, and not before',
    [
      [0, 'failure', 'closed', 0],
      [10, 'failure', 'closed', 0],
      [20, 'failure', 'open', 1_020],
    ],
  ],
  [
    'starts counting again after a success',
    [
      [0, 'failure', 'closed', 0],
      [1, 'failure', 'closed', 0],
      [2, 'success', 'closed', 0],
      [3, 'failure', 'closed', 0],
      [4, 'failure', 'closed', 0],
      [5, 'failure', 'open', 1_005],
    ],
  ],
  [
    'is open to the last millisecond, and half-open from then on',
    [
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'open', 1_000],
      [999, 'nothing', 'open', 1_000],
      [1_000, 'nothing', 'half-open', 1_000],
      [1_000_000, 'nothing', 'half-open', 1_000],
    ],
  ],
  [
    'opens for twice as long each time that the single call fails, up to the longest',
    [
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'open', 1_000],
      [1_000, 'failure', 'open', 3_000],
      [3_000, 'failure', 'open', 7_000],
      [7_000, 'failure', 'open', 12_000],
      [12_000, 'failure', 'open', 17_000],
    ],
  ],
  [
    'closes when the single call succeeds, and next opens for the shortest time again',
    [
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'open', 1_000],
      [1_000, 'failure', 'open', 3_000],
      [3_000, 'success', 'closed', 3_000],
      [3_001, 'failure', 'closed', 3_000],
      [3_002, 'failure', 'closed', 3_000],
      [3_003, 'failure', 'open', 4_003],
    ],
  ],
  [
    'restarts its open time when a call that was under way fails as well',
    [
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'open', 1_000],
      [400, 'failure', 'open', 2_400],
    ],
  ],
  [
    'closes at the end of its open time when a call that was under way succeeds',
    [
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'closed', 0],
      [0, 'failure', 'open', 1_000],
      [400, 'success', 'open', 1_000],
      [1_000, 'nothing', 'closed', 1_000],
    ],
  ],
]

describe('a circuit breaker', () => {
  for (const [about, steps] of CASES) {
    it(about, () => {
      let breaker = CLOSED
      for (const [at, outcome, state, openUntil] of steps) {
        if (outcome !== 'nothing') breaker = afterCall(breaker, outcome, at, LIMITS)
        const is = isOpen(breaker, at, LIMITS) ? 'open' : isTripped(breaker, LIMITS) ? 'half-open' : 'closed'
        assert.deepEqual([at, is, breaker.openUntil], [at, state, openUntil])
      }
    })
  }

  it('is open for the longest time and no longer after any number of failures', () => {
    let breaker = CLOSED
    for (let failed = 0; failed < 3_000; failed++) breaker = afterCall(breaker, 'failure', 0, LIMITS)
    assert.deepEqual(breaker, { failures: 3_000, openUntil: 5_000 })
  })

  it('is not open for longer than the longest time when the clock is set back', () => {
    const breaker = { failures: 3, openUntil: 7_205_000 }
    assert.deepEqual(
      [7_204_000, 7_199_000].map((now) => isOpen(breaker, now, LIMITS)),
      [true, false],
    )
  })

  it('changes no state that it is given', () => {
    const before = Object.freeze({ failures: 2, openUntil: 0 })
    assert.notEqual(afterCall(before, 'failure', 0, LIMITS), before)
    assert.deepEqual(CLOSED, { failures: 0, openUntil: 0 })
  })
})
