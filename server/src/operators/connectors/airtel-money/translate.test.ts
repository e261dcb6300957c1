// Airtel's codes, written out once more from its documents, and its answers in every shape.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accepted, unknown } from '../../../../test/networks/expected-answers.ts'
import type { Answered } from '../../http-call.ts'
import { CODES, readEnvelope, readRefund, readRequest, readStatus } from './translate.ts'

type Row = [code: string, means: string, failed: string, remedy: string, about: string]
/** `remedy`: the option to change, or the account. */
const ROWS: readonly Row[] = [
  ['ESB000041', 'enquire', '', '', 'External transaction id already exists'],
  ['DP00900001011', 'enquire', '', '', 'Similar transaction exists'],
  ['DP00900001017', 'enquire', '', '', 'Duplicate transaction id'],
  ['ESB000045', 'not_found', '', '', 'No transaction found with the id'],
  ['521002', 'payer_not_found', '', '', 'Wrong length of the number'],
  ['ESB000033', 'payer_not_found', '', '', 'Wrong length of the number'],
  ['ESB000036', 'payer_not_found', '', '', 'Wrong form of the number'],
  ['DP00800001000', 'enquire', '', '', 'Ambiguous'],
  ['DP00800001002', 'declined', '', '', 'Incorrect PIN'],
  ['DP00800001003', 'in_doubt', 'limit_reached', '', 'Limit of the wallet exceeded'],
  ['DP00800001004', 'amount_not_allowed', '', '', 'Amount below the minimum'],
  ['DP00800001005', 'payer_not_found', '', '', 'Number not found'],
  ['DP00800001005', 'expired', '', '', 'The payer did not enter the PIN'],
  ['DP00800001006', 'in_doubt', '', '', 'In process'],
  ['DP00800001007', 'insufficient_funds', '', '', 'Not enough balance'],
  ['DP00800001008', 'declined', '', '', 'Refused'],
  ['DP00800001009', 'operator_error', '', '', 'Do not honor: a refusal without a cause'],
  [
    'DP00800001010',
    'payer_not_allowed',
    '',
    '',
    'Not permitted: barred, churned or not registered',
  ],
  ['DP00800001024', 'in_doubt', 'expired', '', 'Timed out'],
  ['DP00800001025', 'not_found', '', '', 'Transaction not found'],
  ['DP00800001026', 'misconfigured', '', '', 'Signature and body do not match'],
  ['DP00800001029', 'expired', '', '', 'Expired'],
  ['DP00900001000', 'enquire', '', '', 'Ambiguous'],
  ['DP00900001003', 'limit_reached', '', '', 'Limit of the day reached'],
  ['DP00900001004', 'amount_not_allowed', '', '', 'Invalid amount'],
  ['DP00900001005', 'operator_error', '', '', 'Failed'],
  ['DP00900001006', 'in_doubt', '', '', 'Processing'],
  ['DP00900001007', 'insufficient_funds', '', '', 'Insufficient funds'],
  ['DP00900001009', 'payer_not_allowed', '', '', 'Invalid initiatee'],
  ['DP00900001010', 'payer_not_allowed', '', '', 'User not allowed'],
  ['DP00900001012', 'payer_not_found', '', '', 'Invalid mobile number'],
  ['DP00900001013', 'misconfigured', '', '', 'Header or field missing'],
  ['DP00900001013', 'operator_error', '', '', 'Refused'],
  ['DP00900001014', 'in_doubt', 'expired', '', 'Timed out'],
  ['DP00900001015', 'not_found', '', '', 'Transaction not found'],
  ['DP00900001016', 'misconfigured', '', '', 'Signature and body do not match'],
  ['ESB000001', 'in_doubt', '', '', 'Something went wrong'],
  ['ESB000004', 'in_doubt', '', '', 'Error while initiating the payment'],
  ['ESB000008', 'misconfigured', '', '', 'Field or header missing or not valid'],
  ['ESB000011', 'operator_error', '', '', 'Failed'],
  ['ESB000014', 'in_doubt', '', '', 'Error while fetching the status'],
  ['ESB000034', 'operator_error', '', 'country', 'Invalid country'],
  ['ESB000035', 'operator_error', '', 'currency', 'Invalid currency'],
  ['ESB000039', 'operator_error', '', 'account', 'Vendor not configured for the country'],
  ['0000900', 'in_doubt', '', '', 'Ambiguous'],
  ['ROUTER001', 'operator_error', '', 'account', 'Wallet not configured'],
  ['ROUTER003', 'misconfigured', '', '', 'Header or body parameters missing'],
  ['ROUTER005', 'operator_error', '', 'account', 'Country route not configured'],
  ['ROUTER006', 'operator_error', '', 'country', 'Invalid country'],
  ['ROUTER007', 'operator_error', '', 'account', 'Not authorized for the country'],
  ['ROUTER110', 'misconfigured', '', '', 'Partner not found: no X-Country'],
  ['ROUTER112', 'operator_error', '', 'currency', 'Invalid currency'],
  ['ROUTER117', 'in_doubt', '', '', 'Request timeout'],
  ['ROUTER119', 'misconfigured', '', '', 'Currency missing or not valid'],
  ['CONNECTION_TIMEOUT', 'in_doubt', '', '', 'The gateway had no answer in time'],
]

