// Payments by the Airtel connector, against the simulated network.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AirtelFault } from '../../../../simulators/src/airtel-money/numbers-and-faults.ts'
import type { OperatorAnswer } from '../../../src/domain/outcome.ts'
import type { Send } from '../../../src/operators/http-call.ts'
import { withBlamedKind } from '../blamed-kind.ts'
import { directSend } from '../direct-send.ts'
import { collection, countOf, DEADLINE_MS, DECIDE_AFTER_MS, openAirtel, REFERENCE, settled } from './open-airtel.ts'

it('a payment is asked for, waits for its payer, and succeeds with Airtel’s own id', async () => {
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

it('a request has the number without its country code, the amount as a number, and our reference as the id', async () => {
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
})

it('what the payer reads has 4 to 64 letters and digits, whatever our public reference is', async () => {
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

it('a number of another country is never sent', async () => {
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

it('country, currency and calling code are options', async () => {
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

describe('each number of the simulated network', () => {
  for (const [msisdn, request, later] of NUMBERS) {
    it(`${msisdn}: ${request}, then ${later.is}`, async () => {
      const { operator, clock } = openAirtel()
      assert.equal((await operator.request(collection({ msisdn: `227${msisdn}` }))).is, request)
      await clock.advance(180_000)
      const answer = await operator.status(REFERENCE)
      assert.deepEqual({ ...answer, ...later }, answer)
    })
  }

  it('is in this table', () => {
    const { network } = openAirtel()
    assert.deepEqual(NUMBERS.map(([msisdn]) => msisdn).sort(), Object.keys(network.numbers).sort())
  })
})

it('an enquiry says TA or TI while it waits', async () => {
  for (const [msisdn, code] of [
    ['22797000031', 'TA'],
    ['22797000032', 'TI'],
  ] as const) {
    const { operator } = openAirtel()
    await operator.request(collection({ msisdn }))
    assert.deepEqual(await operator.status(REFERENCE), { is: 'accepted', code })
  }
})

it('a payment that the network does not have is not known', async () => {
  const { operator } = openAirtel()
  assert.deepEqual(await operator.status(REFERENCE), { is: 'not_known' })
})

it('a second request with the same id is answered by an enquiry, and debits nobody twice', async () => {
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

it('a network that has the id and does not find it has said nothing', async () => {
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

describe('a payment that was taken is not declined, nor called unsent, when', () => {
  for (const fault of TAKEN_ALL_THE_SAME) {
    it(fault, async () => {
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

it('a gateway that repeats a request by itself and finds the id taken is asked at once', async () => {
  const { operator, on } = openAirtel()
  on('asks_itself_twice', 1)
  assert.deepEqual(await operator.request(collection()), { is: 'accepted', code: 'TIP' })
})

it('an id of false in the answer is no matter', async () => {
  const { operator, on } = openAirtel()
  on('id_is_false')
  assert.equal((await operator.request(collection())).is, 'accepted')
})

it('TS decides, whatever code stands beside it', async () => {
  const { operator, clock, on } = openAirtel()
  on('success_with_code_in_process')
  await operator.request(collection())
  await clock.advance(DECIDE_AFTER_MS)
  assert.equal((await operator.status(REFERENCE)).is, 'succeeded')
})

it('an amount or a currency that the network tells is read', async () => {
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

it('a request that was taken is never said not to have left, though the enquiry after it did not', async () => {
  const { clock, network, on } = openAirtel()
  const reach = directSend(network, { clock, timeoutMs: DEADLINE_MS })
  on('asks_itself_twice')
  const send: Send = async (call) =>
    call.method === 'GET' ? { failed: 'no answer: ECONNREFUSED', neverLeft: true } : reach(call)
  const answer = await openAirtel({ send }).operator.request(collection())
  assert.deepEqual(answer, { is: 'unknown', why: 'sent, and then: no answer: ECONNREFUSED' })
})

it('an enquiry that failed says nothing about the payment', async () => {
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

it('an enquiry that is answered with a success and no payment means that there is none', async () => {
  const { operator, on } = openAirtel()
  on('enquiry_has_no_data', 1)
  assert.deepEqual(await operator.status(REFERENCE), { is: 'not_known' })
})

it('the gateway’s own refusals are told as what they are', async () => {
  const refusals: [AirtelFault, object][] = [
    ['address_not_allowed', { is: 'unknown', why: 'no access token: HTTP 403', neverLeft: true, misconfigured: true }],
    ['unavailable', { is: 'unknown', why: 'no access token: HTTP 503', neverLeft: true }],
    ['payments_unavailable', { is: 'unknown', why: 'HTTP 503 with an answer that is not understood' }],
    ['country_not_allowed', { is: 'declined', reason: 'operator_error', code: 'ROUTER007', misconfigured: 'settings' }],
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

it('a page or a limit of the gateway in the place of an answer means that the request was not taken', async () => {
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
