// Promise 1: kill -9 under load, repeatedly, with restarts on the same store. Acknowledged payments exist once, under
// both names, and every event is received.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { NewAccount } from '../../src/actions/merchants/create-merchant.ts'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { column } from '../kit/column.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, newMerchant, order } from '../kit/service.ts'
import { POSTGRES, SQLITE, STORES, type StoreKind, type StorePlace } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until, within } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'

const KILLS = tries(5, 50)
const IN_FLIGHT = 16
/** The same numbers in every run, so that a failing kill can be repeated. */
const SEED = 20_261_115
const LONGEST_ANSWER_MS = 30_000

interface Sent {
  /** transaction_id to reference. */
  acknowledged: Map<string, string>
  /** Sent, with an unknown outcome. */
  unanswered: Record<string, unknown>[]
}

interface Outcome {
  code: number
  reference: string | null
}

async function ask(url: string, secretKey: string, path: string, body?: object): Promise<Outcome> {
  const answer = await fetch(`${url}/api/v1/payments${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: head(secretKey),
    signal: AbortSignal.timeout(LONGEST_ANSWER_MS),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { reference } = (await answer.json()) as { reference?: string }
  return { code: answer.status, reference: reference ?? answer.headers.get('svc-existing-reference') }
}

/** Keeps requests in flight until the server is killed at the given number of acknowledgements. */
async function loadAndKill(server: RunningServer, secretKey: string, killAt: number): Promise<Sent> {
  const sent: Sent = { acknowledged: new Map(), unanswered: [] }
  let ended: Promise<number | null> | undefined

  async function keepSending(): Promise<void> {
    while (server.child.exitCode === null && server.child.signalCode === null) {
      const body = order()
      try {
        const { code, reference } = await ask(server.url, secretKey, '', body)
        assert.equal(code, 200)
        sent.acknowledged.set(body.transaction_id as string, reference as string)
      } catch (error) {
        if (error instanceof assert.AssertionError || ended === undefined) throw error
        sent.unanswered.push(body)
        return
      }
      if (sent.acknowledged.size === killAt) ended = server.end('SIGKILL')
    }
  }

  await Promise.all(Array.from({ length: IN_FLIGHT }, keepSending))
  assert.equal(await ended, null)
  return sent
}

async function assertReadable(server: RunningServer, secretKey: string, payments: Map<string, string>): Promise<void> {
  const left = [...payments]
  const readOn = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [transactionId, reference] = next
      for (const name of [reference, transactionId]) {
        assert.deepEqual(await ask(server.url, secretKey, `/${name}`), { code: 200, reference }, name)
      }
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, readOn))
}

for (const store of STORES) {
  describe(`kill -9 under load on ${store.name}`, () => {
    let place: StorePlace
    let account: NewAccount
    let server: RunningServer | undefined
    const all = new Map<string, string>()
    const random = seededRandom(SEED)

    before(async () => {
      place = await store.makePlace()
      const runtime = await openRuntime(place.config)
      account = (await newMerchant(runtime)).accounts.sandbox
      await runtime.close()
      server = await startProcess(place.env)
    })
    after(async () => {
      await server?.end('SIGKILL')
      await place?.remove()
    })

    for (let kill = 1; kill <= KILLS; kill++) {
      const killAt = random.between(1, 200)

      it(`every acknowledged payment exists after kill ${kill}, at ${killAt} acknowledgements`, async (t) => {
        const { secretKey } = account
        const { acknowledged, unanswered } = await loadAndKill(server as RunningServer, secretKey, killAt)
        server = await startProcess(place.env)
        await assertReadable(server, secretKey, acknowledged)
        const retried = new Map<string, string>()
        for (const body of unanswered) {
          const again = await ask(server.url, secretKey, '', body)
          assert.ok(again.code === 200 || again.code === 422, `a retry got ${again.code}`)
          retried.set(body.transaction_id as string, again.reference as string)
        }
        await assertReadable(server, secretKey, retried)
        for (const [transactionId, reference] of [...acknowledged, ...retried]) all.set(transactionId, reference)
        tried(1)
        t.diagnostic(`${acknowledged.size} acknowledged payments checked, and ${retried.size} after a retry`)
      })
    }

    it('after all kills each payment exists once, and none that was never sent', async (t) => {
      assert.equal(await server?.end('SIGTERM'), 0)
      const runtime = await openRuntime(place.config)
      try {
        const rows = await runtime.db.rows<{ external_reference: string; reference: string }>(
          'select external_reference, reference from payments where account_id = $1',
          [account.accountId],
        )
        assert.equal(rows.length, all.size)
        assert.deepEqual(new Map(rows.map((row) => [row.external_reference, row.reference])), all)
      } finally {
        await runtime.close()
      }
      t.diagnostic(`${all.size} payments over ${KILLS} kills`)
    })
  })
}

// Each kill hits an attempt: the receiver has the event, and the store has no record of it.
describe('kill -9 during deliveries', () => {
  const KILLS_BY_STORE: [StoreKind, kills: number][] = [
    [SQLITE, tries(15, 50)],
    [POSTGRES, tries(5, 25)],
  ]
  const PAYMENTS_IN_A_LIFE = 20
  const LATEST_KILL = 30
  const SEED = 20_261_115

  /** Each has one endpoint. */
  const paths = ['/1', '/2']

  /** Succeeds in the answer to the request. */
  const AT_ONCE = '40410000100'

  for (const [store, kills] of KILLS_BY_STORE) {
    it(`promise 1: after ${kills} kills during a delivery every event was received and the feed has no gap, on ${store.name}`, async (t) => {
      const place = await store.makePlace({ KARBA_SANDBOX_DELAY_MS: '0', KARBA_OPERATOR_TIMEOUT_MS: '5000' })
      t.after(() => place.remove())
      const runtime = await openRuntime(place.config)
      t.after(() => runtime.close())
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
        const got = new Set(receiver.got.map(({ path, event }) => `${path} ${event.data.reference}`))
        return [...references].every((reference) => paths.every((path) => got.has(`${path} ${reference}`)))
      }
      await until('delivery of every payment that was acknowledged', () => hasAll(acknowledged))

      const events = await readFeed(server, secretKey)
      assert.deepEqual(
        column(events, 'sequence'),
        events.map((_, at) => at + 1),
      )
      assert.ok(events.length >= acknowledged.size)
      // Includes payments whose answer was lost with the process.
      const inFeed = events.map(({ data }) => data.reference)
      await until('delivery of every event in the feed', () => hasAll(inFeed))
      const more = receiver.got.length - events.length * paths.length
      t.diagnostic(`${events.length} events to ${paths.length} endpoints, ${more} deliveries more than once`)
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
      const answer = await fetch(`${url}/api/v1/events?limit=1000&after=${after}`, { headers: head(secretKey) })
      const page = (await answer.json()) as Feed
      events.push(...page.events)
      hasMore = page.has_more
    }
    return events
  }

  /** Resolves when the server was killed during the nth delivery of a new event, before its answer. */
  function killAtDelivery(receiver: Receiver, server: RunningServer, nth: number): Promise<unknown> {
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

  function createPayments({ url }: RunningServer, secretKey: string, acknowledged: Set<string>): Promise<void>[] {
    return Array.from({ length: PAYMENTS_IN_A_LIFE }, async () => {
      const body = JSON.stringify(order({ msisdn: AT_ONCE }))
      const asked = fetch(`${url}/api/v1/payments`, { method: 'POST', headers: head(secretKey), body })
      const answer = await asked.then((each) => each.json()).catch(() => ({ reference: undefined }))
      const { reference } = answer as { reference?: string }
      if (reference !== undefined) acknowledged.add(reference)
    })
  }

  /** Expires the claims of the dead process by hand; their expiry is tested elsewhere. */
  async function letClaimsEnd({ db }: Runtime): Promise<void> {
    await db.change('update webhook_endpoints set claimed_until = null, due_at = 0 where claimed_until is not null')
    await db.change('update payments set due_at = 0 where due_at is not null')
  }
})
