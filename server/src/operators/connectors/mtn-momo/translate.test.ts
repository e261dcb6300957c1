// MTN's codes, written out once more for payments and refunds, and the answers around them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accepted,
  declined,
  NOT_KNOWN,
  notSent,
  refusedUs,
  unknown,
} from '../../../../test/networks/expected-answers.ts'
import type { Answered } from '../../http-call.ts'
import {
  CODES,
  codeOf,
  readRequestAnswer,
  readStatusAnswer,
  readTokenRefusal,
  refusesToken,
} from './translate.ts'

const reply = (code: number, body: unknown): Answered => ({ code, headers: {}, body })
const PAYMENT = { kind: 'payment', currency: 'XOF', reference: 'ours', id: 'the-uuid' } as const
const REFUND = { ...PAYMENT, kind: 'refund' } as const

const ROWS: [code: string, payment: string, refund: string, more: string, remedy?: string][] = [
  ['PAYER_NOT_FOUND', 'payer_not_found', 'operator_error', 'refuses'],
  [
    'PAYEE_NOT_FOUND',
    'operator_error',
    'payer_not_found',
    'refuses',
    'MTN does not find the account that collects: ask MTN which account belongs to the API user',
  ],
  ['NOT_ENOUGH_FUNDS', 'insufficient_funds', 'insufficient_funds', ''],
  ['INTERNAL_PROCESSING_ERROR', 'insufficient_funds', 'operator_error', ''],
  [
    'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED',
    'insufficient_funds',
    'insufficient_funds',
    '',
  ],
  ['PAYER_LIMIT_REACHED', 'limit_reached', 'limit_reached', ''],
  ['PAYEE_LIMIT_REACHED', 'limit_reached', 'limit_reached', ''],
  ['SENDER_ACCOUNT_NOT_ACTIVE', 'payer_not_allowed', 'operator_error', ''],
  [
    'PAYEE_NOT_ALLOWED_TO_RECEIVE',
    'operator_error',
    'payer_not_allowed',
    'refuses',
    'the account that collects may not receive money: ask MTN to enable it',
  ],
  ['APPROVAL_REJECTED', 'declined', 'declined', ''],
  ['PAYMENT_NOT_APPROVED', 'declined', 'declined', ''],
  ['TRANSACTION_CANCELED', 'cancelled', 'cancelled', ''],
  ['EXPIRED', 'expired', 'expired', ''],
  ['COULD_NOT_PERFORM_TRANSACTION', 'expired', 'operator_error', ''],
  [
    'NOT_ALLOWED',
    'operator_error',
    'operator_error',
    'refuses, may be the payer’s',
    'the API user may not make this call: ask MTN to enable it for the Collection product',
  ],
  [
    'NOT_ALLOWED_TARGET_ENVIRONMENT',
    'operator_error',
    'operator_error',
    'refuses',
    'set the option targetEnvironment to the market of the API user',
  ],
  [
    'INVALID_CALLBACK_URL_HOST',
    'operator_error',
    'operator_error',
    'refuses',
    'register the host of PUBLIC_URL as the callback host of the API user, or set the option sendsCallbackUrl to false',
  ],
  [
    'INVALID_CURRENCY',
    'operator_error',
    'operator_error',
    'refuses',
    'set the option currency to the currency of the account',
  ],
  ['SERVICE_UNAVAILABLE', 'operator_error', 'operator_error', ''],
  ['TRANSACTION_NOT_COMPLETED', 'operator_error', 'operator_error', ''],
  ['TRANSACTION_NOT_FOUND', 'operator_error', 'operator_error', ''],
  ['VALIDATION_ERROR', 'operator_error', 'operator_error', ''],
]

const blamed = (remedy: string | undefined) =>
  remedy === undefined ? {} : { misconfigured: { kind: 'settings', remedy } }

