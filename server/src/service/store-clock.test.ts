// The store clock: the service uses the store's time, and detects at once that this machine's clock
// is wrong.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import { NO_JUMP } from '../domain/clock-and-random.ts'
import { type ClockDifference, followStore } from './store-clock.ts'

const MINUTE = 60_000

/** A machine with a clock of its own, and a store whose time is the true one. */
async function openMachine({ aheadMs = 0, answerAfterMs = 0 } = {}) {
  const truth = virtualClock()
  const machine = { aheadMs, answerAfterMs, storeIsAway: false, sleptMs: 0 }
  const reported: ClockDifference[] = []
  const askStore = async (): Promise<number> => {
    if (machine.storeIsAway) throw new Error('the store is away')
    const { promise, resolve } = Promise.withResolvers<void>()
    truth.after(machine.answerAfterMs / 2, resolve)
    await promise
    const time = truth.now()
    const journeyBack = Promise.withResolvers<void>()
    truth.after(machine.answerAfterMs / 2, journeyBack.resolve)
    await journeyBack.promise
    return time
  }
  const opening = followStore(
    {
      now: () => truth.now() + machine.aheadMs,
      monotonic: () => truth.now() - machine.sleptMs,
      after: truth.after,
    },
    askStore,
    (difference) => void reported.push(difference),
  )
  const clock = await truth.advanceUntil('first answer of the store', opening)
  return { truth, machine, clock, reported }
}

for (const minutes of [-60, -31, -1, 1, 31, 60])
  it(`store clock: a machine that is off by ${minutes} minutes uses the store's time, and detects the difference`, async () => {
    const { truth, clock, reported } = await openMachine({
      aheadMs: minutes * MINUTE,
      answerAfterMs: 40,
    })
    await truth.advance(10 * MINUTE)
    assert.deepEqual([clock.now(), clock.isRight()], [truth.now(), false])
    assert.deepEqual(reported, [{ isRight: false, aheadMs: minutes * MINUTE }])
  })

it('store clock: a difference of five seconds is tolerated', async () => {
  const { clock, reported, truth } = await openMachine({ aheadMs: 5_000 })
  assert.deepEqual([clock.isRight(), clock.now(), reported], [true, truth.now(), []])
})

it('store clock: a change of the machine’s clock is detected at once, and reported when it begins and ends', async () => {
  const { truth, machine, clock, reported } = await openMachine()
  machine.aheadMs = -MINUTE
  assert.deepEqual([clock.isRight(), clock.now()], [false, truth.now()])
  await truth.advance(5_000)
  machine.aheadMs = 0
  assert.equal(clock.isRight(), true)
  await truth.advance(5_000)
  const changes = reported.map(({ isRight }) => isRight)
  assert.deepEqual(changes, [false, true])
})

it('store clock: after a sleep the machine’s clock is untrusted until the store’s time is read', async () => {
  const { truth, machine, clock } = await openMachine()
  machine.sleptMs = 10 * MINUTE
  assert.equal(clock.isRight(), false)
  await truth.advance(5_000)
  assert.deepEqual([clock.isRight(), clock.now()], [true, truth.now()])
})

it('store clock: a store that answers slowly, or not at all, does not move the clock', async () => {
  const { truth, machine, clock } = await openMachine()
  machine.answerAfterMs = 30_000
  await truth.advance(2 * MINUTE)
  assert.equal(clock.now(), truth.now())
  machine.storeIsAway = true
  await truth.advance(10 * MINUTE)
  assert.deepEqual([clock.isRight(), clock.now()], [true, truth.now()])
})

it('store clock: the time follows the store when the store’s own clock is set', async () => {
  const truth = virtualClock()
  let storeAheadMs = 0
  const clock = await followStore(truth, async () => truth.now() + storeAheadMs)
  storeAheadMs = 3_000
  await truth.advance(5_000)
  assert.deepEqual([clock.now(), clock.isRight()], [truth.now() + 3_000, true])
  clock.stop()
})

for (const [what, stepMs, isJump] of [
  ['set ahead by 20 minutes', 20 * MINUTE, true],
  ['set back by 20 minutes', -20 * MINUTE, true],
  ['moved by three seconds', 3_000, false],
] as const) {
  it(`store clock: a clock that is ${what} has ${isJump ? '' : 'not '}jumped, where the machine’s clock is the store’s`, async () => {
    const truth = virtualClock()
    let aheadMs = 0
    const machine = { ...truth, now: () => truth.now() + aheadMs }
    const clock = await followStore(machine, async () => machine.now())
    await truth.advance(MINUTE)
    assert.deepEqual(clock.lastJump(), NO_JUMP)
    const from = machine.now() + 5_000
    aheadMs = stepMs
    await truth.advance(5_000)
    assert.deepEqual([clock.isRight(), clock.now()], [true, machine.now()])
    assert.deepEqual(clock.lastJump(), isJump ? { from, to: machine.now() } : NO_JUMP)
    clock.stop()
  })
}