const REMEDIES: Record<string, string | undefined> = {
  '': undefined,
  country: 'set the option country to the country of the application in the Airtel portal',
  currency: 'set the option currency to the currency of the application in the Airtel portal',
  account:
    'the application is not set up for this country: ask Airtel to enable collections for it',
}

it('airtel-money codes: every code has the meaning of the documents, in their order', () => {
  const rows = CODES.map(({ code, means, failed, remedy, about }) => [
    code,
    means,
    failed,
    remedy,
    about,
  ])
  assert.deepEqual(
    rows,
    ROWS.map(([code, means, failed, remedy, about]) => [
      code,
      means,
      failed || undefined,
      REMEDIES[remedy],
      about,
    ]),
  )
})

const OURS = 'ours'
const TAKEN = 'DP00800001001'
const reply = (body: unknown, code = 200): Answered => ({ code, headers: {}, body })
const status = (fields: object, more: object = {}) => ({ status: fields, ...more })
const transaction = (fields: object) => ({ data: { transaction: { id: OURS, ...fields } } })
const notUnderstood = (code: number) =>
  unknown(`HTTP ${code} with an answer that is not understood`)
const DONE = { code: '200', success: true, response_code: TAKEN }

describe('airtel-money translation: the three shapes', () => {
  it('fields that are not of their form are absent', () => {
    const nothing = {
      transaction: undefined,
      success: undefined,
      innerCode: undefined,
      codes: [],
      message: '',
      oauthError: undefined,
    }
    assert.deepEqual(readEnvelope({}), nothing)
    assert.deepEqual(readEnvelope({ status: { success: 'true', code: 'x' }, data: [] }), nothing)
    for (const body of [undefined, null, '', [], 5]) assert.equal(readEnvelope(body), undefined)
  })

  it('codes, words and the transaction are read from each of their fields', () => {
    const body = {
      status: {
        code: '400',
        success: false,
        response_code: TAKEN,
        result_code: 'ESB000010',
        message: 'words',
      },
      status_code: 'ROUTER001',
      error: 'invalid_client',
      ...transaction({ status: 'TS', airtel_money_id: 9, amount: '5', currency: 'XOF' }),
    }
    assert.deepEqual(readEnvelope(body), {
      transaction: { id: OURS, status: 'TS', airtelMoneyId: '9', amount: '5', currency: 'XOF' },
      success: false,
      innerCode: 400,
      codes: [TAKEN, 'ESB000010', 'ROUTER001'],
      message: 'words',
      oauthError: 'invalid_client',
    })
    assert.equal(readEnvelope({ status_message: 'of the gateway' })?.message, 'of the gateway')
  })

  it('only the forms of Airtel’s codes are codes', () => {
    const codesIn = (code: unknown) => readEnvelope({ status_code: code })?.codes
    for (const code of [TAKEN, 'ESB000010', 'ROUTER001', '521002', '0000900', 'CONNECTION_TIMEOUT'])
      assert.deepEqual(codesIn(code), [code])
    for (const code of [`x${TAKEN}`, `${TAKEN}0`, 'ESB00010', '12345', '12345678', 'words', ''])
      assert.deepEqual(codesIn(code), [])
  })
})

