// FedaPay's answers, written out as its documents show them, and what each means here.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  accepted,
  declined,
  unknown,
  withBlamedKind,
} from '../../../../test/networks/expected-answers.ts'
import type { Answered, CallResult } from '../../http-call.ts'
import {
  answerAbout,
  isNoSuchThing,
  isNotKnown,
  isPending,
  isPromptNotSent,
  isRefusal,
  mayBeTaken,
  notAnswered,
  readList,
  readPageToken,
  readTransaction,
  refusalOf,
  statusOf,
  type Transaction,
  takenAndHidden,
  wasPrompted,
} from './translate.ts'

const EXPECTED = { reference: 'ours', xofCurrencyId: 1 }
const PROMPT = { karba: 'prompt' }
const of = (fields: object): Transaction => ({
  id: 7,
  merchant_reference: 'ours',
  amount: 1_500,
  ...fields,
})
const reply = (code: number, body: unknown): Answered => ({ code, headers: {}, body })
const paid = (is: 'succeeded' | 'refunded', operatorReference = '7') => ({
  is,
  amountXof: 1_500,
  operatorReference,
})
const mayChange = (reason: 'declined' | 'cancelled', code: string) => ({
  ...declined(reason, code),
  mayChange: true,
})

const OF_STATUSES: [about: string, fields: object, expected: object][] = [
  ['pending', { status: 'pending' }, accepted()],
  ['approved', { status: 'approved' }, paid('succeeded')],
  ['transferred', { status: 'transferred' }, paid('succeeded')],
  ['approved, a part refunded', { status: 'approved_partially_refunded' }, paid('succeeded')],
  ['transferred, a part refunded', { status: 'transferred_partially_refunded' }, paid('succeeded')],
  ['refunded', { status: 'refunded' }, paid('refunded')],
  ['declined', { status: 'declined' }, mayChange('declined', 'declined')],
  ['canceled', { status: 'canceled' }, mayChange('cancelled', 'canceled')],
  ['expired', { status: 'expired' }, declined('expired', 'expired')],
  ['a status of no document', { status: 'lost' }, unknown('a status that is not known: lost')],
  ['no status', {}, unknown('a status that is not known: undefined')],
  ['a name of JavaScript', { status: 'toString' }, unknown('a status that is not known: toString')],
  [
    'another reference',
    { status: 'approved', merchant_reference: 'other' },
    unknown('the answer is about another payment'),
  ],
  [
    'a prompt with an error',
    { status: 'pending', last_error_code: 'API_ERROR' },
    accepted('API_ERROR'),
  ],
  ['no error', { status: 'pending', last_error_code: 'NO_ERROR' }, accepted()],
  ['an error in words', { status: 'pending', last_error_code: 'no funds' }, accepted()],
  ['an error after words', { status: 'pending', last_error_code: 'no FUNDS_ERROR' }, accepted()],
  ['an error as a number', { status: 'pending', last_error_code: 12 }, accepted()],
  [
    'an error of 60 letters',
    { status: 'pending', last_error_code: 'E'.repeat(60) },
    accepted('E'.repeat(60)),
  ],
  ['an error of 61 letters', { status: 'pending', last_error_code: 'E'.repeat(61) }, accepted()],
  [
    'declined for funds',
    { status: 'declined', last_error_code: 'INSUFFICIENT_FUND_ERROR' },
    { ...mayChange('declined', 'INSUFFICIENT_FUND_ERROR'), reason: 'insufficient_funds' },
  ],
  [
    'expired after an error of the operator',
    { status: 'expired', last_error_code: 'API_ERROR' },
    declined('operator_error', 'API_ERROR'),
  ],
  [
    'declined with a code of no table',
    { status: 'declined', last_error_code: 'OTHER' },
    mayChange('declined', 'OTHER'),
  ],
  [
    'in XOF by its name',
    { status: 'approved', currency: { iso: 'XOF' }, currency_id: 2 },
    paid('succeeded'),
  ],
  ['in XOF by its id', { status: 'approved', currency_id: 1 }, paid('succeeded')],
  [
    'in another currency by its name',
    { status: 'approved', currency: { iso: 'EUR and more words' }, currency_id: 1 },
    { is: 'contradicts', reported: 'approved in EUR and mo' },
  ],
  [
    'in another currency by its id',
    { status: 'refunded', currency_id: 12 },
    { is: 'contradicts', reported: 'refunded in the currency 12' },
  ],
  [
    'with a fraction',
    { status: 'approved', amount: 1_500.5 },
    unknown('approved, with an amount that is not understood'),
  ],
  ['with a reference', { status: 'approved', reference: 'trx_9' }, paid('succeeded', 'trx_9')],
  ['with a reference in words', { status: 'approved', reference: 'trx 9' }, paid('succeeded')],
  ['with words before', { status: 'approved', reference: '- trx' }, paid('succeeded')],
  ['with an empty reference', { status: 'approved', reference: '' }, paid('succeeded')],
  [
    'with a reference of 61 letters',
    { status: 'approved', reference: 'r'.repeat(61) },
    paid('succeeded'),
  ],
]

