// FedaPay's webhooks, as the simulator sends them and as somebody else might.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import type { WireCallback } from '../../../../simulators/src/network.ts'
import { collection, DECIDE_AFTER_MS, type FedapaySetting, openFedapay, REFERENCE } from './opened-fedapay.ts'

const received = ({ headers, body }: Pick<WireCallback, 'headers' | 'body'>) => ({
  method: 'POST' as const,
  path: '',
  headers,
  body: Buffer.from(body),
})

async function paidWith(fault?: string, setting: FedapaySetting = {}) {
  const opened = openFedapay(setting)
  if (fault !== undefined) opened.network.faults.on(fault)
  await opened.run(opened.connection.operator.request(collection()))
  await opened.clock.advance(DECIDE_AFTER_MS)
  return opened
}

describe('a webhook of FedaPay', () => {
  it('is genuine and names our reference', async () => {
    const { connection, callbacks } = await paidWith()
    assert.equal(callbacks.length, 1)
    const [first] = callbacks as [WireCallback]
    assert.equal(JSON.parse(first.body).name, 'transaction.approved')
    assert.match(first.headers['x-fedapay-signature'] ?? '', /^t=\d+,s=[0-9a-f]{64}$/)
    assert.deepEqual(connection.operator.parseCallback(received(first)), { reference: REFERENCE, isGenuine: true })
    assert.deepEqual(connection.hosted?.parseCallback(received(first)), { reference: REFERENCE, isGenuine: true })
  })

  const REFUSED: [fault: string, about: string][] = [
    ['webhooks_signed_wrongly', 'is signed with another secret'],
    ['webhooks_signed_long_ago', 'was signed ten minutes ago'],
  ]
  for (const [fault, about] of REFUSED) {
    it(`that ${about} says nothing`, async () => {
      const { connection, callbacks } = await paidWith(fault)
      assert.equal(connection.operator.parseCallback(received(callbacks[0] as WireCallback)), undefined)
    })
  }

  it('that does not have our reference is answered, and the payment is polled', async () => {
    const { connection, callbacks } = await paidWith('webhooks_without_merchant_reference')
    const read = connection.operator.parseCallback(received(callbacks[0] as WireCallback))
    assert.deepEqual(read, { reference: null, isGenuine: true })
  })

  it('is taken until it is 300 seconds old', async () => {
    const { connection, callbacks, clock } = await paidWith()
    const [first] = callbacks as [WireCallback]
    await clock.advance(299_000)
    assert.ok(connection.operator.parseCallback(received(first)))
    await clock.advance(2_000)
    assert.equal(connection.operator.parseCallback(received(first)), undefined)
  })

  it('whose body was changed says nothing', async () => {
    const { connection, callbacks } = await paidWith()
    const [first] = callbacks as [WireCallback]
    const changed = { ...first, body: first.body.replace('1500', '9500') }
    assert.equal(connection.operator.parseCallback(received(changed)), undefined)
  })

  it('is only a hint without the webhook’s secret', async () => {
    const { connection, callbacks } = await paidWith(undefined, { options: { webhookSecret: undefined } })
    assert.deepEqual(connection.operator.parseCallback(received(callbacks[0] as WireCallback)), {
      reference: REFERENCE,
      isGenuine: false,
    })
  })

  it('that is genuine and about nothing of ours is answered and left; without its signature it says nothing', () => {
    const { connection, network, clock } = openFedapay()
    const seconds = Math.floor(clock.now() / 1_000)
    const sign = (body: string): string =>
      `t=${seconds},s=${createHmac('sha256', network.credentials.webhookSecret ?? '')
        .update(`${seconds}.${body}`)
        .digest('hex')}`
    const bodies = [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      '{"entity":null}',
      '{"entity":"{"}',
      '{"entity":{"merchant_reference":7}}',
    ]
    for (const body of [
      ...bodies,
      '{"entity":{"merchant_reference":"not-ours"}}',
      '{"name":"customer.created","entity":{"id":1}}',
    ]) {
      const headers = { 'x-fedapay-signature': sign(body) }
      const read = connection.operator.parseCallback(received({ headers, body }))
      assert.deepEqual(read, { reference: null, isGenuine: true }, body)
    }
    const body = JSON.stringify({ entity: { merchant_reference: REFERENCE } })
    for (const signature of [
      '',
      't=',
      's=',
      't=x,s=y',
      `t=${seconds}`,
      `s=${'0'.repeat(64)}`,
      `t=${seconds},s=zz`,
      ',,=,',
    ]) {
      const headers = { 'x-fedapay-signature': signature }
      assert.equal(connection.operator.parseCallback(received({ headers, body })), undefined, signature)
    }
    assert.ok(connection.operator.parseCallback(received({ headers: { 'x-fedapay-signature': sign(body) }, body })))
  })

  it('with the transaction as text is read too', () => {
    const { connection, network, clock } = openFedapay()
    const seconds = Math.floor(clock.now() / 1_000)
    const body = JSON.stringify({ entity: JSON.stringify({ merchant_reference: REFERENCE }) })
    const secret = network.credentials.webhookSecret ?? ''
    const hex = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    const headers = { 'x-fedapay-signature': `t=${seconds},s=${hex}` }
    assert.ok(connection.operator.parseCallback(received({ headers, body })))
  })
})

describe('the webhooks of the simulator', () => {
  it('are sent again ten times in all, each signed anew, and switched off after the tenth error', async () => {
    const { callbacks, clock, connection, run } = await paidWith(undefined, { answerCallback: () => 500 })
    await clock.advance(20 * 60_000)
    assert.equal(callbacks.length, 10)
    assert.equal(new Set(callbacks.map(({ headers }) => headers['x-fedapay-signature'])).size, 10)
    await run(connection.operator.request(collection({ reference: REFERENCE.replace('0', '9') })))
    await clock.advance(DECIDE_AFTER_MS)
    assert.equal(callbacks.length, 10)
  })

  it('end when the network is reset: nobody is told of what it has forgotten', async () => {
    const { callbacks, clock, connection, network, run } = openFedapay()
    network.faults.on('pending_webhooks_repeated')
    await run(connection.operator.request(collection({ msisdn: '2290166000004' })))
    await clock.advance(60_000)
    const before = callbacks.length
    network.reset()
    assert.deepEqual(network.books(), [])
    await clock.advance(25 * 3_600_000)
    assert.deepEqual([before, callbacks.length], [3, 3])
  })

  it('stop with the first answer that is a success', async () => {
    let left = 3
    const { callbacks, clock } = await paidWith(undefined, { answerCallback: () => (--left > 0 ? undefined : 204) })
    await clock.advance(20 * 60_000)
    assert.equal(callbacks.length, 3)
  })

  it('tell of each move that was wanted, and of no other', async () => {
    const all = openFedapay({ simulator: { webhookEvents: [] } })
    await all.run(all.connection.operator.request(collection()))
    await all.clock.advance(80 * 3_600_000)
    const names = all.callbacks.map(({ body }) => JSON.parse(body).name)
    assert.deepEqual(names, ['transaction.created', 'transaction.approved', 'transaction.transferred'])
  })
})
