// Every documented code of MTN MoMo and of Airtel Money, and what it means here, over answers that
// are written in this file. Those of FedaPay and pawaPay are in the tests of these networks.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NUMBERS } from '../../../../simulators/src/mtn-momo/numbers-and-faults.ts'
import {
  accepted,
  declined,
  NOT_KNOWN,
  notSent,
  refusedUs,
  unknown,
  withBlamedKind,
} from '../../../test/networks/expected-answers.ts'
import type { OperatorAnswer } from '../../domain/payments/operator-report.ts'
import { type FailureReason, isFailureReason } from '../../domain/payments/payment-status.ts'
import { type Answered, wholeFrancs } from '../http-call.ts'
import {
  CODES as AIRTEL_CODES,
  type CodeRow,
  readRefund,
  readRequest,
  readStatus,
} from './airtel-money/translate.ts'
import { cleanText } from './mtn-momo/connector.ts'
import {
  CODES,
  readCode,
  readRequestAnswer,
  readStatusAnswer,
  readTokenRefusal,
} from './mtn-momo/translate.ts'

const reply = (body: unknown, code = 200): Answered => ({ code, headers: {}, body })

it('wire amounts: every form seen in networks’ answers is read, and only whole francs are accepted', () => {
  for (const [francs, forms] of [
    [1_000, [1000, '1000', '1000.0000']],
    [100, ['100.0']],
    [37_600, ['37,600.00']],
    [1_234_567, ['1,234,567']],
    [0, [0]],
    [
      undefined,
      [100.5, '100.5', '100.01', '37,60', '-5', '1e3', '', null, {}, true, '9'.repeat(30)],
    ],
  ] as const)
    for (const form of forms) assert.equal(wholeFrancs(form), francs, JSON.stringify(form))
})

/** By the network's documents, not by our table. */
const CODES_BY_REASON: Partial<Record<FailureReason, string[]>> = {
  payer_not_found: ['PAYER_NOT_FOUND'],
  insufficient_funds: [
    'NOT_ENOUGH_FUNDS',
    'INTERNAL_PROCESSING_ERROR',
    'LOW_BALANCE_OR_PAYEE_LIMIT_REACHED_OR_NOT_ALLOWED',
  ],
  limit_reached: ['PAYER_LIMIT_REACHED', 'PAYEE_LIMIT_REACHED'],
  payer_not_allowed: ['SENDER_ACCOUNT_NOT_ACTIVE'],
  declined: ['APPROVAL_REJECTED', 'PAYMENT_NOT_APPROVED'],
  cancelled: ['TRANSACTION_CANCELED'],
  expired: ['EXPIRED', 'COULD_NOT_PERFORM_TRANSACTION'],
  operator_error: [
    'PAYEE_NOT_FOUND',
    'PAYEE_NOT_ALLOWED_TO_RECEIVE',
    'NOT_ALLOWED',
    'NOT_ALLOWED_TARGET_ENVIRONMENT',
    'INVALID_CALLBACK_URL_HOST',
    'INVALID_CURRENCY',
    'SERVICE_UNAVAILABLE',
    'TRANSACTION_NOT_COMPLETED',
    'TRANSACTION_NOT_FOUND',
    'VALIDATION_ERROR',
    // In no table, but an explicit FAILED.
    'TRANSFER_TYPE_UNKNOWN',
  ],
}
const MTN_REASONS = Object.fromEntries(
  Object.entries(CODES_BY_REASON).flatMap(([reason, codes]) =>
    codes.map((code) => [code, reason as FailureReason]),
  ),
)

/** Codes that blame our side for any payer. NOT_ALLOWED may be about the payer. */
const BLAME_US = [
  'PAYEE_NOT_FOUND',
  'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'INVALID_CALLBACK_URL_HOST',
  'INVALID_CURRENCY',
]

const CONTEXT = { kind: 'payment', currency: 'XOF', reference: 'ours', id: 'the-uuid' } as const
const PAGE = '<html><title>403 Forbidden</title></html>'

