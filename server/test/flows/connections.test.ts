// What one connection, or many, can do to the others: nothing that they would notice. Real sockets.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { head, openTestService, order, type TestService } from '../kit/service.ts'
import { until } from '../kit/waiting.ts'

const HEALTH = 'GET /healthz HTTP/1.1\r\nhost: karba\r\n\r\n'
/** On this machine, and no address that proxies use: its limits hold for it. */
const STRANGER = '127.0.0.5'

describe('connections', () => {
  const sockets: Socket[] = []
  let service: TestService
  let port: number
  before(async () => {
    service = await openTestService(undefined, { KARBA_CONNECTIONS: '50', KARBA_CONNECTIONS_PER_ADDRESS: '10' })
    await service.listen()
    port = (service.app.server.address() as AddressInfo).port
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await service.remove()
  })

  async function open(localAddress = '127.0.0.1'): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
  const ended = (socket: Socket): Promise<unknown> => until('end of the connection', () => socket.resume().closed)
  /** The first line; empty when the connection was ended instead. */
  async function answer(socket: Socket): Promise<string> {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(HEALTH)
    await until('answer', () => text.includes('\r\n') || socket.closed)
    return text.split('\r\n', 1)[0] as string
  }
  async function refused(because: string): Promise<number> {
    const { body } = await service.app.inject({ url: '/metrics' })
    return Number(new RegExp(`karba_connections_refused_total\\{because="${because}"\\} (\\d+)`).exec(body)?.[1] ?? 0)
  }

  it('with thousands of requests at once is ended, and others are answered', async () => {
    const greedy = await open()
    greedy.write(HEALTH.repeat(2_000))
    await ended(greedy)
    assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
    await until('count of it in /metrics', async () => (await refused('too_many_requests')) === 1)
  })

  it('with as many requests at once as an honest client may send is answered', async () => {
    const honest = await open()
    honest.write(HEALTH.repeat(32))
    let answers = ''
    honest.on('data', (chunk) => {
      answers += chunk
    })
    await until('all answers', () => answers.split('HTTP/1.1 200 OK').length === 33)
  })

  it('of one address are no more than the settings say', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, () => open(STRANGER)))
    // An answer shows that it was accepted: connections wait for that in several queues, in no order.
    for (const socket of ten) assert.equal(await answer(socket), 'HTTP/1.1 200 OK')
    const eleventh = await open(STRANGER)
    await ended(eleventh)
    assert.equal(await answer(ten[0] as Socket), 'HTTP/1.1 200 OK')
    for (const socket of ten) socket.destroy()
    await until('room for a new one', async () => (await answer(await open(STRANGER))) === 'HTTP/1.1 200 OK')
  })

  it('that have been idle longest make room for new ones', async () => {
    const first = await open()
    await answer(first)
    for (let more = 0; more < 60; more++) await answer(await open())
    await ended(first)
    assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
  })

  for (const [about, before] of [
    ['', ''],
    [', also behind one that did', HEALTH],
  ] as const) {
    it(`whose requests never come whole${about}, make room for new ones, and are not counted when they have gone`, async () => {
      const half = 'POST /pay/x HTTP/1.1\r\nhost: karba\r\ncontent-length: 100\r\n\r\na'
      for (let more = 0; more < 60; more++) {
        const socket = await open()
        socket.write(before + half)
        if (before !== '') await once(socket, 'data')
      }
      await until('requests under way', () => service.app.underWay() > 1)
      for (let more = 0; more < 5; more++) assert.equal(await answer(await open()), 'HTTP/1.1 200 OK')
      for (const socket of sockets) socket.destroy()
      await until('end of all requests', () => service.app.underWay() === 0)
    })
  }

  it('with bytes that are no request after one that is answer that one, and nothing else', async () => {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const body = JSON.stringify(order())
    const headers = Object.entries({ host: 'karba', 'content-length': String(body.length), ...head(secretKey) })
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    const socket = await open()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(`POST /api/v1/payments HTTP/1.1\r\n${lines}\r\n${body}\0`)
    await ended(socket)
    assert.deepEqual(text.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200'])
  })

  it('with a method that no route has are told so', async () => {
    const socket = await open()
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write('QUERY /api/v1/payments HTTP/1.1\r\nhost: karba\r\n\r\n')
    await until('answer', () => /^HTTP\/1.1 4\d\d/.test(text))
  })
})