describe('mtn-momo codes: of payments and of refunds', () => {
  it('every code of the table has its row here', () =>
    assert.deepEqual(
      Object.keys(CODES),
      ROWS.map(([code]) => code),
    ))

  for (const [code, payment, refund, more, remedy] of ROWS) {
    it(`${code}: a failed payment is ${payment}, a failed refund ${refund}`, () => {
      const failed = reply(200, { status: 'FAILED', reason: code })
      const isOurs = !more.includes('payer’s')
      assert.deepEqual(readStatusAnswer(failed, PAYMENT), {
        is: 'declined',
        reason: payment,
        code,
        ...blamed(isOurs ? remedy : undefined),
      })
      assert.deepEqual(readStatusAnswer(failed, REFUND), { is: 'declined', reason: refund, code })
    })

    it(`${code}: as the answer to a request it ${more.includes('refuses') ? 'refuses' : 'proves nothing'}`, () => {
      const asked = reply(500, { code })
      if (!more.includes('refuses')) {
        assert.deepEqual(readRequestAnswer(asked, 'payment'), unknown(`HTTP 500 ${code}`, code))
        return
      }
      assert.deepEqual(readRequestAnswer(asked, 'payment'), {
        is: 'declined',
        reason: payment,
        code,
        ...blamed(remedy),
      })
      assert.deepEqual(readRequestAnswer(asked, 'refund'), {
        is: 'declined',
        reason: refund,
        code,
        ...blamed(code.startsWith('PAYEE_') ? undefined : remedy),
      })
    })
  }

  it('the form of a request that is refused without a known code is to be compared', () => {
    const remedy =
      'MTN does not accept the form of the request: compare currency, msisdnDigits and the callback address with the contract'
    for (const [body, code] of [
      ['', 'BAD_REQUEST'],
      [{ code: 'OTHER' }, 'OTHER'],
      [{ code: 12 }, 'BAD_REQUEST'],
    ] as const)
      assert.deepEqual(readRequestAnswer(reply(400, body), 'payment'), {
        is: 'declined',
        reason: 'operator_error',
        code,
        misconfigured: { kind: 'form', remedy },
      })
  })
})

const SUCCESS = { status: 'SUCCESSFUL', amount: '100', currency: 'XOF' }
describe('mtn-momo translation: status calls', () => {
  for (const [about, answer, expected] of [
    ['CREATED', reply(200, { status: 'CREATED' }), accepted()],
    ['PENDING', reply(200, { status: 'PENDING', externalId: 'ours' }), accepted()],
    [
      'another payment',
      reply(200, { ...SUCCESS, externalId: 'another' }),
      unknown('the answer is about another payment'),
    ],
    [
      'another currency',
      reply(200, { ...SUCCESS, currency: 'A_LONG_CURRENCY' }),
      { is: 'contradicts', reported: 'SUCCESSFUL in A_LONG_CUR' },
    ],
    ...['ONGOING', 'PAYER_DELAYED', 'PAYEE_DELAYED'].map(
      (reason) =>
        [
          reason,
          reply(200, { status: 'FAILED', reason }),
          unknown('FAILED for a reason that is not final', reason),
        ] as const,
    ),
    [
      'a code of next year',
      reply(200, { status: 'FAILED', reason: { code: 'NEW_CODE' } }),
      declined('operator_error', 'NEW_CODE'),
    ],
    ['404 with a code', reply(404, { code: 12 }), NOT_KNOWN],
    [
      '400 with a code',
      reply(400, { code: 'OTHER' }),
      { ...unknown('HTTP 400 OTHER', 'OTHER'), misconfigured: true },
    ],
    ['400 of a gateway', reply(400, { error: 'no' }), refusedUs('HTTP 400 no', 'no')],
    ['408', reply(408, ''), unknown('HTTP 408')],
    ['409', reply(409, ''), unknown('HTTP 409')],
    ['429', reply(429, ''), notSent('HTTP 429')],
    ['401', reply(401, ''), refusedUs('HTTP 401')],
    ['403', reply(403, ''), refusedUs('HTTP 403')],
    ['302', reply(302, ''), unknown('HTTP 302')],
    ['499', reply(499, ''), { ...unknown('HTTP 499'), misconfigured: true }],
    ['no answer', { failed: 'cut' }, unknown('cut')],
  ] as const)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readStatusAnswer(answer, PAYMENT), expected))

  it('a request without an answer says so', () =>
    assert.deepEqual(readRequestAnswer({ failed: 'cut' }, 'payment'), unknown('cut')))
})

describe('mtn-momo translation: tokens', () => {
  it('a refusal says that there is no token, and keeps its code', () => {
    assert.deepEqual(readTokenRefusal(reply(401, { error: 'login_failed' }), [401]), {
      ...refusedUs('no token: HTTP 401 login_failed', 'login_failed'),
    })
    assert.deepEqual(readTokenRefusal({ failed: 'cut' }, [401]), notSent('no token: cut'))
    assert.deepEqual(readTokenRefusal(reply(500, ''), [500]), refusedUs('no token: HTTP 500'))
  })

  for (const [code, body, isRefused] of [
    [401, '', true],
    [403, { code: 'invalid_token' }, true],
    [403, { error: 'invalid_token' }, true],
    [403, { code: 'other' }, false],
    [400, { code: 'invalid_token' }, false],
  ] as const)
    it(`${code} ${JSON.stringify(body)} ${isRefused ? 'asks for' : 'needs no'} new token`, () =>
      assert.equal(refusesToken(reply(code, body)), isRefused))

  it('a code is read from `code`, and else from `error`', () => {
    assert.equal(codeOf({ code: 'a', error: 'b' }), 'a')
    assert.equal(codeOf({ code: 5, error: 'b c' }), 'b c')
    for (const body of [{}, null, '', []]) assert.equal(codeOf(body), undefined)
  })
})
