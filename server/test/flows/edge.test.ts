// The HTTP edge: refusals, request logs, connection limits, the stop, and /readyz.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { makeLog } from '../../src/observability/log.ts'
import { masterKeyCheck } from '../../src/service/master-key.ts'
import { textOf } from '../../src/store/engine/database.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { get, head, openTestService, order, post } from '../kit/service.ts'
import { shared, sharedWithAccount } from '../kit/shared.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService } from '../kit/virtual-service.ts'
import { until, within } from '../kit/waiting.ts'

/** The text that a socket has received so far. */
function received(socket: Socket): () => string {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}

describe('HTTP edge', () => {
  const lines: string[] = []
  const logged = (text: RegExp): number => lines.filter((line) => text.test(line)).length
  const PRODUCTION = {
    KARBA_MODE: 'production',
    PUBLIC_URL: 'https://pay.example',
    KARBA_METRICS_TOKEN: '',
  }
  const log = makeLog('info', { write: (line) => void lines.push(line) })
  const service = sharedWithAccount(() => openTestService(undefined, PRODUCTION, { log }))
  before(() => service.listen())

  async function raw(text: string): Promise<string> {
    const { port } = service.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const answer = received(socket)
    // The socket stays half-open: Node may drop the answer once the client has sent FIN.
    socket.write(text)
    await once(socket, 'close')
    return answer()
  }

  for (const doubled of [
    'Authorization: Bearer sk_a\r\nauthorization: Bearer sk_b',
    'Host: a.example\r\nhost: b.example',
  ]) {
    it(`refuses two ${doubled.split(':', 1)[0]} headers with 400`, async () => {
      const host = doubled.startsWith('Host') ? '' : 'Host: karba\r\n'
      const answer = await raw(
        `GET /api/v1/payments/x HTTP/1.1\r\n${host}${doubled}\r\nconnection: close\r\n\r\n`,
      )
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*\{"message":"Bad Request"\}$/)
    })
  }

  it('sends Strict-Transport-Security on every answer over HTTPS', async () => {
    const { headers } = await get(service, service.secretKey, 'nothing')
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
  })

  it('request ids do not reveal the number of requests', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, () => get(service, service.secretKey, 'nothing')),
    )
    const texts = ids.map(({ headers }) => headers['x-request-id'] as string)
    assert.equal(new Set(texts).size, 50)
    for (const id of texts) assert.match(id, /^req_[\w-]{16}$/)
    assert.ok(new Set(texts.map((id) => id.slice(0, 8))).size > 45, 'no common prefix')
  })

  it('logs the caller’s network and key with each request', async () => {
    const { body } = await post(service, service.secretKey, order())
    const line = lines
      .map((each) => JSON.parse(each))
      .find(({ payment }) => payment === body.reference)
    assert.equal(line.network, '127.0.0.1')
    assert.match(line.keyId, /^key_/)
  })

  it('warns once about an unlisted address that sends forwarding headers', async () => {
    for (let count = 0; count < 3; count++) {
      await raw(
        'GET /healthz HTTP/1.1\r\nhost: karba\r\nx-forwarded-for: 41.138.10.7\r\nconnection: close\r\n\r\n',
      )
    }
    assert.equal(logged(/KARBA_TRUST_PROXY/), 1)
  })

  it('warns once a minute about a network that tries many keys', async () => {
    for (let count = 0; count < 40; count++)
      await get(service, `sk_sandbox_${'x'.repeat(32)}`, 'nothing')
    await until('warning in the log', () => logged(/keys of this network were refused/) === 1)
  })

  it('production /metrics without a configured token: closed, also for a local proxy that adds no header', async () => {
    const ask = (more: string) =>
      raw(`GET /metrics HTTP/1.1\r\nhost: karba\r\n${more}connection: close\r\n\r\n`)
    for (const more of [
      '',
      'x-forwarded-for: 41.138.10.7\r\n',
      'authorization: Bearer \r\n',
      'authorization: \r\n',
    ])
      assert.match(await ask(more), /^HTTP\/1\.1 404 /)
  })

  it('production /metrics with a configured token: open to requests with that token', async () => {
    const other = await openTestService(undefined, {
      ...PRODUCTION,
      KARBA_METRICS_TOKEN: 'a-token-for-metrics',
    })
    const codeOf = async (token: string) =>
      (await other.app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } }))
        .statusCode
    assert.deepEqual(
      [await codeOf('a-token-for-metrics'), await codeOf('a-token-for-metricS')],
      [200, 404],
    )
    await other.remove()
  })
})

