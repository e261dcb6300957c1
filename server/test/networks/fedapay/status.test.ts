// Every status and every code that FedaPay documents, and what becomes of what it does not.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { OperatorAnswer } from '../../../src/domain/outcome.ts'
import { LAST_ERRORS, STATUSES } from '../../../src/operators/connectors/fedapay/translate.ts'
import { collection, DECIDE_AFTER_MS, openFedapay, REFERENCE } from './opened-fedapay.ts'

const told = (fields: object): { code: number; headers: object; body: unknown } => ({
  code: 200,
  headers: {},
  body: {
    'v1/transaction': {
      klass: 'v1/transaction',
      id: 113_000_001,
      reference: 'trx_abc_1',
      merchant_reference: REFERENCE,
      amount: 1_500,
      mode: 'mtn_open',
      currency_id: 1,
      custom_metadata: { karba: 'prompt' },
      ...fields,
    },
  },
})

const answerTo = async (body: ReturnType<typeof told> | object, options = {}): Promise<OperatorAnswer> => {
  const { connection, run } = openFedapay({ options, instead: () => body as never })
  return run(connection.operator.status(REFERENCE))
}

const paid = { amountXof: 1_500, operatorReference: 'trx_abc_1' }

const ROWS: [about: string, fields: object, answer: OperatorAnswer][] = [
  ['pending', { status: 'pending' }, { is: 'accepted' }],
  ['approved', { status: 'approved' }, { is: 'succeeded', ...paid }],
  ['transferred', { status: 'transferred' }, { is: 'succeeded', ...paid }],
  ['approved_partially_refunded', { status: 'approved_partially_refunded' }, { is: 'succeeded', ...paid }],
  ['transferred_partially_refunded', { status: 'transferred_partially_refunded' }, { is: 'succeeded', ...paid }],
  ['refunded', { status: 'refunded' }, { is: 'refunded', ...paid }],
  ['declined', { status: 'declined' }, { is: 'declined', reason: 'declined', mayChange: true, code: 'declined' }],
  ['canceled', { status: 'canceled' }, { is: 'declined', reason: 'cancelled', mayChange: true, code: 'canceled' }],
  ['expired', { status: 'expired' }, { is: 'declined', reason: 'expired', code: 'expired' }],
  [
    'canceled with INSUFFICIENT_FUND_ERROR',
    { status: 'canceled', last_error_code: 'INSUFFICIENT_FUND_ERROR' },
    { is: 'declined', reason: 'insufficient_funds', mayChange: true, code: 'INSUFFICIENT_FUND_ERROR' },
  ],
  [
    'declined with API_ERROR',
    { status: 'declined', last_error_code: 'API_ERROR' },
    { is: 'declined', reason: 'operator_error', mayChange: true, code: 'API_ERROR' },
  ],
  [
    'declined with a code that no document names',
    { status: 'declined', last_error_code: 'SOMETHING_ELSE' },
    { is: 'declined', reason: 'declined', mayChange: true, code: 'SOMETHING_ELSE' },
  ],
  [
    'declined with a code that is an object',
    { status: 'declined', last_error_code: { code: 'X' } },
    { is: 'declined', reason: 'declined', mayChange: true, code: 'declined' },
  ],
  [
    'declined with a name that every object has',
    { status: 'declined', last_error_code: 'constructor' },
    { is: 'declined', reason: 'declined', mayChange: true, code: 'constructor' },
  ],
  [
    'pending with API_ERROR',
    { status: 'pending', last_error_code: 'API_ERROR' },
    { is: 'accepted', code: 'API_ERROR' },
  ],
  [
    'pending and nobody asked',
    { status: 'pending', mode: null, last_error_code: 'NO_ERROR' },
    { is: 'not_known', notAsked: true },
  ],
  ['pending on a page', { status: 'pending', mode: null, custom_metadata: null }, { is: 'accepted' }],
  ['pending with a payment method', { status: 'pending', mode: null, payment_method_id: 9 }, { is: 'accepted' }],
  [
    'approved without a reference of its own',
    { status: 'approved', reference: null },
    { is: 'succeeded', amountXof: 1_500, operatorReference: '113000001' },
  ],
  ['approved, with the amount as text', { status: 'approved', amount: '1,500.00' }, { is: 'succeeded', ...paid }],
  ['approved, with less', { status: 'approved', amount: 1_495 }, { is: 'succeeded', ...paid, amountXof: 1_495 }],
  [
    'approved, with a fraction',
    { status: 'approved', amount: '1500.5' },
    { is: 'unknown', why: 'approved, with an amount that is not understood' },
  ],
  [
    'approved, with no amount',
    { status: 'approved', amount: null },
    { is: 'unknown', why: 'approved, with an amount that is not understood' },
  ],
  [
    'approved in another currency',
    { status: 'approved', currency: { iso: 'GNF' } },
    { is: 'contradicts', told: 'approved in GNF' },
  ],
  [
    'approved in a currency with another number',
    { status: 'approved', currency_id: 3 },
    { is: 'contradicts', told: 'approved in the currency 3' },
  ],
  [
    'a status that no document names',
    { status: 'settling' },
    { is: 'unknown', why: 'a status that is not known: settling' },
  ],
  ['no status', { status: undefined }, { is: 'unknown', why: 'a status that is not known: undefined' }],
  [
    'another reference',
    { status: 'approved', merchant_reference: 'x' },
    { is: 'unknown', why: 'FedaPay answers about another reference' },
  ],
]

