// Every documented code of MTN MoMo, and what it means here.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NUMBERS } from '../../../../../simulators/src/mtn-momo/numbers-and-faults.ts'
import { withBlamedKind } from '../../../../test/networks/harness.ts'
import type { FailureReason } from '../../../domain/payment-status.ts'
import { CODES, readRequestAnswer, readStatusAnswer, readTokenRefusal } from './translate.ts'
import { cleanText, readAmount, readCode } from './wire.ts'

/** By the network's documents, not by our table. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  PAYER_NOT_FOUND: 'payer_not_found',
  PAYEE_NOT_FOUND: 'operator_error',
  NOT_ENOUGH_FUNDS: 'insufficient_funds',
  INTERNAL_PROCESSING_ERROR: 'insufficient_funds',
  LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED: 'insufficient_funds',
  PAYER_LIMIT_REACHED: 'limit_reached',
  PAYEE_LIMIT_REACHED: 'limit_reached',
  SENDER_ACCOUNT_NOT_ACTIVE: 'payer_not_allowed',
  PAYEE_NOT_ALLOWED_TO_RECEIVE: 'operator_error',
  APPROVAL_REJECTED: 'declined',
  PAYMENT_NOT_APPROVED: 'declined',
  TRANSACTION_CANCELED: 'cancelled',
  EXPIRED: 'expired',
  COULD_NOT_PERFORM_TRANSACTION: 'expired',
  NOT_ALLOWED: 'operator_error',
  NOT_ALLOWED_TARGET_ENVIRONMENT: 'operator_error',
  INVALID_CALLBACK_URL_HOST: 'operator_error',
  INVALID_CURRENCY: 'operator_error',
  SERVICE_UNAVAILABLE: 'operator_error',
  TRANSACTION_NOT_COMPLETED: 'operator_error',
  TRANSACTION_NOT_FOUND: 'operator_error',
  VALIDATION_ERROR: 'operator_error',
  // In no table: an explicit FAILED all the same.
  TRANSFER_TYPE_UNKNOWN: 'operator_error',
}

/** Those that blame our side, whoever pays. NOT_ALLOWED may be about the payer. */
const BLAME_US = [
  'PAYEE_NOT_FOUND',
  'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'INVALID_CALLBACK_URL_HOST',
  'INVALID_CURRENCY',
]

const CONTEXT = { kind: 'payment', currency: 'XOF', id: 'the-uuid' } as const
const answered = (code: number, body: unknown) => ({ code, headers: {}, body })
const PAGE = '<html><title>403 Forbidden</title></html>'

describe('mtn-momo codes: a payment that FAILED', () => {
  for (const [code, reason] of Object.entries(REASONS)) {
    for (const said of [code, { code, message: 'words' }]) {
      it(`with the reason ${JSON.stringify(said)} is declined as ${reason}`, () => {
        const blamed = BLAME_US.includes(code) ? { misconfigured: 'settings' } : {}
        const answer = readStatusAnswer(answered(200, { status: 'FAILED', reason: said }), CONTEXT)
        assert.deepEqual(withBlamedKind(answer), { is: 'declined', reason, code, ...blamed })
      })
    }
  }

  it('has a row here and a number in the simulator for each code that is translated', () => {
    const said = new Set(Object.values(NUMBERS).map(({ reason }) => reason))
    assert.deepEqual(
      Object.keys(CODES).filter((code) => !said.has(code) || !Object.hasOwn(REASONS, code)),
      [],
    )
  })

  it('without a reason is declined as operator_error', () => {
    const answer = readStatusAnswer(answered(200, { status: 'FAILED' }), CONTEXT)
    assert.deepEqual(answer, { is: 'declined', reason: 'operator_error' })
  })
})

