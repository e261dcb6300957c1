// The service's time is the store's, whatever this machine's clock says, and a machine whose clock is wrong knows it at
// once.
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
  const told: ClockDifference[] = []
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
    (difference) => void told.push(difference),
  )
  const clock = await truth.advanceUntil('first answer of the store', opening)
  return { truth, machine, clock, told }
}

for (const minutes of [-60, -31, -1, 1, 31, 60]) {
  it(`store clock: a machine that is off by ${minutes} minutes goes by the store's time, and knows that it is wrong`, async () => {
    const { truth, clock, told } = await openMachine({ aheadMs: minutes * MINUTE, answerAfterMs: 40 })
    await truth.advance(10 * MINUTE)
    assert.equal(clock.now(), truth.now())
    assert.equal(clock.isRight(), false)
    assert.deepEqual(told, [{ isRight: false, aheadMs: minutes * MINUTE }])
  })
}

it('store clock: five seconds are not too much', async () => {
  const { clock, told, truth } = await openMachine({ aheadMs: 5_000 })
  assert.deepEqual([clock.isRight(), clock.now(), told], [true, truth.now(), []])
})

it('store clock: a clock that is set is noticed at once, and both changes are told', async () => {
  const { truth, machine, clock, told } = await openMachine()
  machine.aheadMs = -MINUTE
  assert.deepEqual([clock.isRight(), clock.now()], [false, truth.now()])
  await truth.advance(5_000)
  machine.aheadMs = 0
  assert.equal(clock.isRight(), true)
  await truth.advance(5_000)
  assert.deepEqual(
    told.map(({ isRight }) => isRight),
    [false, true],
  )
})

it('store clock: a machine that slept is wrong until the store has told it the time', async () => {
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

it('store clock: the time goes with the store when the store’s own clock is set', async () => {
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
