// The last hour, minute by minute, over all processes.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bucketOf, emptyMinute, type MinuteCounts, sumHour } from './minute-figures.ts'

const NOW = 1_000

/** Of creates that took so many seconds. */
function counted(
  minute: number,
  creates: readonly number[],
  change: Partial<MinuteCounts> = {},
): MinuteCounts {
  const counts = { ...emptyMinute(minute), created: creates.length, ...change }
  for (const seconds of creates)
    counts.latencies[bucketOf(seconds)] = (counts.latencies[bucketOf(seconds)] ?? 0) + 1
  return counts
}

it('minute figures: has sixty minutes, the oldest first, and nothing older or newer', () => {
  const { minutes } = sumHour(
    [counted(NOW - 60, [1]), counted(NOW - 59, [1]), counted(NOW + 1, [1])],
    NOW,
  )
  assert.deepEqual(
    [minutes.length, minutes[0]?.at, minutes[0]?.created],
    [60, (NOW - 59) * 60_000, 1],
  )
  assert.ok(minutes.slice(1).every(({ created, createP50 }) => created === 0 && createP50 === null))
})

it('minute figures: sums what processes counted; what waits for receivers each of them counts whole', () => {
  const operators = { airtel_ne: { succeeded: 1, failed: 0 } }
  const one = counted(NOW, [0.0004, 0.0009], { settled: 1, webhookBacklog: 7, operators })
  const other = counted(NOW, [0.2, 9], { settled: 1, failed: 2, webhookBacklog: 5, operators })
  const sum = sumHour([one, other], NOW)
  assert.deepEqual(sum.minutes.at(-1), {
    at: NOW * 60_000,
    created: 4,
    settled: 2,
    failed: 2,
    webhookBacklog: 7,
    createP50: 1,
    createP99: 5_000,
  })
  assert.deepEqual(sum.operators, [{ name: 'airtel_ne', succeeded: 2, failed: 0 }])
})
