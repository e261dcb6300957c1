// The rules of airtel-money that no other network has: every-network.test.ts has those that all share.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe } from 'node:test'
import { z } from 'zod'
import { AIRTEL_CREDENTIALS } from '../../../simulators/src/airtel-money/network.ts'
import type { AirtelFault } from '../../../simulators/src/airtel-money/numbers-and-faults.ts'
import type { WireCallback } from '../../../simulators/src/network.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/operator-report.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import { airtelMoney } from '../../src/operators/connectors/airtel-money/connector.ts'
import { keyLastsMs } from '../../src/operators/connectors/airtel-money/message-signing.ts'
import type { Send } from '../../src/operators/http-call.ts'
import type { CallbackRequest, ReadCallback } from '../../src/operators/operator.ts'
import { rulesOf } from '../kit/rules-of.ts'
import {
  AIRTEL_CALLBACK_URL,
  collection,
  countOf,
  DEADLINE_MS,
  DECIDE_AFTER_MS,
  type OpenAirtel,
  openAirtel,
  paid,
  REFERENCE,
  reversal,
  settled,
} from './airtel-money.ts'
import { directSend, withBlamedKind } from './harness.ts'

const { rule, about } = rulesOf('airtel-money')

describe('airtel-money: payments', () => {
  rule('a payment is asked for, waits for its payer, and succeeds with Airtel’s own id', async () => {
    const airtel = openAirtel()
    const { operator, clock, network } = airtel
    assert.deepEqual(await operator.request(collection()), { is: 'accepted', code: 'DP00800001006' })
    assert.deepEqual(await operator.status(REFERENCE), { is: 'accepted', code: 'TIP' })
    await clock.advance(DECIDE_AFTER_MS)
    assert.deepEqual(await operator.status(REFERENCE), { is: 'succeeded', operatorReference: 'MP261115.0930.L00001' })
    assert.deepEqual(network.books(), [
      {
        id: REFERENCE,
        clientReference: 'KB7F3K22',
        msisdn: '97000000',
        amountXof: 1_500,
        status: 'TS',
        debits: 1,
        refunds: 0,
        requests: 1,
      },
    ])
  })

  rule(
    'a request has the number without its country code, the amount as a number, and our reference as the id',
    async () => {
      const { operator, calls } = openAirtel()
      await operator.request(collection())
      const [, call] = calls
      assert.equal(call?.path, '/merchant/v1/payments/')
      const { authorization, ...headers } = call?.headers ?? {}
      assert.match(authorization ?? '', /^Bearer \S+$/)
      assert.deepEqual(headers, {
        accept: '*/*',
        'user-agent': 'Karba/1.0',
        'x-country': 'NE',
        'x-currency': 'XOF',
        'content-type': 'application/json',
      })
      assert.deepEqual(JSON.parse(call?.body ?? ''), {
        reference: 'KB7F3K22',
        subscriber: { country: 'NE', currency: 'XOF', msisdn: '97000000' },
        transaction: { amount: 1_500, country: 'NE', currency: 'XOF', id: REFERENCE },
      })
    },
  )

  rule('what the payer reads has 4 to 64 letters and digits, whatever our public reference is', async () => {
    for (const [publicReference, text] of [
      ['7', '0007'],
      ['é-1/2', '0012'],
      ['A'.repeat(80), 'A'.repeat(64)],
    ] as const) {
      const { operator, network } = openAirtel()
      assert.equal((await operator.request(collection({ publicReference }))).is, 'accepted')
      assert.equal(network.books()[0]?.clientReference, text)
    }
  })

  rule('a number of another country is never sent', async () => {
    const { operator, calls } = openAirtel()
    const answer = await operator.request(collection({ msisdn: '2290197000000' }))
    assert.deepEqual(answer, {
      is: 'unknown',
      why: 'the number is of another country',
      neverLeft: true,
      misconfigured: true,
    })
    assert.deepEqual(calls, [])
  })

  rule('country, currency and calling code are options', async () => {
    const { operator, calls } = openAirtel({
      options: { country: 'TD', currency: 'XAF', callingCode: '235' },
      network: { country: 'TD', currency: 'XAF' },
    })
    assert.equal((await operator.request(collection({ msisdn: '23597000000' }))).is, 'accepted')
    assert.equal(calls[1]?.headers['x-country'], 'TD')
  })

  /** Each number of the simulated network, with what the request and the enquiry after the payer's decision come to. */
  const NUMBERS: [msisdn: string, request: string, later: Partial<OperatorAnswer>][] = [
    ['97000000', 'accepted', { is: 'succeeded' }],
    ['97000002', 'accepted', { is: 'declined', reason: 'declined', code: 'DP00800001002' }],
    ['97000003', 'accepted', { is: 'declined', reason: 'limit_reached', code: 'DP00800001003' }],
    ['97000004', 'accepted', { is: 'declined', reason: 'amount_not_allowed', code: 'DP00800001004' }],
    ['97000005', 'accepted', { is: 'declined', reason: 'expired', code: 'DP00800001005' }],
    ['97000007', 'accepted', { is: 'declined', reason: 'insufficient_funds', code: 'DP00800001007' }],
    ['97000008', 'accepted', { is: 'declined', reason: 'declined', code: 'DP00800001008' }],
    ['97000009', 'accepted', { is: 'declined', reason: 'operator_error', code: 'DP00800001009' }],
    ['97000010', 'accepted', { is: 'declined', reason: 'payer_not_allowed', code: 'DP00800001010' }],
    ['97000029', 'accepted', { is: 'declined', reason: 'expired', code: 'DP00800001029' }],
    ['97000030', 'accepted', { is: 'accepted', code: 'TIP' }],
    ['97000031', 'accepted', { is: 'succeeded' }],
    ['97000032', 'accepted', { is: 'succeeded' }],
    ['97000033', 'accepted', { is: 'declined', reason: 'operator_error', code: 'TF' }],
    ['97000102', 'declined', { is: 'not_known' }],
    // Two lists of codes explain it differently: it ends nothing at the request.
    ['97000103', 'unknown', { is: 'not_known' }],
    ['97000104', 'declined', { is: 'not_known' }],
    ['97000105', 'declined', { is: 'not_known' }],
    ['97000107', 'declined', { is: 'not_known' }],
    ['97000108', 'declined', { is: 'not_known' }],
    ['97000109', 'declined', { is: 'not_known' }],
    ['97000110', 'declined', { is: 'not_known' }],
    ['97000112', 'declined', { is: 'not_known' }],
    ['97000113', 'declined', { is: 'not_known' }],
  ]

  about('each number of the simulated network', () => {
    for (const [msisdn, request, later] of NUMBERS) {
      rule(`${msisdn}: ${request}, then ${later.is}`, async () => {
        const { operator, clock } = openAirtel()
        assert.equal((await operator.request(collection({ msisdn: `227${msisdn}` }))).is, request)
        await clock.advance(180_000)
        const answer = await operator.status(REFERENCE)
        assert.deepEqual({ ...answer, ...later }, answer)
      })
    }

    rule('is in this table', () => {
      const { network } = openAirtel()
      assert.deepEqual(NUMBERS.map(([msisdn]) => msisdn).sort(), Object.keys(network.numbers).sort())
    })
  })

  rule('an enquiry says TA or TI while it waits', async () => {
    for (const [msisdn, code] of [
      ['22797000031', 'TA'],
      ['22797000032', 'TI'],
    ] as const) {
      const { operator } = openAirtel()
      await operator.request(collection({ msisdn }))
      assert.deepEqual(await operator.status(REFERENCE), { is: 'accepted', code })
    }
  })

  rule('a second request with the same id is answered by an enquiry, and debits nobody twice', async () => {
    const { operator, clock, network, calls } = openAirtel()
    await operator.request(collection())
    assert.deepEqual(await operator.request(collection()), { is: 'accepted', code: 'TIP' })
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal((await operator.request(collection())).is, 'succeeded')
    assert.equal(countOf(calls, `/standard/v1/payments/${REFERENCE}`), 2)
    assert.deepEqual(
      network.books().map(({ debits, requests }) => ({ debits, requests })),
      [{ debits: 1, requests: 3 }],
    )
  })

  rule('a network that has the id and does not find it has said nothing', async () => {
    const { operator, on } = openAirtel()
    await operator.request(collection())
    on('forgets_payments')
    const why = 'the network says that it has the payment, and does not find it'
    assert.deepEqual(await operator.request(collection()), { is: 'unknown', why })
  })

  const TAKEN_ALL_THE_SAME: AirtelFault[] = [
    'answer_is_cut',
    'answer_never_comes',
    'answer_takes_30_seconds',
    'gateway_times_out',
    'router_times_out',
    'answers_timed_out',
    'answers_something_wrong',
  ]

  about('a payment that was taken is not declined, nor called unsent, when', () => {
    for (const fault of TAKEN_ALL_THE_SAME) {
      rule(fault, async () => {
        const airtel = openAirtel()
        airtel.on(fault, 1)
        const answer = await settled(airtel, airtel.operator.request(collection()))
        assert.equal(answer.is, 'unknown')
        assert.ok(!('neverLeft' in answer) && !('misconfigured' in answer))
        await airtel.clock.advance(DECIDE_AFTER_MS)
        assert.equal((await airtel.operator.status(REFERENCE)).is, 'succeeded')
      })
    }
  })

  rule('a gateway that repeats a request by itself and finds the id taken is asked at once', async () => {
    const { operator, on } = openAirtel()
    on('asks_itself_twice', 1)
    assert.deepEqual(await operator.request(collection()), { is: 'accepted', code: 'TIP' })
  })

  rule('an id of false in the answer is no matter', async () => {
    const { operator, on } = openAirtel()
    on('id_is_false')
    assert.equal((await operator.request(collection())).is, 'accepted')
  })

  rule('TS decides, whatever code stands beside it', async () => {
    const { operator, clock, on } = openAirtel()
    on('success_with_code_in_process')
    await operator.request(collection())
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal((await operator.status(REFERENCE)).is, 'succeeded')
  })

  rule('an amount or a currency that the network tells is read', async () => {
    const { operator, clock, network, on } = openAirtel()
    await operator.request(collection())
    await clock.advance(DECIDE_AFTER_MS)
    const operatorReference = 'MP261115.0930.L00001'
    on('tells_amount_with_decimals')
    assert.deepEqual(await operator.status(REFERENCE), { is: 'succeeded', amountXof: 1_500, operatorReference })
    network.faults.allOff()
    on('tells_another_amount')
    assert.deepEqual(await operator.status(REFERENCE), { is: 'succeeded', amountXof: 1_501, operatorReference })
    network.faults.allOff()
    on('tells_another_currency')
    assert.deepEqual(await operator.status(REFERENCE), { is: 'contradicts', told: 'paid in XAF' })
  })

  rule('a request that was taken is never said not to have left, though the enquiry after it did not', async () => {
    const { clock, network, on } = openAirtel()
    const reach = directSend(network, { clock, timeoutMs: DEADLINE_MS })
    on('asks_itself_twice')
    const send: Send = async (call) =>
      call.method === 'GET' ? { failed: 'no answer: ECONNREFUSED', neverLeft: true } : reach(call)
    const answer = await openAirtel({ send }).operator.request(collection())
    assert.deepEqual(answer, { is: 'unknown', why: 'sent, and then: no answer: ECONNREFUSED' })
  })

  rule('an enquiry that failed says nothing about the payment', async () => {
    const { operator, on } = openAirtel()
    await operator.request(collection())
    on('enquiry_fails', 1)
    const answer = await operator.status(REFERENCE)
    assert.deepEqual(answer, {
      is: 'unknown',
      why: 'ESB000014: Error while fetching the status',
      code: 'ESB000014',
    })
  })

  rule('an enquiry that is answered with a success and no payment means that there is none', async () => {
    const { operator, on } = openAirtel()
    on('enquiry_has_no_data', 1)
    assert.deepEqual(await operator.status(REFERENCE), { is: 'not_known' })
  })

  rule('the gateway’s own refusals are told as what they are', async () => {
    const refusals: [AirtelFault, object][] = [
      [
        'address_not_allowed',
        { is: 'unknown', why: 'no access token: HTTP 403', neverLeft: true, misconfigured: true },
      ],
      ['unavailable', { is: 'unknown', why: 'no access token: HTTP 503', neverLeft: true }],
      ['payments_unavailable', { is: 'unknown', why: 'HTTP 503 with an answer that is not understood' }],
      [
        'country_not_allowed',
        { is: 'declined', reason: 'operator_error', code: 'ROUTER007', misconfigured: 'settings' },
      ],
      [
        'currency_header_is_lost',
        {
          is: 'unknown',
          why: 'ESB000008: Field or header missing or not valid',
          misconfigured: true,
          code: 'ESB000008',
        },
      ],
    ]
    for (const [fault, expected] of refusals) {
      const { operator, on } = openAirtel()
      on(fault)
      assert.deepEqual(withBlamedKind(await operator.request(collection())), expected)
    }
  })

  rule('a page or a limit of the gateway in the place of an answer means that the request was not taken', async () => {
    const { operator, network, on } = openAirtel()
    await operator.status(REFERENCE)
    on('address_not_allowed')
    const why = 'HTTP 403: is our address allowed there?'
    assert.deepEqual(await operator.request(collection()), { is: 'unknown', why, neverLeft: true, misconfigured: true })
    network.faults.allOff()
    on('too_many_calls')
    const tooMany = { is: 'unknown', why: 'HTTP 429: too many calls', neverLeft: true }
    assert.deepEqual(await operator.request(collection()), tooMany)
    assert.deepEqual(network.books(), [])
  })
})

