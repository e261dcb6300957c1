// Every rule of D-15: the effect of an operator's answer, and when we poll again.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { LINK_METHODS } from '../methods/methods.ts'
import type { OperatorAnswer } from './operator-report.ts'
import {
  judge,
  longestPollMs,
  nextPollInMs,
  nextRefundPollInMs,
  type OperatorCall,
} from './verdict.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const call: OperatorCall = {
  number: 1,
  method: 'mobile',
  amountXof: 1500,
  handedOverAt: 0,
  acceptedAt: null,
  networkId: null,
  polls: 0,
  calledAt: MINUTE,
  now: MINUTE,
}
const success = { amountXof: 1500, operatorReference: 'OP-1' }
const moved = (to: string) => ({ is: 'move', to, operatorReference: 'OP-1' })
const failed = (failureReason: string) => ({ is: 'move', to: 'failed', failureReason })

const RULES: [title: string, answer: OperatorAnswer, now: number, verdict: object][] = [
  ['accepted waits', { is: 'accepted' }, MINUTE, { is: 'wait' }],
  [
    'no answer waits, however long ago it was sent',
    { is: 'unknown', why: 'HTTP 503' },
    30 * DAY,
    { is: 'wait' },
  ],
  ['succeeded moves', { is: 'succeeded', ...success }, MINUTE, moved('succeeded')],
  [
    'succeeded without an amount, which some networks omit, moves',
    { is: 'succeeded', operatorReference: 'OP-1' },
    MINUTE,
    moved('succeeded'),
  ],
  ['refunded moves', { is: 'refunded', ...success }, MINUTE, moved('refunded')],
  [
    'declined fails with its reason',
    { is: 'declined', reason: 'expired' },
    MINUTE,
    failed('expired'),
  ],
  [
    'not known is not trusted before 15 minutes',
    { is: 'not_known' },
    15 * MINUTE - 1,
    { is: 'wait' },
  ],
  ['not known after 15 minutes fails', { is: 'not_known' }, 15 * MINUTE, failed('never_received')],
  [
    'another amount waits, and is an anomaly',
    { is: 'succeeded', ...success, amountXof: 1499 },
    MINUTE,
    { is: 'wait', anomaly: { kind: 'amount_mismatch', detail: { asked: 1500, reported: 1499 } } },
  ],
]

for (const [title, answer, now, verdict] of RULES)
  it(`verdicts: ${title}`, () => {
    const { dueInMs, ...rest } = { dueInMs: 0, ...judge(answer, { ...call, calledAt: now, now }) }
    assert.deepEqual([rest, dueInMs > 0], [verdict, rest.is === 'wait'])
  })

it('verdicts: after the clock has jumped ahead, not known is not trusted before 15 minutes have passed since', () => {
  const jumped = { ...call, clockJumpedTo: DAY, now: DAY + 15 * MINUTE }
  assert.equal(
    judge({ is: 'not_known' }, { ...jumped, calledAt: DAY + 15 * MINUTE - 1 }).is,
    'wait',
  )
  assert.equal(judge({ is: 'not_known' }, { ...jumped, calledAt: DAY + 15 * MINUTE }).is, 'move')
})

it('verdicts: a not_known answer from within the 15 minutes is not trusted, even when it is read later', () => {
  const readLate = { ...call, calledAt: 14 * MINUTE, now: DAY }
  assert.equal(judge({ is: 'not_known' }, readLate).is, 'wait')
})

it('verdicts: a payment that the operator accepted never fails because it is not known: a person must look', () => {
  const accepted = { ...call, acceptedAt: MINUTE, calledAt: 30 * DAY, now: 30 * DAY }
  const { dueInMs: _dueInMs, ...verdict } = judge({ is: 'not_known' }, accepted) as {
    dueInMs: number
  }
  const detail = { acceptedAt: '1970-01-01T00:01:00.000Z', reported: 'not_known' }
  assert.deepEqual(verdict, { is: 'wait', anomaly: { kind: 'forgotten_by_operator', detail } })
})

it('verdicts: a payment whose network id was kept fails because it is not known only when the network shows that no payer was prompted', () => {
  const kept = { ...call, networkId: '113000001', calledAt: 30 * DAY, now: 30 * DAY }
  const { dueInMs: _dueInMs, ...verdict } = judge({ is: 'not_known' }, kept) as { dueInMs: number }
  const detail = { networkId: '113000001', reported: 'not_known' }
  assert.deepEqual(verdict, { is: 'wait', anomaly: { kind: 'forgotten_by_operator', detail } })
  assert.deepEqual(judge({ is: 'not_known', notAsked: true }, kept), failed('never_received'))
})

it('verdicts: polls after 5 seconds, then at growing intervals, of 24 to 30 seconds on the first day and 12 to 15 minutes later', () => {
  const waits = Array.from({ length: 60 }, (_, polls) => nextPollInMs({ ...call, polls }))
  assert.deepEqual(waits.slice(0, 5), [5_000, 7_500, 11_250, 16_875, 25_313])
  for (const wait of waits.slice(5)) assert.ok(wait > 24_000 && wait <= 30_000, `${wait}`)
  const later = nextPollInMs({ ...call, polls: 1_000_000, now: 2 * DAY })
  assert.ok(later > 12 * MINUTE && later <= 15 * MINUTE, `${later}`)
})

it('verdicts: no method is polled later than the watch of the backlog expects', () => {
  for (const method of LINK_METHODS)
    for (const now of [MINUTE, DAY - 1, DAY, 30 * DAY])
      for (let polls = 0; polls < 60; polls++) {
        const wait = nextPollInMs({ ...call, method, polls, now })
        assert.ok(wait > 0 && wait <= longestPollMs(method, now), `${method} ${now} ${polls}`)
      }
})

it('verdicts: payments made together are not always polled together, nor in the same order', () => {
  const numbers = Array.from({ length: 100 }, (_, number) => number)
  const [once, again] = [20, 21].map((polls) => {
    const wait = (number: number): number => nextPollInMs({ ...call, number, polls })
    const perSecond = Map.groupBy(numbers, (number) => Math.floor(wait(number) / 1_000))
    assert.ok(Math.max(...[...perSecond.values()].map(({ length }) => length)) < 40)
    return numbers.toSorted((a, b) => wait(a) - wait(b)).slice(-10)
  }) as [number[], number[]]
  assert.ok(once.filter((number) => again.includes(number)).length < 5)
})

it('verdicts: asks about a refund as about a payment for half an hour, then after a sixtieth of its age, and never after more than six hours', () => {
  const wait = (age: number): number =>
    nextRefundPollInMs({ number: 1, polls: 1_000, requestedAt: 0, now: age })
  for (const early of [MINUTE, 20 * MINUTE].map(wait)) assert.ok(early > 20_000 && early <= 30_000)
  assert.deepEqual([60 * MINUTE, DAY, 10 * DAY, 365 * DAY].map(wait), [
    MINUTE,
    24 * MINUTE,
    240 * MINUTE,
    360 * MINUTE,
  ])
})
