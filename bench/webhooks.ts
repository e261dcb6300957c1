// The throughput of webhook deliveries, relative to undici posting the same bodies and doing nothing else, and how a receiver that hangs
// affects the others. Deliveries are queued beforehand, so that only delivering is measured.
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addEndpoint } from '../server/src/actions/webhooks/add-endpoint.ts'
import { appendToFeed } from '../server/src/actions/webhooks/write-event.ts'
import { readConfig } from '../server/src/config.ts'
import { openRuntime, type Runtime } from '../server/src/service/runtime.ts'
import { secretsBox, targetRules } from '../server/src/service/webhook-worker.ts'
import { queueDelivery } from '../server/src/store/webhooks/deliveries.ts'
import { wakeEndpoints } from '../server/src/store/webhooks/endpoints.ts'
import { granted, TESTER } from '../server/test/kit/callers.ts'
import { newMerchant } from '../server/test/kit/merchant.ts'
import type { ReceiverStats } from './receiver.ts'
import type { Figure } from './report.ts'
import { startKarba, startReceiver } from './servers.ts'

const run = promisify(execFile)
const BARE_SENDER = fileURLToPath(new URL('bare-sender.ts', import.meta.url))

const DELIVERIES = 12_000
/** Concurrent posts, as many as eight endpoint queues have. */
const UNDER_WAY = 64
const ROUNDS = 3
const HANGING_QUEUE = 10_000
const PAYMENTS = 600
const PACE_MS = 15
const DATA = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded',
  msisdn: '96123456',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
}

/** Returns the settings of a new, empty store and data folder. */
export type NewSettings = () => Promise<Record<string, string>>

/** Deliveries a second to eight endpoints, relative to undici alone. */
export async function measureDeliveries(
  store: string,
  newSettings: NewSettings,
  aim: Partial<Figure>,
): Promise<Figure> {
  const receiver = await startReceiver()
  try {
    const ratios: number[] = []
    let speed = 0
    for (let round = 1; round <= ROUNDS; round++) {
      process.stderr.write(`${store}: webhooks against undici alone, round ${round} of ${ROUNDS}\n`)
      const settings = await newSettings()
      await prepare(settings, async (runtime) => {
        for (const { accountId, endpointIds } of await makeShops(runtime, 2, 4, () => receiver.url)) {
          for (const endpointId of endpointIds) await queueMany(runtime, accountId, endpointId, DELIVERIES / 8)
        }
      })
      const before = await speedOfUndici(receiver)
      speed = await speedOfKarba(receiver, settings)
      ratios.push(speed / ((before + (await speedOfUndici(receiver))) / 2))
    }
    const value = ratios.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
    const detail = `${Math.round(speed)} a second to 8 endpoints`
    return { what: `${store}: webhooks delivered, of undici alone`, value, detail, ...aim }
  } finally {
    await receiver.stop()
  }
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

async function speedOfUndici(receiver: Receiver): Promise<number> {
  const body = JSON.stringify({ id: `evt_${'x'.repeat(24)}`, event: 'payment.succeeded', data: DATA })
  await run(process.execPath, [BARE_SENDER, JSON.stringify([receiver.url, body, DELIVERIES, UNDER_WAY])])
  return speedOf(await receiver.stats())
}

async function speedOfKarba(receiver: Receiver, settings: Record<string, string>): Promise<number> {
  const karba = await startKarba('webhooks', { ...settings, KARBA_ROLE: 'worker' }, /ready at/)
  try {
    await receiver.hasReceived(DELIVERIES)
    return speedOf(await receiver.stats())
  } finally {
    await karba.stop()
  }
}

const speedOf = ({ count, seconds }: ReceiverStats): number => count / seconds

/** The latency of events to 99 endpoints beside one that hangs with ten thousand queued, relative to the latency without it. */
export async function measureHanging(store: string, newSettings: NewSettings): Promise<Figure> {
  const receiver = await startReceiver()
  try {
    const calm = await lateness(store, receiver, await newSettings(), false)
    const beside = await lateness(store, receiver, await newSettings(), true)
    return {
      what: `${store}: p99 of 99 endpoints beside one that hangs, of without`,
      value: beside.p99Ms / calm.p99Ms,
      detail: `p99 ${beside.p99Ms} and ${calm.p99Ms} ms, p50 ${beside.p50Ms} and ${calm.p50Ms} ms from event to arrival`,
      atMost: 2,
    }
  } finally {
    await receiver.stop()
  }
}

async function lateness(
  store: string,
  receiver: Receiver,
  settings: Record<string, string>,
  hangs: boolean,
): Promise<ReceiverStats> {
  process.stderr.write(`${store}: webhooks to 100 endpoints${hangs ? ', one of which hangs' : ''}\n`)
  const keys = await prepare(settings, async (runtime) => {
    const urlOf = (shop: number, nth: number) => (hangs && shop + nth === 0 ? receiver.hangingUrl : receiver.url)
    const shops = await makeShops(runtime, 20, 5, urlOf)
    const [{ accountId, endpointIds }] = shops as [(typeof shops)[number]]
    if (hangs) await queueMany(runtime, accountId, endpointIds[0] as string, HANGING_QUEUE)
    return shops.map(({ secretKey }) => secretKey)
  })
  const karba = await startKarba('webhooks', settings, /ready at/)
  try {
    for (let nth = 0; nth < PAYMENTS; nth++) {
      void create(karba.port, keys[nth % keys.length] as string, nth)
      await pause(PACE_MS)
    }
    await receiver.hasReceived(PAYMENTS * 5 - (hangs ? PAYMENTS / keys.length : 0))
    return await receiver.stats()
  } finally {
    await karba.stop()
  }
}

/** Succeeds in the operator's first answer, so that its event follows at once. */
async function create(port: number, secretKey: string, nth: number): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${secretKey}`,
    'svc-target-environment': 'sandbox',
    'svc-payment-type': 'mobile',
  }
  const order = { amount: 1500, country: 'NE', currency: 'XOF', msisdn: '40410000100', customer_name: 'Awa Diallo' }
  const body = JSON.stringify({ ...order, transaction_id: `order-${nth}` })
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/payments`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
}

