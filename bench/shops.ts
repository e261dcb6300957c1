// Prepares stores for a measurement with the server's own code: merchants with webhook endpoints, and queued deliveries.
import { addEndpoint } from '../server/src/actions/webhooks/endpoints.ts'
import { appendToFeed } from '../server/src/actions/webhooks/write-event.ts'
import { readConfig, targetRules } from '../server/src/config.ts'
import { secretsBox } from '../server/src/service/master-key.ts'
import { openRuntime, type Runtime } from '../server/src/service/runtime.ts'
import { queueDelivery } from '../server/src/store/webhooks/deliveries.ts'
import { wakeEndpoints } from '../server/src/store/webhooks/endpoints.ts'
import { granted, TESTER } from '../server/test/kit/callers.ts'
import { newMerchant } from '../server/test/kit/service.ts'
import type { Settings } from './stores.ts'

/** The payment in the events. */
const DATA = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded' as const,
  msisdn: '96123456',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
}

/** Works on a store before a server is started on it. */
export async function prepare<T>(settings: Settings, work: (runtime: Runtime) => Promise<T>): Promise<T> {
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

/** Merchants with webhook endpoints. */
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
      const input = { accountId, url: urlOf(shop, nth), secretHash: 'a word of the shop', events: [] }
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

/** Queues deliveries, the same number for each of eight endpoints of two merchants. */
export async function queueToEight(runtime: Runtime, url: string, count: number): Promise<void> {
  for (const { accountId, endpointIds } of await makeShops(runtime, 2, 4, () => url)) {
    for (const endpointId of endpointIds) await queueMany(runtime, accountId, endpointId, count / 8)
  }
}
