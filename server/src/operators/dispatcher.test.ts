// The dispatcher with an operator that answers late: how many calls run at once, what lowers that
// number, which claims are released.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { prompting } from '../../test/kit/direct-operators.ts'
import { pendingPayment } from '../../test/kit/pending-payments.ts'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import type { OperatorPayment } from '../domain/payments/operator-payment.ts'
import type { OperatorAnswer, OperatorReport } from '../domain/payments/operator-report.ts'
import { callRate } from './call-queue.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Operator } from './operator.ts'

const NAME = 'airtel_ne'
const KEY = { environment: 'sandbox', connection: NAME } as const
/** No status call is queued in these tests: all of the queue's room is free. */
const QUESTIONS = { ...KEY, kind: 'status', most: 200 } as const
const MAX_WAIT_MS = 1_000
const LONGEST_OPEN_MS = 15_000
const DEPS = {
  leaseMs: 15_000,
  maxWaitMs: MAX_WAIT_MS,
  keepNetworkId: async () => true,
  findAccepted: async () => undefined,
  failed: (error: unknown) => assert.fail(String(error)),
}

const claimedPayment = (number: number): OperatorPayment =>
  pendingPayment(number, { operator: NAME, connection: NAME })

// A dispatcher with queued payments, of which as many are called as may be at once; its operator
// answers when the test calls answerAll.
function fullDispatcher({ atOnce = 40, taken = 160 } = {}) {
  const clock = virtualClock(0)
  const released: number[] = []
  let calls: ((answer: OperatorAnswer) => void)[] = []
  const request = (): Promise<OperatorAnswer> => new Promise((resolve) => calls.push(resolve))
  const operator = { name: NAME, request } as unknown as Operator
  const dispatcher = new Dispatcher({
    operators: { all: () => [prompting('sandbox', operator)] },
    clock,
    limitsOf: () => ({ request: { atOnce }, status: { atOnce: 8 } }),
    ...DEPS,
    recordOutcome: async () => {},
    release: async (waiting) => void released.push(...waiting.map(({ payment }) => payment.number)),
  })
  for (let number = 1; number <= taken; number++) dispatcher.take(claimedPayment(number), 0)
  return {
    dispatcher,
    clock,
    released,
    underWay: () => dispatcher.health()[0]?.underWay,
    answerAll: async (is: 'accepted' | 'unknown' = 'accepted') => {
      const answered = calls
      calls = []
      for (const answer of answered) answer(is === 'accepted' ? { is } : { is, why: 'no answer' })
      await new Promise(setImmediate)
    },
  }
}

/** The first 40 are being called. */
const WAITING = Array.from({ length: 120 }, (_, at) => at + 41)

it('dispatcher: releases payments whose lease would expire during the call', async () => {
  const { dispatcher, clock, released, underWay } = fullDispatcher()
  await clock.advance(MAX_WAIT_MS)
  dispatcher.claimLimits()
  assert.deepEqual(released, [])
  await clock.advance(1)
  assert.deepEqual(dispatcher.claimLimits(), [{ ...KEY, kind: 'request', most: 200 }, QUESTIONS])
  assert.deepEqual([released, underWay()], [WAITING, 40])
})

it('dispatcher: keeps half of its queue for due payments, so that creates of one merchant cannot block the others', async () => {
  const { dispatcher, answerAll } = fullDispatcher()
  // 120 wait.
  assert.equal(dispatcher.hasRoom(KEY), false)
  assert.deepEqual(dispatcher.claimLimits(), [{ ...KEY, kind: 'request', most: 80 }, QUESTIONS])
  await answerAll()
  assert.equal(dispatcher.hasRoom(KEY), true)
})

it('dispatcher: queues three turns of calls for a network with many concurrent calls, and claims at most 200 at once', async () => {
  const { dispatcher, answerAll } = fullDispatcher({ atOnce: 100, taken: 199 })
  const requests = () => dispatcher.claimLimits().find(({ kind }) => kind === 'request')?.most
  // 99 wait, of 300 that may.
  assert.deepEqual([dispatcher.hasRoom(KEY), requests()], [true, 200])
  for (let number = 200; number <= 350; number++) dispatcher.take(claimedPayment(number), 0)
  assert.deepEqual([dispatcher.hasRoom(KEY), requests()], [false, 50])
  // Fewer than 25 are not worth a claim.
  for (let number = 351; number <= 376; number++) dispatcher.take(claimedPayment(number), 0)
  assert.equal(requests(), 0)
  await answerAll()
  assert.equal(requests(), 124)
})

it('dispatcher: releases queued payments when it stops, and waits for the in-flight calls', async () => {
  const { dispatcher, released, answerAll } = fullDispatcher()
  let isStopped = false
  const stopping = dispatcher.stop().then(() => {
    isStopped = true
  })
  await new Promise(setImmediate)
  assert.deepEqual([released, isStopped], [WAITING, false])
  await answerAll()
  await stopping
})

