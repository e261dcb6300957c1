// Promise 4, quick form: many creates with one transaction_id, or for one order, at the same time, over real connections, in one process
// on each store and by two servers on one PostgreSQL. One is recorded, and all others are told which (D-16, D-90).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openService, type Service } from '../../src/service/compose.ts'
import { newMerchant } from '../kit/merchant.ts'
import { head, openTestService, order, type TestService } from '../kit/service.ts'
import { POSTGRES, STORES, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'

const ROUNDS = tries(2, 50)
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

/** The orders of a race, and the name under which all of them must find the winner. */
interface Race {
  bodyOf(nth: number): Record<string, unknown>
  title: string
}

const ONE_TRANSACTION_ID: Race = { bodyOf: () => order({ transaction_id: 'one' }), title: 'one transaction_id' }
const ONE_ORDER: Race = { bodyOf: () => order({ order_reference: 'one' }), title: 'one order_reference' }

/** The creates go to the addresses in turn; returns the reference of the one that was recorded. */
async function race(urls: string[], secretKey: string, { bodyOf }: Race, round: number): Promise<string> {
  const bodies = Array.from({ length: AT_ONCE }, (_, nth) =>
    JSON.stringify(bodyOf(nth)).replaceAll('"one"', `"one ${round}"`),
  )
  const outcomes = await Promise.all(bodies.map((body, n) => create(urls[n % urls.length] as string, secretKey, body)))
  const winners = outcomes.filter(({ code }) => code === 200)
  const others = outcomes.filter(({ code }) => code === 422)
  assert.deepEqual([winners.length, others.length], [1, AT_ONCE - 1])
  const reference = winners[0]?.reference as string
  assert.match(reference, /^[0-9a-z]{24}$/)
  assert.deepEqual([...new Set(others.map((other) => other.reference))], [reference])
  for (const url of urls) {
    const answer = await fetch(`${url}/api/v1/payments/${reference}`, { headers: head(secretKey) })
    assert.equal(((await answer.json()) as { reference: string }).reference, reference)
  }
  return reference
}

async function raceInRounds(urls: string[], secretKey: string, kind: Race): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await race(urls, secretKey, kind, round)
  tried(ROUNDS)
}

for (const store of STORES) {
  describe(`one winner: one server on ${store.name}`, () => {
    let service: TestService
    let url: string

    before(async () => {
      service = await openTestService(store)
      url = await service.app.listen({ host: '127.0.0.1', port: 0 })
    })
    after(() => service?.remove())

    for (const kind of [ONE_TRANSACTION_ID, ONE_ORDER]) {
      it(`records one of ${AT_ONCE} creates with ${kind.title} and names it to all others`, async () => {
        await raceInRounds([url], (await service.merchant()).accounts.live.secretKey, kind)
      })
    }

    it(`lets one of ${AT_ONCE} have an order whose payment has failed`, async () => {
      const { secretKey } = (await service.merchant()).accounts.live
      const failed = await race([url], secretKey, ONE_ORDER, 0)
      await service.db.change(`update payments set status = 'failed', due_at = null where reference = $1`, [failed])
      assert.notEqual(await race([url], secretKey, ONE_ORDER, 0), failed)
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

describe('one winner: two servers on one PostgreSQL', () => {
  let place: StorePlace
  const servers: Service[] = []
  const urls: string[] = []
  let secretKey: string

  before(async () => {
    place = await POSTGRES.makePlace()
    for (let nth = 0; nth < 2; nth++) {
      const server = await openService(place.config)
      servers.push(server)
      urls.push(await server.listen())
    }
    secretKey = (await newMerchant(servers[0] as Service)).accounts.live.secretKey
  })
  after(async () => {
    await Promise.all(servers.map((server) => server.close()))
    await place?.remove()
  })

  for (const kind of [ONE_TRANSACTION_ID, ONE_ORDER]) {
    it(`record one of ${AT_ONCE} creates with ${kind.title}, and both name it to all others`, async () => {
      await raceInRounds(urls, secretKey, kind)
    })
  }
})
