// The connector over real sockets, with the HTTP client of the service; and that no credential gets out by what it says.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Agent } from 'undici'
import type { WireCallback } from '../../../../simulators/src/network.ts'
import { type NetworkServer, startNetworkServer } from '../../../../simulators/src/network-server.ts'
import { pawapayNetwork } from '../../../../simulators/src/pawapay/network.ts'
import type { Clock } from '../../../src/domain/clock-and-random.ts'
import { pawapay } from '../../../src/operators/connectors/pawapay/connector.ts'
import { sender } from '../../../src/operators/http-call.ts'
import { seededRandom } from '../../kit/seeded-random.ts'
import { until } from '../../kit/waiting.ts'
import { CALLBACK_URL, collection, readOptions, received, reference, reversal } from './open-pawapay.ts'

const realClock: Clock = {
  now: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms).unref()
    return () => clearTimeout(timer)
  },
}

describe('over HTTP', () => {
  const callbacks: WireCallback[] = []
  const network = pawapayNetwork(
    {
      clock: realClock,
      random: seededRandom(3),
      decideAfterMs: 20,
      sendCallback: async (callback) => {
        callbacks.push(callback)
        return 200
      },
    },
    { callbackUrls: { DEPOSIT: CALLBACK_URL } },
  )
  const agent = new Agent()
  let server: NetworkServer
  before(async () => {
    server = await startNetworkServer(network, { clock: realClock })
  })
  after(async () => {
    await server.close()
    await agent.destroy()
  })

  const connect = (options: object = {}) =>
    pawapay.connect(
      {
        name: 'pawapay',
        environment: 'sandbox',
        send: sender(agent, server.url, { clock: realClock, timeoutMs: 5_000 }),
        clock: realClock,
        random: seededRandom(1),
        callbackUrl: (each) => `${CALLBACK_URL}/${each}`,
        deadlineMs: 5_000,
      },
      readOptions(options),
    )

  it('a payment is made, called back about, and refunded', async () => {
    const { operator, check } = connect({ callbacks: 'signed' })
    assert.deepEqual(await operator.request(collection(1)), { is: 'accepted' })
    await until('callback', () => callbacks.length === 1)
    const read = operator.parseCallback(received(callbacks[0] as WireCallback))
    assert.deepEqual(read, { reference: reference(1), isGenuine: true })
    assert.equal((await operator.status(reference(1))).is, 'succeeded')
    assert.deepEqual(await operator.refund(reversal(1)), { is: 'accepted' })
    await until('refund', async () => (await operator.refundStatus(reversal(1))).is === 'succeeded')
    assert.ok((await check()).every(({ is }) => is === 'right'))
  })

  it('a connection that ends without an answer leaves the payment unknown', async () => {
    const { operator } = connect()
    network.faults.on('cut_after_registering', 1)
    const answer = await operator.request(collection(2))
    assert.equal(answer.is, 'unknown')
    assert.equal('neverLeft' in answer, false)
    await until('payment', async () => (await operator.status(reference(2))).is === 'succeeded')
  })

  it('a network that is not there has not received anything', async () => {
    const { operator } = pawapay.connect(
      {
        name: 'pawapay',
        environment: 'sandbox',
        send: sender(agent, 'http://127.0.0.1:9', { clock: realClock, timeoutMs: 5_000 }),
        clock: realClock,
        random: seededRandom(1),
        callbackUrl: () => undefined,
        deadlineMs: 5_000,
      },
      readOptions(),
    )
    const answer = await operator.request(collection(3))
    assert.ok(answer.is === 'unknown' && answer.neverLeft === true)
  })
})

describe('credentials', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const canary = 'canary-token-4711'
  const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const secrets = [canary, ...signingKey.split('\n').filter((line) => line.length > 20 && !line.startsWith('-'))]
  const payer = '2290151345789'

  /** Answers with whatever it was sent, wherever an answer has a place for text. */
  const ECHOES = [200, 400, 401, 403, 404, 429, 500].flatMap((code) => [
    { code, body: (text: string): unknown => text },
    {
      code,
      body: (text: string): unknown => ({
        status: 'REJECTED',
        failureReason: { failureCode: 'INVALID_INPUT', failureMessage: text },
      }),
    },
    {
      code,
      body: (text: string): unknown => ({
        status: 'FOUND',
        data: { status: 'FAILED', failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: text } },
      }),
    },
  ])

  it('are in no answer and in no line of check, whatever the network echoes', async () => {
    for (const { code, body } of ECHOES) {
      const { operator, check } = pawapay.connect(
        {
          name: 'pawapay',
          environment: 'live',
          send: async (call) => ({ code, headers: {}, body: body(JSON.stringify(call)) }),
          clock: realClock,
          random: seededRandom(1),
          callbackUrl: () => undefined,
          deadlineMs: 5_000,
        },
        readOptions({ apiToken: canary, signingKey, signingKeyId: 'K1', callbacks: 'signed' }),
      )
      const said = JSON.stringify([
        await operator.request(collection(1)),
        await operator.status(reference(1)),
        await operator.refund(reversal(1)),
        await operator.refundStatus(reversal(1)),
        await check(),
      ])
      for (const secret of [...secrets, payer]) assert.ok(!said.includes(secret), `HTTP ${code}: ${said}`)
    }
  })

  it('are not in the message about settings that are wrong', () => {
    for (const options of [
      { signingKey: canary, signingKeyId: 'K1' },
      { apiToken: canary, surprise: true },
      { signingKey },
    ]) {
      assert.throws(
        () => readOptions(options),
        (error: Error) => secrets.every((secret) => !error.message.includes(secret)),
      )
    }
  })
})