describe('mtn-momo codes: a payment that FAILED', () => {
  for (const [code, reason] of Object.entries(MTN_REASONS))
    for (const said of [code, { code, message: 'words' }])
      it(`with the reason ${JSON.stringify(said)} is declined as ${reason}`, () => {
        const answer = readStatusAnswer(reply({ status: 'FAILED', reason: said }), CONTEXT)
        const blamed = BLAME_US.includes(code) ? 'settings' : undefined
        assert.deepEqual(withBlamedKind(answer), declined(reason, code, blamed))
      })

  it('has a row here and a number in the simulator for each code that is translated', () => {
    const said = new Set(Object.values(NUMBERS).map(({ reason }) => reason))
    const missing = Object.keys(CODES).filter(
      (code) => !said.has(code) || !Object.hasOwn(MTN_REASONS, code),
    )
    assert.deepEqual(missing, [])
  })

  it('without a reason is declined as operator_error', () =>
    assert.deepEqual(
      readStatusAnswer(reply({ status: 'FAILED' }), CONTEXT),
      declined('operator_error'),
    ))

  // In a refund we are the payer.
  for (const [code, reason] of [
    ['PAYEE_NOT_FOUND', 'payer_not_found'],
    ['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'payer_not_allowed'],
    ['PAYER_NOT_FOUND', 'operator_error'],
    ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
  ] as const) {
    it(`as a refund with ${code} is declined as ${reason}`, () => {
      const answer = readStatusAnswer(reply({ status: 'FAILED', reason: code }), {
        ...CONTEXT,
        kind: 'refund',
      })
      assert.deepEqual(answer, declined(reason, code))
    })
  }
})

const OURS = { misconfigured: true }
const ENVIRONMENT = 'NOT_ALLOWED_TARGET_ENVIRONMENT'
const HEADER = { error: 'Invalid or missing X-Target-Environment header' }

for (const [about, code, body, expected] of [
  ['202', 202, '', accepted()],
  ['200, which no document has', 200, '', unknown('HTTP 200')],
  ['201', 201, {}, unknown('HTTP 201')],
  ['409', 409, { code: 'RESOURCE_ALREADY_EXIST' }, 'duplicate'],
  ['400 without a body', 400, '', declined('operator_error', 'BAD_REQUEST', 'form')],
  ['400 of the gateway about a header', 400, HEADER, refusedUs('HTTP 400')],
  ['400 with a page', 400, PAGE, { ...unknown('HTTP 400'), ...OURS }],
  ['401', 401, { error: 'invalid_token' }, refusedUs('HTTP 401 invalid_token', 'invalid_token')],
  ['403 with a page', 403, PAGE, refusedUs('HTTP 403')],
  ['403 of the gateway', 403, { statusCode: 403, message: 'Forbidden' }, refusedUs('HTTP 403')],
  [
    '404',
    404,
    { statusCode: 404, message: 'Resource not found' },
    { ...unknown('HTTP 404'), ...OURS },
  ],
  ['429', 429, { statusCode: 429 }, notSent('HTTP 429')],
  ['500 without a code', 500, '', unknown('HTTP 500')],
  ['502 with a page', 502, PAGE, unknown('HTTP 502')],
  // It does not say that nothing was created.
  [
    '500 for funds',
    500,
    { code: 'NOT_ENOUGH_FUNDS' },
    unknown('HTTP 500 NOT_ENOUGH_FUNDS', 'NOT_ENOUGH_FUNDS'),
  ],
  [
    '500 NOT_ALLOWED',
    500,
    { code: 'NOT_ALLOWED' },
    declined('operator_error', 'NOT_ALLOWED', 'settings'),
  ],
  [
    '500 for the environment',
    500,
    { code: ENVIRONMENT },
    declined('operator_error', ENVIRONMENT, 'settings'),
  ],
  [
    '500 PAYER_NOT_FOUND',
    500,
    { code: 'PAYER_NOT_FOUND' },
    declined('payer_not_found', 'PAYER_NOT_FOUND'),
  ],
] as const) {
  it(`mtn-momo translation: an answer to a request: ${about} is ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(withBlamedKind(readRequestAnswer(reply(body, code), 'payment')), expected))
}

const SUCCESS = {
  status: 'SUCCESSFUL',
  amount: '100',
  currency: 'XOF',
  financialTransactionId: '9',
}
const paid = (operatorReference: string) => ({ is: 'succeeded', amountXof: 100, operatorReference })
for (const [about, code, body, expected] of [
  ['a success', 200, SUCCESS, paid('9')],
  [
    'a success with numbers',
    200,
    { ...SUCCESS, amount: 100, financialTransactionId: 9 },
    paid('9'),
  ],
  [
    'a success without its transaction',
    200,
    { ...SUCCESS, financialTransactionId: undefined },
    paid('the-uuid'),
  ],
  [
    'a fraction',
    200,
    { ...SUCCESS, amount: '100.5' },
    unknown('SUCCESSFUL with an amount that is not understood'),
  ],
  [
    'a success in no currency',
    200,
    { ...SUCCESS, currency: undefined },
    unknown('SUCCESSFUL without a currency'),
  ],
  [
    'FAILED for a reason that is not final',
    200,
    { status: 'FAILED', reason: 'ONGOING' },
    unknown('FAILED for a reason that is not final', 'ONGOING'),
  ],
  [
    'a status of no document',
    200,
    { status: 'TIMEOUT' },
    unknown('a status that is not understood: TIMEOUT'),
  ],
  ['no status', 200, {}, unknown('a status that is not understood: none')],
  ['200 with a page', 200, PAGE, unknown('HTTP 200')],
  ['200 with a list', 200, [], unknown('HTTP 200')],
  ['404 of the network', 404, { code: 'RESOURCE_NOT_FOUND' }, NOT_KNOWN],
  ['404 without a body', 404, '', NOT_KNOWN],
  ['404 with a page', 404, PAGE, { ...unknown('HTTP 404'), ...OURS }],
  [
    '500 for ours',
    500,
    { code: ENVIRONMENT },
    { ...unknown(`HTTP 500 ${ENVIRONMENT}`, ENVIRONMENT), ...OURS },
  ],
] as const) {
  it(`mtn-momo translation: an answer to a status call: ${about} is ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(readStatusAnswer(reply(body, code), CONTEXT), expected))
}

const old = [401, 500]
for (const [about, result, codes, isWrong] of [
  ['401', reply({ error: 'login_failed' }, 401), old, true],
  ['500 on the old platform', reply('', 500), old, true],
  ['500 on the new platform, which may pass', reply('', 500), [401], false],
  ['400 without the target environment', reply(HEADER, 400), old, true],
  ['503', reply('', 503), old, false],
  ['no answer', { failed: 'no answer within 25000 ms' }, old, false],
] as const) {
  it(`mtn-momo translation: a refused token ${about} leaves nothing sent${isWrong ? ', and the connection must be corrected' : ''}`, () => {
    const { neverLeft, misconfigured = false } = readTokenRefusal(result, codes)
    assert.deepEqual([neverLeft, misconfigured], [true, isWrong])
  })
}

describe('mtn-momo translation: words', () => {
  it('a code is words: a key, a number or a sentence with one is not kept', () => {
    for (const code of ['PAYER_NOT_FOUND', 'login_failed']) assert.equal(readCode(code), code)
    for (const text of ['2290197000000', 'wrong key 8f3a', 'A'.repeat(61), 'a-b', '', 7])
      assert.equal(readCode(text), undefined)
  })

  for (const [text, clean] of [
    ['Commande n° 5', 'Commande n 5'],
    ["L'été à Cotonou", 'L ete a Cotonou'],
    ['A & B', 'A B'],
    ['  ', 'otherwise'],
    ['日本', 'otherwise'],
    ['v1.2-3', 'v1.2-3'],
  ] as const) {
    it(`the text “${text}” becomes “${clean}”`, () =>
      assert.equal(cleanText(text, 'otherwise'), clean))
  }
})

const REFERENCE = '0123456789abcdefghjkmnpq'

/**
 * A refusal with this code, in the shape of the layer that gives it; with words that fit the row.
 */
function refused({ code, message }: CodeRow, http = 200, inner = '400'): Answered {
  const words =
    message === undefined ? 'Some words' : (MESSAGES.find((each) => message.test(each)) ?? '')
  if (/^(ROUTER|CONN)/.test(code))
    return reply({ status_code: code, status_message: words }, http === 200 ? 400 : http)
  const field = code.startsWith('DP') ? 'response_code' : 'result_code'
  return reply({ status: { [field]: code, code: inner, success: false, message: words } }, http)
}

const MESSAGES = ['Msisdn Not Found', 'Invalid/Missing Currency']

const enquiry = (
  status: unknown,
  more: { code?: string; transaction?: object; success?: boolean } = {},
): Answered =>
  reply({
    data: { transaction: { id: REFERENCE, status, ...more.transaction } },
    status: {
      code: '200',
      success: more.success ?? false,
      response_code: more.code ?? 'DP00800001001',
    },
  })

/** Country, currency and account are the same in all our requests. */
const ABOUT_US = /country|currency|not configured/i

for (const row of AIRTEL_CODES)
  it(`airtel-money translation: a request that is refused with ${row.code} (${row.about}): ${row.means}`, () => {
    const answer = readRequest(refused(row), REFERENCE)
    if (isFailureReason(row.means)) {
      const blamed = ABOUT_US.test(row.about) ? { misconfigured: 'settings' } : {}
      assert.deepEqual(withBlamedKind(answer), {
        is: 'declined',
        reason: row.means,
        code: row.code,
        ...blamed,
      })
    } else if (row.means === 'enquire') {
      assert.equal(answer, 'enquire')
    } else {
      const why = `${row.code}: ${row.about}`
      const misconfigured = row.means === 'misconfigured' ? { misconfigured: true } : {}
      assert.deepEqual(answer, { is: 'unknown', why, ...misconfigured, code: row.code })
    }
  })

for (const row of AIRTEL_CODES.filter(
  ({ code, message }) => code.startsWith('DP') && message === undefined,
)) {
  const reason = row.failed ?? (isFailureReason(row.means) ? row.means : 'operator_error')
  it(`airtel-money translation: an enquiry with TF and ${row.code}: ${reason}`, () => {
    const answer = readStatus(enquiry('TF', { code: row.code }), REFERENCE, 'XOF')
    assert.deepEqual(answer, { is: 'declined', reason, code: row.code })
  })
}

it('airtel-money translation: no code of a refusal declines anything when it comes with a fault of the network', () => {
  for (const row of AIRTEL_CODES.filter(({ means }) => isFailureReason(means)))
    for (const [http, inner] of [
      [500, '400'],
      [200, '500'],
      [200, '408'],
      [408, '400'],
    ] as const) {
      const isRouter = row.code.startsWith('ROUTER')
      if (isRouter && http === 200) continue
      const seen = (readRequest(refused(row, http, inner), REFERENCE) as OperatorAnswer).is
      assert.equal(seen, 'unknown', `${row.code} ${http} ${inner}`)
    }
})

const NOTHING_SAID: [about: string, reply: Answered][] = [
  ['a page', reply('<html></html>', 502)],
  ['nothing', reply('')],
  ['null', reply(null)],
  ['a list', reply([])],
  ['an empty object', reply({})],
  ['a refusal without a code', reply({ status: { success: false, code: '400', message: 'No' } })],
  [
    'a code that is not known',
    reply({ status: { success: false, code: '400', response_code: 'DP00800009999' } }),
  ],
  [
    'a success with a code that is not known',
    reply({ status: { success: true, response_code: 'DP00800009999' } }),
  ],
  [
    'a success with the code of a refusal',
    reply({ status: { success: true, response_code: 'DP00800001007' } }),
  ],
  [
    'a success under HTTP 500',
    reply({ status: { success: true, response_code: 'DP00800001006' } }, 500),
  ],
  ['the code of a refusal without a flag', reply({ status: { response_code: 'DP00800001007' } })],
]

for (const [about, answer] of NOTHING_SAID)
  it(about, () => {
    for (const read of [
      readRequest(answer, REFERENCE),
      readStatus(answer, REFERENCE, 'XOF'),
      readRefund(answer, { amountXof: 1 }),
    ]) {
      assert.equal((read as OperatorAnswer).is, 'unknown')
    }
  })

const MP1 = { airtel_money_id: 'MP1' }
const NO_STATUS = unknown('the enquiry has a payment without its status')

/**
 * An enquiry about a payment that has succeeded or was reversed, with this in place of its id or
 * amount.
 */
const reported = (status: 'TS' | 'TR', change: object = MP1): Answered =>
  enquiry(status, { transaction: change })
const answered = (
  is: string,
  operatorReference = 'MP1',
): { is: string; operatorReference: string } => ({
  is,
  operatorReference,
})
const coded = (response_code: string, more: object = {}, http = 200): Answered =>
  reply({ status: { response_code, ...more } }, http)

const STATUSES: [about: string, reply: Answered, answer: { is: string }][] = [
  ['TS with the id', reported('TS'), answered('succeeded')],
  [
    'TS with an id that is a number',
    reported('TS', { airtel_money_id: 133410367531 }),
    answered('succeeded', '133410367531'),
  ],
  [
    'TS without an id',
    enquiry('TS'),
    unknown('the enquiry has a success without an airtel_money_id'),
  ],
  [
    'TS of another',
    reported('TS', { id: 'other', ...MP1 }),
    unknown('the answer is about another payment'),
  ],
  [
    'TS with false for the id that is ours',
    reported('TS', { id: false, ...MP1 }),
    answered('succeeded'),
  ],
  [
    'half a franc',
    reported('TS', { ...MP1, amount: '1500.50' }),
    unknown('the enquiry has an amount that is not understood'),
  ],
  ['TR', reported('TR'), answered('refunded')],
  ['TE', enquiry('TE', { code: 'DP00800001029' }), declined('expired', 'DP00800001029')],
  ['TE without a code', enquiry('TE'), declined('expired', 'TE')],
  ['TA', enquiry('TA', { code: 'DP00800001000' }), accepted('TA')],
  ['TIP', enquiry('TIP'), accepted('TIP')],
  ['TI', enquiry('TI'), accepted('TI')],
  ['another word', enquiry('PAID'), unknown('the enquiry has a status that is not understood')],
  ['an empty status', enquiry('', { success: true, transaction: MP1 }), NO_STATUS],
  ['a null status', enquiry(null, { success: true, transaction: MP1 }), NO_STATUS],
  ['no status', enquiry(undefined, { success: true, transaction: MP1 }), NO_STATUS],
  [
    'that it is in process, without a payment',
    coded('DP00800001006', { success: true, code: '200' }),
    NO_STATUS,
  ],
  ['no such payment', reply({ status: { result_code: 'ESB000045', success: false } }), NOT_KNOWN],
  ['no such payment, with 404', coded('DP00800001025', {}, 404), NOT_KNOWN],
  [
    'a refusal',
    coded('DP00800001008', { success: false, code: '400' }),
    unknown('the enquiry was refused: Refused', 'DP00800001008'),
  ],
]

for (const [about, answer, expected] of STATUSES)
  it(`airtel-money translation: an enquiry with ${about}: ${expected.is}`, () =>
    assert.deepEqual(readStatus(answer, REFERENCE, 'XOF'), expected))