describe('fedapay translation: a transaction', () => {
  for (const [about, fields, expected] of OF_STATUSES)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(answerAbout(of(fields), EXPECTED), expected))

  it('on an open page that was declined is still accepted; of a prompt it is the end', () => {
    const declinedFor = (more: object) => statusOf(of({ status: 'declined', ...more }), EXPECTED)
    assert.deepEqual(declinedFor({}), accepted('declined'))
    assert.deepEqual(declinedFor({ last_error_code: 'OTHER' }), accepted('OTHER'))
    for (const metadata of [{ karba: 'page' }, 'prompt', null])
      assert.deepEqual(declinedFor({ custom_metadata: metadata }), accepted('declined'))
    assert.deepEqual(declinedFor({ custom_metadata: PROMPT }), mayChange('declined', 'declined'))
    for (const status of ['expired', 'approved', 'pending'])
      assert.deepEqual(
        statusOf(of({ status }), EXPECTED),
        answerAbout(of({ status }), EXPECTED),
        status,
      )
  })

  for (const [about, fields, isPrompted] of [
    ['as created', {}, false],
    ['with null for each', { mode: null, payment_method_id: null, last_error_code: null }, false],
    ['with the code for no error', { last_error_code: 'NO_ERROR' }, false],
    ['with a mode', { mode: 'mtn_open' }, true],
    ['with a method', { payment_method_id: 3 }, true],
    ['with an error', { last_error_code: 'API_ERROR' }, true],
  ] as const)
    it(`${about} was ${isPrompted ? '' : 'not '}prompted`, () => {
      assert.equal(wasPrompted(of(fields)), isPrompted)
      const ofPrompt = { ...fields, status: 'pending', custom_metadata: PROMPT }
      assert.equal(isPromptNotSent(of(ofPrompt)), !isPrompted)
    })

  it('is a prompt that was not sent only while it is pending and marked as a prompt', () => {
    assert.equal(isPromptNotSent(of({ status: 'declined', custom_metadata: PROMPT })), false)
    assert.equal(isPromptNotSent(of({ status: 'pending' })), false)
    assert.equal(isPending(of({ status: 'pending' })), true)
    assert.equal(isPending(of({ status: 'approved' })), false)
  })
})

