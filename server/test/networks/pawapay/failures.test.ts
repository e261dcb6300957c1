// What the connector makes of a network that refuses, fails or is silent: nothing is declined that may have been debited.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  DEPOSIT_FAILED,
  DEPOSIT_REFUSED,
  REFUND_FAILED,
  REFUND_REFUSED,
} from '../../../src/operators/connectors/pawapay/translate.ts'
import type { CallResult } from '../../../src/operators/http-call.ts'
import { virtualClock } from '../../kit/virtual-clock.ts'
import { withBlamedKind } from '../blamed-kind.ts'
import {
  answer,
  collection,
  DEADLINE_MS,
  depositIdOf,
  openPawapay,
  reference,
  reversal,
  scriptedPawapay,
} from './open-pawapay.ts'

const REQUESTS: [fault: string, expected: object][] = [
  ['cut_after_registering', { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }],
  ['cut_before_registering', { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }],
  ['never_answers', { is: 'unknown', why: `no answer within ${DEADLINE_MS} ms` }],
  ['answers_too_late', { is: 'unknown', why: `no answer within ${DEADLINE_MS} ms` }],
  ['unknown_error', { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' }],
  ['unknown_error_after_registering', { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' }],
  ['unavailable', { is: 'unknown', why: 'HTTP 503', neverLeft: true }],
  [
    'provider_closed',
    {
      is: 'unknown',
      why: 'the provider takes no payments at the moment',
      code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      neverLeft: true,
    },
  ],
  [
    'provider_delayed',
    {
      is: 'unknown',
      why: 'the provider takes no payments at the moment',
      code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      neverLeft: true,
    },
  ],
  [
    'deposits_not_allowed',
    {
      is: 'unknown',
      why: 'deposits are not enabled for the account',
      code: 'DEPOSITS_NOT_ALLOWED',
      neverLeft: true,
      misconfigured: true,
    },
  ],
  [
    'token_refused',
    {
      is: 'unknown',
      why: 'pawaPay refused the API token',
      code: 'AUTHENTICATION_ERROR',
      neverLeft: true,
      misconfigured: true,
    },
  ],
  [
    'gateway_refuses',
    {
      is: 'unknown',
      why: 'HTTP 403 without JSON: a gateway refused the call',
      neverLeft: true,
      misconfigured: true,
    },
  ],
]

describe('a request for a deposit', () => {
  for (const [fault, expected] of REQUESTS) {
    it(`is not declined when the network has the fault ${fault}`, async () => {
      const { operator, done, network } = openPawapay()
      network.faults.on(fault)
      assert.deepEqual(await done(operator.request(collection(1))), expected)
    })
  }

  it('that is turned away for there being too many was not sent', async () => {
    const { operator } = scriptedPawapay({ 'POST *': answer(429, '') })
    assert.deepEqual(await operator.request(collection(1)), { is: 'unknown', why: 'HTTP 429', neverLeft: true })
    assert.deepEqual(await operator.refund(reversal(1)), { is: 'unknown', why: 'HTTP 429', neverLeft: true })
  })

  it('that meets 503 was not sent; a refund may have been, for a gateway before the network says so too', async () => {
    const { operator } = scriptedPawapay({ 'POST *': answer(503, '<html>Bad Gateway</html>') })
    assert.deepEqual(await operator.request(collection(1)), { is: 'unknown', why: 'HTTP 503', neverLeft: true })
    assert.deepEqual(await operator.refund(reversal(1)), { is: 'unknown', why: 'HTTP 503' })
  })

  it('that was cut off after it was registered is found by its reference, and made once', async () => {
    const { operator, done, network, clock } = openPawapay()
    network.faults.on('cut_after_registering', 1)
    await done(operator.request(collection(1)))
    await clock.advance(5_000)
    assert.equal((await done(operator.status(reference(1)))).is, 'succeeded')
    assert.equal((await done(operator.request(collection(1)))).is, 'succeeded')
    assert.deepEqual(
      network.books().map(({ debits }) => debits),
      [1],
    )
  })

  it('ends within its deadline, though the configuration, the request and the state of a duplicate are all slow', async () => {
    const clock = virtualClock()
    const after = (ms: number, result: CallResult) =>
      new Promise<CallResult>((resolve) => void clock.after(ms, () => resolve(result)))
    const { operator } = openPawapay({
      deps: {
        clock,
        send: ({ method, timeoutMs = 0 }) =>
          method === 'POST'
            ? after(5_000, answer(200, { status: 'DUPLICATE_IGNORED' }))
            : after(timeoutMs, { failed: `no answer within ${timeoutMs} ms` }),
      },
    })
    const began = clock.now()
    const answered = operator.request(collection(1)).then((said) => ({ said, tookMs: clock.now() - began }))
    const { said, tookMs } = await clock.advanceUntil('answer', answered)
    assert.deepEqual(said, { is: 'unknown', why: 'a duplicate, but no answer within 1667 ms' })
    assert.equal(tookMs, DEADLINE_MS)
  })
})

describe('a status call', () => {
  const faults = { status_unavailable: 'HTTP 503', too_many_requests: 'an answer that is not understood: HTTP 429' }
  for (const [fault, why] of Object.entries(faults)) {
    it(`says nothing about the payment when the network has the fault ${fault}`, async () => {
      const { operator, done, network } = openPawapay()
      await done(operator.request(collection(1)))
      network.faults.on(fault)
      assert.deepEqual(await done(operator.status(reference(1))), { is: 'unknown', why })
    })
  }

  const NOT_UNDERSTOOD: [about: string, result: CallResult, why: string][] = [
    ['HTML', answer(200, '<html></html>'), 'an answer that is not understood: HTTP 200'],
    ['a 404 of a gateway', answer(404, 'no such page'), 'an answer that is not understood: HTTP 404'],
    [
      'NOT_FOUND to a call that was refused',
      answer(400, { status: 'NOT_FOUND' }),
      'an answer that is not understood: HTTP 400 with status NOT_FOUND',
    ],
    ['no data', answer(200, { status: 'FOUND' }), 'an answer that is not understood: HTTP 200 with status '],
    [
      'a state that is not documented',
      answer(200, { status: 'FOUND', data: { status: 'REVERSED' } }),
      'an answer that is not understood: HTTP 200 with status REVERSED',
    ],
    [
      'a fraction of a franc',
      answer(200, { status: 'FOUND', data: { status: 'COMPLETED', amount: '1000.50', currency: 'XOF' } }),
      'COMPLETED without an amount in whole francs',
    ],
    [
      'another deposit',
      answer(200, { status: 'FOUND', data: { depositId: depositIdOf(2), status: 'FAILED' } }),
      'the answer is about another payment',
    ],
  ]
  for (const [about, result, why] of NOT_UNDERSTOOD) {
    it(`that answers with ${about} is not understood`, async () => {
      const { operator } = scriptedPawapay({ 'GET *': result })
      assert.deepEqual(await operator.status(reference(1)), { is: 'unknown', why })
    })
  }
})

/** HTTP codes as the network's own table lists them; every other refusal has 200. */
const HTTP: Record<string, number> = {
  NO_AUTHENTICATION: 401,
  AUTHENTICATION_ERROR: 403,
  AUTHORISATION_ERROR: 403,
  HTTP_SIGNATURE_ERROR: 403,
  DEPOSITS_NOT_ALLOWED: 403,
  REFUNDS_NOT_ALLOWED: 403,
  INVALID_INPUT: 400,
  MISSING_PARAMETER: 400,
  UNSUPPORTED_PARAMETER: 400,
  INVALID_PARAMETER: 400,
  DUPLICATE_METADATA_FIELD: 400,
}

/** What an answer must be, from a line of the table alone. */
function expectedOf(code: string, meaning: object): object {
  if ('declined' in meaning) {
    const blamed = 'blames' in meaning ? { misconfigured: meaning.blames } : {}
    return { is: 'declined', reason: meaning.declined, code, ...blamed }
  }
  if ('byHand' in meaning) return { is: 'by_hand', why: `${meaning.byHand} (${code})` }
  const { unknown: why, ...rest } = meaning as { unknown: string }
  return { is: 'unknown', why, code, ...rest }
}

const refusedWith = (failureCode: string): CallResult =>
  answer(HTTP[failureCode] ?? 200, { status: 'REJECTED', failureReason: { failureCode, failureMessage: 'said' } })
const failedWith = (id: object, failureCode: string): CallResult =>
  answer(200, { status: 'FOUND', data: { ...id, status: 'FAILED', failureReason: { failureCode } } })

describe('every code of the tables', () => {
  const codes = (table: object): [string, object][] =>
    Object.entries(table).map(([code, meaning]) => [code === 'otherwise' ? 'SOMETHING_NEW' : code, meaning])

  for (const [code, meaning] of codes(DEPOSIT_REFUSED)) {
    it(`a deposit refused with ${code}`, async () => {
      const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
      assert.deepEqual(withBlamedKind(await operator.request(collection(1))), expectedOf(code, meaning))
    })
  }
  for (const [code, meaning] of codes(DEPOSIT_FAILED)) {
    it(`a deposit that failed with ${code}`, async () => {
      const { operator } = scriptedPawapay({ 'GET *': failedWith({ depositId: depositIdOf(1) }, code) })
      assert.deepEqual(await operator.status(reference(1)), expectedOf(code, meaning))
    })
  }
  for (const [code, meaning] of codes(REFUND_REFUSED).filter(([, each]) => !('readState' in each))) {
    it(`a refund refused with ${code}`, async () => {
      const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
      assert.deepEqual(withBlamedKind(await operator.refund(reversal(1))), expectedOf(code, meaning))
    })
  }
  for (const [code, meaning] of codes(REFUND_FAILED)) {
    it(`a refund that failed with ${code}`, async () => {
      const { operator } = scriptedPawapay({ 'GET *': failedWith({}, code) })
      assert.deepEqual(await operator.refundStatus(reversal(1)), expectedOf(code, meaning))
    })
  }
})

describe('a refusal about our configuration', () => {
  /** By pawaPay's documents, not by our table. */
  const KINDS: Readonly<Record<string, 'settings' | 'form' | undefined>> = {
    INVALID_INPUT: 'form',
    MISSING_PARAMETER: 'form',
    UNSUPPORTED_PARAMETER: 'form',
    INVALID_PARAMETER: 'form',
    DUPLICATE_METADATA_FIELD: 'form',
    INVALID_CURRENCY: 'settings',
    SOMETHING_NEW: 'form',
    INVALID_AMOUNT: undefined,
    AMOUNT_OUT_OF_BOUNDS: undefined,
    INVALID_PHONE_NUMBER: undefined,
  }
  for (const [code, kind] of Object.entries(KINDS)) {
    it(`${code} blames ${kind ?? 'the payment alone'}`, async () => {
      const { operator } = scriptedPawapay({ 'POST *': refusedWith(code) })
      const answer = await operator.request(collection(1))
      assert.equal(answer.is === 'declined' && answer.misconfigured?.kind, kind)
    })
  }
})
