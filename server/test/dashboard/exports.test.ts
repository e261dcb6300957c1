// Exports of payments over real sockets, on a clock that the test moves, so that an export rests until then: one at a time for a person, few for the process, and a reader that stops or leaves holds nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Fastify from 'fastify'
import { sendPaced } from '../../src/dashboard-api/payment-routes.ts'
import { type SignedIn, signedIn } from '../kit/people.ts'
import { order, post } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { virtualClock } from '../kit/virtual-clock.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'
import { until, within } from '../kit/waiting.ts'

/** Three slices. */
const PAYMENTS = 250

describe('exports', () => {
  let service: VirtualService
  let address: string
  before(async () => {
    service = await openVirtualService(SQLITE)
    address = await service.listen()
  })
  after(() => service.remove())

  async function merchantWith(payments: number, validateLive = true): Promise<{ url: string; who: SignedIn }> {
    const { merchantId, accounts } = await service.merchant({ validateLive })
    const { accountId, secretKey } = accounts.sandbox
    await Promise.all(Array.from({ length: payments }, () => post(service, secretKey, order())))
    const who = await signedIn(service, { at: merchantId, as: 'owner' })
    return { url: `/dashboard/api/accounts/${accountId}/payments.csv?language=en`, who }
  }

  const ask = (url: string, { cookie }: SignedIn) => fetch(address + url, { headers: { cookie } })

  /** Asks, and reads no further than the first slice. */
  async function begin(url: string, { cookie }: SignedIn): Promise<Socket> {
    const { port } = service.app.server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1' })
    socket.write(`GET ${url} HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`)
    assert.match(String(await within('the first slice', once(socket, 'data'))), /^HTTP\/1\.1 200/)
    return socket.pause()
  }

  it('exports: of ten that a person asks for at once one is made, whole, and the others say why not', async () => {
    const { url, who } = await merchantWith(PAYMENTS)
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(url, who)))
    const made = answers.filter(({ status }) => status === 200)
    assert.equal(made.length, 1)
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5'])
      assert.deepEqual(await refused.json(), { code: 'export_under_way' })
    }
    const text = await service.clock.advanceUntil('file', (made[0] as Response).text())
    const lines = text.trimEnd().split('\r\n')
    assert.equal(lines.length, PAYMENTS + 1)
    assert.equal(new Set(lines.map((line) => line.split(';')[2])).size, PAYMENTS + 1, 'each payment once')
    const next = await ask(url, who)
    assert.equal(next.status, 200)
    await next.body?.cancel()
  })

  it('exports: one that its reader leaves makes room at once', async () => {
    const { url, who } = await merchantWith(PAYMENTS)
    const socket = await begin(url, who)
    assert.equal((await ask(url, who)).status, 429)
    socket.destroy()
    await until(
      'the next one',
      async () => {
        const answer = await ask(url, who)
        await answer.body?.cancel()
        return answer.status === 200
      },
      30_000,
      100,
    )
  })

  it('exports: merchants that are not validated leave slots to those that are', async () => {
    const [first, second, third, validated] = [
      await merchantWith(PAYMENTS, false),
      await merchantWith(1, false),
      await merchantWith(1, false),
      await merchantWith(1),
    ]
    const slow = await begin(first.url, first.who)
    for (const { url, who } of [second, third]) {
      assert.deepEqual(await (await ask(url, who)).json(), { code: 'too_many_exports' })
    }
    assert.equal((await ask(validated.url, validated.who)).status, 200)
    slow.destroy()
  })
})

it('exports: a reader that takes nothing for 20 seconds is cut off, and no more is made for it', async () => {
  const clock = virtualClock()
  const app = Fastify()
  let made = 0
  let ended = 0
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      made++
      yield 'x'.repeat(1_000_000)
    }
  }
  app.get('/', async (_request, reply) => sendPaced(reply, clock, endless(), () => ended++))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('full buffers', async () => {
    const before = made
    for (let turn = 0; turn < 10; turn++) {
      await clock.advance(15)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return made > 0 && made === before
  })
  assert.ok(made < 30, `${made} slices were made for somebody who does not read`)
  const atFull = made
  await clock.advance(20_000)
  socket.resume()
  await within('the end of the connection', once(socket, 'close'))
  assert.deepEqual([made, ended], [atFull, 1])
  await app.close()
})