/** Two networks that allow ten status calls a second, one at a time; they answer at once. */
function hintedDispatcher() {
  const clock = virtualClock(0)
  const reports: OperatorReport[] = []
  const asked: string[] = []
  const status = async (reference: string): Promise<OperatorAnswer> => {
    asked.push(reference)
    return { is: 'accepted' }
  }
  const networks = [NAME, 'mtn_bj'].map((name) => ({ name, status }) as unknown as Operator)
  const dispatcher = new Dispatcher({
    operators: { all: () => networks.map((operator) => prompting('sandbox', operator)) },
    clock,
    limitsOf: () => ({ request: { atOnce: 40 }, status: { atOnce: 1, perSecond: 10 } }),
    ...DEPS,
    recordOutcome: async (report) => void reports.push(report),
    release: async () => {},
  })
  return { dispatcher, clock, asked, reports }
}

const sentPayment = (number: number): OperatorPayment => ({
  ...claimedPayment(number),
  handedOverAt: 0,
})
const named = (...numbers: number[]): string[] => numbers.map((number) => `pay_${number}`)

it('dispatcher: a network that calls back faster than its rate limit takes no queue room from the others', async () => {
  const { dispatcher, clock, asked } = hintedDispatcher()
  const room = dispatcher.room()
  let ended = 0
  for (let number = 1; number <= 2_000; number++)
    void dispatcher.ask(sentPayment(number)).then(() => ended++)
  assert.deepEqual([dispatcher.room(), dispatcher.health()[0]?.waiting], [room, 200])
  assert.ok(dispatcher.hasRoom({ ...KEY, connection: 'mtn_bj' }))
  assert.ok(dispatcher.claimLimits().every(({ most }) => most > 0))
  await clock.advance(1_000)
  // The oldest were dropped; of those that are left, the one that has waited longest is polled
  // first.
  assert.deepEqual(asked.slice(0, 3), named(1, 1_801, 1_802))
  await clock.advance(30_000)
  assert.deepEqual([asked.length, ended, dispatcher.health()[0]?.waiting], [201, 2_000, 0])
})

it('dispatcher: a payment that is hinted again while queued is polled once', async () => {
  const { dispatcher, clock, asked } = hintedDispatcher()
  for (let number = 1; number <= 60; number++) void dispatcher.ask(sentPayment(number))
  await clock.advance(3_000)
  let ended = 0
  for (let time = 0; time < 3; time++) void dispatcher.ask(sentPayment(60)).then(() => ended++)
  await clock.advance(10_000)
  assert.deepEqual([asked.length, new Set(asked).size, ended], [60, 60, 3])
})

it('dispatcher: hints are called before scheduled polls, and every fourth call is a scheduled poll', async () => {
  const { dispatcher, clock, asked } = hintedDispatcher()
  for (let number = 1; number <= 20; number++) void dispatcher.ask(sentPayment(number))
  for (const number of [101, 102]) dispatcher.take(sentPayment(number), 0)
  await clock.advance(900)
  assert.deepEqual(asked, named(1, 2, 3, 101, 4, 5, 6, 102, 7, 8))
})

it('dispatcher: a report carries the time until which the clock had jumped ahead', async () => {
  const { dispatcher, clock, reports } = hintedDispatcher()
  clock.lastJump = () => ({ from: 1, to: 5 })
  await dispatcher.ask(sentPayment(1))
  const jumps = reports.map(({ clockJumpedTo }) => clockJumpedTo)
  assert.deepEqual(jumps, [5])
})

it('dispatcher: an operator that does not answer gets no calls for a while, and its queued payments are released', async () => {
  const { dispatcher, clock, released, underWay, answerAll } = fullDispatcher()
  await answerAll('unknown')
  assert.deepEqual([released, underWay()], [WAITING, 0])
  assert.deepEqual([dispatcher.hasRoom(KEY), dispatcher.claimLimits()], [false, []])
  await clock.advance(LONGEST_OPEN_MS)
  assert.deepEqual(dispatcher.claimLimits(), [
    { ...KEY, kind: 'request', most: 1 },
    { ...KEY, kind: 'status', most: 1 },
  ])
})

/** The times of calls that are begun whenever they are allowed, for a while. */
async function timesOf(
  perSecond: number | undefined,
  forMs: number,
  most = 10_000,
): Promise<number[]> {
  const clock = virtualClock(0)
  const rate = callRate(clock, perSecond)
  const times: number[] = []
  const begin = (): void => {
    while (times.length < most && rate.allows(begin)) times.push(clock.now())
  }
  begin()
  await clock.advance(forMs)
  return times
}

const mostInASecond = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length))

describe('call rate', () => {
  it('ten a second are ten in every second, a tenth of a second apart', async () => {
    const times = await timesOf(10, 2_950)
    assert.equal(times.length, 30)
    assert.ok(times.every((at, nth) => at === nth * 100))
  })

  for (const perSecond of [1, 7, 250, 2_000])
    it(`${perSecond} a second are kept in every second, within the calls of ten milliseconds`, async () => {
      const times = await timesOf(perSecond, 2_999)
      assert.ok(mostInASecond(times) <= perSecond * 1.01 + 1, `${mostInASecond(times)} in a second`)
      assert.ok(times.length >= 2.9 * perSecond, `${times.length} in three seconds`)
    })

  it('without a limit every call begins at once', async () =>
    assert.equal((await timesOf(undefined, 1)).length, 10_000))

  it('unused calls of a pause are not made up for', async () => {
    const clock = virtualClock(0)
    const rate = callRate(clock, 10)
    rate.allows(() => {})
    await clock.advance(60_000)
    assert.deepEqual([rate.allows(() => {}), rate.allows(() => {})], [true, false])
  })
})
