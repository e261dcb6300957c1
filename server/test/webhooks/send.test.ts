// One attempt: what goes out, what comes back, and the words for what did not. Receivers that mean harm are in
// hostile-receivers.test.ts.
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { failureText } from '../../src/webhooks/failure-text.ts'
import type { GuardedAgentDeps } from '../../src/webhooks/guarded-agent.ts'
import { readAllowedTargets } from '../../src/webhooks/safe-address.ts'
import { type Attempt, type WebhookSender, webhookSender } from '../../src/webhooks/send.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { until } from '../kit/waiting.ts'
import { answering, type Loopback, listen, OK, wallClock } from './loopback.ts'

const LONG_MS = 30_000
const SHORT_MS = 300
const LOOPBACK = { allowPlainHttp: false, allowed: readAllowedTargets('127.0.0.1,::1,shop.internal') }

let opened: { close(): Promise<void> }[] = []

/** Until the test is over, however it ends. */
function kept<T extends { close(): Promise<void> }>(one: T): T {
  opened.push(one)
  return one
}

const senderWith = (deps: Partial<GuardedAgentDeps> = {}): WebhookSender =>
  kept(webhookSender({ clock: wallClock, rules: LOOPBACK, timeoutMs: LONG_MS, ...deps }))

const post = (sender: WebhookSender, url: string, headers: Record<string, string> = {}): Promise<Attempt> =>
  sender.send({ url, headers, body: '{"shop":"Épicerie"}' })

const at = ({ port }: Loopback): string => `http://127.0.0.1:${port}/hook?shop=7`

afterEach(async () => {
  const closing = opened
  opened = []
  await Promise.all(closing.map((one) => one.close()))
})

