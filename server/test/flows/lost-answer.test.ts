// Promise 3: the answer to a create is lost between client and service, or between service and
// PostgreSQL. A retry gets the true answer and one payment exists (D-12, D-16).

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { StoreOutcomeUnknown } from '../../src/store/engine/database.ts'
import { column } from '../kit/callers.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { freshDatabase, openBreakableWay } from '../kit/postgres.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { get, head, newMerchant, openTestService, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { POSTGRES, STORES } from '../kit/stores.ts'
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
  {
    name: 'resets after sending',
    share: 1,
    end: (socket) => socket.resetAndDestroy(),
    retry: [200, 422],
  },
  {
    name: 'closes a little later',
    share: 1,
    end: (socket) => setImmediate(() => socket.destroy()),
    retry: [200, 422],
  },
  { name: 'closes halfway through', share: 0.9, end: (socket) => socket.destroy(), retry: [200] },
]

function requestText(secretKey: string, body: object): string {
  const text = JSON.stringify(body)
  const headers = {
    host: 'karba',
    ...head(secretKey),
    'content-length': String(Buffer.byteLength(text)),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /api/v1/payments HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

for (const store of STORES) {
  describe(`lost answer between client and service on ${store.name}`, () => {
    const service = sharedWithAccount(() => openTestService(store))
    let port: number
    before(async () => {
      port = Number(new URL(await service.listen()).port)
    })

    /** Connected and paused: the client does not read the answer. */
    async function openSocket(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1').pause()
      await once(socket, 'connect')
      socket.on('error', () => {})
      return socket
    }

    async function assertOnePayment(transactionId: string, reference: unknown): Promise<void> {
      const read = await get(service, service.secretKey, transactionId)
      assert.deepEqual([read.code, read.body.reference], [200, reference])
      const sql = 'select reference from payments where external_reference = :transactionId'
      const rows = await service.db.read<{ reference: string }>(sql, { transactionId })
      assert.deepEqual(column(rows, 'reference'), [reference])
    }

    for (const cut of CUTS) {
      it(`a retry after the client ${cut.name} gets ${cut.retry.join(' or ')}, and one payment exists`, async (t) => {
        let recorded = 0
        for (let n = 0; n < TRIES; n++) {
          const body = order()
          const text = requestText(service.secretKey, body)
          const socket = await openSocket()
          const closed = once(socket, 'close')
          socket.write(text.slice(0, Math.floor(text.length * cut.share)), () => cut.end(socket))
          await closed
          const again = await post(service, service.secretKey, body)
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
        socket.write(requestText(service.secretKey, body))
        let read = await get(service, service.secretKey, transactionId)
        for (let reads = 1; read.code === 404 && reads < MOST_READS; reads++) {
          read = await get(service, service.secretKey, transactionId)
        }
        assert.equal(read.code, 200)
        socket.resetAndDestroy()
        const again = await post(service, service.secretKey, body)
        assert.equal(again.code, 422)
        assert.equal(again.headers['svc-existing-reference'], read.body.reference)
        await assertOnePayment(transactionId, read.body.reference)
      }
      tried(TRIES)
    })
  })
}

describe('lost answer between service and PostgreSQL', () => {
  const service = sharedWithAccount(async () => {
    const way = await openBreakableWay(await freshDatabase({ isMigrated: true }))
    const opened = await openTestService(POSTGRES, { DATABASE_URL: way.url, KARBA_ROLE: 'api' })
    const remove = async (): Promise<void> => {
      await opened.remove()
      way.close()
    }
    return { ...opened, way, remove }
  })

  // First, so that no payment of another test commits meanwhile.
  it('a link create gets no answer while its outcome is unknown, and a retry gets the existing link', async () => {
    const { secretKey, way, db } = service
    const address = await service.listen()
    const headers = head(secretKey, { 'svc-payment-type': 'external_payment' })
    const ask = (transactionId: string): Promise<Response> => {
      const body = JSON.stringify({
        amount: 15_000,
        title: 'Commande 12',
        transaction_id: transactionId,
      })
      return fetch(`${address}/api/v1/external_payments`, { method: 'POST', headers, body })
    }
    assert.equal((await ask('link-0')).status, 200)
    way.cutNext('COMMIT')
    await assert.rejects(ask('link-1'))
    const again = await ask('link-1')
    const sql = `select reference from payments where external_reference = 'link-1'`
    const rows = await db.read<{ reference: string }>(sql)
    const found = [{ reference: again.headers.get('svc-existing-reference') }]
    assert.deepEqual([again.status, found], [422, rows])
  })

  it('the service resolves the outcome before it answers: 200 for its own payment, 422 for another', async () => {
    const { secretKey, way } = service
    const first = order()
    const { reference } = (await post(service, secretKey, first)).body
    const before = way.cuts()
    for (let n = 1; n <= 5; n++) {
      const fresh = order()
      way.cutNext('INSERT')
      const [own, others] = await Promise.all([
        post(service, secretKey, fresh),
        post(service, secretKey, first),
      ])
      assert.equal(way.cuts(), before + n)
      assert.deepEqual([own.code, others.code], [200, 422])
      assert.equal(others.headers['svc-existing-reference'], reference)
      const read = await get(service, secretKey, fresh.transaction_id as string)
      assert.equal(read.body.reference, own.body.reference)
    }
  })
})

// While the outcome of a commit is unknown every answer could be false, so the service cuts the
// connection.
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
    process.storeFault = (during) =>
      during === 'write' ? { error, isDone: true, afterMs: 0 } : undefined
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
    losingWrites(() =>
      assert.rejects(post(crashing.service, secretKey, order()), { code: 'LIGHT_ECONNRESET' }),
    ))
})
