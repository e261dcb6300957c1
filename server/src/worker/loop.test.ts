// The loop on a virtual clock: when rounds run, and what waking, failing and stopping do.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import { loop, SOON_MS } from './loop.ts'

const EVERY_MS = 500

/** A loop that records the times of its rounds; the test decides what a round does. */
function watchedLoop(round: (nth: number) => boolean | Promise<boolean> = () => false) {
  const clock = virtualClock(0)
  const times: number[] = []
  const errors: unknown[] = []
  const running = loop({
    clock,
    everyMs: EVERY_MS,
    round: async () => {
      times.push(clock.now())
      return round(times.length)
    },
    failed: (error) => void errors.push(error),
  })
  return { ...running, clock, times, errors }
}

function blockedRound() {
  let finish = (): void => {}
  const over = new Promise<boolean>((resolve) => {
    finish = () => resolve(false)
  })
  return { over, finish }
}

/**
 * Each step passes so many milliseconds, or wakes the loop. Three rounds at most have more to do.
 */
const CASES: [about: string, hasMore: boolean, steps: (number | 'wake')[], times: number[]][] = [
  [
    'runs its first round at once and then one every interval',
    false,
    [2 * EVERY_MS],
    [0, EVERY_MS, 2 * EVERY_MS],
  ],
  [
    'runs the next round after a short pause while there is more',
    true,
    [EVERY_MS],
    [0, SOON_MS, 2 * SOON_MS],
  ],
  [
    'that is woken runs a round in the same millisecond',
    false,
    [123, 'wake', EVERY_MS - 1],
    [0, 123],
  ],
  ['that is woken restarts its interval', false, [123, 'wake', EVERY_MS], [0, 123, 123 + EVERY_MS]],
  [
    'that is woken many times between two rounds runs one',
    false,
    [123, 'wake', 'wake', 'wake', 1],
    [0, 123],
  ],
  ['that is woken before its first round runs one', false, ['wake', 1], [0]],
]
for (const [about, hasMore, steps, expected] of CASES) {
  it(`worker loop: a loop ${about}`, async () => {
    const { clock, times, wake } = watchedLoop((nth) => hasMore && nth < 3)
    for (const step of steps) await (step === 'wake' ? wake() : clock.advance(step))
    assert.deepEqual(times, expected)
  })
}

it('worker loop: a loop that is woken during a round runs one more right after it, and never two at a time', async () => {
  const { over, finish } = blockedRound()
  const { clock, times, wake } = watchedLoop((nth) => (nth === 1 ? over : false))
  await clock.advance(1)
  wake()
  wake()
  await clock.advance(3 * EVERY_MS)
  assert.deepEqual(times, [0])
  finish()
  await clock.advance(1)
  assert.deepEqual(times, [0, 3 * EVERY_MS + 1])
})

it('worker loop: a loop can be woken again by the round that it was woken for', async () => {
  const { clock, times, wake } = watchedLoop((nth) => {
    if (nth === 2) wake()
    return false
  })
  await clock.advance(100)
  wake()
  await clock.advance(1)
  assert.deepEqual(times, [0, 100, 100])
})

it('worker loop: a round that fails is reported, and the next one runs after the usual interval', async () => {
  const fault = new Error('the store is away')
  const { clock, times, errors } = watchedLoop((nth) => {
    if (nth < 3) throw fault
    return false
  })
  await clock.advance(2 * EVERY_MS)
  assert.deepEqual(times, [0, EVERY_MS, 2 * EVERY_MS])
  assert.deepEqual(errors, [fault, fault])
})

it('worker loop: a loop that is stopped between two rounds runs no other, woken or not', async () => {
  const { clock, times, wake, stop } = watchedLoop()
  await clock.advance(1)
  await stop()
  wake()
  await clock.advance(10 * EVERY_MS)
  assert.deepEqual(times, [0])
})

it('worker loop: a loop that is stopped during a round waits for that one, and runs no other though it was woken', async () => {
  const { over, finish } = blockedRound()
  const { clock, times, wake, stop } = watchedLoop(() => over)
  await clock.advance(1)
  wake()
  let isStopped = false
  const stopping = stop().then(() => {
    isStopped = true
  })
  await clock.advance(EVERY_MS)
  assert.equal(isStopped, false)
  finish()
  await stopping
  await clock.advance(10 * EVERY_MS)
  assert.deepEqual(times, [0])
})
