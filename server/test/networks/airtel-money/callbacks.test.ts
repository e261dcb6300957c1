// Callbacks of the simulated network, read by the connector: with a hash in the body or in a header, without one, and with a wrong one.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { it } from 'node:test'
import { AIRTEL_CREDENTIALS } from '../../../../simulators/src/airtel-money/network.ts'
import type { WireCallback } from '../../../../simulators/src/network.ts'
import type { CallbackRequest, ReadCallback } from '../../../src/operators/operator.ts'
import { AIRTEL_CALLBACK_URL } from './faults.ts'
import { collection, DECIDE_AFTER_MS, type OpenAirtel, openAirtel, REFERENCE } from './open-airtel.ts'

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

it('a payment that was decided is called back about once, with a hash that only the network can make', async () => {
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

it('a failure is called back about too', async () => {
  const { operator, clock, callbacks } = openAirtel()
  await operator.request(collection({ msisdn: '22797000007' }))
  await clock.advance(DECIDE_AFTER_MS)
  assert.equal(JSON.parse(callbacks[0]?.body ?? '').transaction.status_code, 'TF')
})

it('the hash may come in a header', async () => {
  const airtel = openAirtel({
    network: { callbackHashHeader: 'X-Auth-Hash' },
    options: { callbackHashHeader: 'X-Auth-Hash' },
  })
  const callback = await callbackOf(airtel)
  assert.equal(JSON.parse(callback.body).hash, undefined)
  assert.deepEqual(airtel.operator.parseCallback(received(callback)), GENUINE)
})

it('white space in the body does not change the hash', async () => {
  const airtel = openAirtel()
  const callback = await callbackOf(airtel)
  const spaced = { ...callback, body: JSON.stringify(JSON.parse(callback.body), null, 2) }
  assert.deepEqual(airtel.operator.parseCallback(received(spaced)), GENUINE)
})

it('with a key, a hash that is missing or wrong is refused', async () => {
  for (const fault of ['callbacks_without_hash', 'callbacks_with_wrong_hash'] as const) {
    const airtel = openAirtel()
    airtel.on(fault)
    assert.equal(airtel.operator.parseCallback(received(await callbackOf(airtel))), undefined)
  }
})

it('without a key, a callback is a hint that anybody may have sent', async () => {
  const airtel = openAirtel({ options: { callbackKey: undefined }, network: { hashesCallbacks: false } })
  const hint = { reference: REFERENCE, isGenuine: false, answer: ANSWER }
  assert.deepEqual(airtel.operator.parseCallback(received(await callbackOf(airtel))), hint)
})

it('the sample of the documents is read, whatever key it was hashed with', () => {
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

it('what is no callback of Airtel is not read', () => {
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

it('a callback about no payment is not read', async () => {
  const airtel = openAirtel()
  airtel.on('callbacks_without_id')
  assert.equal(airtel.operator.parseCallback(received(await callbackOf(airtel))), undefined)
})

it('faults of callbacks: none, twenty times, and again and again while the payer thinks', async () => {
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

it('a person can decide in the place of the payer, once', async () => {
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

it('a payer who ignores the prompt lets it expire', async () => {
  const { operator, network, clock } = openAirtel()
  await operator.request(collection())
  network.decide(REFERENCE, 'ignore')
  await clock.advance(179_000)
  assert.equal((await operator.status(REFERENCE)).is, 'accepted')
  await clock.advance(1_000)
  assert.deepEqual(await operator.status(REFERENCE), { is: 'declined', reason: 'expired', code: 'DP00800001029' })
  assert.equal(network.books()[0]?.debits, 0)
})
