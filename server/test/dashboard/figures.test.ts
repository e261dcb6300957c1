// The console's figures over several processes, on both stores.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { figuresRecorder } from '../../src/service/figures-recorder.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { SQLITE } from '../kit/stores.ts'
import { openVirtualService, type VirtualService } from '../kit/virtual-service.ts'

const HOUR_MS = 3_600_000

describe('figures of the last hour', () => {
  let service: VirtualService
  before(async () => {
    service = await openVirtualService(SQLITE, { KARBA_ROLE: 'api' })
  })
  after(() => service.remove())

  it('are the sum of what processes counted, those that have ended too, and are gone after an hour', async () => {
    const { db, clock } = service
    const [one, other] = [1, 2].map((seed) => figuresRecorder({ db, clock, random: seededRandom(seed) }))
    assert.ok(one && other)
    for (let count = 0; count < 3; count++) one.created(0.002)
    one.settled('failed', 'airtel_ne')
    other.created(0.002)
    other.settled('succeeded', 'airtel_ne')
    const created = async () => (await other.read()).minutes.reduce((sum, minute) => sum + minute.created, 0)
    assert.equal(await created(), 1)
    await one.stop()
    assert.equal(await created(), 4)
    assert.deepEqual((await other.read()).operators, [{ name: 'airtel_ne', succeeded: 1, failed: 1 }])
    await clock.sleep(HOUR_MS)
    assert.equal(await created(), 0)
    other.created(0.002)
    await other.stop()
    const [left] = await db.rows<{ rows: number }>('select count(*) as rows from minute_figures')
    assert.equal(Number(left?.rows), 1)
  })
})
