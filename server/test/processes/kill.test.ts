// Promise 1: kill -9 under load, repeatedly, with restarts on the same store. Acknowledged payments
// exist once, under both names, and every event is received.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { column } from '../kit/callers.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import {
  assertReadable,
  assertRecordedOnce,
  makePlaceWithAccount,
  moreAcknowledged,
  startLoad,
} from '../kit/several-processes.ts'
import { openTestRuntime } from '../kit/shared.ts'
import { POSTGRES, SQLITE, STORES, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until, within } from '../kit/waiting.ts'
import { newEndpoint, upTo } from '../kit/webhooks.ts'

const KILLS = tries(2, 50)
/** The same numbers in every run, so that a failing kill can be repeated. */
const SEED = 20_261_115

for (const store of STORES) {
  it(`promise 1: after ${KILLS} kills under load every acknowledged payment exists once, on ${store.name}`, async (t) => {
    const { place, accountId, secretKey } = await makePlaceWithAccount(store)
    let server = await startProcess(place.env)
    t.after(async () => {
      await server.end('SIGKILL')
      await place.remove()
    })
    // Each server gets the same port, so that the load continues.
    const env = { ...place.env, PORT: new URL(server.url).port }
    const load = startLoad(server.url, secretKey)
    const random = seededRandom(SEED)
    for (let kill = 0; kill < KILLS; kill++) {
      await moreAcknowledged(load, random.between(1, 200))
      assert.equal(await server.end('SIGKILL'), null)
      server = await startProcess(env)
    }
    await moreAcknowledged(load, 100)
    await load.stop()
    await assertReadable(server.url, secretKey, load)
    assert.equal(await server.end('SIGTERM'), 0)
    const runtime = await openRuntime(place.config)
    await assertRecordedOnce(runtime, accountId, load)
    await runtime.close()
    tried(KILLS)
    t.diagnostic(`${load.acknowledged.size} acknowledged payments checked over ${KILLS} kills`)
  })
}

// Each kill hits an attempt: the receiver has the event, and the store has no record of it.
describe('kill -9 during deliveries', () => {
  const KILLS_BY_STORE: [StoreKind, kills: number][] = [
    [SQLITE, tries(3, 50)],
    [POSTGRES, tries(2, 25)],
  ]
  const PAYMENTS_IN_A_LIFE = 20
  const LATEST_KILL = 30

  /** Each has one endpoint. */
  const paths = ['/1', '/2']

  /** Succeeds in the answer to the request. */
  const AT_ONCE = '40410000100'

  for (const [store, kills] of KILLS_BY_STORE) {
    it(`promise 1: after ${kills} kills during a delivery every event was received and the feed has no gap, on ${store.name}`, async (t) => {
      const settings = { KARBA_SANDBOX_DELAY_MS: '0', KARBA_OPERATOR_TIMEOUT_MS: '5000' }
      const runtime = await openTestRuntime(store, settings)
      const { place } = runtime
      t.after(() => runtime.remove())
      const receiver = await openReceiver()
      t.after(() => receiver.close())
      const { accounts } = await newMerchant(runtime)
      const { accountId, secretKey } = accounts.sandbox
      for (const path of paths) await newEndpoint(runtime, accountId, receiver.url + path)
      const random = seededRandom(SEED)
      const acknowledged = new Set<string>()
      let server: RunningServer | undefined
      t.after(() => server?.end('SIGKILL'))

      for (let kill = 0; kill < kills; kill++) {
        server = await startProcess(place.env)
        const killed = killAtDelivery(receiver, server, random.between(1, LATEST_KILL))
        await Promise.all([killed, ...createPayments(server, secretKey, acknowledged)])
        await letClaimsEnd(runtime)
      }

      receiver.handle = () => 200
      server = await startProcess(place.env)
      const hasAll = (references: Iterable<string>): boolean => {
        const got = new Set(
          receiver.got.map(({ path, event }) => `${path} ${event.data.reference}`),
        )
        return [...references].every((reference) =>
          paths.every((path) => got.has(`${path} ${reference}`)),
        )
      }
      await until('delivery of every payment that was acknowledged', () => hasAll(acknowledged))

      const events = await readFeed(server, secretKey)
      assert.deepEqual(column(events, 'sequence'), upTo(events.length))
      assert.ok(events.length >= acknowledged.size)
      // Includes payments whose answer was lost with the process.
      const inFeed = events.map(({ data }) => data.reference)
      await until('delivery of every event in the feed', () => hasAll(inFeed))
      const more = receiver.got.length - events.length * paths.length
      t.diagnostic(
        `${events.length} events to ${paths.length} endpoints, ${more} deliveries more than once`,
      )
      assert.equal(await server.end('SIGTERM'), 0)
      tried(kills)
    })
  }

  interface Feed {
    events: { sequence: number; data: { reference: string } }[]
    has_more: boolean
  }

  /** All pages: the number of events in one depends on their size. */
  async function readFeed({ url }: RunningServer, secretKey: string): Promise<Feed['events']> {
    const events: Feed['events'] = []
    for (let hasMore = true; hasMore; ) {
      const after = events.at(-1)?.sequence ?? 0
      const answer = await fetch(`${url}/api/v1/events?limit=1000&after=${after}`, {
        headers: head(secretKey),
      })
      const page = (await answer.json()) as Feed
      events.push(...page.events)
      hasMore = page.has_more
    }
    return events
  }

  /**
   * Resolves when the server was killed during the nth delivery of a new event, before its answer.
   */
  function killAtDelivery(
    receiver: Receiver,
    server: RunningServer,
    nth: number,
  ): Promise<unknown> {
    const name = ({ path, event }: Received): string => `${path} ${event.id}`
    const before = new Set(receiver.got.map(name))
    const fresh = new Set<string>()
    let ended: Promise<unknown> | undefined
    const killed = new Promise((resolve) => {
      receiver.handle = async (event) => {
        if (!before.has(name(event))) fresh.add(name(event))
        if (fresh.size < nth) return 200
        ended ??= server.end('SIGKILL')
        resolve(await ended)
        return 200
      }
    })
    return within(`delivery ${nth} of something new`, killed)
  }

  function createPayments(
    { url }: RunningServer,
    secretKey: string,
    acknowledged: Set<string>,
  ): Promise<void>[] {
    return Array.from({ length: PAYMENTS_IN_A_LIFE }, async () => {
      const body = JSON.stringify(order({ msisdn: AT_ONCE }))
      const asked = fetch(`${url}/api/v1/payments`, {
        method: 'POST',
        headers: head(secretKey),
        body,
      })
      const answer = await asked.then((each) => each.json()).catch(() => ({ reference: undefined }))
      const { reference } = answer as { reference?: string }
      if (reference !== undefined) acknowledged.add(reference)
    })
  }

  /** Expires the claims of the dead process by hand; their expiry is tested elsewhere. */
  async function letClaimsEnd({ db }: Runtime): Promise<void> {
    await db.change(
      `update webhook_endpoints set claimed_until = null, due_at = 0
       where claimed_until is not null`,
    )
    await db.change('update payments set due_at = 0 where due_at is not null')
  }
})