// One client’s connections must not harm other clients. Real sockets (promise 18).
describe('connections', () => {
  const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: karba\r\n\r\n'
  /** A local address that no proxy uses, so its limits apply. */
  const STRANGER = '127.0.0.5'

  const LIMITS = { KARBA_CONNECTIONS: '50', KARBA_CONNECTIONS_PER_ADDRESS: '10' }
  const sockets: Socket[] = []
  after(() => sockets.map((socket) => socket.destroy()))
  const service = shared(() => openTestService(undefined, LIMITS))
  let port: number
  before(async () => {
    port = Number(new URL(await service.listen()).port)
  })

  async function open(localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const ended = (socket: Socket): Promise<unknown> =>
    until('end of the connection', () => socket.resume().closed)
  /** The status line; empty when the server closed the connection without an answer. */
  async function answer(socket: Socket): Promise<string> {
    const text = received(socket)
    socket.write(HEALTH)
    await until('answer', () => text().includes('\r\n') || socket.closed)
    return text().split('\r\n', 1)[0] as string
  }
  async function refused(because: string): Promise<number> {
    const { body } = await service.app.inject({ url: '/metrics' })
    return Number(
      new RegExp(`karba_connections_refused_total\\{because="${because}"\\} (\\d+)`).exec(
        body,
      )?.[1] ?? 0,
    )
  }

  it('closes a connection with thousands of pipelined requests, and still answers other clients', async () => {
    const greedy = await open()
    greedy.write(HEALTH.repeat(2_000))
    await ended(greedy)
    assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
    await until('count in /metrics', async () => (await refused('too_many_requests')) === 1)
  })

  it('answers a connection with the allowed number of pipelined requests', async () => {
    const honest = await open()
    const answers = received(honest)
    honest.write(HEALTH.repeat(32))
    await until('all answers', () => answers().split('HTTP/1.1 200 OK').length === 33)
  })

  it('limits the connections per address to the configured number', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, () => open(STRANGER)))
    // An answer proves that the connection was accepted: several accept queues have no common
    // order.
    for (const socket of ten) assert.equal(await answer(socket), 'HTTP/1.1 200 OK')
    const eleventh = await open(STRANGER)
    await ended(eleventh)
    assert.equal(await answer(ten[0] as Socket), 'HTTP/1.1 200 OK')
    for (const socket of ten) socket.destroy()
    await until(
      'room for a new connection',
      async () => (await answer(await open(STRANGER))) === 'HTTP/1.1 200 OK',
    )
  })

  it('evicts the connections that have been idle longest', async () => {
    const first = await open()
    await answer(first)
    for (let more = 0; more < 60; more++) await answer(await open())
    await ended(first)
    assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
  })

  for (const [about, before] of [
    ['', ''],
    [', also after a complete pipelined request', HEALTH],
  ] as const) {
    it(`evicts connections with incomplete requests${about}, and stops counting them`, async () => {
      const half = 'POST /pay/x HTTP/1.1\r\nhost: karba\r\ncontent-length: 100\r\n\r\na'
      for (let more = 0; more < 60; more++) {
        const socket = await open()
        socket.write(before + half)
        if (before !== '') await once(socket, 'data')
      }
      await until('requests in flight', () => service.app.underWay() > 1)
      for (let more = 0; more < 5; more++)
        assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
      for (const socket of sockets) socket.destroy()
      await until('end of all requests', () => service.app.underWay() === 0)
    })
  }

  it('answers the valid request before invalid bytes, and nothing after them', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const body = JSON.stringify(order())
    const headers = Object.entries({
      host: 'karba',
      'content-length': String(body.length),
      ...head(secretKey),
    })
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const socket = await open()
    const text = received(socket)
    socket.write(`POST /api/v1/payments HTTP/1.1\r\n${lines}\r\n${body}\0`)
    await ended(socket)
    assert.deepEqual(text().match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200'])
  })

  it('answers 4xx to a method that no route has', async () => {
    const socket = await open()
    const text = received(socket)
    socket.write('QUERY /api/v1/payments HTTP/1.1\r\nhost: karba\r\n\r\n')
    await until('answer', () => /^HTTP\/1.1 4\d\d/.test(text()))
  })
})

