// Connections with plain requests on real sockets, and when they become Node's.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, it } from 'node:test'
import { until } from '../../test/kit/waiting.ts'
import type { HttpRequest } from './http-request.ts'
import { servePlainRequests } from './plain-connection.ts'

const get = (path: string, further = ''): string => `GET ${path} HTTP/1.1\r\nHost: karba\r\n${further}\r\n`
const HEADERS = ['content-type', 'text/plain']
const LONG_MS = 60_000
const AT_ONCE = '/ours/at-once'

/** What `serve` was given and has not answered. */
const waiting: HttpRequest[] = []
const seenByNode: string[] = []
const timesMs = { first: LONG_MS, silent: LONG_MS, told: 72_000 }
/** How many requests were over; each test has its own, since the end of a connection may be told late. */
let count = { over: 0 }
let server: Server
let socket: Socket
let received = ''

beforeEach(async () => {
  Object.assign(timesMs, { first: LONG_MS, silent: LONG_MS })
  waiting.length = 0
  seenByNode.length = 0
  const ownCount = { over: 0 }
  count = ownCount
  received = ''
  server = createServer((request, response) => {
    seenByNode.push(`${request.method} ${request.url}`)
    response.end('Node')
  })
  servePlainRequests(server, {
    headLimitBytes: 8_192,
    timesMs,
    serve(request) {
      if (!request.url.startsWith('/ours')) return false
      request.whenOver(() => ownCount.over++)
      waiting.push(request)
      if (request.url === AT_ONCE) answer('ours')
      return true
    },
    clock: { now: () => Date.UTC(2026, 10, 16, 17, 0, 0, 999) },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  socket.destroy()
  await once(server.close(), 'close')
})

function open(): void {
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    received += chunk
  })
}
async function send(text: string): Promise<void> {
  socket.write(text)
  await until('request at the server', () => waiting.length > 0)
}
function answer(text: string, closes = false): void {
  const request = waiting.shift() as HttpRequest
  request.answer(
    200,
    [...HEADERS, 'content-length', String(Buffer.byteLength(text))],
    text,
    Buffer.byteLength(text),
    closes,
  )
}
const hasReceived = (text: string) => until(`answer ${text}`, () => received.endsWith(text))

it('a plain request is answered as Node would, and Node does not see it', async () => {
  open()
  await send(get('/ours/1'))
  answer('wagashi')
  await hasReceived('wagashi')
  assert.deepEqual(received.split('\r\n'), [
    'HTTP/1.1 200 OK',
    'content-type: text/plain',
    'content-length: 7',
    'Date: Mon, 16 Nov 2026 17:00:00 GMT',
    'Connection: keep-alive',
    'Keep-Alive: timeout=72',
    '',
    'wagashi',
  ])
  assert.deepEqual(seenByNode, [])
  assert.equal(count.over, 1)
})

it('a body is given whole, and letters of more than one byte come back whole', async () => {
  open()
  await send('POST /ours HTTP/1.1\r\nHost: karba\r\nContent-Length: 6\r\n\r\nété!')
  waiting[0]?.receiveBody(
    6,
    (body) => answer(`${body}?`),
    () => assert.fail(),
  )
  await hasReceived('été!?')
})

it('a body that is too long is refused', async () => {
  open()
  await send('POST /ours HTTP/1.1\r\nHost: karba\r\nContent-Length: 4\r\n\r\ngari')
  let refused = ''
  waiting[0]?.receiveBody(
    3,
    () => assert.fail(),
    (why) => {
      refused = why
    },
  )
  assert.equal(refused, 'payload_too_large')
})

it('requests follow each other on one connection', async () => {
  open()
  for (let nth = 1; nth <= 4; nth++) {
    await send(get(`/ours/${nth}`))
    assert.equal(waiting[0]?.url, `/ours/${nth}`)
    answer(`answer ${nth}.`)
    await hasReceived(`answer ${nth}.`)
  }
  assert.equal(count.over, 4)
})

it('headers longer than it remembers are read as well', async () => {
  open()
  for (const nth of [1, 2]) {
    await send(get(`/ours/${nth}`, `x: ${'a'.repeat(4_000)}\r\n`))
    assert.equal(waiting[0]?.headers.x?.length, 4_000)
    answer(`answer ${nth}.`)
    await hasReceived(`answer ${nth}.`)
  }
  assert.deepEqual(seenByNode, [])
})