const OUT = { neverLeft: true }
describe('airtel-money translation: requests', () => {
  for (const [about, answer, expected] of [
    ['a success', reply(status(DONE)), accepted(TAKEN)],
    ['a success without a code', reply(status({ success: true })), accepted()],
    [
      'in process',
      reply(status({ ...DONE, response_code: 'DP00800001006' })),
      accepted('DP00800001006'),
    ],
    ['by the product', reply(status({ ...DONE, result_code: 'ESB000010' })), accepted(TAKEN)],
    ['a success with 201', reply(status(DONE), 201), { ...notUnderstood(201), code: TAKEN }],
    [
      'a success with one code that is not known',
      reply(status({ ...DONE, result_code: 'ESB999999' })),
      { ...notUnderstood(200), code: TAKEN },
    ],
    [
      'another payment',
      reply(status(DONE, transaction({ id: 'another' }))),
      unknown('the answer is about another payment'),
    ],
    ['our payment', reply(status(DONE, transaction({}))), accepted(TAKEN)],
    ['a page with 200', reply('<html>'), unknown('HTTP 200 with no JSON')],
    [
      '401 with a page',
      reply('', 401),
      { ...unknown('HTTP 401: is our address allowed there?'), ...OUT, misconfigured: true },
    ],
    [
      '403 with JSON',
      reply({}, 403),
      { ...unknown('HTTP 403: is our address allowed there?'), ...OUT, misconfigured: true },
    ],
    ['429', reply('', 429), { ...unknown('HTTP 429: too many calls'), ...OUT }],
    ['404', reply('', 404), unknown('HTTP 404 with no JSON')],
    [
      '403 with the code of a wrong header',
      reply({ status_code: 'ROUTER003' }, 403),
      {
        ...unknown('ROUTER003: Header or body parameters missing', 'ROUTER003'),
        ...OUT,
        misconfigured: true,
      },
    ],
    [
      'a refusal without a flag under 200',
      reply(status({ response_code: 'DP00800001007' })),
      unknown('DP00800001007: Not enough balance', 'DP00800001007'),
    ],
    [
      'a refusal without a flag under 400',
      reply(status({ response_code: 'DP00800001007' }), 400),
      { is: 'declined', reason: 'insufficient_funds', code: 'DP00800001007' },
    ],
    [
      'a refusal under 499',
      reply(status({ response_code: 'DP00800001007', success: false }), 499),
      { is: 'declined', reason: 'insufficient_funds', code: 'DP00800001007' },
    ],
    [
      'what has to be changed',
      reply(status({ result_code: 'ESB000034', success: false })),
      {
        is: 'declined',
        reason: 'operator_error',
        code: 'ESB000034',
        misconfigured: { kind: 'settings', remedy: REMEDIES.country },
      },
    ],
  ] as const)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readRequest(answer, OURS), expected))
})

const enquiry = (fields: object, more: object = { response_code: TAKEN }): Answered =>
  reply(status(more, transaction(fields)))
const PAID = { status: 'TS', airtel_money_id: 'MP1' }