describe('stop of the server', () => {
  const CONNECTIONS = 64

  async function beginCreate(
    port: number,
    headers: string,
  ): Promise<{ socket: Socket; rest: string }> {
    const body = JSON.stringify(order())
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST /api/v1/payments HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body.slice(0, 10))
    return { socket, rest: body.slice(10) }
  }

  it('answers the requests in flight on every connection, and then closes the store', async () => {
    const service = await openTestService(SQLITE, { KARBA_STOP_WITHIN_MS: '60000' })
    const port = Number(new URL(await service.listen()).port)
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const headers = Object.entries(head(secretKey)).map(([name, value]) => `${name}: ${value}\r\n`)
    const begun = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => beginCreate(port, headers.join(''))),
    )
    await until(
      'request in flight on each connection',
      () => service.app.underWay() === CONNECTIONS,
    )
    const { body: metrics } = await service.app.inject('/metrics')
    // Plus the connection that reads the count.
    assert.match(metrics, new RegExp(`^karba_http_requests_under_way ${CONNECTIONS + 1}$`, 'm'))
    const closed = service.close()
    // In sequence: a stop that did not wait for all of them would close the store before the last
    // answer.
    for (const { socket, rest } of begun) {
      socket.write(rest)
      const [chunk] = (await within('answer', once(socket, 'data'))) as [Buffer]
      assert.equal(chunk.toString('latin1', 0, 12), 'HTTP/1.1 200')
    }
    await closed
    await service.place.remove()
  })
})

// /readyz answers within two seconds in every state of the store, and names the failing part.
describe('readiness', () => {
  const service = shared(() => openVirtualService())
  async function ready(): Promise<[code: number, body: unknown]> {
    // /readyz caches its result for a second.
    await service.clock.advance(1_000)
    const asking = service.app.inject({ method: 'GET', url: '/readyz' })
    await service.clock.advance(2_000)
    const answer = await asking
    return [answer.statusCode, answer.json()]
  }
  const READY = [200, { status: 'ready' }]
  const notReady = (...failing: string[]): unknown => [
    503,
    { message: 'Service Unavailable', failing },
  ]

  it('a working service is ready', async () => {
    assert.deepEqual(await ready(), READY)
  })

  it('names a store that refuses writes', async () => {
    const { change } = service.db
    service.db.change = async () => {
      throw new Error('the disk is full')
    }
    assert.deepEqual(await ready(), notReady('write'))
    service.db.change = change
    assert.deepEqual(await ready(), READY)
  })

  it('names a store that does not answer, within two seconds', async () => {
    const { ping } = service.db
    service.db.ping = () => new Promise(() => {})
    assert.deepEqual(await ready(), notReady('read'))
    service.db.ping = ping
  })

  it('names a store that was encrypted under another master key', async () => {
    const sql = `update service_facts set value = :value
      where name = 'master_key_check' and value = :from`
    const put = (value: string, from: string) => service.db.change(sql, { value, from })
    const check = masterKeyCheck(service.master)
    await put('another', check)
    assert.deepEqual(await ready(), notReady('master_key'))
    await put(check, 'another')
    assert.deepEqual(await ready(), READY)
  })

  it('names a worker that cannot list due payments after 15 seconds, and measures the age of the oldest', async () => {
    const { accountId } = (await service.merchant()).accounts.sandbox
    await insertPending(service, accountId, 1, { dueAt: service.clock.now() + 100 })
    const { read: rows } = service.db
    service.db.read = async (sql, values) => {
      if (textOf(sql, 'sqlite').includes('due_at')) throw new Error('nothing can be listed')
      return rows(sql, values)
    }
    await service.clock.advance(20_000)
    assert.deepEqual(await ready(), notReady('outcomes'))
    service.db.read = rows
    const metrics = (await service.app.inject({ method: 'GET', url: '/metrics' })).body
    const age =
      /karba_payments_oldest_due_seconds\{environment="sandbox",connection="airtel_ne"\} (\d+)/.exec(
        metrics,
      )
    assert.ok(Number(age?.[1]) >= 20, age?.[0])
    await service.clock.advance(5_000)
    assert.deepEqual(await ready(), READY)
  })

  it('serves the other metrics during a store outage', async () => {
    const { read: rows } = service.db
    service.db.read = async () => {
      throw new Error('nothing can be listed')
    }
    await service.clock.advance(1_000)
    const answer = await service.app.inject({ method: 'GET', url: '/metrics' })
    service.db.read = rows
    assert.equal(answer.statusCode, 200)
    assert.match(answer.body, /^karba_operator_up\{/m)
  })
})