describe('a transaction that FedaPay tells as', () => {
  for (const [about, fields, answer] of ROWS) {
    it(`${about} is ${answer.is}`, async () => assert.deepEqual(await answerTo(told(fields)), answer))
  }

  it('any status or error of the tables is held by a row of this test', () => {
    const statuses = ROWS.map(([, fields]) => (fields as { status?: string }).status)
    const codes = ROWS.map(([, fields]) => (fields as { last_error_code?: unknown }).last_error_code)
    assert.deepEqual(
      Object.keys(STATUSES).filter((status) => !statuses.includes(status)),
      [],
    )
    assert.deepEqual(
      Object.keys(LAST_ERRORS).filter((code) => !codes.includes(code)),
      [],
    )
  })
})

const OTHERS: [about: string, result: object, answer: Partial<OperatorAnswer>][] = [
  ['404 with a message', { code: 404, headers: {}, body: { message: 'Transaction introuvable' } }, { is: 'not_known' }],
  ['404 of a web server', { code: 404, headers: {}, body: { status: 404, error: 'Not Found' } }, { is: 'unknown' }],
  ['404 with a page', { code: 404, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
  ['401', { code: 401, headers: {}, body: { message: 'x' } }, { is: 'unknown', misconfigured: true }],
  ['403 with a page', { code: 403, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
  ['500', { code: 500, headers: {}, body: '' }, { is: 'unknown' }],
  ['429', { code: 429, headers: {}, body: { message: 'x' } }, { is: 'unknown' }],
  ['200 with a page', { code: 200, headers: {}, body: '<html>' }, { is: 'unknown', misconfigured: true }],
  ['200 with a list', { code: 200, headers: {}, body: [] }, { is: 'unknown' }],
  ['a broken connection', { failed: 'no answer: UND_ERR_SOCKET' }, { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }],
]

describe('a status call that is answered with', () => {
  for (const [about, result, expected] of OTHERS) {
    it(`${about} is ${expected.is}`, async () => assert.partialDeepStrictEqual(await answerTo(result), expected))
  }
})

describe('the status of a payment', () => {
  it('that FedaPay never heard of is not known', async () => {
    const { connection, run } = openFedapay()
    assert.deepEqual(await run(connection.operator.status(REFERENCE)), { is: 'not_known' })
  })

  const DAY_MS = 86_400_000
  const FATES: [msisdn: string, waitMs: number, answer: Partial<OperatorAnswer>][] = [
    ['2290166000002', DECIDE_AFTER_MS, { is: 'declined', reason: 'declined', mayChange: true }],
    ['2290166000003', DECIDE_AFTER_MS, { is: 'declined', reason: 'insufficient_funds' }],
    ['2290166000004', DECIDE_AFTER_MS, { is: 'accepted' }],
    ['2290166000004', DAY_MS, { is: 'declined', reason: 'expired' }],
    ['2290166000005', DECIDE_AFTER_MS + 600_000, { is: 'succeeded' }],
    ['2290166000006', DECIDE_AFTER_MS, { is: 'accepted', code: 'API_ERROR' }],
    ['2290166000007', DECIDE_AFTER_MS, { is: 'refunded' }],
    ['2290166000008', DECIDE_AFTER_MS, { is: 'succeeded' }],
    ['2290166000009', DECIDE_AFTER_MS, { is: 'declined', reason: 'cancelled' }],
    ['2290166000001', 4 * DAY_MS, { is: 'succeeded' }],
  ]
  for (const [msisdn, waitMs, expected] of FATES) {
    it(`of ${msisdn} after ${waitMs / 1_000} s is ${expected.is}`, async () => {
      const { connection, clock, run } = openFedapay()
      await run(connection.operator.request(collection({ msisdn })))
      await clock.advance(waitMs)
      assert.partialDeepStrictEqual(await run(connection.operator.status(REFERENCE)), expected)
    })
  }

  it('asks for the currency, and trusts its number where the network leaves it out', async () => {
    const { connection, calls, run } = openFedapay()
    await run(connection.operator.status(REFERENCE))
    assert.match(calls[0]?.path ?? '', /\?include=currency$/)
    assert.equal((await answerTo(told({ status: 'approved', currency_id: 4 }), { xofCurrencyId: 4 })).is, 'succeeded')
  })
})

describe('a refund', () => {
  const reversal = (operator: string) => ({
    refundReference: 'r'.repeat(24),
    reference: REFERENCE,
    operatorReference: 'trx_abc_1',
    networkId: null,
    operator,
    amountXof: 1_500,
  })

  it('waits for a person, who is told where', async () => {
    const { connection, run } = openFedapay()
    for (const ask of [connection.operator.refund, connection.operator.refundStatus]) {
      const answer = await run(ask(reversal('mtn_bj')))
      assert.equal(answer.is, 'by_hand')
      assert.match(answer.is === 'by_hand' ? answer.why : '', /trx_abc_1 in the FedaPay dashboard/)
    }
  })

  it('of anything but MTN cannot be made in the dashboard either', async () => {
    const { connection, run } = openFedapay()
    const answer = await run(connection.operator.refund(reversal('moov_bj')))
    assert.match(answer.is === 'by_hand' ? answer.why : '', /nothing but MTN/)
  })

  it('that was made in the dashboard has succeeded', async () => {
    const { connection, run } = openFedapay({ instead: () => told({ status: 'refunded' }) as never })
    assert.deepEqual(await run(connection.operator.refundStatus(reversal('mtn_bj'))), { is: 'succeeded', ...paid })
  })
})
