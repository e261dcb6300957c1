// The delays between the attempts of a webhook delivery, and what a receiver's Retry-After changes
// about them (D-28).
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  afterCall,
  type BreakerLimits,
  CLOSED,
  isOpen,
  isTripped,
  nextAttemptInMs,
  readRetryAfter,
} from './retry-schedule.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const NOW = Date.UTC(2026, 10, 15, 9, 30)

/** After the first attempt, the second … */
const WAITS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
  (seconds, at) => [at + 1, seconds * SECOND] as const,
)

for (const [made, wait] of WAITS)
  it(`retry schedule: the next attempt after ${made} is ${wait / SECOND} s later, a fifth more or less`, () => {
    assert.deepEqual([nextAttemptInMs(made, 0.5), nextAttemptInMs(made, 0)], [wait, wait * 0.8])
    assert.equal(nextAttemptInMs(made, 1), wait * 1.2)
  })

it('retry schedule: the next attempt is made at once when there was none before, and never after the tenth', () => {
  assert.deepEqual([nextAttemptInMs(0, 0.5), nextAttemptInMs(10, 0.5)], [0, undefined])
  assert.deepEqual(
    [nextAttemptInMs(11, 0.5), nextAttemptInMs(10, 0.5, HOUR)],
    [undefined, undefined],
  )
})

it('retry schedule: the next attempt comes about three days after the first, when it is the tenth', () => {
  const total = WAITS.reduce((sum, [made]) => sum + (nextAttemptInMs(made, 0.5) as number), 0)
  assert.equal(total, 75 * HOUR + 35 * MINUTE + 5 * SECOND)
})

it('retry schedule: the next attempt is a whole number of milliseconds for every random fraction', () => {
  for (let byte = 0; byte < 256; byte++)
    for (const [made] of WAITS) assert.ok(Number.isInteger(nextAttemptInMs(made, byte / 255)))
})

const ASKED: [retryAfterMs: number | null, made: number, waitMs: number, about: string][] = [
  [null, 1, 5 * SECOND, 'nothing'],
  [0, 1, 5 * SECOND, 'at once'],
  [1 * SECOND, 1, 5 * SECOND, 'less than the delay'],
  [90 * SECOND, 1, 90 * SECOND, 'more than the delay'],
  [6 * HOUR, 4, 6 * HOUR, 'hours'],
  [48 * HOUR, 1, 24 * HOUR, 'more than a day'],
  [48 * HOUR, 9, 24 * HOUR, 'more than a day before the last'],
]
for (const [retryAfterMs, made, wait, about] of ASKED)
  it(`retry schedule: the next attempt waits ${wait / SECOND} s after attempt ${made} when the receiver asks for ${about}`, () =>
    assert.equal(nextAttemptInMs(made, 0.5, retryAfterMs), wait))

const TEXTS: [ms: number | null, texts: string[]][] = [
  [0, ['0', 'Sun, 15 Nov 2026 09:29:00 GMT']],
  [MINUTE, ['Sun, 15 Nov 2026 09:31:00 GMT']],
  [120 * SECOND, ['120']],
  [24 * HOUR, ['86400', '86401', '9'.repeat(400), 'Fri, 15 Nov 2030 09:30:00 GMT']],
  [
    null,
    ['Sun, 99 Nov 2026 09:31:00 GMT', '2026-11-15T09:31:00Z', '-1', '1.5', '5 minutes', 'soon', ''],
  ],
]
for (const [ms, texts] of TEXTS)
  for (const text of texts)
    it(`retry schedule: Retry-After ${JSON.stringify(text.slice(0, 40))} means ${ms === null ? 'nothing' : `${ms} ms`}`, () =>
      assert.equal(readRetryAfter(text, NOW), ms))

// A circuit breaker call by call: when it opens, for how long, when it lets a single call through,
// and when it closes.

const LIMITS: BreakerLimits = { failuresUntilOpen: 3, shortestOpenMs: 1_000, longestOpenMs: 5_000 }
const OPENED = '0 failure closed 0, 0 failure closed 0, 0 failure open 1000'

/**
 * Each step: the time, the outcome of a call or `nothing`, the state after it, and until when the
 * breaker is open.
 */
const CASES: [about: string, steps: string][] = [
  ['stays closed while calls succeed', '0 success closed 0, 1 success closed 0'],
  [
    'opens after three failures in a row, not before',
    '0 failure closed 0, 10 failure closed 0, 20 failure open 1020',
  ],
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
  [
    'restarts its open time when a call in flight fails as well',
    `${OPENED}, 400 failure open 2400`,
  ],
  [
    'closes in time when a call in flight succeeds',
    `${OPENED}, 400 success open 1000, 1000 nothing closed 1000`,
  ],
]

describe('circuit breaker', () => {
  for (const [about, steps] of CASES)
    it(`circuit breaker: ${about}`, () => {
      let breaker = CLOSED
      for (const step of steps.split(', ')) {
        const [at, outcome] = step.split(' ') as [string, 'success' | 'failure' | 'nothing']
        if (outcome !== 'nothing') breaker = afterCall(breaker, outcome, Number(at), LIMITS)
        const tried = isTripped(breaker, LIMITS) ? 'half-open' : 'closed'
        const state = isOpen(breaker, Number(at), LIMITS) ? 'open' : tried
        assert.equal(`${at} ${outcome} ${state} ${breaker.openUntil}`, step)
      }
    })

  it('circuit breaker: is open for the longest time and no longer after any number of failures', () => {
    let breaker = CLOSED
    for (let failed = 0; failed < 3_000; failed++)
      breaker = afterCall(breaker, 'failure', 0, LIMITS)
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
