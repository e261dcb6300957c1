// pawaPay's codes and answers, written out as its documents show them, and what each means here.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accepted,
  declined,
  NOT_KNOWN,
  notSent,
  refusedUs,
  unknown,
  withBlamedKind,
} from '../../../../test/networks/expected-answers.ts'
import type { Answered, CallResult } from '../../http-call.ts'
import {
  asCode,
  COUNTRY,
  CURRENCY,
  failureCodeIn,
  PROVIDED,
  PROVIDED_IN,
  readDepositRequest,
  readDepositStatus,
  readRefundRequest,
  readRefundStatus,
} from './translate.ts'

const ID = 'the-uuid'
const reply = (code: number, body: unknown): Answered => ({ code, headers: {}, body })
const byHand = (why: string) => ({ is: 'by_hand', why })
const form = (code: string) => declined('operator_error', code, 'form')
const passes = (why: string, code: string) => ({
  ...notSent(why, code),
  passesWithinMs: 24 * 3_600_000,
})
const MIXED_UP = unknown('the answer is about another payment')
const PROVIDER_DOWN = 'the provider takes no payments at the moment'
const OWN_ERROR = 'pawaPay had an error of its own'

/** The codes of both kinds of requests. */
const OF_REQUESTS: [code: string, expected: object][] = [
  ['NO_AUTHENTICATION', refusedUs('pawaPay saw no API token', 'NO_AUTHENTICATION')],
  ['AUTHENTICATION_ERROR', refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR')],
  [
    'AUTHORISATION_ERROR',
    refusedUs('the API token is not allowed to do this', 'AUTHORISATION_ERROR'),
  ],
  [
    'HTTP_SIGNATURE_ERROR',
    refusedUs('the request’s signature was refused', 'HTTP_SIGNATURE_ERROR'),
  ],
  ['INVALID_INPUT', form('INVALID_INPUT')],
  ['MISSING_PARAMETER', form('MISSING_PARAMETER')],
  ['UNSUPPORTED_PARAMETER', form('UNSUPPORTED_PARAMETER')],
  ['INVALID_PARAMETER', form('INVALID_PARAMETER')],
  ['DUPLICATE_METADATA_FIELD', form('DUPLICATE_METADATA_FIELD')],
  ['INVALID_CURRENCY', declined('operator_error', 'INVALID_CURRENCY', 'settings')],
  ['INVALID_AMOUNT', declined('amount_not_allowed', 'INVALID_AMOUNT')],
  ['AMOUNT_OUT_OF_BOUNDS', declined('amount_not_allowed', 'AMOUNT_OUT_OF_BOUNDS')],
  ['UNKNOWN_ERROR', unknown(OWN_ERROR, 'UNKNOWN_ERROR')],
  ['PROVIDER_TEMPORARILY_UNAVAILABLE', notSent(PROVIDER_DOWN, 'PROVIDER_TEMPORARILY_UNAVAILABLE')],
]

const OF_DEPOSIT_REQUESTS: [code: string, expected: object][] = [
  ...OF_REQUESTS,
  [
    'DEPOSITS_NOT_ALLOWED',
    refusedUs('deposits are not enabled for the account', 'DEPOSITS_NOT_ALLOWED'),
  ],
  [
    'INVALID_PROVIDER',
    refusedUs('the provider is not enabled for the account', 'INVALID_PROVIDER'),
  ],
  ['INVALID_PHONE_NUMBER', declined('payer_not_found', 'INVALID_PHONE_NUMBER')],
  ['A_CODE_OF_NEXT_YEAR', form('A_CODE_OF_NEXT_YEAR')],
  ['toString', form('toString')],
]

const ANOTHER_WAY = 'part of the deposit was refunded by another way (AMOUNT_TOO_LARGE)'
const OF_REFUND_REQUESTS: [code: string, expected: object][] = [
  ...OF_REQUESTS,
  [
    'REFUND_IN_PROGRESS',
    passes('another refund of the deposit is under way', 'REFUND_IN_PROGRESS'),
  ],
  [
    'PAWAPAY_WALLET_OUT_OF_FUNDS',
    refusedUs(
      'the pawaPay wallet does not hold the amount: top it up',
      'PAWAPAY_WALLET_OUT_OF_FUNDS',
    ),
  ],
  ['DEPOSIT_ALREADY_REFUNDED', { is: 'read_state' }],
  ['AMOUNT_TOO_LARGE', byHand(ANOTHER_WAY)],
  [
    'REFUNDS_NOT_ALLOWED',
    byHand('refunds are not enabled for the pawaPay account (REFUNDS_NOT_ALLOWED)'),
  ],
  ['NOT_FOUND', refusedUs('this pawaPay account has no such deposit', 'NOT_FOUND')],
  ['INVALID_STATE', passes('pawaPay has not finished processing the deposit', 'INVALID_STATE')],
  ['A_CODE_OF_NEXT_YEAR', declined('operator_error', 'A_CODE_OF_NEXT_YEAR')],
]

const OF_FAILED_DEPOSITS = {
  PAYMENT_NOT_APPROVED: 'declined',
  INSUFFICIENT_BALANCE: 'insufficient_funds',
  PAYER_NOT_FOUND: 'payer_not_found',
  PAYER_LIMIT_REACHED: 'limit_reached',
  WALLET_LIMIT_REACHED: 'limit_reached',
  MANUALLY_CANCELLED: 'cancelled',
  PAYMENT_IN_PROGRESS: 'operator_error',
  TRANSACTION_ALREADY_IN_PROCESS: 'operator_error',
  UNSPECIFIED_FAILURE: 'operator_error',
  UNKNOWN_ERROR: 'operator_error',
  A_CODE_OF_NEXT_YEAR: 'operator_error',
} as const

const OF_FAILED_REFUNDS: [code: string, expected: object][] = [
  ['RECIPIENT_NOT_FOUND', declined('payer_not_found', 'RECIPIENT_NOT_FOUND')],
  ['RECIPIENT_LIMIT_REACHED', declined('limit_reached', 'RECIPIENT_LIMIT_REACHED')],
  ['WALLET_LIMIT_REACHED', declined('limit_reached', 'WALLET_LIMIT_REACHED')],
  ['MANUALLY_CANCELLED', declined('cancelled', 'MANUALLY_CANCELLED')],
  ['PAWAPAY_WALLET_OUT_OF_FUNDS', declined('operator_error', 'PAWAPAY_WALLET_OUT_OF_FUNDS')],
  ['REFUND_IN_PROGRESS', declined('operator_error', 'REFUND_IN_PROGRESS')],
  [
    'DEPOSIT_ALREADY_REFUNDED',
    byHand('the deposit was refunded by another way (DEPOSIT_ALREADY_REFUNDED)'),
  ],
  ['AMOUNT_TOO_LARGE', byHand(ANOTHER_WAY)],
  ['UNSPECIFIED_FAILURE', declined('operator_error', 'UNSPECIFIED_FAILURE')],
  ['UNKNOWN_ERROR', declined('operator_error', 'UNKNOWN_ERROR')],
  ['A_CODE_OF_NEXT_YEAR', declined('operator_error', 'A_CODE_OF_NEXT_YEAR')],
]

const rejected = (failureCode: string, code = 200): Answered =>
  reply(code, { status: 'REJECTED', failureReason: { failureCode } })
const found = (data: object): Answered => reply(200, { status: 'FOUND', data })
const failed = (failureCode: string): Answered =>
  found({ status: 'FAILED', failureReason: { failureCode } })

describe('pawapay translation: codes', () => {
  for (const http of [200, 400]) {
    for (const [code, expected] of OF_DEPOSIT_REQUESTS)
      it(`a deposit refused with ${http} ${code} is ${JSON.stringify(expected)}`, () =>
        assert.deepEqual(withBlamedKind(readDepositRequest(rejected(code, http), ID)), expected))
    for (const [code, expected] of OF_REFUND_REQUESTS)
      it(`a refund refused with ${http} ${code} is ${JSON.stringify(expected)}`, () =>
        assert.deepEqual(withBlamedKind(readRefundRequest(rejected(code, http), ID)), expected))
  }
  for (const [code, reason] of Object.entries(OF_FAILED_DEPOSITS))
    it(`a deposit that failed with ${code} is declined as ${reason}`, () =>
      assert.deepEqual(readDepositStatus(failed(code), ID), declined(reason, code)))
  for (const [code, expected] of OF_FAILED_REFUNDS)
    it(`a refund that failed with ${code} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readRefundStatus(failed(code), ID), expected))

  it('a code that blames our side says what to change', () => {
    const remedy = (code: string) => {
      const answer = readDepositRequest(rejected(code), ID)
      return 'misconfigured' in answer && typeof answer.misconfigured === 'object'
        ? answer.misconfigured.remedy
        : undefined
    }
    assert.equal(
      remedy('INVALID_CURRENCY'),
      'the pawaPay account has no XOF for this provider: ask pawaPay to enable it, or change the option providers',
    )
    assert.equal(
      remedy('INVALID_INPUT'),
      'pawaPay does not accept the form of the request: `karba operators check` compares the options with the account',
    )
  })

  for (const [about, body, code] of [
    ['in an object', { failureReason: { failureCode: 'A.b-c_1' } }, 'A.b-c_1'],
    ['as text', { failureReason: 'PLAIN' }, 'PLAIN'],
    ['with a space', { failureReason: 'A B' }, 'A_B'],
    ['in no body', null, undefined],
    ['nowhere', {}, undefined],
  ] as const)
    it(`a code ${about} is ${code}`, () => assert.equal(failureCodeIn(body), code))

  it('a code has 60 characters at most', () => assert.equal(asCode('A'.repeat(61)), 'A'.repeat(60)))

  it('deposits are of the two operators of Benin, in XOF', () => {
    assert.deepEqual(PROVIDED, ['mtn_bj', 'moov_bj'])
    assert.deepEqual([PROVIDED_IN, COUNTRY, CURRENCY], ['BJ', 'BEN', 'XOF'])
  })
})

const notUnderstood = (words: string) => unknown(`an answer that is not understood: ${words}`)
const GATEWAY = 'without JSON: a gateway refused the call'
const TOKEN = { failureReason: { failureCode: 'AUTHENTICATION_ERROR' } }

/** Of both kinds of requests, where they do not differ. */
const OF_ANSWERS: [about: string, result: CallResult, expected: object][] = [
  ['no answer', { failed: 'cut' }, unknown('cut')],
  ['200 ACCEPTED', reply(200, { status: 'ACCEPTED' }), accepted()],
  [
    '202 ACCEPTED',
    reply(202, { status: 'ACCEPTED' }),
    notUnderstood('HTTP 202 with status ACCEPTED'),
  ],
  ['200 DUPLICATE_IGNORED', reply(200, { status: 'DUPLICATE_IGNORED' }), { is: 'duplicate' }],
  [
    '400 DUPLICATE_IGNORED',
    reply(400, { status: 'DUPLICATE_IGNORED' }),
    notUnderstood('HTTP 400 with status DUPLICATE_IGNORED'),
  ],
  ['400 with a code alone', reply(400, { failureReason: 'INVALID_INPUT' }), form('INVALID_INPUT')],
  [
    '200 with a code alone',
    reply(200, { failureReason: 'INVALID_INPUT' }),
    notUnderstood('HTTP 200'),
  ],
  [
    'a refusal without a code',
    reply(200, { status: 'REJECTED' }),
    notUnderstood('HTTP 200 with status REJECTED'),
  ],
  ['404 REJECTED', rejected('INVALID_INPUT', 404), notUnderstood('HTTP 404 with status REJECTED')],
  [
    'a long status',
    reply(200, { status: 'S'.repeat(41) }),
    notUnderstood(`HTTP 200 with status ${'S'.repeat(40)}`),
  ],
  [
    '401 with a code',
    reply(401, TOKEN),
    refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR'),
  ],
  [
    '403 with a code',
    reply(403, TOKEN),
    refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR'),
  ],
  [
    '403 with a code that is not known',
    reply(403, { failureReason: 'OTHER' }),
    refusedUs('HTTP 403', 'OTHER'),
  ],
  [
    '401 with the name of our own row',
    reply(401, { failureReason: 'otherwise' }),
    refusedUs('HTTP 401', 'otherwise'),
  ],
  ['401 without a code', reply(401, {}), refusedUs('HTTP 401')],
  ['403 with a page', reply(403, '<html>'), refusedUs(`HTTP 403 ${GATEWAY}`)],
  ['429', reply(429, ''), notSent('HTTP 429')],
  ['500', reply(500, ''), unknown('HTTP 500')],
  ['502 with a code', reply(502, { failureReason: 'OTHER' }), unknown('HTTP 502', 'OTHER')],
  ['499', reply(499, ''), notUnderstood('HTTP 499')],
]

describe('pawapay translation: requests', () => {
  for (const [about, result, expected] of OF_ANSWERS)
    it(`${about} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(withBlamedKind(readDepositRequest(result, ID)), expected)
      const ofRefund = about === '400 with a code alone' ? form('INVALID_INPUT') : expected
      assert.deepEqual(withBlamedKind(readRefundRequest(result, ID)), ofRefund)
    })

  it('503 is a deposit that was not taken, and may be a refund that was', () => {
    assert.deepEqual(readDepositRequest(reply(503, ''), ID), notSent('HTTP 503'))
    assert.deepEqual(readRefundRequest(reply(503, ''), ID), unknown('HTTP 503'))
  })

  it('an answer with another id is about another payment, in any case of letters', () => {
    for (const [read, field, other] of [
      [readDepositRequest, 'depositId', 'refundId'],
      [readRefundRequest, 'refundId', 'depositId'],
    ] as const) {
      const named = (fields: object) => reply(200, { status: 'ACCEPTED', ...fields })
      assert.deepEqual(read(named({ [field]: 'another' }), ID), MIXED_UP)
      assert.deepEqual(read(named({ [field]: 'THE-UUID' }), ID), accepted())
      assert.deepEqual(read(named({ [other]: 'another' }), ID), accepted())
    }
  })
})

