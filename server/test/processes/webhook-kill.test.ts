// Promise 1 for webhooks: the server is killed with -9 while it delivers, again and again. Every event is received at least once in
// the end, and the feed has no gap. Each kill falls into an attempt: the receiver has the event, and nobody has noted it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openRuntime, type Runtime } from '../../src/service/runtime.ts'
import { newMerchant } from '../kit/merchant.ts'
import { type RunningServer, startProcess } from '../kit/process.ts'
import { openReceiver, type Received, type Receiver } from '../kit/receiver.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { head, order } from '../kit/service.ts'
import { POSTGRES, SQLITE, type StoreKind } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until, within } from '../kit/waiting.ts'
import { newEndpoint } from '../kit/webhooks.ts'

const LIVES: [StoreKind, kills: number][] = [
  [SQLITE, tries(15, 50)],
  [POSTGRES, tries(5, 25)],
]
const PAYMENTS_IN_A_LIFE = 20
const LATEST_KILL = 30
const SEED = 20_261_115

/** One endpoint each. */
const paths = ['/1', '/2']

/** Succeeds in the answer to the request. */
const AT_ONCE = '40410000100'

for (const [store, kills] of LIVES) {
  it(`promise 1: after ${kills} kills in the middle of a delivery every event was received and the feed has no gap, on ${store.name}`, async (t) => {
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
      events.map(({ sequence }) => sequence),
      events.map((_, at) => at + 1),
    )
    assert.ok(events.length >= acknowledged.size)
    // Also of payments whose answer was lost with the process.
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

/** All pages: how many events one holds depends on their size. */
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

/** Resolves when the server is gone: in the middle of the nth delivery of something new, without its answer. */
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

/** The time that the claims of a dead process last passes by hand; that they end by themselves is shown elsewhere. */
async function letClaimsEnd({ db }: Runtime): Promise<void> {
  await db.change('update webhook_endpoints set claimed_until = null, due_at = 0 where claimed_until is not null')
  await db.change('update payments set due_at = 0 where due_at is not null')
}
