// When nobody knows whether a write was committed, no answer would be true: the connection is cut, over a socket and without one, and the service
// goes on.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { StoreOutcomeUnknown } from '../../src/store/engine/database.ts'
import { type CrashingService, openCrashingService } from '../kit/crashing-service.ts'
import { newMerchant } from '../kit/merchant.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, order, post } from '../kit/service.ts'

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

it('a create over a socket is cut', async () => {
  const { app } = crashing.service
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/payments`
  const request = { method: 'POST', headers: head(secretKey), body: JSON.stringify(order()) }
  await losingWrites(() => assert.rejects(fetch(url, request), TypeError))
})

it('a create without a socket is cut', () =>
  losingWrites(() => assert.rejects(post(crashing.service, secretKey, order()), { code: 'LIGHT_ECONNRESET' })))
