// Sends a test event to one endpoint, subscribed or not, in the same way as a real one: feed, delivery, signature, retries (D-26).
import type { Account } from '../../domain/account.ts'
import { type AccountCaller, EVERY_ACCOUNT, scopeOf } from '../../domain/caller.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { Refused } from '../../domain/refusal.ts'
import type { DeliveryKey } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import { queueDelivery } from '../../store/webhooks/deliveries.ts'
import { findEndpoint, wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import { testEventData } from '../../wire/event.ts'
import { appendToFeed } from './write-event.ts'

export interface TestDeps {
  db: Database
  clock: Clock
  random: Random
}

export async function testEndpoint(
  { db, clock, random }: TestDeps,
  caller: AccountCaller,
  { endpointId }: { endpointId: string },
): Promise<DeliveryKey | Refused> {
  return db.transaction(async (tx) => {
    const createdAt = clock.now()
    const endpoint = await findEndpoint(tx, scopeOf(caller), endpointId)
    if (endpoint === undefined) return { refused: 'endpoint_not_found' }
    if (endpoint.status !== 'on') return { refused: 'endpoint_off' }
    const { accountId } = endpoint
    const { environment } = (await findAccount(tx, EVERY_ACCOUNT, accountId)) as Account
    const data = testEventData(endpointId)
    const event = { accountId, number: NO_PAYMENT, environment, event: 'webhook.test', data, createdAt } as const
    const sequence = await appendToFeed(tx, random, event)
    const key = { accountId, endpointId, sequence, round: 0 }
    // Each test has a number of its own: unlike the events of one payment, tests do not wait for each other.
    await queueDelivery(tx, { ...key, number: NO_PAYMENT - sequence }, createdAt)
    await wakeEndpoints(tx, accountId, createdAt)
    const record = { at: createdAt, action: 'webhook.test', subject: endpointId, accountId }
    await insertAudit(tx, caller, { ...record, detail: { account: accountId } })
    return key
  })
}

/** Payment numbers start at 0. */
const NO_PAYMENT = -1