const DONE = { status: 'COMPLETED', amount: '1500', currency: 'XOF' }
const paid = (operatorReference: string) => ({
  is: 'succeeded',
  amountXof: 1_500,
  operatorReference,
})
const OF_STATUSES: [about: string, result: CallResult, expected: object][] = [
  ...['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION'].map(
    (status): [string, CallResult, object] => [status, found({ status }), accepted(status)],
  ),
  ['COMPLETED', found(DONE), paid(ID)],
  ['COMPLETED at the provider', found({ ...DONE, providerTransactionId: 12 }), paid('12')],
  [
    'COMPLETED with a long id',
    found({ ...DONE, providerTransactionId: '1'.repeat(101) }),
    paid('1'.repeat(100)),
  ],
  ['COMPLETED in no currency', found({ ...DONE, currency: undefined }), paid(ID)],
  [
    'COMPLETED in another currency',
    found({ ...DONE, currency: 'EUR and more' }),
    { is: 'contradicts', reported: 'COMPLETED in EUR_and_mo' },
  ],
  [
    'COMPLETED with a fraction',
    found({ ...DONE, amount: '1500.5' }),
    unknown('COMPLETED without an amount in whole francs'),
  ],
  ['FAILED without a code', found({ status: 'FAILED' }), declined('operator_error', 'FAILED')],
  [
    'a status of no document',
    found({ status: 'LOST' }),
    notUnderstood('HTTP 200 with status LOST'),
  ],
  ['no status', found({}), notUnderstood('HTTP 200 with status ')],
  ['200 NOT_FOUND', reply(200, { status: 'NOT_FOUND' }), NOT_KNOWN],
  ['404 NOT_FOUND', reply(404, { status: 'NOT_FOUND' }), NOT_KNOWN],
  [
    '400 NOT_FOUND',
    reply(400, { status: 'NOT_FOUND' }),
    notUnderstood('HTTP 400 with status NOT_FOUND'),
  ],
  ['404 of a gateway', reply(404, '<html>'), notUnderstood('HTTP 404')],
  [
    '404 FOUND',
    reply(404, { status: 'FOUND', data: DONE }),
    notUnderstood('HTTP 404 with status FOUND'),
  ],
  [
    '200 with another word',
    reply(200, { status: 'SEEN', data: DONE }),
    notUnderstood('HTTP 200 with status SEEN'),
  ],
  ['401', reply(401, TOKEN), refusedUs('pawaPay refused the API token', 'AUTHENTICATION_ERROR')],
  ['503', reply(503, ''), unknown('HTTP 503')],
  ['no answer', { failed: 'cut' }, unknown('cut')],
]

describe('pawapay translation: status calls', () => {
  for (const [about, result, expected] of OF_STATUSES)
    it(`${about} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(readDepositStatus(result, ID), expected)
      assert.deepEqual(readRefundStatus(result, ID), expected)
    })

  it('an answer with another id is about another payment, in any case of letters', () => {
    assert.deepEqual(readDepositStatus(found({ ...DONE, depositId: 'another' }), ID), MIXED_UP)
    assert.deepEqual(readDepositStatus(found({ ...DONE, depositId: 'THE-UUID' }), ID), paid(ID))
    assert.deepEqual(readRefundStatus(found({ ...DONE, refundId: 'another' }), ID), MIXED_UP)
    assert.deepEqual(readRefundStatus(found({ ...DONE, depositId: 'another' }), ID), paid(ID))
  })
})