async function prepare<T>(settings: Record<string, string>, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime(readConfig(settings))
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

interface Shop {
  accountId: string
  secretKey: string
  endpointIds: string[]
}

async function makeShops(
  runtime: Runtime,
  shops: number,
  endpoints: number,
  urlOf: (shop: number, nth: number) => string,
): Promise<Shop[]> {
  const { config, random, master } = runtime
  const box = secretsBox(master, random)
  const deps = { ...runtime, box, rules: targetRules(config) }
  const made: Shop[] = []
  for (let shop = 0; shop < shops; shop++) {
    const { accounts } = await newMerchant(runtime, { name: `Boutique ${shop}` })
    const { accountId, secretKey } = accounts.sandbox
    const endpointIds: string[] = []
    for (let nth = 0; nth < endpoints; nth++) {
      const input = { accountId, url: urlOf(shop, nth), secretHash: 'shared', events: [] }
      endpointIds.push(granted(await addEndpoint(deps, TESTER, input)).endpointId)
    }
    made.push({ accountId, secretKey, endpointIds })
  }
  return made
}

/** Writes events of different payments and queues their deliveries to one endpoint. */
async function queueMany(runtime: Runtime, accountId: string, endpointId: string, count: number): Promise<void> {
  const { db, random, clock } = runtime
  for (let done = 0; done < count; done += 500) {
    await db.transaction(async (tx) => {
      for (let nth = done; nth < Math.min(done + 500, count); nth++) {
        const createdAt = clock.now()
        const event = { accountId, number: 1_000_000 + nth, environment: 'sandbox', data: DATA, createdAt } as const
        const sequence = await appendToFeed(tx, random, { ...event, event: 'payment.succeeded' })
        await queueDelivery(tx, { accountId, endpointId, sequence, round: 0, number: event.number }, createdAt)
      }
      await wakeEndpoints(tx, accountId, clock.now())
    })
  }
}
