// One webhook attempt: the request, its signature (promise 14), the answer, and the texts of
// failures. Hostile receivers (promise 11): the attempt ends, and no socket or memory leaks.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { failureText } from '../../src/webhooks/failure-text.ts'
import type { GuardedAgentDeps } from '../../src/webhooks/guarded-agent.ts'
import { readAllowedTargets } from '../../src/webhooks/safe-address.ts'
import { type Attempt, type WebhookSender, webhookSender } from '../../src/webhooks/send.ts'
import { makeSigningSecret, signatureHeaders } from '../../src/webhooks/sign.ts'
import { tried, tries } from '../kit/tries.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { until } from '../kit/waiting.ts'
import { answering, closedAfterEach, type Loopback, listen, OK, wallClock } from './loopback.ts'

describe('webhook attempt', () => {
  const LONG_MS = 30_000
  const SHORT_MS = 300
  const LOOPBACK = {
    allowPlainHttp: false,
    allowed: readAllowedTargets('127.0.0.1,::1,shop.internal'),
  }
  const kept = closedAfterEach()

  const senderWith = (deps: Partial<GuardedAgentDeps> = {}): WebhookSender =>
    kept(webhookSender({ clock: wallClock, rules: LOOPBACK, timeoutMs: LONG_MS, ...deps }))

  const post = (
    sender: WebhookSender,
    url: string,
    headers: Record<string, string> = {},
  ): Promise<Attempt> => sender.send({ url, headers, body: '{"shop":"Épicerie"}' })

  const at = ({ port }: Loopback): string => `http://127.0.0.1:${port}/hook?shop=7`

  describe('an attempt', () => {
    it('is one POST with the given headers, and no other significant ones', async () => {
      let request = ''
      const serve = (socket: Socket) =>
        void socket.on('data', (chunk) => {
          request += chunk
          socket.write(OK.replace('\r\n', '\r\nset-cookie: a=b\r\n'))
        })
      const server = kept(await listen(serve))
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

    it('reuses the connection of the last attempt', async () => {
      const server = kept(await listen())
      const sender = senderWith()
      for (let n = 0; n < 20; n++) assert.equal((await post(sender, at(server))).status, 200)
      assert.ok(server.reached.length <= 2, `${server.reached.length} connections`)
      await sender.close()
      await until('end of the last connection', () => server.open() === 0)
    })

    it('opens a new connection when the last one was closed', async () => {
      const server = kept(await listen((socket) => void socket.once('data', () => socket.end(OK))))
      const sender = senderWith()
      for (let n = 0; n < 5; n++) {
        assert.equal((await post(sender, at(server))).status, 200)
        await until('end of the last connection', () => server.open() === 0)
      }
      assert.equal(server.reached.length, 5)
    })

    for (const code of [200, 204, 299, 301, 302, 307, 308, 400, 404, 410, 500, 503])
      it(`that is answered ${code} reports it, and follows no redirect`, async () => {
        const elsewhere = kept(await listen())
        const location = `http://127.0.0.1:${elsewhere.port}/`
        const server = kept(
          await listen(
            answering(`HTTP/1.1 ${code} x\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
          ),
        )
        const { durationMs, ...attempt } = await post(senderWith(), at(server))
        assert.deepEqual(attempt, { status: code, answer: '', error: null, retryAfterMs: null })
        assert.ok(Number.isInteger(durationMs) && durationMs >= 0)
        assert.deepEqual(elsewhere.reached, [])
      })

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
    for (const [code, header, retryAfterMs] of RETRY_AFTER)
      it(`answered ${code} with ${JSON.stringify(header)} is retried after ${retryAfterMs} ms`, async () => {
        const server = kept(
          await listen(answering(`HTTP/1.1 ${code} x\r\n${header}\r\ncontent-length: 0\r\n\r\n`)),
        )
        const attempt = await post(
          senderWith({ clock: virtualClock(Date.UTC(2026, 10, 15, 9, 30)) }),
          at(server),
        )
        assert.deepEqual([attempt.status, attempt.retryAfterMs], [code, retryAfterMs])
      })
  })

  describe('the deadline', () => {
    it('is set by the clock, once for the whole attempt', async () => {
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

    it('ends an attempt during its DNS look-up, and a later DNS answer sends nothing', async () => {
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
      const { status, error } = await post(
        senderWith({ timeoutMs: SHORT_MS }),
        at(server).replace('http', 'https'),
      )
      assert.deepEqual([status, error], [null, 'no connection within 0.3 seconds'])
      await until('end of the last connection', () => server.open() === 0)
    })

    it('ends attempts that wait for a connection: a receiver that hangs gets 32 at most', async () => {
      const server = kept(await listen(() => {}))
      // All timers fire at once, so that waiting attempts end before a connection is free for them.
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

  describe('the text of a failure:', () => {
    const closedPort = async (): Promise<number> => {
      const server = await listen()
      await server.close()
      return server.port
    }

    it('the connection was refused', async () => {
      const port = await closedPort()
      assert.equal(
        (await post(senderWith(), `http://127.0.0.1:${port}/`)).error,
        'the connection was refused',
      )
      const both = senderWith({ lookup: async () => ['127.0.0.1', '::1'] })
      assert.equal(
        (await post(both, `http://shop.internal:${port}/`)).error,
        'the connection was refused',
      )
    })

    it('no secure connection could be made', async () => {
      const server = kept(await listen(answering('HTTP/1.1 400 Bad Request\r\n\r\n')))
      const { status, error } = await post(senderWith(), at(server).replace('http', 'https'))
      assert.deepEqual(
        [status, error],
        [null, 'no secure connection could be made; does the port speak HTTPS?'],
      )
      await until('end of the last connection', () => server.open() === 0)
    })

    it('the host name is not known', async () => {
      const lookup = () =>
        Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }))
      assert.equal(
        (await post(senderWith({ lookup }), 'http://shop.internal/')).error,
        'the host name is not known',
      )
    })

    it('a header holds characters that HTTP cannot carry', async () => {
      const server = kept(await listen())
      for (const value of ['two\nlines', 'nul\0', '中']) {
        const { status, error } = await post(senderWith(), at(server), { 'secret-hash': value })
        assert.deepEqual(
          [status, error],
          [null, 'a header holds characters that HTTP cannot carry'],
        )
      }
      assert.deepEqual(server.reached, [])
    })

    it('the service is stopping', async () => {
      const sender = senderWith()
      await sender.close()
      assert.equal((await post(sender, 'http://127.0.0.1:1/')).error, 'the service is stopping')
    })

    it('the code, for codes without a text', () => {
      assert.equal(
        failureText(Object.assign(new Error('x'), { code: 'EMFILE' }), 1),
        'the attempt failed (EMFILE)',
      )
      assert.equal(failureText(new TypeError('x'), 1), 'the attempt failed (TypeError)')
    })
  })

  it('stopping ends the in-flight attempts and their connections', async () => {
    const server = kept(await listen(() => {}))
    const sender = senderWith()
    const attempt = post(sender, at(server))
    await until('byte at the server', () => server.bytes() > 0)
    await sender.close()
    assert.equal((await attempt).status, null)
    await until('end of the last connection', () => server.open() === 0)
  })
})

// Real sockets and the real clock. Only receivers that must meet the deadline get a short one, so
// that a slow machine does not decide the others.
describe('promise 11: hostile receivers', () => {
  const SHORT_MS = 500
  const LONG_MS = 30_000
  const KIB = 1_024
  const LIMIT = 64 * KIB
  const HEAD = 'HTTP/1.1 200 OK\r\n'
  const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`
  const BOMB = gzipSync(Buffer.alloc(32 * KIB * KIB))
  const PIECE = Buffer.alloc(64 * KIB, 'x')

  /** Sends `first` at once, then a piece of the rest every 30 ms. */
  const slowly = (first: string, piece: string) => (socket: Socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(piece), 30)
    socket.on('close', () => clearInterval(timer))
  }

  /** Writes as fast as it is read, this many times. */
  const often =
    (first: string, piece: string | Buffer, times: number) => async (socket: Socket) => {
      socket.write(first)
      for (let n = 0; n < times && !socket.destroyed; n++)
        if (!socket.write(piece)) await once(socket, 'drain').catch(() => {})
    }

  const says = (text: string | Buffer) => (socket: Socket) => socket.end(text)
  type Wanted = [status: number | null, error: string | null, answer?: RegExp]
  const TOO_SLOW: Wanted = [null, 'no answer within 0.5 seconds']
  const ENDLESS_HINTS: Wanted = [null, 'the receiver sent informational answers without end']
  const NOT_COMPLETE = 'the answer was not complete within 0.5 seconds'
  const CUT: Wanted = [null, 'the connection was cut before there was an answer']
  const BROKEN_OFF = 'the answer broke off in the middle'
  const NOT_HTTP: Wanted = [null, 'the answer is not HTTP']
  const HEADERS_TOO_LONG: Wanted = [null, 'the headers of the answer are longer than 16 KiB']
  const WRONG_LENGTH: Wanted = [null, 'the answer is not as long as it says']
  const FULL: Wanted = [200, null, new RegExp(`^x{${LIMIT}}$`)]
  const FOREVER = Number.POSITIVE_INFINITY
  const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  type Receiver = [about: string, serve: (socket: Socket) => unknown, wanted: Wanted]

  /** These meet the deadline, all at the same time. */
  const SLOW: Receiver[] = [
    ['that never answers', () => {}, TOO_SLOW],
    ['whose headers come a byte every 30 ms', slowly(`${HEAD}a: `, 'a'), TOO_SLOW],
    ['that gives a hint every 30 ms', slowly(HINT, HINT), ENDLESS_HINTS],
    [
      'whose body comes slowly',
      slowly(`${HEAD}content-length: 900\r\n\r\n`, 'x'),
      [200, NOT_COMPLETE, /^x{0,900}$/],
    ],
    ['whose chunk size never ends', slowly(CHUNKED, '0'), [200, NOT_COMPLETE]],
  ]

  const OTHERS: Receiver[] = [
    ['that floods with hints', often(HINT, HINT.repeat(100), FOREVER), ENDLESS_HINTS],
    [
      'whose chunk extension never ends',
      often(`${CHUNKED}1;`, PIECE, FOREVER),
      [200, NOT_COMPLETE],
    ],
    ['whose body never ends', often(`${HEAD}\r\n`, PIECE, FOREVER), FULL],
    ['whose chunks never end', often(CHUNKED, '1\r\nx\r\n'.repeat(1_000), FOREVER), FULL],
    [
      'whose body has 64 MiB',
      often(`${HEAD}content-length: ${64 * KIB * KIB}\r\n\r\n`, PIECE, KIB),
      FULL,
    ],
    [
      'whose body has one byte more than is kept',
      says(`${HEAD}\r\n${'x'.repeat(LIMIT + 1)}`),
      FULL,
    ],
    ['whose body has just what is kept', says(`${HEAD}\r\n${'x'.repeat(LIMIT)}`), FULL],
    [
      'that packs 32 MiB into a gzip bomb',
      says(Buffer.concat([Buffer.from(`${HEAD}content-encoding: gzip\r\n\r\n`), BOMB])),
      [200, null, /^.{1,40000}$/s],
    ],
    ['with 10,000 headers', says(`${HEAD}${'a: b\r\n'.repeat(10_000)}\r\n`), HEADERS_TOO_LONG],
    [
      'with a header of 1 MiB',
      says(`${HEAD}a: ${'b'.repeat(KIB * KIB)}\r\n\r\n`),
      HEADERS_TOO_LONG,
    ],
    [
      'with headers that never end',
      often(HEAD, 'a: b\r\n'.repeat(1_000), FOREVER),
      HEADERS_TOO_LONG,
    ],
    [
      'with trailers that never end',
      often(`${CHUNKED}0\r\n`, 'a: b\r\n'.repeat(1_000), FOREVER),
      [200, BROKEN_OFF],
    ],
    ['that hangs up at once', says(''), CUT],
    ['that resets the connection', (socket) => socket.resetAndDestroy(), CUT],
    ['that hangs up in the headers', says(`${HEAD}a: b`), CUT],
    [
      'that hangs up in the body',
      says(`${HEAD}content-length: 9\r\n\r\nxx`),
      [200, BROKEN_OFF, /^xx$/],
    ],
    [
      'that resets in the body',
      (socket) =>
        socket.write(`${HEAD}content-length: 9\r\n\r\nxx`, () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      // A reset may overtake bytes sent before it.
      [200, BROKEN_OFF, /^(xx)?$/],
    ],
    ['that hangs up between chunks', says(`${CHUNKED}1\r\nx\r\n`), [200, BROKEN_OFF, /^x$/]],
    ['that breaks its chunks', says(`${CHUNKED}1\r\nx\r\nsurprise`), [200, BROKEN_OFF, /^x$/]],
    ['whose status comes a byte at a time and wrong', slowly('H', 'T'), NOT_HTTP],
    [
      'that answers garbage',
      says(Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 167) % 256))),
      NOT_HTTP,
    ],
    ['that speaks SSH', says('SSH-2.0-OpenSSH_9.9\r\n'), NOT_HTTP],
    ['that speaks mail', says('220 mail.example.com ESMTP\r\n'), NOT_HTTP],
    [
      'that speaks HTTP/2',
      says(Buffer.from('00001204000000000000030000006400040000ffff', 'hex')),
      NOT_HTTP,
    ],
    [
      'with two lengths',
      says(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
      WRONG_LENGTH,
    ],
    [
      'that wants another protocol',
      says('HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      CUT,
    ],
    [
      'that sends no text',
      says(Buffer.from(`${HEAD}\r\na\0\xff\xe9b`, 'latin1')),
      [200, null, /^a\uFFFD{3}b$/],
    ],
    ['that answers twice', says(OK + OK), [200, null, /^ok$/]],
  ]

  const senderWithin = (timeoutMs: number) =>
    webhookSender({
      clock: wallClock,
      rules: { allowPlainHttp: false, allowed: readAllowedTargets('127.0.0.1') },
      timeoutMs,
    })
  const impatient = senderWithin(SHORT_MS)
  const patient = senderWithin(LONG_MS)
  after(() => Promise.all([impatient.close(), patient.close()]))

  async function meet(
    serve: (socket: Socket) => unknown,
    [status, error, answer]: Wanted,
  ): Promise<void> {
    const server = await listen((socket) => void socket.once('data', () => serve(socket)))
    const sender = error?.includes('within') ? impatient : patient
    try {
      const attempt = await sender.send({
        url: `http://127.0.0.1:${server.port}/`,
        headers: {},
        body: '{}',
      })
      assert.deepEqual([attempt.status, attempt.error], [status, error])
      assert.match(attempt.answer, answer ?? /^$/)
      assert.ok(attempt.answer.length <= LIMIT && attempt.durationMs >= 0)
      assert.equal(server.reached.length, 1)
      // The sender closes the connection itself: nothing here closes it.
      await until('end of the last connection', () => server.open() === 0)
    } finally {
      await server.close()
    }
  }

  for (const [receivers, concurrency] of [
    [SLOW, true],
    [OTHERS, false],
  ] as const) {
    describe('promise 11: a receiver', { concurrency }, () => {
      for (const [about, serve, wanted] of receivers)
        it(`${about}: the attempt ends with ${wanted[0] ?? 'nothing'}: ${wanted[1] ?? 'an answer'}`, () =>
          meet(serve, wanted))
    })
  }

  it('promise 11: memory stays flat after a hundred endless answers', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const used = (): number => {
      collectGarbage()
      return process.memoryUsage().heapUsed + process.memoryUsage().external
    }
    const flood = often(`${HEAD}\r\n`, PIECE, FOREVER)
    const server = await listen((socket) => void socket.once('data', () => flood(socket)))
    const request = { url: `http://127.0.0.1:${server.port}/`, headers: {}, body: '{}' }
    const before = used()
    for (let round = 0; round < 10; round++) {
      const attempts = await Promise.all(Array.from({ length: 10 }, () => patient.send(request)))
      assert.deepEqual([...new Set(attempts.map(({ status }) => status))], [200])
    }
    await until('end of the last connection', () => server.open() === 0)
    await server.close()
    // Buffers are freed on another thread.
    await until('memory below 20 MiB more than before', () => used() - before < 20 * KIB * KIB)
  })
})

