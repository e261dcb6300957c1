// Requests and answers as pawaPay's reference shows them, letter by letter, given to the connector: what it makes of them does not depend on our own
// simulator. The reference's examples are of Zambia and Rwanda; only country and currency are Benin's here, where an amount is read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { uuidOfReference } from '../../../src/domain/reference.ts'
import type { CallResult } from '../../../src/operators/http-call.ts'
import { withBlamedKind } from '../blamed-kind.ts'
import { answer, collection, depositIdOf, reference, reversal, scriptedPawapay } from './open-pawapay.ts'

const depositId = depositIdOf(1)
const refundId = uuidOfReference(reversal(1).refundReference)
const parsed = (code: number, json: string): CallResult => answer(code, JSON.parse(json))

const INITIATION: [about: string, result: CallResult, expected: object][] = [
  [
    'ACCEPTED',
    parsed(
      200,
      `{"depositId":"${depositId}","status":"ACCEPTED","nextStep":"FINAL_STATUS","created":"2025-05-15T07:38:56Z"}`,
    ),
    { is: 'accepted' },
  ],
  [
    'REJECTED for its number',
    parsed(
      200,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"INVALID_PHONE_NUMBER","failureMessage":"The phone number '2607634' seems to be invalid for the provider 'MTN_MOMO_ZMB'."}}`,
    ),
    { is: 'declined', reason: 'payer_not_found', code: 'INVALID_PHONE_NUMBER' },
  ],
  [
    'REJECTED for its amount',
    parsed(
      200,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AMOUNT_OUT_OF_BOUNDS","failureMessage":"The amount needs to be more than '1' and less than '20000' for provider 'MTN_MOMO_ZMB'."}}`,
    ),
    { is: 'declined', reason: 'amount_not_allowed', code: 'AMOUNT_OUT_OF_BOUNDS' },
  ],
  [
    'a provider that is down',
    parsed(
      200,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"PROVIDER_TEMPORARILY_UNAVAILABLE","failureMessage":"The provider 'MTN_MOMO_BEN' is currently not able to process payments. Please consult our status page for downtime information on all providers. Programmatic access is also available, please consult our API docs."}}`,
    ),
    {
      is: 'unknown',
      why: 'the provider takes no payments at the moment',
      code: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      neverLeft: true,
    },
  ],
  [
    'a body that cannot be parsed',
    parsed(
      400,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"INVALID_INPUT","failureMessage":"We are unable to parse the body of the request. Please consult API documentation for valid request payload."}}`,
    ),
    { is: 'declined', reason: 'operator_error', code: 'INVALID_INPUT', misconfigured: 'form' },
  ],
  [
    'a wrong token, with 401 as in the reference',
    parsed(
      401,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AUTHENTICATION_ERROR","failureMessage":"The API token in the request is invalid."}}`,
    ),
    {
      is: 'unknown',
      why: 'pawaPay refused the API token',
      code: 'AUTHENTICATION_ERROR',
      neverLeft: true,
      misconfigured: true,
    },
  ],
  [
    'a token without the right',
    parsed(
      403,
      `{"depositId":"${depositId}","status":"REJECTED","failureReason":{"failureCode":"AUTHORISATION_ERROR","failureMessage":"The API token in the request is not authorised for this endpoint."}}`,
    ),
    {
      is: 'unknown',
      why: 'the API token is not allowed to do this',
      code: 'AUTHORISATION_ERROR',
      neverLeft: true,
      misconfigured: true,
    },
  ],
  [
    'an unknown problem, without a status',
    parsed(
      500,
      `{"depositId":"${depositId}","failureReason":{"failureCode":"UNKNOWN_ERROR","failureMessage":"Unable to process request due to an unknown problem."}}`,
    ),
    { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' },
  ],
  [
    'REJECTED without a reason',
    parsed(200, '{"status":"REJECTED"}'),
    { is: 'unknown', why: notUnderstood('REJECTED') },
  ],
  ['a status of the future', parsed(200, '{"status":"PARKED"}'), { is: 'unknown', why: notUnderstood('PARKED') }],
]

function notUnderstood(status: string): string {
  return `an answer that is not understood: HTTP 200 with status ${status}`
}

describe('the answer to a request', () => {
  for (const [about, result, expected] of INITIATION) {
    it(`${about}`, async () => {
      const { operator } = scriptedPawapay({ 'POST /v2/deposits': result })
      assert.deepEqual(withBlamedKind(await operator.request(collection(1))), expected)
    })
  }

  it('DUPLICATE_IGNORED is followed by a status call with the same id', async () => {
    const { operator, calls } = scriptedPawapay({
      'POST /v2/deposits': parsed(200, `{"depositId":"${depositId}","status":"DUPLICATE_IGNORED"}`),
      [`GET /v2/deposits/${depositId}`]: parsed(
        200,
        `{"status":"FOUND","data":{"depositId":"${depositId}","status":"IN_RECONCILIATION","amount":"123.00","currency":"XOF"}}`,
      ),
    })
    assert.deepEqual(await operator.request(collection(1)), { is: 'accepted', code: 'IN_RECONCILIATION' })
    assert.deepEqual(
      calls.map(({ method, path }) => `${method} ${path}`),
      ['GET /v2/active-conf?country=BEN', 'POST /v2/deposits', `GET /v2/deposits/${depositId}`],
    )
  })
})