describe('mtn-momo translation: an answer to a request', () => {
  const nothing = (code: number, wrong: object = {}) => ({ is: 'unknown', why: `HTTP ${code}`, ...wrong })
  for (const [about, code, body, told] of [
    ['202', 202, '', { is: 'accepted' }],
    ['200, which no document has', 200, '', nothing(200)],
    ['201', 201, {}, nothing(201)],
    ['409', 409, { code: 'RESOURCE_ALREADY_EXIST' }, 'duplicate'],
    [
      '400 without a body',
      400,
      '',
      { is: 'declined', reason: 'operator_error', code: 'BAD_REQUEST', misconfigured: 'form' },
    ],
    [
      '400 of the gateway about a header',
      400,
      { error: 'Invalid or missing X-Target-Environment header' },
      nothing(400, { neverLeft: true, misconfigured: true }),
    ],
    ['400 with a page', 400, PAGE, nothing(400, { misconfigured: true })],
    [
      '401',
      401,
      { error: 'invalid_token' },
      { is: 'unknown', why: 'HTTP 401 invalid_token', code: 'invalid_token', neverLeft: true, misconfigured: true },
    ],
    ['403 with a page', 403, PAGE, nothing(403, { neverLeft: true, misconfigured: true })],
    [
      '403 of the gateway',
      403,
      { statusCode: 403, message: 'Forbidden' },
      nothing(403, { neverLeft: true, misconfigured: true }),
    ],
    ['404', 404, { statusCode: 404, message: 'Resource not found' }, nothing(404, { misconfigured: true })],
    ['429', 429, { statusCode: 429 }, nothing(429, { neverLeft: true })],
    ['500 without a code', 500, '', nothing(500)],
    ['502 with a page', 502, PAGE, nothing(502)],
    [
      '500 NOT_ENOUGH_FUNDS, which does not say that nothing was created',
      500,
      { code: 'NOT_ENOUGH_FUNDS' },
      { is: 'unknown', why: 'HTTP 500 NOT_ENOUGH_FUNDS', code: 'NOT_ENOUGH_FUNDS' },
    ],
    [
      '500 NOT_ALLOWED',
      500,
      { code: 'NOT_ALLOWED' },
      { is: 'declined', reason: 'operator_error', code: 'NOT_ALLOWED', misconfigured: 'settings' },
    ],
    [
      '500 NOT_ALLOWED_TARGET_ENVIRONMENT',
      500,
      { code: 'NOT_ALLOWED_TARGET_ENVIRONMENT' },
      {
        is: 'declined',
        reason: 'operator_error',
        code: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
        misconfigured: 'settings',
      },
    ],
    [
      '500 PAYER_NOT_FOUND',
      500,
      { code: 'PAYER_NOT_FOUND' },
      { is: 'declined', reason: 'payer_not_found', code: 'PAYER_NOT_FOUND' },
    ],
  ] as const) {
    it(`${about} is ${JSON.stringify(told)}`, () => {
      assert.deepEqual(withBlamedKind(readRequestAnswer(answered(code, body), 'payment')), told)
    })
  }
})

describe('mtn-momo translation: an answer to a question', () => {
  const SUCCESS = { status: 'SUCCESSFUL', amount: '100', currency: 'XOF', financialTransactionId: '9' }
  for (const [about, code, body, told] of [
    ['a success', 200, SUCCESS, { is: 'succeeded', amountXof: 100, operatorReference: '9' }],
    [
      'a success with numbers',
      200,
      { ...SUCCESS, amount: 100, financialTransactionId: 9 },
      { is: 'succeeded', amountXof: 100, operatorReference: '9' },
    ],
    [
      'a success without its transaction',
      200,
      { ...SUCCESS, financialTransactionId: undefined },
      { is: 'succeeded', amountXof: 100, operatorReference: 'the-uuid' },
    ],
    [
      'a success of a fraction',
      200,
      { ...SUCCESS, amount: '100.5' },
      { is: 'unknown', why: 'SUCCESSFUL with an amount that is not understood' },
    ],
    [
      'a success without a currency',
      200,
      { ...SUCCESS, currency: undefined },
      { is: 'unknown', why: 'SUCCESSFUL without a currency' },
    ],
    [
      'FAILED for what is not final',
      200,
      { status: 'FAILED', reason: 'ONGOING' },
      { is: 'unknown', why: 'FAILED for a reason that is not final', code: 'ONGOING' },
    ],
    [
      'a status of no document',
      200,
      { status: 'TIMEOUT' },
      { is: 'unknown', why: 'a status that is not understood: TIMEOUT' },
    ],
    ['no status', 200, {}, { is: 'unknown', why: 'a status that is not understood: none' }],
    ['200 with a page', 200, PAGE, { is: 'unknown', why: 'HTTP 200' }],
    ['200 with a list', 200, [], { is: 'unknown', why: 'HTTP 200' }],
    ['404 of the network', 404, { code: 'RESOURCE_NOT_FOUND' }, { is: 'not_known' }],
    ['404 without a body', 404, '', { is: 'not_known' }],
    ['404 with a page', 404, PAGE, { is: 'unknown', why: 'HTTP 404', misconfigured: true }],
    [
      '500 for our environment',
      500,
      { code: 'NOT_ALLOWED_TARGET_ENVIRONMENT' },
      {
        is: 'unknown',
        why: 'HTTP 500 NOT_ALLOWED_TARGET_ENVIRONMENT',
        code: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
        misconfigured: true,
      },
    ],
  ] as const) {
    it(`${about} is ${JSON.stringify(told)}`, () => {
      assert.deepEqual(readStatusAnswer(answered(code, body), CONTEXT), told)
    })
  }
})

