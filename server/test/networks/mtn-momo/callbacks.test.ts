// Callbacks of MTN MoMo: what the simulated network sends, by both versions of the rules, and what the connector reads in it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { WireCallback } from '../../../../simulators/src/network.ts'
import { uuidOfReference } from '../../../src/domain/reference.ts'
import type { CallbackRequest } from '../../../src/operators/operator.ts'
import { CALLBACK_ADDRESS, DECIDED_AFTER_MS, openMtn, order } from './open-mtn.ts'

/** As our door gives it to the connector. */
const received = ({ method, url, headers, body }: WireCallback): CallbackRequest => ({
  method,
  path: url.slice(CALLBACK_ADDRESS.length + 1),
  headers,
  body: Buffer.from(body),
})

async function calledBack(wanted: Parameters<typeof openMtn>[0], faults: string[] = [], afterMs = DECIDED_AFTER_MS) {
  const opened = openMtn(wanted)
  for (const fault of faults) assert.ok(opened.network.faults.on(fault), fault)
  const collection = order()
  const answered = opened.operator.request(collection)
  await opened.clock.advance(afterMs)
  await answered
  return { ...opened, reference: collection.reference }
}

describe('a callback', () => {
  it('has the status as its body, no reference of ours but externalId, and is found by its path', async () => {
    const { callbacks, operator, reference } = await calledBack({})
    assert.equal(callbacks.length, 1)
    const callback = callbacks[0]!
    assert.equal(callback.method, 'POST')
    assert.equal(callback.url, `${CALLBACK_ADDRESS}/${reference}`)
    const { status, amount, externalId } = JSON.parse(callback.body)
    assert.deepEqual([status, amount, externalId], ['SUCCESSFUL', '1500', reference])
    assert.ok(!callback.body.includes(uuidOfReference(reference)))
    assert.deepEqual(operator.parseCallback(received(callback)), { reference, isGenuine: false })
  })

  it('without externalId is found by its path', async () => {
    const { callbacks, operator, reference } = await calledBack({}, ['callback_without_external_id'])
    assert.ok(!callbacks[0]!.body.includes('externalId'))
    assert.equal(operator.parseCallback(received(callbacks[0]!))?.reference, reference)
  })

  it('without a path is found by externalId', async () => {
    const { callbacks, operator, reference } = await calledBack({ callbackUrl: () => CALLBACK_ADDRESS })
    assert.equal(operator.parseCallback(received(callbacks[0]!))?.reference, reference)
  })

  it('with a path of 16 KiB of slashes costs no more than a few of any other path', async () => {
    const { operator } = openMtn({})
    const cost = (path: string): number => {
      const began = performance.now()
      for (let nth = 0; nth < 3; nth++) {
        const sent: CallbackRequest = { method: 'POST', path, headers: {}, body: Buffer.from('{}') }
        assert.equal(operator.parseCallback(sent)?.reference, undefined)
      }
      return performance.now() - began
    }
    cost(`a${'/b'.repeat(8_000)}`)
    const [plain, slashes] = [cost(`a${'/b'.repeat(8_000)}`), cost(`a${'/'.repeat(16_000)}b`)]
    // With a pattern that looks for the end from every slash, it was 1,000 times as much.
    assert.ok(slashes < plain * 50, `${slashes} ms instead of ${plain} ms`)
  })

  it('by PUT is read like one by POST', async () => {
    const { callbacks, operator, reference } = await calledBack({}, ['callback_by_put'])
    assert.deepEqual(
      callbacks.map((each) => [each.method, operator.parseCallback(received(each))?.reference]),
      [
        ['PUT', reference],
        ['POST', reference],
      ],
    )
  })

  it('may come before the request is answered', async () => {
    const opened = openMtn()
    opened.network.faults.on('callback_before_answer', 1)
    const answered = opened.operator.request(order())
    await opened.clock.advance(1_000)
    assert.equal(opened.callbacks.length, 1)
    assert.equal((await opened.answer(answered)).is, 'accepted')
  })

  it('is not sent without an address, or where there are none', async () => {
    assert.equal((await calledBack({ callbackUrl: () => undefined })).callbacks.length, 0)
    assert.equal((await calledBack({}, ['no_callbacks'])).callbacks.length, 0)
  })

  it('may come twenty times and more', async () => {
    const { callbacks } = await calledBack({}, ['callback_twenty_times'], 15 * 60_000)
    assert.equal(callbacks.length, 25)
  })

  it('may come while the payment is PENDING', async () => {
    const opened = openMtn()
    opened.network.faults.on('pending_callbacks')
    await opened.operator.request(order({ msisdn: '2290197000008' }))
    await opened.clock.advance(16_000)
    assert.deepEqual(
      opened.callbacks.map(({ body }) => JSON.parse(body).status),
      ['PENDING', 'PENDING', 'PENDING'],
    )
  })

  it('may claim the opposite of the status, which is what counts', async () => {
    const { callbacks, operator, reference } = await calledBack({}, ['callback_says_otherwise'])
    assert.equal(JSON.parse(callbacks[0]!.body).status, 'FAILED')
    assert.equal((await operator.status(reference)).is, 'succeeded')
  })
})

