// Promise 4, quick form: many creates with one transaction_id at the same time, over real connections, in one process
// on each store and by two processes on one PostgreSQL. One is recorded, and all others are told which (D-16).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openRuntime } from '../../src/service/runtime.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { head, openTestService, order, type TestService } from '../kit/service.ts'
import { POSTGRES, STORES, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'

const ROUNDS = tries(5, 50)
const AT_ONCE = 200
const LONGEST_ANSWER_MS = 30_000

interface Outcome {
  code: number
  reference: string
}

async function create(url: string, secretKey: string, body: string): Promise<Outcome> {
  const answer = await fetch(`${url}/api/v1/payments`, {
    method: 'POST',
    headers: head(secretKey),
    body,
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
  })
  const { reference } = (await answer.json()) as { reference?: string }
  return { code: answer.status, reference: reference ?? answer.headers.get('svc-existing-reference') ?? 'none' }
}

/** The creates go to the addresses in turn. */
async function race(urls: string[], secretKey: string): Promise<void> {
  const asked = order()
  const body = JSON.stringify(asked)
  const outcomes = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) => create(urls[n % urls.length] as string, secretKey, body)),
  )
  const winners = outcomes.filter(({ code }) => code === 200)
  const others = outcomes.filter(({ code }) => code === 422)
  assert.deepEqual([winners.length, others.length], [1, AT_ONCE - 1])
  const reference = winners[0]?.reference
  assert.match(reference as string, /^[0-9a-z]{24}$/)
  assert.deepEqual([...new Set(others.map((other) => other.reference))], [reference])
  for (const url of urls) {
    const answer = await fetch(`${url}/api/v1/payments/${asked.transaction_id}`, { headers: head(secretKey) })
    assert.equal(((await answer.json()) as { reference: string }).reference, reference)
  }
}

async function raceInRounds(urls: string[], secretKey: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await race(urls, secretKey)
  tried(ROUNDS)
}

for (const store of STORES) {
  describe(`one process on ${store.name}`, () => {
    let service: TestService
    let url: string

    before(async () => {
      service = await openTestService(store)
      url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    })
    after(() => service?.remove())

    it(`records one of ${AT_ONCE} creates with one transaction_id and names it to all others`, async () => {
      await raceInRounds([url], (await service.merchant()).accounts.live.secretKey)
    })

    it('lets each account have its own winner', async () => {
      const { sandbox, live } = (await service.merchant()).accounts
      const body = JSON.stringify(order())
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, n) => create(url, n % 2 === 0 ? sandbox.secretKey : live.secretKey, body)),
      )
      const winners = outcomes.flatMap(({ code }, n) => (code === 200 ? [n % 2] : []))
      assert.deepEqual(winners.sort(), [0, 1])
      for (const environment of [0, 1]) {
        const references = outcomes.filter((_, n) => n % 2 === environment).map(({ reference }) => reference)
        assert.equal(new Set(references).size, 1)
      }
    })
  })
}

describe('two processes on one PostgreSQL', () => {
  let place: StorePlace
  const servers: RunningServer[] = []
  let secretKey: string

  before(async () => {
    place = await POSTGRES.makePlace()
    const runtime = await openRuntime(place.config)
    secretKey = (await newMerchant(runtime)).accounts.live.secretKey
    await runtime.close()
    servers.push(await startProcess(place.env), await startProcess(place.env))
  })
  after(async () => {
    await Promise.all(servers.map((server) => server.end('SIGTERM')))
    await place?.remove()
  })

  it(`record one of ${AT_ONCE} creates with one transaction_id, and both name it to all others`, async () => {
    await raceInRounds(
      servers.map(({ url }) => url),
      secretKey,
    )
  })
})
