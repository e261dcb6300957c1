// Callbacks of the simulated pawaPay as the connector reads them: which payment they are about, and whether only pawaPay can have sent them.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import {
  ask,
  collection,
  DECIDED_AFTER_MS,
  depositIdOf,
  type OpenOptions,
  openPawapay,
  received,
  reference,
} from './open-pawapay.ts'

const SIGNED = { options: { callbacks: 'signed' } }

/** A connection with its first callback, which has been sent and not been read. */
async function withCallback(open: OpenOptions = SIGNED, fault?: string) {
  const opened = openPawapay(open)
  if (fault !== undefined) opened.network.faults.on(fault)
  await opened.done(opened.operator.request(collection(1)))
  await opened.clock.advance(DECIDED_AFTER_MS)
  const [callback] = opened.callbacks
  assert.ok(callback)
  return { ...opened, callback, read: (changes = {}) => opened.operator.parseCallback(received(callback, changes)) }
}

const genuine = { reference: reference(1), isGenuine: true }
const anybodys = { reference: reference(1), isGenuine: false }

describe('a signed callback', () => {
  it('is genuine', async () => {
    const { read, callback } = await withCallback()
    assert.deepEqual(read(), genuine)
    const { depositId, status, amount } = JSON.parse(callback.body)
    assert.deepEqual([depositId, status, amount], [depositIdOf(1), 'COMPLETED', '1000.00'])
    assert.ok(!callback.body.includes('clientReferenceId'))
  })

  it('is genuine in the standard’s encoding of ECDSA as well', async () => {
    const { read } = await withCallback({ ...SIGNED, network: { encoding: 'ieee-p1363' } })
    assert.deepEqual(read(), genuine)
  })

  it('is genuine though a proxy shows another host, since the address is known', async () => {
    const { callback, operator } = await withCallback()
    assert.deepEqual(
      operator.parseCallback(received(callback, { headers: { ...callback.headers, host: 'inside:8080' } })),
      genuine,
    )
  })

  it('is genuine at the address that the dashboard has, even if it is not the one we would give', async () => {
    const { read } = await withCallback({
      ...SIGNED,
      network: { callbackUrls: { DEPOSIT: 'https://old.example/hooks/' } },
    })
    assert.deepEqual(read(), genuine)
  })

  for (const fault of ['callbacks_signed_wrongly', 'callbacks_signed_long_ago', 'callbacks_with_another_body']) {
    it(`is refused when it is wrong: ${fault}`, async () => {
      const { read } = await withCallback(SIGNED, fault)
      assert.equal(read(), undefined)
    })
  }

  it('is refused without its signature, without its digest, or sent by another method', async () => {
    const { read, callback } = await withCallback()
    for (const name of ['signature', 'signature-input', 'content-digest', 'signature-date']) {
      assert.equal(read({ headers: { ...callback.headers, [name]: undefined } }), undefined, name)
    }
    assert.equal(read({ method: 'PUT' }), undefined)
  })

  it('is refused when it was meant for another address', async () => {
    const { callbacks, operator } = await withCallback()
    const other = openPawapay({ network: { callbackUrls: { DEPOSIT: 'https://other.example/callback' } } })
    await other.done(other.operator.request(collection(2)))
    await other.clock.advance(DECIDED_AFTER_MS)
    const [foreign] = other.callbacks
    assert.ok(foreign && callbacks.length === 1)
    assert.equal(operator.parseCallback(received(foreign)), undefined)
  })

  it('makes us ask, and nothing more, while its key is not known; the keys are fetched for the next one', async () => {
    const { callback } = await withCallback()
    const fresh = openPawapay(SIGNED)
    assert.deepEqual(fresh.operator.parseCallback(received(callback)), anybodys)
    await fresh.clock.settle()
    assert.deepEqual(fresh.operator.parseCallback(received(callback)), genuine)
  })

  it('with a new key is taken as soon as the new key is fetched', async () => {
    const { network, callbacks, operator, clock, done } = await withCallback()
    network.faults.on('key_replaced')
    await clock.advance(60_000)
    await done(operator.request(collection(2)))
    await clock.advance(DECIDED_AFTER_MS)
    const replaced = callbacks.at(-1)
    assert.ok(replaced)
    const about = { reference: reference(2) }
    assert.deepEqual(operator.parseCallback(received(replaced)), { ...about, isGenuine: false })
    await clock.settle()
    assert.deepEqual(operator.parseCallback(received(replaced)), { ...about, isGenuine: true })
  })

  it('with invented keys does not make us call pawaPay each time', async () => {
    const { operator, callback, calls, clock } = await withCallback()
    const input = callback.headers['signature-input']?.replace('KEY:1', 'KEY:99')
    for (let at = 0; at < 50; at++) {
      operator.parseCallback(received(callback, { headers: { ...callback.headers, 'signature-input': input } }))
    }
    await clock.settle()
    assert.ok(calls.filter(({ path }) => path === '/v2/public-key/http').length <= 2)
  })

  it('is verified with the key of the settings where there is one, and with no other', async () => {
    const { network, callback } = await withCallback()
    const [{ key }] = ask(network, 'GET', '/v2/public-key/http').body as unknown as [{ key: string }]
    const pinned = openPawapay({ options: { callbacks: 'signed', callbackPublicKey: key } })
    assert.deepEqual(pinned.operator.parseCallback(received(callback)), genuine)
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const callbackPublicKey = publicKey.export({ type: 'spki', format: 'pem' })
    const wrong = openPawapay({ options: { callbacks: 'signed', callbackPublicKey } })
    assert.equal(wrong.operator.parseCallback(received(callback)), undefined)
  })

  it('is taken up to a quarter of an hour after its signature has expired: it may be a repetition', async () => {
    const { read, clock } = await withCallback()
    await clock.advance(15 * 60_000)
    assert.deepEqual(read(), genuine)
    await clock.advance(2 * 60_000)
    assert.equal(read(), undefined)
  })
})

