// Refunds: of the whole amount, by Airtel's own id, with no key against repeating and no enquiry of their own.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AirtelFault } from '../../../../simulators/src/airtel-money/numbers-and-faults.ts'
import type { RefundAnswer } from '../../../src/domain/outcome.ts'
import { directSend } from '../direct-send.ts'
import { openAirtel, paid, REFERENCE, reversal } from './open-airtel.ts'

const AIRTEL_ID = 'MP261115.0930.L00001'
const REFUND_ID = 'CI261115.0930.L00001'
const BY_HAND: RefundAnswer = { is: 'by_hand', why: `look in the Airtel portal whether ${AIRTEL_ID} was refunded` }

it('a refund is done at once, and told with an id of its own', async () => {
  const airtel = openAirtel()
  const answer = await airtel.operator.refund(reversal(await paid(airtel)))
  assert.deepEqual(answer, { is: 'succeeded', amountXof: 1_500, operatorReference: REFUND_ID })
  assert.deepEqual(JSON.parse(airtel.calls.at(-1)?.body ?? ''), { transaction: { airtel_money_id: AIRTEL_ID } })
  assert.equal(airtel.network.books()[0]?.refunds, 1)
})

const OUTCOMES: [fault: AirtelFault, answer: RefundAnswer, refunds: number][] = [
  ['refund_success_is_false', { is: 'succeeded', amountXof: 1_500, operatorReference: REFUND_ID }, 1],
  ['refund_without_float', { is: 'declined', reason: 'insufficient_funds', code: 'DP00900001007' }, 0],
  ['refund_is_cut', { is: 'unknown', why: 'no answer: UND_ERR_SOCKET' }, 1],
  [
    'refund_times_out',
    {
      is: 'unknown',
      why: 'CONNECTION_TIMEOUT: The gateway had no answer in time',
      code: 'CONNECTION_TIMEOUT',
    },
    1,
  ],
]

describe('a refund', () => {
  for (const [fault, expected, refunds] of OUTCOMES) {
    it(`with ${fault}: ${expected.is}`, async () => {
      const airtel = openAirtel()
      const operatorReference = await paid(airtel)
      airtel.on(fault)
      assert.deepEqual(await airtel.operator.refund(reversal(operatorReference)), expected)
      assert.equal(airtel.network.books()[0]?.refunds, refunds)
    })
  }
})

it('a refund without an answer is for a person: an enquiry about the payment proves nothing', async () => {
  const airtel = openAirtel()
  const operatorReference = await paid(airtel)
  airtel.on('refund_is_cut')
  await airtel.operator.refund(reversal(operatorReference))
  assert.deepEqual(await airtel.operator.refundStatus(reversal(operatorReference)), BY_HAND)
})

it('a payment that an enquiry tells as reversed was refunded', async () => {
  const airtel = openAirtel()
  const operatorReference = await paid(airtel)
  await airtel.operator.refund(reversal(operatorReference))
  airtel.on('tells_reversals')
  const done = { is: 'succeeded', operatorReference: AIRTEL_ID }
  assert.deepEqual(await airtel.operator.refundStatus(reversal(operatorReference)), done)
  assert.deepEqual(await airtel.operator.status(REFERENCE), { is: 'refunded', operatorReference: AIRTEL_ID })
})

it('a refund that the network has already is never done twice, and is for a person', async () => {
  const airtel = openAirtel()
  const operatorReference = await paid(airtel)
  await airtel.operator.refund(reversal(operatorReference))
  assert.deepEqual(await airtel.operator.refund(reversal(operatorReference)), BY_HAND)
  assert.equal(airtel.network.books()[0]?.refunds, 1)
})

it('a refund that was sent counts as sent, also when the enquiry after it could not be made', async () => {
  const ambiguous = {
    status: { response_code: 'DP00800001000', result_code: 'ESB000041', success: false, code: '500' },
  }
  let refuses = false
  const airtel = openAirtel({
    send: async (call) => {
      const answer = await directSend(airtel.network, { clock: airtel.clock, timeoutMs: 10_000 })(call)
      if (!refuses) return answer
      if (call.method === 'POST') return { code: 200, headers: {}, body: ambiguous }
      return { code: 429, headers: {}, body: '' }
    },
  })
  const operatorReference = await paid(airtel)
  refuses = true
  const answer = await airtel.operator.refund(reversal(operatorReference))
  assert.deepEqual(answer, { is: 'unknown', why: 'sent, and then: HTTP 429: too many calls' })
  assert.equal(airtel.network.books()[0]?.refunds, 1)
})

it('a refund of what the network does not know is refused', async () => {
  const { operator } = openAirtel()
  const refused = { is: 'declined', reason: 'operator_error', code: 'ESB000045' }
  assert.deepEqual(await operator.refund(reversal('MP000000.0000.L00000')), refused)
})

it('while the network cannot be asked, a refund is in doubt and not yet for a person', async () => {
  const { operator, on } = openAirtel()
  on('enquiry_fails')
  assert.equal((await operator.refundStatus(reversal(AIRTEL_ID))).is, 'unknown')
})