describe('fedapay translation: bodies', () => {
  it('a transaction is read in each of the three wrappings', () => {
    for (const body of [{ 'v1/transaction': { id: 7 } }, { transaction: { id: 7 } }, { id: 7 }])
      assert.deepEqual(readTransaction(body), { id: 7 })
    for (const body of [{ id: '7' }, { id: 7.5 }, {}, [], null, '', { transaction: [] }])
      assert.equal(readTransaction(body), undefined)
  })

  it('a list is read in each of the three wrappings, without what is no object', () => {
    for (const body of [{ 'v1/events': [{ a: 1 }, 2] }, { events: [{ a: 1 }] }, [{ a: 1 }, null]])
      assert.deepEqual(readList(body, 'events'), [{ a: 1 }])
    for (const body of [{ other: [] }, {}, null, 'x'])
      assert.equal(readList(body, 'events'), undefined)
  })

  for (const [url, page] of [
    ['https://pay.test/a', 'https://pay.test/a'],
    ['http://pay.test', 'http://pay.test/'],
    [' https://pay.test/é ', 'https://pay.test/%C3%A9'],
    ['ftp://pay.test', undefined],
    ['javascript:https:', undefined],
    ['xhttps:a', undefined],
    ['pay', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)
    it(`a page at ${url} leads to ${page}`, () =>
      assert.deepEqual(readPageToken({ token: 't', url }), { token: 't', url: page }))

  it('a page without a token is none', () => {
    for (const body of [{ url: 'https://pay.test' }, { token: '' }, { token: 7 }, null])
      assert.equal(readPageToken(body), undefined)
  })
})

const OURS = { misconfigured: true }
const NOT_SENT = { neverLeft: true }
const OF_FAULTS: [about: string, result: CallResult, expected: object][] = [
  ['no answer', { failed: 'cut' }, unknown('cut')],
  [
    'a call that never left',
    { failed: 'cut', neverLeft: true },
    { ...unknown('cut'), ...NOT_SENT },
  ],
  ['401', reply(401, {}), { ...unknown('a call: HTTP 401'), ...NOT_SENT, ...OURS }],
  ['403', reply(403, {}), { ...unknown('a call: HTTP 403'), ...NOT_SENT, ...OURS }],
  ['402', reply(402, {}), unknown('a call: HTTP 402')],
  ['429', reply(429, {}), { ...unknown('a call: HTTP 429'), ...NOT_SENT }],
  ['a page', reply(404, '<html>'), { ...unknown('a call: HTTP 404 and no JSON'), ...OURS }],
  ['a page with 499', reply(499, ''), { ...unknown('a call: HTTP 499 and no JSON'), ...OURS }],
  ['a page with 500', reply(500, '<html>'), unknown('a call: HTTP 500')],
  ['500 with a message', reply(500, { message: 'Down' }), unknown('a call: HTTP 500', 'Down')],
  ['500 with an empty message', reply(500, { message: '' }), unknown('a call: HTTP 500')],
  ['500 with a number', reply(500, { message: 5 }), unknown('a call: HTTP 500')],
]

describe('fedapay translation: refusals and faults', () => {
  for (const [about, result, expected] of OF_FAULTS)
    it(`${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(notAnswered(result, 'a call'), expected))

  for (const [message, code] of [
    ['x'.repeat(19), 'x'.repeat(19)],
    [`key ${'x'.repeat(20)} refused`, 'key … refused'],
    ['the number +229 01 97-00.00 is not', 'the number …is not'],
    ['the number 12345 is not', 'the number …is not'],
    ['1234: 5', '1234: 5'],
    ['a word '.repeat(10), 'a word '.repeat(10).slice(0, 60)],
  ] as const)
    it(`the message “${message}” is kept as “${code}”`, () =>
      assert.deepEqual(notAnswered(reply(500, { message }), ''), unknown(': HTTP 500', code)))

  it('only 400, 409 and 422 with JSON are FedaPay’s own refusals', () => {
    for (const code of [400, 409, 422]) {
      assert.equal(isRefusal(reply(code, {})), true)
      assert.equal(isRefusal(reply(code, '<html>')), false)
    }
    for (const code of [200, 401, 404, 500]) assert.equal(isRefusal(reply(code, {})), false)
    assert.equal(isRefusal({ failed: 'cut' }), false)
  })

  for (const [about, body, expected] of [
    ['an amount', { errors: { amount: ['x'] } }, declined('amount_not_allowed', 'HTTP 400')],
    [
      'a number within the customer',
      { message: 'No', errors: { 'customer.phone_number': [] } },
      declined('payer_not_found', 'No'),
    ],
    ['a number', { errors: { other: 1, number: 1 } }, declined('payer_not_found', 'HTTP 400')],
    ['another field', { errors: { mode: 1 } }, declined('operator_error', 'HTTP 400', 'form')],
    ['no field', {}, declined('operator_error', 'HTTP 400', 'form')],
  ] as const)
    it(`a refusal for ${about} is ${JSON.stringify(expected)}`, () =>
      assert.deepEqual(withBlamedKind(refusalOf(reply(400, body))), expected))

  it('a refusal for its form says which command compares the options', () =>
    assert.partialDeepStrictEqual(refusalOf(reply(400, {})), {
      misconfigured: {
        remedy:
          'FedaPay does not accept the form of the request: `karba operators check` compares the options with the account',
      },
    }))

  it('a reference may be taken if the refusal names it, or no field', () => {
    for (const errors of [{}, undefined, { 'transaction.merchant_reference': 1, amount: 1 }])
      assert.equal(mayBeTaken(reply(400, { errors })), true)
    assert.equal(mayBeTaken(reply(400, { errors: { amount: 1 } })), false)
    const why = 'creating the transaction: HTTP 409, and none is found under the reference'
    assert.deepEqual(takenAndHidden(reply(409, {})), unknown(why))
    assert.deepEqual(takenAndHidden(reply(409, { message: 'Taken' })), unknown(why, 'Taken'))
  })

  for (const [about, result, isMissing, isUnknown] of [
    ['404 with a message', reply(404, { message: 'None' }), true, true],
    ['404 without one', reply(404, {}), true, false],
    ['405', reply(405, { message: 'None' }), true, false],
    ['410', reply(410, { message: 'None' }), true, false],
    ['400', reply(400, { message: 'None' }), false, false],
    ['no answer', { failed: 'cut' }, false, false],
  ] as const)
    it(`${about}: nothing under the name ${isMissing}, no such transaction ${isUnknown}`, () =>
      assert.deepEqual([isNoSuchThing(result), isNotKnown(result)], [isMissing, isUnknown]))
})