describe('airtel-money: refunds', () => {
  const AIRTEL_ID = 'MP261115.0930.L00001'
  const REFUND_ID = 'CI261115.0930.L00001'
  const BY_HAND: RefundAnswer = { is: 'by_hand', why: `look in the Airtel portal whether ${AIRTEL_ID} was refunded` }

  rule('a refund is done at once, and told with an id of its own', async () => {
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

  about('a refund', () => {
    for (const [fault, expected, refunds] of OUTCOMES) {
      rule(`with ${fault}: ${expected.is}`, async () => {
        const airtel = openAirtel()
        const operatorReference = await paid(airtel)
        airtel.on(fault)
        assert.deepEqual(await airtel.operator.refund(reversal(operatorReference)), expected)
        assert.equal(airtel.network.books()[0]?.refunds, refunds)
      })
    }
  })

  rule('a refund without an answer is for a person: an enquiry about the payment proves nothing', async () => {
    const airtel = openAirtel()
    const operatorReference = await paid(airtel)
    airtel.on('refund_is_cut')
    await airtel.operator.refund(reversal(operatorReference))
    assert.deepEqual(await airtel.operator.refundStatus(reversal(operatorReference)), BY_HAND)
  })

  rule('a payment that an enquiry tells as reversed was refunded', async () => {
    const airtel = openAirtel()
    const operatorReference = await paid(airtel)
    await airtel.operator.refund(reversal(operatorReference))
    airtel.on('tells_reversals')
    const done = { is: 'succeeded', operatorReference: AIRTEL_ID }
    assert.deepEqual(await airtel.operator.refundStatus(reversal(operatorReference)), done)
    assert.deepEqual(await airtel.operator.status(REFERENCE), { is: 'refunded', operatorReference: AIRTEL_ID })
  })

  rule('a refund that the network has already is never done twice, and is for a person', async () => {
    const airtel = openAirtel()
    const operatorReference = await paid(airtel)
    await airtel.operator.refund(reversal(operatorReference))
    assert.deepEqual(await airtel.operator.refund(reversal(operatorReference)), BY_HAND)
    assert.equal(airtel.network.books()[0]?.refunds, 1)
  })

  rule('a refund that was sent counts as sent, also when the enquiry after it could not be made', async () => {
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

  rule('a refund of what the network does not know is refused', async () => {
    const { operator } = openAirtel()
    const refused = { is: 'declined', reason: 'operator_error', code: 'ESB000045' }
    assert.deepEqual(await operator.refund(reversal('MP000000.0000.L00000')), refused)
  })

  rule('while the network cannot be asked, a refund is in doubt and not yet for a person', async () => {
    const { operator, on } = openAirtel()
    on('enquiry_fails')
    assert.equal((await operator.refundStatus(reversal(AIRTEL_ID))).is, 'unknown')
  })
})

describe('airtel-money: callbacks', () => {
  const ANSWER = '{"code":200,"status":"SUCCESS"}'
  const GENUINE: ReadCallback = { reference: REFERENCE, isGenuine: true, answer: ANSWER }

  const received = ({ headers, body }: WireCallback): CallbackRequest => ({
    method: 'POST',
    path: '',
    headers,
    body: Buffer.from(body),
  })

  const posted = (body: string, headers: CallbackRequest['headers'] = {}): CallbackRequest => ({
    method: 'POST',
    path: '',
    headers,
    body: Buffer.from(body),
  })

  async function callbackOf({ operator, clock, callbacks }: OpenAirtel): Promise<WireCallback> {
    await operator.request(collection())
    await clock.advance(DECIDE_AFTER_MS)
    const [callback] = callbacks
    if (callback === undefined) throw new Error('no callback came')
    return callback
  }

  rule('a payment that was decided is called back about once, with a hash that only the network can make', async () => {
    const airtel = openAirtel()
    const callback = await callbackOf(airtel)
    await airtel.clock.advance(3_600_000)
    assert.equal(airtel.callbacks.length, 1)
    assert.equal(callback.url, AIRTEL_CALLBACK_URL)
    assert.deepEqual(JSON.parse(callback.body).transaction, {
      id: REFERENCE,
      message: 'Paid XOF 1,500 to SIMULATED MERCHANT Charge XOF 0, Trans ID MP261115.0930.L00001.',
      status_code: 'TS',
      airtel_money_id: 'MP261115.0930.L00001',
    })
    assert.deepEqual(airtel.operator.parseCallback(received(callback)), GENUINE)
  })

  rule('a failure is called back about too', async () => {
    const { operator, clock, callbacks } = openAirtel()
    await operator.request(collection({ msisdn: '22797000007' }))
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(JSON.parse(callbacks[0]?.body ?? '').transaction.status_code, 'TF')
  })

  rule('the hash may come in a header', async () => {
    const airtel = openAirtel({
      network: { callbackHashHeader: 'X-Auth-Hash' },
      options: { callbackHashHeader: 'X-Auth-Hash' },
    })
    const callback = await callbackOf(airtel)
    assert.equal(JSON.parse(callback.body).hash, undefined)
    assert.deepEqual(airtel.operator.parseCallback(received(callback)), GENUINE)
  })

  rule('white space in the body does not change the hash', async () => {
    const airtel = openAirtel()
    const callback = await callbackOf(airtel)
    const spaced = { ...callback, body: JSON.stringify(JSON.parse(callback.body), null, 2) }
    assert.deepEqual(airtel.operator.parseCallback(received(spaced)), GENUINE)
  })

  rule('with a key, a hash that is missing or wrong is refused', async () => {
    for (const fault of ['callbacks_without_hash', 'callbacks_with_wrong_hash'] as const) {
      const airtel = openAirtel()
      airtel.on(fault)
      assert.equal(airtel.operator.parseCallback(received(await callbackOf(airtel))), undefined)
    }
  })

  rule('without a key, a callback is a hint that anybody may have sent', async () => {
    const airtel = openAirtel({ options: { callbackKey: undefined }, network: { hashesCallbacks: false } })
    const hint = { reference: REFERENCE, isGenuine: false, answer: ANSWER }
    assert.deepEqual(airtel.operator.parseCallback(received(await callbackOf(airtel))), hint)
  })

  rule('the sample of the documents is read, whatever key it was hashed with', () => {
    const transaction = {
      id: REFERENCE,
      message: 'Paid UGX 5,000 to TECHNOLOGIES LIMITED Charge UGX 140, Trans ID MP210603.1234.L06941.',
      status_code: 'TS',
      airtel_money_id: 'MP210603.1234.L06941',
    }
    const { callbackKey } = AIRTEL_CREDENTIALS
    const hash = createHmac('sha256', callbackKey).update(JSON.stringify(transaction)).digest('base64')
    const { operator } = openAirtel()
    assert.deepEqual(operator.parseCallback(posted(JSON.stringify({ transaction, hash }))), GENUINE)
    const another = { transaction: { ...transaction, status_code: 'TF' }, hash }
    assert.equal(operator.parseCallback(posted(JSON.stringify(another))), undefined)
  })

  rule('what is no callback of Airtel is not read', () => {
    const { operator } = openAirtel({ options: { callbackKey: undefined } })
    const bodies = [
      '',
      'null',
      '[]',
      '{',
      '{}',
      '{"transaction":null}',
      '{"transaction":[]}',
      '{"transaction":{}}',
      '{"transaction":{"id":7}}',
      '{"transaction":{"id":"BBZMiscxy"}}',
    ]
    for (const body of bodies) assert.equal(operator.parseCallback(posted(body)), undefined, body)
  })

  rule('a callback about no payment is not read', async () => {
    const airtel = openAirtel()
    airtel.on('callbacks_without_id')
    assert.equal(airtel.operator.parseCallback(received(await callbackOf(airtel))), undefined)
  })

  rule('faults of callbacks: none, twenty times, and again and again while the payer thinks', async () => {
    const none = openAirtel()
    none.on('no_callbacks')
    await none.operator.request(collection())
    await none.clock.advance(60_000)
    assert.equal(none.callbacks.length, 0)

    const many = openAirtel()
    many.on('callbacks_repeated')
    await many.operator.request(collection())
    await many.clock.advance(60_000)
    assert.equal(many.callbacks.length, 20)

    const thinking = openAirtel()
    thinking.on('callbacks_in_progress')
    await thinking.operator.request(collection({ msisdn: '22797000031' }))
    await thinking.clock.advance(200_000)
    const statuses = thinking.callbacks.map(({ body }) => JSON.parse(body).transaction.status_code)
    assert.deepEqual(statuses, [...Array.from({ length: 17 }, () => 'TIP'), 'TS'])
  })

  rule('a person can decide in the place of the payer, once', async () => {
    const { operator, network, clock, callbacks } = openAirtel()
    await operator.request(collection({ msisdn: '22797000030' }))
    assert.equal(network.decide(REFERENCE, 'no_funds'), true)
    assert.equal(network.decide(REFERENCE, 'approve'), false)
    assert.equal(network.decide('nobody', 'approve'), false)
    await clock.advance(1)
    assert.equal(callbacks.length, 1)
    assert.deepEqual(await operator.status(REFERENCE), {
      is: 'declined',
      reason: 'insufficient_funds',
      code: 'DP00800001007',
    })
  })

  rule('a payer who ignores the prompt lets it expire', async () => {
    const { operator, network, clock } = openAirtel()
    await operator.request(collection())
    network.decide(REFERENCE, 'ignore')
    await clock.advance(179_000)
    assert.equal((await operator.status(REFERENCE)).is, 'accepted')
    await clock.advance(1_000)
    assert.deepEqual(await operator.status(REFERENCE), { is: 'declined', reason: 'expired', code: 'DP00800001029' })
    assert.equal(network.books()[0]?.debits, 0)
  })
})

describe('airtel-money: tokens', () => {
  const TOKEN = '/auth/oauth2/token'

  rule('ten calls at once ask for one token', async () => {
    const { operator, calls } = openAirtel()
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.status(REFERENCE)))
    assert.ok(answers.every(({ is }) => is === 'not_known'))
    assert.equal(countOf(calls, TOKEN), 1)
  })

  rule('the credentials go as JSON, with no header of the application', async () => {
    const { operator, calls } = openAirtel()
    await operator.status(REFERENCE)
    assert.deepEqual(JSON.parse(calls[0]?.body ?? ''), {
      client_id: 'simulated-airtel-client',
      client_secret: 'simulated-airtel-secret',
      grant_type: 'client_credentials',
    })
    assert.deepEqual(calls[0]?.headers, {
      accept: '*/*',
      'user-agent': 'Karba/1.0',
      'content-type': 'application/json',
    })
  })

  rule('a token is renewed before its end, also when its life is told as text', async () => {
    for (const isText of [false, true]) {
      const { operator, calls, clock, on } = openAirtel()
      if (isText) on('token_life_is_text')
      await operator.status(REFERENCE)
      await clock.advance(140_000)
      await operator.status(REFERENCE)
      assert.equal(countOf(calls, TOKEN), 1)
      await clock.advance(15_000)
      await operator.status(REFERENCE)
      await clock.settle()
      assert.equal(countOf(calls, TOKEN), 2)
      await clock.advance(100_000)
      assert.equal((await operator.status(REFERENCE)).is, 'not_known')
      assert.equal(countOf(calls, TOKEN), 2)
    }
  })

  rule('a token that is refused with 401 or 403 is renewed once, and the request sent with the same id', async () => {
    for (const is403 of [false, true]) {
      const { operator, network, calls, on } = openAirtel()
      if (is403) on('expired_token_is_403')
      on('token_ends_early', 1)
      assert.equal((await operator.request(collection())).is, 'accepted')
      const ids = calls
        .filter(({ path }) => path === '/merchant/v1/payments/')
        .map(({ body }) => JSON.parse(body ?? '').transaction.id)
      assert.deepEqual(ids, [REFERENCE, REFERENCE])
      assert.equal(countOf(calls, TOKEN), 2)
      assert.equal(network.books()[0]?.requests, 1)
    }
  })

  rule('a network that refuses every token is asked twice, and the request was never taken', async () => {
    const { operator, calls, on } = openAirtel()
    on('token_ends_early')
    const why = 'HTTP 401: the network refuses the access tokens that it gives us'
    assert.deepEqual(await operator.request(collection()), { is: 'unknown', why, neverLeft: true, misconfigured: true })
    assert.equal(countOf(calls, '/merchant/v1/payments/'), 2)
  })

  rule('ten calls that find their token refused ask for one new token', async () => {
    const { operator, network, calls } = openAirtel()
    await operator.status(REFERENCE)
    network.faults.on('token_ends_early', 10)
    const answers = await Promise.all(Array.from({ length: 10 }, () => operator.status(REFERENCE)))
    assert.ok(answers.every(({ is }) => is === 'not_known'))
    assert.equal(countOf(calls, TOKEN), 2)
  })

  rule('calls go on when a new token ends the old one', async () => {
    const { operator, clock, on } = openAirtel()
    on('new_token_ends_the_old')
    for (let nth = 0; nth < 10; nth++) {
      const answers = await Promise.all([operator.status(REFERENCE), operator.status(REFERENCE)])
      assert.deepEqual(answers, [{ is: 'not_known' }, { is: 'not_known' }])
      await clock.advance(50_000)
    }
  })

  rule('credentials that are refused are our configuration, and the network is left alone for a second', async () => {
    const { operator, calls } = openAirtel({ options: { clientSecret: 'another' } })
    const refused = {
      is: 'unknown',
      why: 'no access token: HTTP 400 invalid_client',
      neverLeft: true,
      misconfigured: true,
    }
    assert.deepEqual(await operator.request(collection()), refused)
    assert.deepEqual(await operator.request(collection()), refused)
    assert.equal(countOf(calls, TOKEN), 1)
  })

  rule('a token call that fails is the network’s fault', async () => {
    const { operator, on } = openAirtel()
    on('token_answers_500')
    const why = 'no access token: HTTP 500'
    assert.deepEqual(await operator.request(collection()), { is: 'unknown', why, neverLeft: true })
  })

  rule('a token that takes 20 seconds is given up by the call that waits, and there for the next', async () => {
    const airtel = openAirtel()
    const { operator, clock, calls } = airtel
    airtel.on('token_takes_20_seconds', 1)
    const begun = clock.now()
    const answer = await settled(airtel, operator.request(collection()))
    assert.deepEqual(answer, {
      is: 'unknown',
      why: 'the network gave no access token within 5000 ms',
      neverLeft: true,
    })
    assert.ok(clock.now() - begun <= DEADLINE_MS)
    await clock.advance(20_000)
    assert.equal((await operator.request(collection())).is, 'accepted')
    assert.equal(countOf(calls, TOKEN), 1)
  })

  rule('a verb ends within its time, the token and a renewal included', async () => {
    const send = (airtel: ReturnType<typeof openAirtel>): Promise<unknown> => airtel.operator.request(collection())
    const airtel = openAirtel({
      send: ({ path, timeoutMs = DEADLINE_MS }) =>
        new Promise((resolve) => {
          // The token comes after 4 s, a refusal of it after 5 s: nothing is left for a second request.
          const [afterMs, result] =
            path === TOKEN
              ? [4_000, { code: 200, headers: {}, body: { access_token: 'token', expires_in: 180 } }]
              : [5_000, { code: 401, headers: {}, body: {} }]
          const isLate = afterMs > timeoutMs
          airtel.clock.after(Math.min(afterMs, timeoutMs), () => resolve(isLate ? { failed: 'no answer' } : result))
        }),
    })
    const begun = airtel.clock.now()
    const answer = await settled(airtel, send(airtel))
    assert.deepEqual(answer, { is: 'unknown', why: 'no time was left for the call', neverLeft: true })
    assert.ok(airtel.clock.now() - begun <= DEADLINE_MS)
  })
})

describe('airtel-money: signing', () => {
  const KEYS = '/v1/rsa/encryption-keys'
  const SIGNED = { network: { requiresSigning: true }, options: { version: 2 } } as const

  rule('a signed payment and a signed refund are verified by the network, with both paddings', async () => {
    for (const padding of ['pkcs1', 'oaep-sha256'] as const) {
      const airtel = openAirtel({
        network: { requiresSigning: true, padding },
        options: { version: 2, padding },
      })
      const operatorReference = await paid(airtel)
      assert.equal((await airtel.operator.refund(reversal(operatorReference))).is, 'succeeded')
      assert.equal(countOf(airtel.calls, '/merchant/v2/payments/'), 1)
      assert.equal(countOf(airtel.calls, '/standard/v2/payments/refund'), 1)
      assert.equal(countOf(airtel.calls, `/standard/v1/payments/${REFERENCE}`), 1)
    }
  })

  rule('each message has a key of its own', async () => {
    const { operator, calls } = openAirtel(SIGNED)
    await operator.request(collection())
    await operator.request(collection({ reference: 'abcdefghjkmnpqrstvwxyz01' }))
    const keys = calls.filter(({ path }) => path.startsWith('/merchant')).map(({ headers }) => headers['x-key'])
    assert.equal(new Set(keys).size, 2)
  })

  rule('ten payments at once fetch the network’s key once, and it is fetched anew after an hour', async () => {
    const { operator, calls, clock } = openAirtel(SIGNED)
    const references = Array.from({ length: 10 }, (_, nth) => `0000000000000000000000${10 + nth}`)
    const answers = await Promise.all(references.map((reference) => operator.request(collection({ reference }))))
    assert.ok(answers.every(({ is }) => is === 'accepted'))
    assert.equal(countOf(calls, KEYS), 1)
    await clock.advance(3_600_000)
    assert.equal((await operator.request(collection())).is, 'accepted')
    assert.equal(countOf(calls, KEYS), 2)
  })

  rule('a key that was replaced before its time is fetched anew, and the same request sent again', async () => {
    const { operator, calls, network, on } = openAirtel(SIGNED)
    await operator.request(collection({ reference: 'abcdefghjkmnpqrstvwxyz01' }))
    on('signing_key_is_replaced', 1)
    assert.equal((await operator.request(collection())).is, 'accepted')
    assert.equal(countOf(calls, KEYS), 2)
    assert.deepEqual(
      network.books().map(({ requests }) => requests),
      [1, 1],
    )
  })

  rule('a signature that the network never takes is our configuration, after one new key', async () => {
    const { operator, calls } = openAirtel({
      network: { requiresSigning: true, padding: 'oaep-sha256' },
      options: { version: 2, padding: 'pkcs1' },
    })
    assert.deepEqual(await operator.request(collection()), {
      is: 'unknown',
      why: 'DP00800001026: Signature and body do not match',
      misconfigured: true,
      neverLeft: true,
      code: 'DP00800001026',
    })
    assert.equal(countOf(calls, '/merchant/v2/payments/'), 2)
  })

  rule('a key that is too short for its padding is our configuration, and nothing is sent', async () => {
    const { operator, calls } = openAirtel({ options: { version: 2, padding: 'oaep-sha256' } })
    assert.deepEqual(await operator.request(collection()), {
      is: 'unknown',
      why: 'the network’s key cannot be used with the padding oaep-sha256',
      neverLeft: true,
      misconfigured: true,
    })
    assert.equal(countOf(calls, '/merchant/v2/payments/'), 0)
  })

  rule('an unsigned payment is refused where signing is on', async () => {
    const { operator } = openAirtel({ network: { requiresSigning: true } })
    const answer = await operator.request(collection())
    assert.deepEqual(answer, {
      is: 'unknown',
      why: 'ROUTER003: Header or body parameters missing',
      misconfigured: true,
      code: 'ROUTER003',
    })
  })

  rule('enquiries are not signed', async () => {
    const { operator, calls, clock } = openAirtel(SIGNED)
    await operator.request(collection())
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal((await operator.status(REFERENCE)).is, 'succeeded')
    assert.equal(calls.at(-1)?.headers['x-signature'], undefined)
  })

  rule('the end of a key, which is told without a time zone, only ever shortens an hour', () => {
    const now = Date.UTC(2024, 7, 12, 21, 0, 0)
    const lives: [string | undefined, number][] = [
      ['12-08-2024 21:29:26', 29 * 60_000 + 26_000],
      ['13-08-2024 21:29:26', 3_600_000],
      ['12-08-2024 20:29:26', 60_000],
      ['2024-08-12', 3_600_000],
      [undefined, 3_600_000],
    ]
    for (const [validUpTo, lastsMs] of lives) assert.equal(keyLastsMs(validUpTo, now), lastsMs, validUpTo)
  })
})

describe('airtel-money: check of a connection', () => {
  const CALLBACK: CheckLine = {
    is: 'not_known',
    about: 'callback address: the portal must have https://karba.example/operators/sandbox/airtel-money-test/callback',
  }

  rule('a connection that works has its token, its balance and its clock right', async () => {
    const { check } = openAirtel()
    assert.deepEqual(await check(), [
      { is: 'right', about: 'access token' },
      { is: 'right', about: 'balance: 37600 XOF' },
      { is: 'right', about: 'clock' },
      CALLBACK,
    ])
  })

  rule('a balance that comes with success false is a balance', async () => {
    const { check, on } = openAirtel()
    on('balance_success_is_false')
    assert.equal((await check())[1]?.is, 'right')
  })

  rule('the key for signing is looked at in version 2', async () => {
    const { check } = openAirtel({ options: { version: 2 } })
    assert.deepEqual((await check()).at(-2), { is: 'right', about: 'key for signing messages' })
  })

  rule('each fault has its line, which says what to mend', async () => {
    const wrong: [about: string, opened: ReturnType<typeof openAirtel>, line: RegExp, mend: RegExp][] = []
    const add = (about: string, opened: ReturnType<typeof openAirtel>, line: RegExp, mend: RegExp): void => {
      wrong.push([about, opened, line, mend])
    }
    add('a wrong secret', openAirtel({ options: { clientSecret: 'another' } }), /invalid_client/, /clientSecret/)
    add('no callback address', openAirtel({ callbackUrl: undefined }), /callback address: none/, /portal/)
    add('no https', openAirtel({ callbackUrl: 'http://karba.example/' }), /is not https/, /https/)
    const off = openAirtel()
    off.on('clock_is_off')
    add('a clock that is off', off, /clock: 600 s/, /time server/)
    const refused = openAirtel()
    refused.on('address_not_allowed')
    add('an address that is not allowed', refused, /HTTP 403/, /address is on its list/)
    const country = openAirtel({ options: { country: 'TD' } })
    add('a country of somebody else', country, /ROUTER007/, /approved for TD/)
    for (const [about, { check }, line, mend] of wrong) {
      const found = (await check()).find(({ is }) => is === 'wrong')
      assert.match(found?.about ?? '', line, about)
      assert.match(found?.mend ?? '', mend, about)
    }
  })

  rule('a network that is away leaves the question open', async () => {
    const airtel = openAirtel({ send: async () => ({ failed: 'no answer: ECONNREFUSED', neverLeft: true }) })
    assert.deepEqual(await settled(airtel, airtel.check()), [
      { is: 'not_known', about: 'access token and balance: no access token: no answer: ECONNREFUSED' },
      CALLBACK,
    ])
  })
})

describe('airtel-money: options', () => {
  const options = airtelMoney.options(z.string().min(1))
  const CREDENTIALS = { clientId: 'id', clientSecret: 'secret' }

  rule('two credentials are enough: the rest is Niger', () => {
    assert.deepEqual(options.parse(CREDENTIALS), {
      ...CREDENTIALS,
      version: 1,
      padding: 'pkcs1',
      country: 'NE',
      currency: 'XOF',
      callingCode: '227',
      userAgent: 'Karba/1.0',
    })
  })

  rule('what is not known, missing or not of its form is refused', () => {
    for (const wrong of [
      { clientId: 'id' },
      { ...CREDENTIALS, version: 3 },
      { ...CREDENTIALS, version: '2' },
      { ...CREDENTIALS, padding: 'none' },
      { ...CREDENTIALS, country: 'Niger' },
      { ...CREDENTIALS, currency: 'xof' },
      { ...CREDENTIALS, callingCode: '+227' },
      { ...CREDENTIALS, callbackHashHeader: 'x hash' },
      { ...CREDENTIALS, userAgent: '' },
      { ...CREDENTIALS, host: 'openapi.airtel.africa' },
    ]) {
      assert.equal(options.safeParse(wrong).success, false, JSON.stringify(wrong))
    }
  })

  rule('each option has its sentence', () => {
    const { properties = {} } = z.toJSONSchema(options, { io: 'input' })
    assert.equal(Object.keys(properties).length, 10)
    for (const [name, property] of Object.entries(properties)) {
      assert.match((property as { description?: string }).description ?? '', /^[A-Z0-9].*\.$/, name)
    }
  })

  rule('there is no address to start from: none is published for Niger', () => {
    assert.deepEqual(airtelMoney.addresses, {})
  })
})
