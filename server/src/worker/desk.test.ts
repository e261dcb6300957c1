// The desk before an operator that takes its time: how many calls are under way, and what makes them fewer.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { virtualClock } from '../../test/kit/virtual-clock.ts'
import type { OperatorAnswer } from '../domain/outcome.ts'
import type { Operator } from '../operators/operator.ts'
import type { PaymentInHand } from '../store/pending-payments.ts'
import { operatorDesk } from './desk.ts'

const NAME = 'airtel_ne'

function paymentInHand(number: number): PaymentInHand {
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
    askedTimes: 0,
    askedForAt: 0,
    attemptReference: null,
  }
}

/** A desk with a hundred payments at an operator that answers when told. */
function crowdedDesk() {
  const machine = { isBusy: false }
  let calls: ((answer: OperatorAnswer) => void)[] = []
  const request = (): Promise<OperatorAnswer> => new Promise((resolve) => calls.push(resolve))
  const operator = { name: NAME, request } as unknown as Operator
  const desk = operatorDesk({
    operators: { all: () => [{ environment: 'sandbox', operator }] },
    clock: virtualClock(0),
    patienceMs: 1_000,
    isBusy: () => machine.isBusy,
    settle: async () => {},
    failed: (error) => assert.fail(String(error)),
  })
  for (let number = 0; number < 100; number++) desk.take(paymentInHand(number), 0)
  return {
    machine,
    underWay: () => desk.health()[0]?.underWay,
    answerAll: async () => {
      const answered = calls
      calls = []
      for (const answer of answered) answer({ is: 'accepted' })
      await new Promise(setImmediate)
    },
  }
}

it('takes fewer payments over while others wait for their answers, and goes on at full width afterwards', async () => {
  const { machine, underWay, answerAll } = crowdedDesk()
  assert.equal(underWay(), 40)
  machine.isBusy = true
  await answerAll()
  assert.equal(underWay(), 12)
  machine.isBusy = false
  await answerAll()
  assert.equal(underWay(), 40)
})
