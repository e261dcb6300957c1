// A circuit breaker call by call: when it opens, for how long, when it lets a single call through, and when it closes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { afterCall, type BreakerLimits, CLOSED, isOpen, isTripped } from './circuit-breaker.ts'

const LIMITS: BreakerLimits = { failuresUntilOpen: 3, shortestOpenMs: 1_000, longestOpenMs: 5_000 }
const OPENED = '0 failure closed 0, 0 failure closed 0, 0 failure open 1000'

/** Each step: the time, the outcome of a call or `nothing`, the state after it, and until when the breaker is open. */
const CASES: [about: string, steps: string][] = [
  ['stays closed while calls succeed', '0 success closed 0, 1 success closed 0'],
  ['opens after three failures in a row, not before', '0 failure closed 0, 10 failure closed 0, 20 failure open 1020'],
  [
    'starts counting again after a success',
    '0 failure closed 0, 1 failure closed 0, 2 success closed 0, 3 failure closed 0, 4 failure closed 0, 5 failure open 1005',
  ],
  [
    'is open to the last millisecond, and half-open from then on',
    `${OPENED}, 999 nothing open 1000, 1000 nothing half-open 1000, 1000000 nothing half-open 1000`,
  ],
  [
    'opens for twice as long each time that the single call fails, up to the longest',
    `${OPENED}, 1000 failure open 3000, 3000 failure open 7000, 7000 failure open 12000, 12000 failure open 17000`,
  ],
  [
    'closes when the single call succeeds, and next opens for the shortest time again',
    `${OPENED}, 1000 failure open 3000, 3000 success closed 3000, 3001 failure closed 3000, 3002 failure closed 3000, 3003 failure open 4003`,
  ],
  ['restarts its open time when a call in flight fails as well', `${OPENED}, 400 failure open 2400`],
  ['closes in time when a call in flight succeeds', `${OPENED}, 400 success open 1000, 1000 nothing closed 1000`],
]

describe('circuit breaker', () => {
  for (const [about, steps] of CASES)
    it(`circuit breaker: ${about}`, () => {
      let breaker = CLOSED
      for (const step of steps.split(', ')) {
        const [at, outcome] = step.split(' ') as [string, 'success' | 'failure' | 'nothing']
        if (outcome !== 'nothing') breaker = afterCall(breaker, outcome, Number(at), LIMITS)
        const isHalfOpen = isTripped(breaker, LIMITS)
        const state = isOpen(breaker, Number(at), LIMITS) ? 'open' : isHalfOpen ? 'half-open' : 'closed'
        assert.equal(`${at} ${outcome} ${state} ${breaker.openUntil}`, step)
      }
    })

  it('circuit breaker: is open for the longest time and no longer after any number of failures', () => {
    let breaker = CLOSED
    for (let failed = 0; failed < 3_000; failed++) breaker = afterCall(breaker, 'failure', 0, LIMITS)
    assert.deepEqual(breaker, { failures: 3_000, openUntil: 5_000 })
  })

  it('circuit breaker: is not open for longer than the longest time when the clock is set back', () => {
    const breaker = { failures: 3, openUntil: 7_205_000 }
    const states = [7_204_000, 7_199_000].map((now) => isOpen(breaker, now, LIMITS))
    assert.deepEqual(states, [true, false])
  })

  it('circuit breaker: changes no state that it is given', () => {
    const before = Object.freeze({ failures: 2, openUntil: 0 })
    assert.notEqual(afterCall(before, 'failure', 0, LIMITS), before)
    assert.deepEqual(CLOSED, { failures: 0, openUntil: 0 })
  })
})
