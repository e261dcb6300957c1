// /readyz means: can read, can write, moves payments on. It answers within two seconds whatever the store does, and says which part does not work.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { masterKeyCheck } from '../../src/service/master-key.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

let service: VirtualService
before(async () => {
  service = await openVirtualService()
})
after(() => service.remove())

async function ready(): Promise<[code: number, body: unknown]> {
  // What was seen is kept for a second.
  await service.clock.advance(1_000)
  const asking = service.app.inject({ method: 'GET', url: '/readyz' })
  await service.clock.advance(2_000)
  const answer = await asking
  return [answer.statusCode, answer.json()]
}
const notReady = (...failing: string[]): unknown => [503, { message: 'Service Unavailable', failing }]

it('a service that works is ready', async () => {
  assert.deepEqual(await ready(), [200, { status: 'ready' }])
})

it('a store that cannot be written is named', async () => {
  const { change } = service.db
  service.db.change = async () => {
    throw new Error('the disk is full')
  }
  assert.deepEqual(await ready(), notReady('write'))
  service.db.change = change
  assert.deepEqual(await ready(), [200, { status: 'ready' }])
})

it('a store that says nothing is named within two seconds', async () => {
  const { ping } = service.db
  service.db.ping = () => new Promise(() => {})
  assert.deepEqual(await ready(), notReady('read'))
  service.db.ping = ping
})

it('a store that was put under another master key is named', async () => {
  const put = (value: string, from: string) =>
    service.db.change(`update service_facts set value = $1 where name = 'master_key_check' and value = $2`, [
      value,
      from,
    ])
  const check = masterKeyCheck(service.master)
  await put('another', check)
  assert.deepEqual(await ready(), notReady('master_key'))
  await put(check, 'another')
  assert.deepEqual(await ready(), [200, { status: 'ready' }])
})

it('a worker that cannot look for due payments is named after 15 seconds, and the age of the oldest is measured', async () => {
  const { accountId } = (await service.merchant()).accounts.sandbox
  await insertPending(service, accountId, 1, { dueAt: service.clock.now() + 100 })
  const { rows } = service.db
  service.db.rows = async (sql, values) => {
    if (sql.includes('due_at')) throw new Error('nothing can be listed')
    return rows(sql, values)
  }
  await service.clock.advance(20_000)
  assert.deepEqual(await ready(), notReady('outcomes'))
  service.db.rows = rows
  const metrics = (await service.app.inject({ method: 'GET', url: '/metrics' })).body
  const age = /karba_payments_oldest_due_seconds\{environment="sandbox",connection="airtel_ne"\} (\d+)/.exec(metrics)
  assert.ok(Number(age?.[1]) >= 20, age?.[0])
  await service.clock.advance(5_000)
  assert.deepEqual(await ready(), [200, { status: 'ready' }])
})

it('the other metrics are read while the store is away', async () => {
  const { rows } = service.db
  service.db.rows = async () => {
    throw new Error('nothing can be listed')
  }
  await service.clock.advance(1_000)
  const answer = await service.app.inject({ method: 'GET', url: '/metrics' })
  service.db.rows = rows
  assert.equal(answer.statusCode, 200)
  assert.match(answer.body, /^karba_operator_up\{/m)
})