for (const [what, text] of [
  ['for a path that no route has', get('/theirs')],
  ['with headers that are not plain', get('/theirs', 'connection: keep-alive, x\r\n')],
] as const) {
  it(`a request ${what} is Node's, and so is the connection from then on`, async () => {
    open()
    await send(get('/ours/1'))
    answer('ours.')
    await hasReceived('ours.')
    socket.write(text)
    await until('Node to see it', () => seenByNode.length === 1)
    await until('answer of Node', () => /Node|0\r\n\r\n$/.test(received))
    socket.write(get('/ours/2'))
    await until('Node to see the next', () => seenByNode.length === 2)
    assert.deepEqual(seenByNode, ['GET /theirs', 'GET /ours/2'])
    assert.equal(waiting.length, 0)
  })
}

it('a request in two pieces is Node’s', async () => {
  open()
  const text = get('/ours/1')
  const [atServer] = (await once(server, 'connection')) as [Socket]
  socket.write(text.slice(0, 20))
  await until('first piece at the server', () => atServer.bytesRead === 20)
  socket.write(text.slice(20))
  await until('Node to see it', () => seenByNode.length === 1)
  assert.equal(waiting.length, 0)
})

it('what comes before an answer waits for it, and is answered after it', async () => {
  open()
  await send(get('/ours/1'))
  socket.write(get('/theirs/2') + get('/theirs/3'))
  const size = get('/ours/1').length + 2 * get('/theirs/2').length
  await until('the rest at the server', () => waiting[0]?.socket.bytesRead === size)
  assert.deepEqual(seenByNode, [])
  answer('first')
  await until('all answers', () => received.split('HTTP/1.1 200 OK').length === 4)
  assert.match(received, /first.*Node.*Node/s)
  assert.deepEqual(seenByNode, ['GET /theirs/2', 'GET /theirs/3'])
})

it('an answer may close the connection', async () => {
  open()
  await send(get('/ours/1'))
  answer('the last', true)
  await once(socket, 'close')
  assert.match(received, /\r\nConnection: close\r\n\r\nthe last$/)
  assert.equal(count.over, 1)
})

it('what comes before an answer that closes the connection is not answered', async () => {
  open()
  await send(get('/ours/1'))
  socket.write(get('/theirs'))
  await until('the rest at the server', () => waiting[0]?.socket.bytesRead === (get('/ours/1') + get('/theirs')).length)
  answer('the last', true)
  await once(socket, 'close')
  assert.match(received, /the last$/)
  assert.deepEqual(seenByNode, [])
})

it('a caller who goes away is told of once, and the answer goes nowhere', async () => {
  open()
  await send(get('/ours/1'))
  socket.destroy()
  await until('it to be over', () => count.over === 1)
  assert.equal(waiting[0]?.status, undefined)
  answer('nobody')
  assert.equal(count.over, 1)
})

it('a caller who ends its side has gone away, as for Node', async () => {
  open()
  await send(get('/ours/1'))
  socket.end()
  await until('it to be over', () => count.over === 1)
})

it('a connection can be cut instead of answered', async () => {
  open()
  await send(get('/ours/1'))
  waiting[0]?.cut()
  await once(socket, 'close')
  await until('it to be over', () => count.over === 1)
  assert.equal(received, '')
})

it('a header cannot hold the end of its line', async () => {
  open()
  await send(get('/ours/1'))
  assert.throws(() => waiting[0]?.answer(200, ['x', 'a\r\nb: c'], '', 0, false), { code: 'ERR_INVALID_CHAR' })
  answer('instead')
  await hasReceived('instead')
})

it('a new connection that says nothing is told that it was too slow', async () => {
  timesMs.first = 20
  server.on('clientError', (error: Error & { code?: string }, slow: Socket) => slow.end(String(error.code)))
  open()
  await hasReceived('ERR_HTTP_REQUEST_TIMEOUT')
})

it('a connection that has been answered and says nothing more is ended', async () => {
  timesMs.silent = 20
  open()
  // The silence begins with the request, so that its answer must not wait for this test.
  socket.write(get(AT_ONCE))
  await once(socket, 'close')
  assert.match(received, /ours$/)
})
