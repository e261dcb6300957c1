// The delays between the attempts of a webhook delivery, and what a receiver's Retry-After changes about them (D-28).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { nextAttemptInMs, readRetryAfter } from './retry-schedule.ts'

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
  assert.deepEqual([nextAttemptInMs(11, 0.5), nextAttemptInMs(10, 0.5, HOUR)], [undefined, undefined])
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
  [null, ['Sun, 99 Nov 2026 09:31:00 GMT', '2026-11-15T09:31:00Z', '-1', '1.5', '5 minutes', 'soon', '']],
]
for (const [ms, texts] of TEXTS)
  for (const text of texts)
    it(`retry schedule: Retry-After ${JSON.stringify(text.slice(0, 40))} means ${ms === null ? 'nothing' : `${ms} ms`}`, () =>
      assert.equal(readRetryAfter(text, NOW), ms))