// Verified by the receivers' library. It uses the real clock, so timestamps are current.
describe('promise 14: signatures', () => {
  const SEED = 20_261_115
  const run = (quick: number): fc.Parameters<unknown> => {
    const numRuns = tries(quick, 10 * quick)
    tried(numRuns)
    return { seed: SEED, numRuns, endOnFailure: true }
  }
  const now = (): number => Math.floor(Date.now() / 1_000)

  type Headers = Record<string, string>

  function verifies(secret: string, body: Buffer, headers: Headers): boolean {
    try {
      new Webhook(secret).verify(body, headers, { jsonParse: false })
      return true
    } catch {
      return false
    }
  }

  function turn(bytes: Uint8Array, bit: number): Buffer {
    const turned = Buffer.from(bytes)
    const at = bit % (bytes.length * 8)
    turned[at >> 3] = (turned[at >> 3] as number) ^ (1 << (at & 7))
    return turned
  }
  const turnText = (text: string, bit: number): string =>
    turn(Buffer.from(text), bit).toString('latin1')
  const anyId = fc.stringMatching(/^evt_[0-9a-z]{24}$/)
  const anySecret = fc.uint8Array({ minLength: 24, maxLength: 64 }).map(makeSigningSecret)
  const anyBody = fc
    .record({ event: fc.string({ unit: 'grapheme' }), data: fc.jsonValue({ maxDepth: 2 }) })
    .map((body) => JSON.stringify(body))

  describe('promise 14: a signature', () => {
    it('verifies in the receivers’ library with each of the signing secrets', () => {
      fc.assert(
        fc.property(
          anyId,
          anyBody,
          fc.array(anySecret, { minLength: 1, maxLength: 3 }),
          (id, body, secrets) => {
            const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets })
            for (const secret of secrets) assert.ok(verifies(secret, Buffer.from(body), headers))
            assert.equal(headers['webhook-signature']?.split(' ').length, secrets.length)
          },
        ),
        run(300),
      )
    })

    it('does not verify once a bit of the body, the id, the timestamp or the signature has changed', () => {
      fc.assert(
        fc.property(anyId, anyBody, anySecret, fc.nat(), (id, body, secret, bit) => {
          const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets: [secret] })
          assert.ok(verifies(secret, Buffer.from(body), headers))
          assert.ok(!verifies(secret, turn(Buffer.from(body), bit), headers), 'body')
          for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
            const changed = { ...headers, [name]: turnText(headers[name] as string, bit) }
            assert.ok(!verifies(secret, Buffer.from(body), changed), `${name}: ${changed[name]}`)
          }
        }),
        run(500),
      )
    })

    it('does not verify with another secret', () => {
      fc.assert(
        fc.property(anyId, anyBody, anySecret, anySecret, (id, body, secret, other) => {
          const headers = signatureHeaders({ id, timestampSeconds: now(), body, secrets: [secret] })
          assert.equal(verifies(other, Buffer.from(body), headers), other === secret)
        }),
        run(100),
      )
    })

    it('equals the specification’s example', () => {
      const headers = signatureHeaders({
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestampSeconds: 1_614_265_330,
        body: '{"test": 2432232314}',
        secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      })
      assert.deepEqual(headers, {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      })
    })

    it('of two secrets has both, separated by a space', () => {
      const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
      const { 'webhook-signature': both } = signatureHeaders({
        id: 'evt_1',
        timestampSeconds: 7,
        body: '{}',
        secrets: keys.map(makeSigningSecret),
      })
      const each = keys.map(
        (key) => `v1,${createHmac('sha256', key).update('evt_1.7.{}').digest('base64')}`,
      )
      assert.equal(both, each.join(' '))
    })
  })

  describe('a signing secret', () => {
    it('is whsec_ and the base64 of its bytes', () =>
      assert.match(makeSigningSecret(new Uint8Array(32).fill(255)), /^whsec_\/{42}8=$/))

    for (const length of [0, 23, 65])
      it(`of ${length} bytes is refused, for creation and for signing`, () => {
        assert.throws(() => makeSigningSecret(new Uint8Array(length)), RangeError)
        const secrets = [`whsec_${Buffer.alloc(length).toString('base64')}`]
        assert.throws(
          () => signatureHeaders({ id: 'evt_1', timestampSeconds: 7, body: '{}', secrets }),
          RangeError,
        )
      })

    it('without its prefix is refused for signing', () => {
      const secrets = [Buffer.alloc(32).toString('base64')]
      assert.throws(
        () => signatureHeaders({ id: 'evt_1', timestampSeconds: 7, body: '{}', secrets }),
        /whsec_/,
      )
    })
  })
})
