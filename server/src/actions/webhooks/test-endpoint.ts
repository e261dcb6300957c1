// Sends a test event to one endpoint, wanted or not, by the way that real ones take: feed, delivery, signature, retries (D-26).

import type { Account } from '../../domain/account.ts'
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { DeliveryKey } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database } from '../../store/engine/database.ts'
import { findAccount } from '../../store/merchants/accounts.ts'
import { queueDelivery } from '../../store/webhooks/deliveries.ts'
import { findEndpoint, wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import type { NotDone } from './add-endpoint.ts'
import type { EndpointName } from './change-endpoint.ts'
import { appendToFeed } from './write-event.ts'

export interface TestDeps {
  db: Database
  clock: Clock
  random: Random
}

export async function testEndpoint(
  { db, clock, random }: TestDeps,
  { accountId, endpointId }: EndpointName,
  actor: string,
): Promise<DeliveryKey | NotDone> {
  return db.transaction(async (tx) => {
    const createdAt = clock.now()
    const row = await findEndpoint(tx, accountId, endpointId)
    if (row === undefined) return { because: `There is no endpoint ${endpointId}.` }
    if (row.status !== 'on') return { because: 'This endpoint is turned off. Turn it on first.' }
    const { environment } = (await findAccount(tx, accountId)) as Account
    const data = { endpoint: endpointId, message: 'A test of your webhook: no payment has changed.' }
    const event = { accountId, number: NO_PAYMENT, environment, event: 'webhook.test', data, createdAt } as const
    const sequence = await appendToFeed(tx, random, event)
    const key = { accountId, endpointId, sequence, round: 0 }
    // Unlike the events of a payment, one test does not wait for another.
    await queueDelivery(tx, { ...key, number: NO_PAYMENT - sequence }, createdAt)
    await wakeEndpoints(tx, accountId, createdAt)
    const detail = { account: accountId }
    await insertAudit(tx, { at: createdAt, actor, action: 'webhook.test', subject: endpointId, detail })
    return key
  })
}

/** Payments count up from 0. */
const NO_PAYMENT = -1
