// Sends again what was sent before: one delivery, everything about a payment, or all that failed since a time. Replays are marked, wait
// in a queue of their own, and show in the feed's list of replays, so that whoever follows the feed gets them too.
import type { Clock } from '../../domain/clock-and-random.ts'
import type { DeliveryKey } from '../../domain/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findOperatorPayment } from '../../store/payments/pending-payments.ts'
import { queueDelivery } from '../../store/webhooks/deliveries.ts'
import { findDelivery, lastRound, listFailed } from '../../store/webhooks/delivery-log.ts'
import { findEndpoint, listEndpoints, wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import { eventsOfPayment, insertReplay, takeReplayNumber } from '../../store/webhooks/events.ts'
import type { NotDone } from './add-endpoint.ts'

export interface ReplayDeps {
  db: Database
  clock: Clock
}

export type ReplayWish = { delivery: DeliveryKey } | { paymentReference: string } | FailedSince

export interface FailedSince {
  failedSince: number
  accountId: string
  endpointId?: string | undefined
}

/** One command sends so many again at the most: the rest by the next. */
export const MOST_REPLAYS = 1_000

interface ToSend {
  endpointId: string
  sequence: number
  number: number
}

interface Found {
  accountId: string
  deliveries: ToSend[]
  /** For the feed: each event once, however many endpoints it goes to. */
  events: number[]
}

/** How many deliveries were queued, and how many events were put into the feed's list. */
export async function replayEvents(
  { db, clock }: ReplayDeps,
  wish: ReplayWish,
  actor: string,
): Promise<{ deliveries: number; events: number } | NotDone> {
  const payment = 'paymentReference' in wish ? await findOperatorPayment(db, wish.paymentReference) : undefined
  return db.transaction(async (tx) => {
    // One after the other, or two would count the same round, and what failed would be sent again by each.
    await lockAccount(tx, accountOf(wish, payment))
    const found =
      'delivery' in wish
        ? await oneDelivery(tx, wish.delivery)
        : 'failedSince' in wish
          ? await allFailed(tx, wish)
          : await ofPayment(tx, payment)
    if ('because' in found) return found
    const { accountId, deliveries, events } = found
    const now = clock.now()
    for (const each of deliveries) {
      const key = { ...each, accountId }
      await queueDelivery(tx, { ...key, round: (await lastRound(tx, key)) + 1 }, now)
    }
    for (const sequence of events) {
      await insertReplay(tx, accountId, await takeReplayNumber(tx, accountId), sequence, now)
    }
    await wakeEndpoints(tx, accountId, now)
    const detail = { ...wish, deliveries: deliveries.length }
    await insertAudit(tx, { at: now, actor, action: 'webhook.replay', subject: accountId, detail })
    return { deliveries: deliveries.length, events: events.length }
  })
}

function accountOf(wish: ReplayWish, payment: { accountId: string } | undefined): string {
  if ('delivery' in wish) return wish.delivery.accountId
  return 'failedSince' in wish ? wish.accountId : (payment?.accountId ?? '')
}

async function oneDelivery(tx: Queries, key: DeliveryKey): Promise<Found | NotDone> {
  const row = await findDelivery(tx, key)
  if (row === undefined) return { because: 'There is no such delivery.' }
  const { endpointId, sequence, accountId } = key
  if ((await findEndpoint(tx, accountId, endpointId)) === undefined) {
    return {
      because:
        'The endpoint of this delivery has been removed. Send what was told of its payment to the others instead.',
    }
  }
  return { accountId, deliveries: [{ endpointId, sequence, number: row.number }], events: [sequence] }
}

async function allFailed(tx: Queries, wish: FailedSince): Promise<Found> {
  const rows = await listFailed(tx, { ...wish, since: wish.failedSince }, MOST_REPLAYS)
  const deliveries = rows.map(({ endpoint_id: endpointId, sequence, number }) => ({ endpointId, sequence, number }))
  return { accountId: wish.accountId, deliveries, events: [...new Set(rows.map(({ sequence }) => sequence))] }
}

async function ofPayment(
  tx: Queries,
  payment: { accountId: string; number: number } | undefined,
): Promise<Found | NotDone> {
  if (payment === undefined) return { because: 'There is no such payment.' }
  const { accountId, number } = payment
  const events = await eventsOfPayment(tx, accountId, number)
  if (events.length === 0) return { because: 'Nothing has been told of this payment yet.' }
  const endpoints = await listEndpoints(tx, accountId)
  const deliveries = events.flatMap(({ sequence, event }) =>
    endpoints
      .filter((endpoint) => endpoint.events.split(',').includes(event))
      .map(({ endpoint_id: endpointId }) => ({ endpointId, sequence, number })),
  )
  return { accountId, deliveries, events: events.map(({ sequence }) => sequence) }
}