describe('a callback that nobody answers', () => {
  it('is sent once by version A', async () => {
    const { callbacks } = await calledBack({ callbackAnswer: () => undefined }, [], 3_600_000)
    assert.equal(callbacks.length, 1)
  })

  it('is sent by version B twenty times a second apart, then thirty times two minutes apart, then every hour', async () => {
    const { callbacks, clock } = await calledBack({
      network: { callbackVersion: 'B' },
      callbackAnswer: () => 503,
    })
    await clock.advance(20_000)
    assert.equal(callbacks.length, 21)
    await clock.advance(30 * 120_000)
    assert.equal(callbacks.length, 51)
    await clock.advance(2 * 3_600_000)
    assert.equal(callbacks.length, 53)
  })

  it('is no longer sent by version B once somebody has answered', async () => {
    const answers = [undefined, 500, 200]
    const { callbacks } = await calledBack(
      { network: { callbackVersion: 'B' }, callbackAnswer: () => answers.shift() },
      [],
      60_000,
    )
    assert.equal(callbacks.length, 3)
  })
})

describe('reading a callback', () => {
  const { operator } = openMtn()
  const { reference } = order()
  const read = (wanted: Partial<CallbackRequest>) =>
    operator.parseCallback({ method: 'POST', path: '', headers: {}, body: Buffer.alloc(0), ...wanted })?.reference

  for (const [about, callback, told] of [
    ['a reference in the path', { path: reference }, reference],
    ['a path that ends with a slash', { path: `${reference}/` }, reference],
    ['a UUID of ours in the path', { path: uuidOfReference(reference).toUpperCase() }, reference],
    [
      'the path before externalId',
      { path: reference, body: Buffer.from(JSON.stringify({ externalId: order().reference })) },
      reference,
    ],
    ['a header of the network', { headers: { 'x-reference-id': uuidOfReference(reference) } }, reference],
    [
      'a referenceId in the body',
      { body: Buffer.from(JSON.stringify({ referenceId: uuidOfReference(reference) })) },
      reference,
    ],
    ['nothing', {}, undefined],
    ['no JSON', { body: Buffer.from('{') }, undefined],
    ['JSON that is no object', { body: Buffer.from('[null]') }, undefined],
    ['null', { body: Buffer.from('null') }, undefined],
    ['a name of somebody else', { path: '../x', body: Buffer.from('{"externalId":"order 5"}') }, undefined],
  ] as const) {
    it(`${about} gives ${told === undefined ? 'nothing' : 'the reference'}`, () => assert.equal(read(callback), told))
  }
})
