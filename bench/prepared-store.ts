// Prepares a store for a measurement with the server's own code.
import { addEndpoint } from '../server/src/actions/webhooks/endpoints.ts'
import { appendToFeed } from '../server/src/actions/webhooks/write-event.ts'
import { readConfig, targetRules } from '../server/src/config.ts'
import { secretsBox } from '../server/src/service/master-key.ts'
import { openRuntime, type Runtime } from '../server/src/service/runtime.ts'
import { wakeEndpoints } from '../server/src/store/webhooks/endpoints.ts'
import { queueDelivery } from '../server/src/store/webhooks/events.ts'
import { granted, TESTER } from '../server/test/kit/callers.ts'
import { newMerchant } from '../server/test/kit/service.ts'
import type { Settings } from './stores.ts'

const DATA = {
  public_reference: 'XF5X-ZEBB-9',
  external_reference: 'order-00001234',
  reference: '60dvs8n73hy897smacktapcy',
  status: 'succeeded' as const,
  msisdn: '96123456',
  amount: 1500,
  validated_at: '2026-11-15T09:30:00.000Z',
}

export async function prepare<T>(settings: Settings, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime(readConfig(settings))
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}

/** Queues deliveries of different payments, the same number for each of eight endpoints of two merchants. */
export async function queueToEight(runtime: Runtime, url: string, count: number): Promise<void> {
  const { config, random, master } = runtime
  const deps = { ...runtime, box: secretsBox(master, random), rules: targetRules(config) }
  for (let merchant = 0; merchant < 2; merchant++) {
    const { accountId } = (await newMerchant(runtime, { name: `Boutique ${merchant}` })).accounts.sandbox
    for (let endpoint = 0; endpoint < 4; endpoint++) {
      const input = { accountId, url, secretHash: 'a word of the shop', events: [] }
      const { endpointId } = granted(await addEndpoint(deps, TESTER, input))
      await queueMany(runtime, accountId, endpointId, count / 8)
    }
  }
}

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
