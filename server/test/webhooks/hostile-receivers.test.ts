// Promise 11: whatever a receiver does, an attempt ends, with the receiver's word where there was one, and nothing of it stays: no
// socket, no memory. Real sockets and the real clock. Only those that are meant to meet the deadline meet a short one: a slow machine must not decide the others.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readAllowedTargets } from '../../src/webhooks/safe-address.ts'
import { webhookSender } from '../../src/webhooks/send.ts'
import { until } from '../kit/waiting.ts'
import { listen, OK, wallClock } from './loopback.ts'

const SHORT_MS = 500
const LONG_MS = 30_000
const KIB = 1_024
const LIMIT = 64 * KIB
const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`
const BOMB = gzipSync(Buffer.alloc(32 * KIB * KIB))
const PIECE = Buffer.alloc(64 * KIB, 'x')

/** Says `first` at once, and then a piece of what follows every 30 ms. */
const slowly = (first: string, piece: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(piece), 30)
  socket.on('close', () => clearInterval(timer))
}

/** Writes as fast as it is read, so many times. */
const often = (first: string, piece: string | Buffer, times: number) => async (socket: Socket) => {
  socket.write(first)
  for (let n = 0; n < times && !socket.destroyed; n++) {
    if (!socket.write(piece)) await once(socket, 'drain').catch(() => {})
  }
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
const FULL: Wanted = [200, null, new RegExp(`^x{${LIMIT}}$`)]

const FOREVER = Number.POSITIVE_INFINITY
const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'

/** What a receiver does once the request has arrived. */
type Receiver = [about: string, serve: (socket: Socket) => unknown, wanted: Wanted]

/** These meet the deadline, all at the same time. */
const SLOW: Receiver[] = [
  ['that never answers', () => {}, TOO_SLOW],
  ['whose headers come a byte every 30 ms', slowly(`${HEAD}a: `, 'a'), TOO_SLOW],
  ['that gives a hint every 30 ms', slowly(HINT, HINT), ENDLESS_HINTS],
  [
    'whose body comes a byte every 30 ms',
    slowly(`${HEAD}content-length: 900\r\n\r\n`, 'x'),
    [200, NOT_COMPLETE, /^x{0,900}$/],
  ],
  ['whose chunk size never ends', slowly(CHUNKED, '0'), [200, NOT_COMPLETE]],
]

const OTHERS: Receiver[] = [
  ['that floods with hints', often(HINT, HINT.repeat(100), FOREVER), ENDLESS_HINTS],
  ['whose chunk extension never ends', often(`${CHUNKED}1;`, PIECE, FOREVER), [200, NOT_COMPLETE]],
  ['whose body never ends', often(`${HEAD}\r\n`, PIECE, FOREVER), FULL],
  ['whose chunks never end', often(CHUNKED, '1\r\nx\r\n'.repeat(1_000), FOREVER), FULL],
  ['whose body has 64 MiB', often(`${HEAD}content-length: ${64 * KIB * KIB}\r\n\r\n`, PIECE, KIB), FULL],
  ['whose body has one byte more than is kept', says(`${HEAD}\r\n${'x'.repeat(LIMIT + 1)}`), FULL],
  ['whose body has just what is kept', says(`${HEAD}\r\n${'x'.repeat(LIMIT)}`), FULL],
  [
    'that packs 32 MiB into a gzip bomb',
    says(Buffer.concat([Buffer.from(`${HEAD}content-encoding: gzip\r\n\r\n`), BOMB])),
    [200, null, /^.{1,40000}$/s],
  ],
  ['with 10,000 headers', says(`${HEAD}${'a: b\r\n'.repeat(10_000)}\r\n`), HEADERS_TOO_LONG],
  ['with a header of 1 MiB', says(`${HEAD}a: ${'b'.repeat(KIB * KIB)}\r\n\r\n`), HEADERS_TOO_LONG],
  ['with headers that never end', often(HEAD, 'a: b\r\n'.repeat(1_000), FOREVER), HEADERS_TOO_LONG],
  ['with trailers that never end', often(`${CHUNKED}0\r\n`, 'a: b\r\n'.repeat(1_000), FOREVER), [200, BROKEN_OFF]],
  ['that hangs up at once', says(''), CUT],
  ['that resets the connection', (socket) => socket.resetAndDestroy(), CUT],
  ['that hangs up in the headers', says(`${HEAD}a: b`), CUT],
  ['that hangs up in the body', says(`${HEAD}content-length: 9\r\n\r\nxx`), [200, BROKEN_OFF, /^xx$/]],
  [
    'that resets in the body',
    (socket) => socket.write(`${HEAD}content-length: 9\r\n\r\nxx`, () => setImmediate(() => socket.resetAndDestroy())),
    // A reset may overtake what was sent before it.
    [200, BROKEN_OFF, /^(xx)?$/],
  ],
  ['that hangs up between chunks', says(`${CHUNKED}1\r\nx\r\n`), [200, BROKEN_OFF, /^x$/]],
  ['that breaks its chunks', says(`${CHUNKED}1\r\nx\r\nsurprise`), [200, BROKEN_OFF, /^x$/]],
  ['whose status comes a byte at a time and wrong', slowly('H', 'T'), NOT_HTTP],
  ['that answers garbage', says(Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 167) % 256))), NOT_HTTP],
  ['that speaks SSH', says('SSH-2.0-OpenSSH_9.9\r\n'), NOT_HTTP],
  ['that speaks mail', says('220 mail.example.com ESMTP\r\n'), NOT_HTTP],
  ['that speaks HTTP/2', says(Buffer.from('00001204000000000000030000006400040000ffff', 'hex')), NOT_HTTP],
  [
    'with two lengths',
    says(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    [null, 'the answer is not as long as it says'],
  ],
  [
    'that wants another protocol',
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    CUT,
  ],
  ['that sends no text', says(Buffer.from(`${HEAD}\r\na\0\xff\xe9b`, 'latin1')), [200, null, /^a\uFFFD{3}b$/]],
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

async function meet(serve: (socket: Socket) => unknown, [status, error, answer]: Wanted): Promise<void> {
  const server = await listen((socket) => void socket.once('data', () => serve(socket)))
  const sender = error?.includes('within') ? impatient : patient
  try {
    const attempt = await sender.send({ url: `http://127.0.0.1:${server.port}/`, headers: {}, body: '{}' })
    assert.deepEqual([attempt.status, attempt.error], [status, error])
    assert.match(attempt.answer, answer ?? /^$/)
    assert.ok(attempt.answer.length <= LIMIT && attempt.durationMs >= 0)
    assert.equal(server.reached.length, 1)
    // The sender lets go of the connection itself: nothing here closes it.
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
    for (const [about, serve, wanted] of receivers) {
      it(`${about} is left with ${wanted[0] ?? 'nothing'}: ${wanted[1] ?? 'an answer'}`, () => meet(serve, wanted))
    }
  })
}

describe('promise 11: memory', () => {
  it('stays as it was after a hundred answers without an end', async () => {
    const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external
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
    const grownMib = (used() - before) / (KIB * KIB)
    assert.ok(grownMib < 20, `${grownMib.toFixed(1)} MiB`)
  })
})
