// The dispatcher with an operator that answers late: how many calls run at once, what lowers that number, which claims are released.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import type { OperatorPayment } from '../domain/operator-report.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import { operatorDispatcher } from './dispatcher.ts'
import type { Operator } from './operator.ts'

const NAME = 'airtel_ne'
const PATIENCE_MS = 1_000
const LONGEST_REST_MS = 15_000

function paymentInHand(number: number): OperatorPayment {
  return {
    accountId: 'acc_1',
    number,
    environment: 'sandbox',
    reference: `pay_${number}`,
    publicReference: `AAAA-AAAA-${number}`,
    externalReference: `order-${number}`,
    amountXof: 1_500,
    msisdnWritten: '96123456',
    msisdn: '22796123456',
    operator: NAME,
    createdAt: 0,
    handedOverAt: null,
    polls: 0,
    requestedAt: 0,
    attemptReference: null,
  }
}

/** A dispatcher with a hundred queued payments; its operator answers when the test calls answerAll. */
function crowdedDesk() {
  const machine = { isBusy: false }
  const clock = virtualClock(0)
  const givenBack: number[] = []
  let calls: ((answer: OperatorAnswer) => void)[] = []
  const request = (): Promise<OperatorAnswer> => new Promise((resolve) => calls.push(resolve))
  const operator = { name: NAME, request } as unknown as Operator
  const dispatcher = operatorDispatcher({
    operators: { all: () => [{ environment: 'sandbox', operator }] },
    clock,
    patienceMs: PATIENCE_MS,
    isBusy: () => machine.isBusy,
    recordOutcome: async () => {},
    giveBack: async (waiting) => void givenBack.push(...waiting.map(({ payment }) => payment.number)),
    failed: (error) => assert.fail(String(error)),
  })
  for (let number = 1; number <= 100; number++) dispatcher.take(paymentInHand(number), 0)
  return {
    dispatcher,
    clock,
    machine,
    givenBack,
    underWay: () => dispatcher.health()[0]?.underWay,
    answerAll: async (is: 'accepted' | 'unknown' = 'accepted') => {
      const answered = calls
      calls = []
      for (const answer of answered) answer(is === 'accepted' ? { is } : { is, why: 'no answer' })
      await new Promise(setImmediate)
    },
  }
}

it('makes fewer concurrent calls while the process is busy with HTTP requests, and the full number afterwards', async () => {
  const { machine, underWay, answerAll } = crowdedDesk()
  assert.equal(underWay(), 40)
  machine.isBusy = true
  await answerAll()
  assert.equal(underWay(), 12)
  machine.isBusy = false
  await answerAll()
  assert.equal(underWay(), 40)
})

const SIXTY_LAST = Array.from({ length: 60 }, (_, at) => at + 41)

it('releases payments that have waited so long that their lease would expire during the call', async () => {
  const { dispatcher, clock, givenBack, underWay } = crowdedDesk()
  assert.equal(dispatcher.hasRoom('sandbox', NAME), true)
  await clock.advance(PATIENCE_MS)
  dispatcher.wants()
  assert.deepEqual(givenBack, [])
  await clock.advance(1)
  assert.deepEqual(dispatcher.wants(), [{ environment: 'sandbox', operator: NAME, most: 100 }])
  assert.deepEqual([givenBack, underWay()], [SIXTY_LAST, 40])
})

it('releases queued payments when it stops, and waits for the calls under way', async () => {
  const { dispatcher, givenBack, answerAll } = crowdedDesk()
  let isStopped = false
  const stopping = dispatcher.stop().then(() => {
    isStopped = true
  })
  await new Promise(setImmediate)
  assert.deepEqual([givenBack, isStopped], [SIXTY_LAST, false])
  await answerAll()
  await stopping
})

it('an operator that does not answer gets no calls for a while, and its queued payments are released', async () => {
  const { dispatcher, clock, givenBack, underWay, answerAll } = crowdedDesk()
  await answerAll('unknown')
  assert.deepEqual([givenBack, underWay()], [SIXTY_LAST, 0])
  assert.deepEqual([dispatcher.hasRoom('sandbox', NAME), dispatcher.wants()], [false, []])
  await clock.advance(LONGEST_REST_MS)
  assert.deepEqual(dispatcher.wants(), [{ environment: 'sandbox', operator: NAME, most: 1 }])
})