describe('an attempt', () => {
  it('is one POST with the headers it was given, and no others of consequence', async () => {
    let request = ''
    const server = kept(
      await listen((socket) => {
        socket.on('data', (chunk) => {
          request += chunk
          socket.write(OK.replace('\r\n', '\r\nset-cookie: a=b\r\n'))
        })
      }),
    )
    const sender = senderWith()
    await post(sender, at(server), {
      'webhook-id': 'evt_1',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
    })
    const lines = [
      'POST /hook?shop=7 HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'webhook-id: evt_1',
      'accept-encoding: identity',
      'content-type: application/json',
      'content-length: 20',
    ]
    assert.equal(request, `${lines.join('\r\n')}\r\n\r\n{"shop":"Épicerie"}`)
    request = ''
    await post(sender, at(server))
    assert.doesNotMatch(request, /cookie/)
  })

  it('uses the connection of the one before', async () => {
    const server = kept(await listen())
    const sender = senderWith()
    for (let n = 0; n < 20; n++) assert.equal((await post(sender, at(server))).status, 200)
    assert.ok(server.reached.length <= 2, `${server.reached.length} connections`)
    await sender.close()
    await until('end of the last connection', () => server.open() === 0)
  })

  it('finds another connection when the one before was closed', async () => {
    const server = kept(await listen((socket) => void socket.once('data', () => socket.end(OK))))
    const sender = senderWith()
    for (let n = 0; n < 5; n++) {
      assert.equal((await post(sender, at(server))).status, 200)
      await until('end of the last connection', () => server.open() === 0)
    }
    assert.equal(server.reached.length, 5)
  })

  for (const code of [200, 204, 299, 301, 302, 307, 308, 400, 404, 410, 500, 503]) {
    it(`that is answered ${code} says so, and goes nowhere else`, async () => {
      const elsewhere = kept(await listen())
      const location = `http://127.0.0.1:${elsewhere.port}/`
      const server = kept(
        await listen(answering(`HTTP/1.1 ${code} x\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)),
      )
      const { durationMs, ...attempt } = await post(senderWith(), at(server))
      assert.deepEqual(attempt, { status: code, answer: '', error: null, retryAfterMs: null })
      assert.ok(Number.isInteger(durationMs) && durationMs >= 0)
      assert.deepEqual(elsewhere.reached, [])
    })
  }

  const RETRY_AFTER: [code: number, header: string, retryAfterMs: number | null][] = [
    [429, 'retry-after: 7', 7_000],
    [503, 'Retry-After: 120', 120_000],
    [503, 'retry-after: Sun, 15 Nov 2026 09:31:00 GMT', 60_000],
    [429, 'retry-after: soon', null],
    [429, 'retry-after: 7\r\nretry-after: 8', null],
    [429, 'x: y', null],
    [500, 'retry-after: 7', null],
    [200, 'retry-after: 7', null],
  ]
  for (const [code, header, retryAfterMs] of RETRY_AFTER) {
    it(`answered ${code} with ${JSON.stringify(header)} is to be repeated after ${retryAfterMs} ms`, async () => {
      const server = kept(await listen(answering(`HTTP/1.1 ${code} x\r\n${header}\r\ncontent-length: 0\r\n\r\n`)))
      const attempt = await post(senderWith({ clock: virtualClock(Date.UTC(2026, 10, 15, 9, 30)) }), at(server))
      assert.deepEqual([attempt.status, attempt.retryAfterMs], [code, retryAfterMs])
    })
  }
})

describe('the deadline', () => {
  it('is the clock’s, and one for the whole attempt', async () => {
    const server = kept(await listen((socket) => void socket.write('HTTP/1.1 200 OK\r\n')))
    const clock = virtualClock()
    const attempt = post(senderWith({ clock, timeoutMs: 10_000 }), at(server))
    await until('byte at the server', () => server.bytes() > 0)
    await clock.advance(9_999)
    assert.equal(server.open(), 1)
    await clock.advance(1)
    const { status, error, durationMs } = await attempt
    assert.deepEqual([status, error, durationMs], [null, 'no answer within 10 seconds', 10_000])
    await until('end of the last connection', () => server.open() === 0)
  })

  it('ends an attempt whose name is still being looked up, and nothing is sent when the answer comes', async () => {
    const server = kept(await listen())
    const answer = Promise.withResolvers<string[]>()
    const sender = senderWith({ timeoutMs: SHORT_MS, lookup: () => answer.promise })
    const { status, error } = await post(sender, `http://shop.internal:${server.port}/`)
    assert.deepEqual([status, error], [null, 'no connection within 0.3 seconds'])
    answer.resolve(['127.0.0.1'])
    await sender.close()
    await until('end of the last connection', () => server.open() === 0)
    assert.equal(server.bytes(), 0)
  })

  it('ends an attempt whose receiver never finishes the TLS handshake', async () => {
    const server = kept(await listen(() => {}))
    const { status, error } = await post(senderWith({ timeoutMs: SHORT_MS }), at(server).replace('http', 'https'))
    assert.deepEqual([status, error], [null, 'no connection within 0.3 seconds'])
    await until('end of the last connection', () => server.open() === 0)
  })

  it('ends what waits for a connection too: a receiver that hangs gets no more than 32', async () => {
    const server = kept(await listen(() => {}))
    // All alarms ring in the same moment, so that the waiting ones are over before a connection is free for them.
    const alarms: (() => void)[] = []
    const clock: Clock = {
      now: () => 0,
      after(_, work) {
        alarms.push(work)
        return () => {}
      },
    }
    const sender = senderWith({ clock, timeoutMs: 1_000 })
    const attempts = Promise.all(Array.from({ length: 50 }, () => post(sender, at(server))))
    await until('pool of 32 connections', () => server.open() === 32)
    await pause(50)
    const sent = server.bytes()
    assert.equal(server.reached.length, 32)
    for (const ring of alarms) ring()
    const words = Object.groupBy(await attempts, ({ error }) => error as string)
    assert.equal(words['no answer within 1 second']?.length, 32)
    assert.equal(words['no connection within 1 second']?.length, 18)
    await sender.close()
    await until('end of the last connection', () => server.open() === 0)
    assert.equal(server.bytes(), sent, 'nothing is sent for an attempt that is over')
  })
})

describe('a failure is told in words:', () => {
  const closedPort = async (): Promise<number> => {
    const server = await listen()
    await server.close()
    return server.port
  }

  it('the connection was refused', async () => {
    const port = await closedPort()
    assert.equal((await post(senderWith(), `http://127.0.0.1:${port}/`)).error, 'the connection was refused')
    const both = senderWith({ lookup: async () => ['127.0.0.1', '::1'] })
    assert.equal((await post(both, `http://shop.internal:${port}/`)).error, 'the connection was refused')
  })

  it('no secure connection could be made', async () => {
    const server = kept(await listen(answering('HTTP/1.1 400 Bad Request\r\n\r\n')))
    const { status, error } = await post(senderWith(), at(server).replace('http', 'https'))
    assert.deepEqual([status, error], [null, 'no secure connection could be made; does the port speak HTTPS?'])
    await until('end of the last connection', () => server.open() === 0)
  })

  it('the host name is not known', async () => {
    const lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
    assert.equal((await post(senderWith({ lookup }), 'http://shop.internal/')).error, 'the host name is not known')
  })

  it('a header holds characters that HTTP cannot carry', async () => {
    const server = kept(await listen())
    for (const value of ['two\nlines', 'nul\0', '中']) {
      const { status, error } = await post(senderWith(), at(server), { 'secret-hash': value })
      assert.deepEqual([status, error], [null, 'a header holds characters that HTTP cannot carry'])
    }
    assert.deepEqual(server.reached, [])
  })

  it('the service is stopping', async () => {
    const sender = senderWith()
    await sender.close()
    assert.equal((await post(sender, 'http://127.0.0.1:1/')).error, 'the service is stopping')
  })

  it('by the code, where there are no words', () => {
    assert.equal(failureText(Object.assign(new Error('x'), { code: 'EMFILE' }), 1), 'the attempt failed (EMFILE)')
    assert.equal(failureText(new TypeError('x'), 1), 'the attempt failed (TypeError)')
  })
})

describe('stopping', () => {
  it('ends the attempts under way, and their connections', async () => {
    const server = kept(await listen(() => {}))
    const sender = senderWith()
    const attempt = post(sender, at(server))
    await until('byte at the server', () => server.bytes() > 0)
    await sender.close()
    assert.equal((await attempt).status, null)
    await until('end of the last connection', () => server.open() === 0)
  })
})