describe('a callback where signing is not set', () => {
  it('is anybody’s, signed or not', async () => {
    const { read } = await withCallback({})
    assert.deepEqual(read(), anybodys)
    const plain = await withCallback({ network: { signsCallbacks: false } })
    assert.deepEqual(plain.read(), anybodys)
    assert.equal(plain.callback.headers.signature, undefined)
  })

  it('with a reference in the path is about that payment, or about none', async () => {
    const { read } = await withCallback({})
    assert.deepEqual(read({ path: reference(1) }), anybodys)
    assert.equal(read({ path: reference(2) }), undefined)
  })

  it('that names no deposit of ours is about nothing', async () => {
    const { read } = await withCallback({})
    const bodies = ['', 'null', '[]', '{"depositId":7}', '{"refundId":"x"}', '{"depositId":"not a uuid"}', '\u0000']
    for (const body of bodies) assert.equal(read({ body: Buffer.from(body) }), undefined, body)
    const strangers = { depositId: 'f4401bd2-1568-1140-bf2d-eb77d2b2b639' }
    assert.equal(read({ body: Buffer.from(JSON.stringify(strangers)) }), undefined)
  })
})

describe('the network', () => {
  it('calls again for a quarter of an hour until it is answered with 200', async () => {
    const { callbacks, answerCallbacks, operator, clock, done } = openPawapay()
    answerCallbacks(503)
    await done(operator.request(collection(1)))
    await clock.advance(DECIDED_AFTER_MS + 3_600_000)
    assert.equal(callbacks.length, 7)
    answerCallbacks(200)
    await done(operator.request(collection(2)))
    await clock.advance(DECIDED_AFTER_MS + 3_600_000)
    assert.equal(callbacks.length, 8)
  })

  it('repeats itself, says PROCESSING, or calls before it has answered, when it is told to', async () => {
    const repeated = await withCallback({}, 'callbacks_repeated')
    await repeated.clock.advance(30_000)
    assert.equal(repeated.callbacks.length, 20)
    const pending = await withCallback({}, 'pending_callbacks')
    await pending.clock.advance(1_000)
    const statuses = pending.callbacks.map(({ body }) => JSON.parse(body).status)
    assert.deepEqual(statuses, ['PROCESSING', 'COMPLETED'])
    const early = openPawapay()
    early.network.faults.on('callback_before_answer')
    const answered = early.operator.request(collection(1))
    await early.clock.settle()
    assert.equal(early.callbacks.length, 1)
    assert.deepEqual(await early.done(answered), { is: 'accepted' })
  })

  it('sends none when no address is set', async () => {
    const { callbacks, operator, clock, done } = openPawapay({ network: { callbackUrls: {} } })
    await done(operator.request(collection(1)))
    await clock.advance(DECIDED_AFTER_MS)
    assert.equal(callbacks.length, 0)
  })
})