describe('mtn-momo translation: in a refund we are the payer', () => {
  for (const [code, reason] of [
    ['PAYEE_NOT_FOUND', 'payer_not_found'],
    ['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'payer_not_allowed'],
    ['PAYER_NOT_FOUND', 'operator_error'],
    ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
  ] as const) {
    it(`${code} is ${reason}`, () => {
      const answer = readStatusAnswer(answered(200, { status: 'FAILED', reason: code }), { ...CONTEXT, kind: 'refund' })
      assert.deepEqual(answer, { is: 'declined', reason, code })
    })
  }
})

describe('mtn-momo translation: a refused token', () => {
  const old = [401, 500]
  for (const [about, result, isWrong] of [
    ['401', answered(401, { error: 'login_failed' }), true],
    ['500 on the old platform', answered(500, ''), true],
    [
      '400 without the target environment',
      answered(400, { error: 'Invalid or missing X-Target-Environment header' }),
      true,
    ],
    ['503', answered(503, ''), false],
    ['no answer', { failed: 'no answer within 25000 ms' }, false],
  ] as const) {
    it(`${about} leaves nothing sent${isWrong ? ', and somebody must mend it' : ''}`, () => {
      const answer = readTokenRefusal(result, old)
      assert.equal(answer.neverLeft, true)
      assert.equal(answer.misconfigured ?? false, isWrong)
    })
  }

  it('500 on the new platform may pass', () => {
    assert.equal(readTokenRefusal(answered(500, ''), [401]).misconfigured, undefined)
  })
})

describe('mtn-momo translation: reading', () => {
  for (const [value, amount] of [
    ['100', 100],
    ['100.0', 100],
    ['1000.0000', 1_000],
    ['37,600.00', 37_600],
    ['1,234,567', 1_234_567],
    [100, 100],
    ['100.5', undefined],
    [100.5, undefined],
    ['37,60', undefined],
    ['-100', undefined],
    ['1e3', undefined],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
    ['9'.repeat(30), undefined],
  ] as const) {
    it(`the amount ${JSON.stringify(value)} gives ${amount}`, () => assert.equal(readAmount(value), amount))
  }

  it('a code is words: a key, a number or a sentence with one is not kept', () => {
    assert.equal(readCode('PAYER_NOT_FOUND'), 'PAYER_NOT_FOUND')
    assert.equal(readCode('login_failed'), 'login_failed')
    for (const text of ['2290197000000', 'wrong key 8f3a', 'A'.repeat(61), 'a-b', '', 7]) {
      assert.equal(readCode(text), undefined)
    }
  })

  for (const [text, clean] of [
    ['Commande n° 5', 'Commande n 5'],
    ["L'été à Cotonou", 'L ete a Cotonou'],
    ['A & B', 'A B'],
    ['  ', 'otherwise'],
    ['日本', 'otherwise'],
    ['v1.2-3', 'v1.2-3'],
  ] as const) {
    it(`the text “${text}” becomes “${clean}”`, () => assert.equal(cleanText(text, 'otherwise'), clean))
  }
})