/** As in the reference, but for the id, the country and the currency. */
const found = (status: string, more = ''): CallResult =>
  parsed(
    200,
    `{"status":"FOUND","data":{"depositId":"${depositId}","status":"${status}","amount":"123.00","currency":"XOF","country":"BEN","payer":{"type":"MMO","accountDetails":{"phoneNumber":"22951345789","provider":"MTN_MOMO_BEN"}},"customerMessage":"To ACME company","clientReferenceId":"REF-987654321","created":"2020-10-19T08:17:01Z"${more},"metadata":{"orderId":"ORD-123456789","customerId":"customer@email.com"}}}`,
  )

const STATUS: [about: string, result: CallResult, expected: object][] = [
  [
    'COMPLETED',
    found('COMPLETED', ',"providerTransactionId":"12356789"'),
    { is: 'succeeded', amountXof: 123, operatorReference: '12356789' },
  ],
  [
    'COMPLETED without the provider’s number',
    found('COMPLETED'),
    { is: 'succeeded', amountXof: 123, operatorReference: depositId },
  ],
  ['ACCEPTED', found('ACCEPTED'), { is: 'accepted', code: 'ACCEPTED' }],
  ['PROCESSING', found('PROCESSING'), { is: 'accepted', code: 'PROCESSING' }],
  ['ENQUEUED', found('ENQUEUED'), { is: 'accepted', code: 'ENQUEUED' }],
  ['SUBMITTED', found('SUBMITTED'), { is: 'accepted', code: 'SUBMITTED' }],
  ['IN_RECONCILIATION', found('IN_RECONCILIATION'), { is: 'accepted', code: 'IN_RECONCILIATION' }],
  [
    'FAILED',
    found(
      'FAILED',
      ',"failureReason":{"failureCode":"PAYMENT_NOT_APPROVED","failureMessage":"The customer did not approve the authorisation for this payment"}',
    ),
    { is: 'declined', reason: 'declined', code: 'PAYMENT_NOT_APPROVED' },
  ],
  [
    'FAILED with a null for its reason',
    found('FAILED', ',"failureReason":null'),
    { is: 'declined', reason: 'operator_error', code: 'FAILED' },
  ],
  ['NOT_FOUND', parsed(200, '{"status":"NOT_FOUND"}'), { is: 'not_known' }],
  [
    'a wrong token',
    parsed(
      401,
      '{"status":"REJECTED","failureReason":{"failureCode":"AUTHENTICATION_ERROR","failureMessage":"The API token in the request is invalid."}}',
    ),
    {
      is: 'unknown',
      why: 'pawaPay refused the API token',
      code: 'AUTHENTICATION_ERROR',
      neverLeft: true,
      misconfigured: true,
    },
  ],
  [
    'an unknown problem',
    parsed(
      500,
      '{"failureReason":{"failureCode":"UNKNOWN_ERROR","failureMessage":"Unable to process request due to an unknown problem."}}',
    ),
    { is: 'unknown', why: 'HTTP 500', code: 'UNKNOWN_ERROR' },
  ],
]

describe('the answer to a status call', () => {
  for (const [about, result, expected] of STATUS) {
    it(about, async () => {
      const { operator } = scriptedPawapay({ [`GET /v2/deposits/${depositId}`]: result })
      assert.deepEqual(await operator.status(reference(1)), expected)
    })
  }
})

const REFUNDS: [about: string, result: CallResult, expected: object][] = [
  [
    'ACCEPTED',
    parsed(200, `{"refundId":"${refundId}","status":"ACCEPTED","created":"2025-05-15T07:38:56Z"}`),
    { is: 'accepted' },
  ],
  [
    'ACCEPTED under the name that one sample has for the id',
    parsed(200, `{"payoutId":"${refundId}","status":"ACCEPTED","created":"2025-05-15T07:38:56Z"}`),
    { is: 'accepted' },
  ],
]

describe('the answer to a refund', () => {
  for (const [about, result, expected] of REFUNDS) {
    it(about, async () => {
      const { operator } = scriptedPawapay({ 'POST /v2/refunds': result })
      assert.deepEqual(await operator.refund(reversal(1)), expected)
    })
  }

  it('shows its state with the payer as its recipient', async () => {
    const { operator } = scriptedPawapay({
      [`GET /v2/refunds/${refundId}`]: parsed(
        200,
        `{"status":"FOUND","data":{"refundId":"${refundId}","status":"COMPLETED","amount":"30.00","currency":"XOF","country":"BEN","recipient":{"type":"MMO","accountDetails":{"phoneNumber":"22951345789","provider":"MTN_MOMO_BEN"}},"customerMessage":null,"created":"2025-05-15T07:38:56Z","providerTransactionId":"df0e9405-fb17-42c2-a264-440c239f67ed","failureReason":null}}`,
      ),
    })
    const operatorReference = 'df0e9405-fb17-42c2-a264-440c239f67ed'
    assert.deepEqual(await operator.refundStatus(reversal(1)), { is: 'succeeded', amountXof: 30, operatorReference })
  })
})
