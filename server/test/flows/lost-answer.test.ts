// Promise 3: the answer to a create is lost between client and service, or between service and PostgreSQL. A retry gets
// the true answer and one payment exists (D-12, D-16).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { StoreOutcomeUnknown } from '../../src/store/engine/database.ts'
import { column } from '../kit/column.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, head, newMerchant, openTestService, order, post, type TestService } from '../kit/service.ts'
import { POSTGRES, STORES, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'

const TRIES = tries(40, 100)
const MOST_READS = 1_000

interface Cut {
  name: string
  /** How much of the request is sent. */
  share: number
  end(socket: Socket): void
  /** The permitted answers to a retry. */
  retry: readonly number[]
}

const CUTS: readonly Cut[] = [
  { name: 'closes after sending', share: 1, end: (socket) => socket.destroy(), retry: [200, 422] },
  { name: 'resets after sending', share: 1, end: (socket) => socket.resetAndDestroy(), retry: [200, 422] },
  { name: 'closes a little later', share: 1, end: (socket) => setImmediate(() => socket.destroy()), retry: [200, 422] },
  { name: 'closes halfway through', share: 0.9, end: (socket) => socket.destroy(), retry: [200] },
]

function requestText(secretKey: string, body: object): string {
  const text = JSON.stringify(body)
  const headers = { host: 'karba', ...head(secretKey), 'content-length': String(Buffer.byteLength(text)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /api/v1/payments HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

for (const store of STORES) {
  describe(`lost answer between client and service on ${store.name}`, () => {
    let service: TestService
    let port: number
    let account: NewAccount

    before(async () => {
      service = await openTestService(store)
      await service.app.listen({ host: '127.0.0.1', port: 0 })
      port = (service.app.server.address() as { port: number }).port
      account = (await service.merchant()).accounts.sandbox
    })
    after(() => service?.remove())

    /** Connected and paused: the client does not read the answer. */
    async function openSocket(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1').pause()
      await once(socket, 'connect')
      socket.on('error', () => {})
      return socket
    }

    async function assertOnePayment(transactionId: string, reference: unknown): Promise<void> {
      const read = await get(service, account.secretKey, transactionId)
      assert.deepEqual([read.code, read.body.reference], [200, reference])
      const rows = await service.db.rows<{ reference: string }>(
        'select reference from payments where account_id = $1 and external_reference = $2',
        [account.accountId, transactionId],
      )
      assert.deepEqual(column(rows, 'reference'), [reference])
    }

    for (const cut of CUTS) {
      it(`a retry after the client ${cut.name} gets ${cut.retry.join(' or ')}, and one payment exists`, async (t) => {
        let recorded = 0
        for (let n = 0; n < TRIES; n++) {
          const body = order()
          const text = requestText(account.secretKey, body)
          const socket = await openSocket()
          const closed = once(socket, 'close')
          socket.write(text.slice(0, Math.floor(text.length * cut.share)), () => cut.end(socket))
          await closed
          const again = await post(service, account.secretKey, body)
          assert.ok(cut.retry.includes(again.code), `${again.code}`)
          const existing = again.headers['svc-existing-reference']
          if (again.code === 422) recorded++
          await assertOnePayment(body.transaction_id as string, again.body.reference ?? existing)
        }
        tried(TRIES)
        t.diagnostic(`${recorded} of ${TRIES} had been recorded before the retry`)
      })
    }

    it('a retry after the commit gets 422 with the reference', async () => {
      for (let n = 0; n < TRIES; n++) {
        const body = order()
        const transactionId = body.transaction_id as string
        const socket = await openSocket()
        socket.write(requestText(account.secretKey, body))
        let read = await get(service, account.secretKey, transactionId)
        for (let reads = 1; read.code === 404 && reads < MOST_READS; reads++) {
          read = await get(service, account.secretKey, transactionId)
        }
        assert.equal(read.code, 200)
        socket.resetAndDestroy()
        const again = await post(service, account.secretKey, body)
        assert.equal(again.code, 422)
        assert.equal(again.headers['svc-existing-reference'], read.body.reference)
        await assertOnePayment(transactionId, read.body.reference)
      }
      tried(TRIES)
    })
  })
}

interface Way {
  url: string
  /** Ends the connection when PostgreSQL’s reply to the next matching statement passes. */
  cutNext(statement: 'INSERT' | 'COMMIT'): void
  cuts(): number
  close(): Promise<void>
}

/** A proxy to PostgreSQL that can cut the connection at the reply to a committed write. */
async function cuttableWay(databaseUrl: string): Promise<Way> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let cutting: string | undefined
  let cuts = 0
  const road = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (bytes) => far.write(bytes))
    // The reply may be split over two chunks.
    let last = Buffer.alloc(0)
    far.on('data', (bytes) => {
      last = Buffer.concat([last.subarray(-10), bytes])
      if (cutting !== undefined && last.includes(cutting)) {
        cutting = undefined
        cuts++
        near.destroy()
      } else near.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(road, 'listening')
  return {
    url: databaseUrl.replace(`:${port}/`, `:${(road.address() as { port: number }).port}/`),
    cutNext: (statement) => {
      cutting = statement
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      road.close()
      await once(road, 'close')
    },
  }
}

describe('lost answer between service and PostgreSQL', () => {
  let place: StorePlace
  let way: Way
  let service: TestService

  before(async () => {
    place = await POSTGRES.makePlace()
    way = await cuttableWay(place.config.databaseUrl)
    service = await openTestService(POSTGRES, { DATABASE_URL: way.url, KARBA_ROLE: 'api' })
  })
  after(async () => {
    await service?.remove()
    await way?.close()
    await place?.remove()
  })

  it('the service resolves the outcome before it answers: 200 for its own payment, 422 for another', async () => {
    const { secretKey } = (await service.merchant()).accounts.live
    const first = order()
    const { reference } = (await post(service, secretKey, first)).body
    for (let n = 1; n <= 5; n++) {
      const fresh = order()
      way.cutNext('INSERT')
      const [own, others] = await Promise.all([post(service, secretKey, fresh), post(service, secretKey, first)])
      assert.equal(way.cuts(), n)
      assert.deepEqual([own.code, others.code], [200, 422])
      assert.equal(others.headers['svc-existing-reference'], reference)
      const read = await get(service, secretKey, fresh.transaction_id as string)
      assert.equal(read.body.reference, own.body.reference)
    }
  })

  it('a link create gets no answer while its outcome is unknown, and a retry gets the existing link', async (t) => {
    const ownPlace = await POSTGRES.makePlace()
    const ownWay = await cuttableWay(ownPlace.config.databaseUrl)
    // No other writer commits here.
    const api = await openTestService(POSTGRES, { DATABASE_URL: ownWay.url, KARBA_ROLE: 'api' })
    t.after(async () => {
      await api.remove()
      await ownWay.close()
      await ownPlace.remove()
    })
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { secretKey, accountId } = (await api.merchant()).accounts.sandbox
    const headers = head(secretKey, { 'svc-payment-type': 'external_payment' })
    const ask = (transactionId: string): Promise<Response> => {
      const body = JSON.stringify({ amount: 15_000, title: 'Commande 12', transaction_id: transactionId })
      return fetch(`${address}/api/v1/external_payments`, { method: 'POST', headers, body })
    }
    assert.equal((await ask('link-0')).status, 200)
    ownWay.cutNext('COMMIT')
    await assert.rejects(ask('link-1'))
    const again = await ask('link-1')
    const rows = await api.db.rows<{ reference: string }>(
      `select reference from payments where account_id = $1 and external_reference = 'link-1'`,
      [accountId],
    )
    assert.equal(rows.length, 1)
    assert.deepEqual([again.status, again.headers.get('svc-existing-reference')], [422, rows[0]?.reference])
  })
})

// While the outcome of a commit is unknown every answer could be false, so the service cuts the connection.
describe('unknown outcome', () => {
  const SEED = 20_261_117

  let crashing: CrashingService
  let secretKey: string

  before(async () => {
    crashing = await openCrashingService({ random: seededRandom(SEED) })
    secretKey = (await newMerchant(crashing.service)).accounts.sandbox.secretKey
  })
  after(() => crashing.close())

  async function losingWrites(work: () => Promise<unknown>): Promise<void> {
    const error = new StoreOutcomeUnknown('the connection was lost in the middle of a write')
    const { process, service } = crashing
    process.storeFault = (during) => (during === 'write' ? { error, isDone: true, afterMs: 0 } : undefined)
    await work()
    process.storeFault = () => undefined
    assert.equal((await post(service, secretKey, order())).code, 200)
  }

  it('cuts the connection of a create over a socket', async () => {
    const { app } = crashing.service
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/payments`
    const request = { method: 'POST', headers: head(secretKey), body: JSON.stringify(order()) }
    await losingWrites(() => assert.rejects(fetch(url, request), TypeError))
  })

  it('rejects an injected create', () =>
    losingWrites(() => assert.rejects(post(crashing.service, secretKey, order()), { code: 'LIGHT_ECONNRESET' })))
})