describe('airtel-money translation: enquiries', () => {
  for (const [about, answer, expected] of [
    ['TS', enquiry(PAID), { is: 'succeeded', operatorReference: 'MP1' }],
    ['TR', enquiry({ ...PAID, status: 'TR' }), { is: 'refunded', operatorReference: 'MP1' }],
    [
      'TS with an amount',
      enquiry({ ...PAID, amount: '1500', currency: 'XOF' }),
      { is: 'succeeded', amountXof: 1_500, operatorReference: 'MP1' },
    ],
    [
      'TS with a fraction',
      enquiry({ ...PAID, amount: '1.5' }),
      unknown('the enquiry has an amount that is not understood'),
    ],
    [
      'TS in another currency',
      enquiry({ ...PAID, currency: 'EUR' }),
      { is: 'contradicts', reported: 'paid in EUR' },
    ],
    ...['EURO', 'xEUR', 'eur'].map(
      (currency) =>
        [
          `TS in ${currency}`,
          enquiry({ ...PAID, currency }),
          { is: 'contradicts', reported: 'paid in another currency' },
        ] as const,
    ),
    [
      'TS without an id',
      enquiry({ status: 'TS' }),
      unknown('the enquiry has a success without an airtel_money_id'),
    ],
    ['TE', enquiry({ status: 'TE' }), { is: 'declined', reason: 'expired', code: 'TE' }],
    ['TF', enquiry({ status: 'TF' }), { is: 'declined', reason: 'operator_error', code: 'TF' }],
    ...['TA', 'TIP', 'TI'].map(
      (word) => [word, enquiry({ status: word }), accepted(word)] as const,
    ),
    [
      'a status of no document',
      enquiry({ status: 'TX' }),
      unknown('the enquiry has a status that is not understood'),
    ],
    [
      'another payment',
      enquiry({ ...PAID, id: 'another' }),
      unknown('the answer is about another payment'),
    ],
    ['a success without a payment', reply(status(DONE)), { is: 'not_known' }],
    [
      'in process without a payment',
      reply(status({ ...DONE, response_code: 'DP00800001006' })),
      unknown('the enquiry has a payment without its status'),
    ],
    [
      'a payment without its status',
      reply(status(DONE, transaction({}))),
      unknown('the enquiry has a payment without its status'),
    ],
    [
      'no such payment',
      reply(status({ response_code: 'DP00800001025' }), 404),
      { is: 'not_known' },
    ],
    ['a success under 201', reply(status(DONE), 201), notUnderstood(201)],
    ['another inner code', reply(status({ ...DONE, code: '201' })), notUnderstood(200)],
    [
      'a refused enquiry',
      reply(status({ response_code: 'DP00800001007', success: false })),
      unknown('the enquiry was refused: Not enough balance', 'DP00800001007'),
    ],
    ['a page', reply('<html>', 502), unknown('HTTP 502 with no JSON')],
  ] as const)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readStatus(answer, OURS, 'XOF'), expected))
})

describe('airtel-money translation: refunds', () => {
  const refunded = (word: string, more: object = {}, code = 200): Answered =>
    reply(status(more, { data: { transaction: { airtel_money_id: 'MP2', status: word } } }), code)
  const made = { is: 'succeeded', amountXof: 700, operatorReference: 'MP2' }
  for (const [about, answer, expected] of [
    ['SUCCESS', refunded('SUCCESS'), made],
    ['Success.', refunded('Success.'), made],
    ['TS', refunded('TS'), made],
    ['TR', refunded('TR', { success: false, code: '200', response_code: TAKEN }), made],
    ['words before', refunded('no success'), notUnderstood(200)],
    ['words after', refunded('TSX'), notUnderstood(200)],
    ['201', refunded('TS', {}, 201), notUnderstood(201)],
    ['another inner code', refunded('TS', { code: '500' }), notUnderstood(200)],
    [
      'the code of a refusal',
      refunded('TS', { response_code: 'DP00800001007' }),
      unknown('DP00800001007: Not enough balance', 'DP00800001007'),
    ],
    [
      'no id',
      reply({ data: { transaction: { status: 'TS' } } }),
      unknown('the refund has no airtel_money_id'),
    ],
    ['an ambiguous answer', reply(status({ response_code: 'DP00800001000' })), 'enquire'],
    [
      'an unknown payment',
      reply(status({ response_code: 'DP00800001025', success: false })),
      { is: 'declined', reason: 'operator_error', code: 'DP00800001025' },
    ],
    [
      'an unknown payment without a flag',
      reply(status({ response_code: 'DP00800001025' })),
      unknown('DP00800001025: Transaction not found', 'DP00800001025'),
    ],
    ['nothing', reply({}), notUnderstood(200)],
  ] as const)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(readRefund(answer, { amountXof: 700 }), expected))
})
