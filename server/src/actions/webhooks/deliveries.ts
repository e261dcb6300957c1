// Webhook deliveries, newest first, and one delivery with every attempt.

import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { OperatorPayment } from '../../domain/payments/operator-payment.ts'
import { type AccountCaller, scopeOf } from '../../domain/people/caller.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  eventsOf,
  readDeliveryName,
} from '../../domain/webhooks/webhook-event.ts'
import { insertAudit } from '../../store/audit/audit-log.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { lockAccount } from '../../store/merchants/accounts.ts'
import { findOutcome } from '../../store/payments/payments.ts'
import { type FeedStart, findFeedStart } from '../../store/retention/feed-starts.ts'
import {
  findDelivery,
  findDeliveryFloor,
  lastRound,
  listDeliveries,
  listDeliveryAttempts,
  listFailed,
} from '../../store/webhooks/delivery-log.ts'
import { findEndpoint, listEndpoints, wakeEndpoints } from '../../store/webhooks/endpoints.ts'
import {
  eventsOfPayment,
  insertReplay,
  listFeed,
  queueDelivery,
  takeReplayNumber,
} from '../../store/webhooks/events.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import type { Deps } from '../deps.ts'
import { findNamedPayment } from '../payments/read-payment.ts'

export interface ListDeliveriesInput extends PageInput {
  /** For callers of the service: the account to list; without it and an endpoint, all accounts. */
  accountId?: string | undefined
  endpointId?: string | undefined
  failedOnly?: boolean | undefined
  /** In milliseconds. */
  since?: number | undefined
}

type ListRefused = RefusedAs<
  'account_not_found' | 'endpoint_not_found' | 'cursor_not_valid' | 'limit_not_valid'
>

/**
 * A page for one endpoint may have fewer rows than its limit, or none, and still a next page: the
 * scan is bounded.
 */
export async function listLatestDeliveries(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId, endpointId, failedOnly = false, since = 0, ...pageInput }: ListDeliveriesInput,
): Promise<Page<Delivery> | ListRefused> {
  const parts = ['number', 'text', 'text', 'number', 'number'] as const
  const wanted = readPage(pageInput, parts, [Number.MAX_SAFE_INTEGER, '', '', 0, 0])
  if (isRefused(wanted)) return wanted
  const account =
    accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in account) return account
  const endpoint =
    endpointId === undefined ? undefined : await findEndpoint(db, account, endpointId)
  if (endpointId !== undefined && endpoint === undefined) return { refused: 'endpoint_not_found' }
  const [until] = wanted.cursor
  const floor = endpoint && (await findDeliveryFloor(db, endpoint.accountId, until, failedOnly))
  const isCut = floor !== undefined && floor > since
  const filter = { endpointId, failedOnly, since: isCut ? floor : since }
  const found = await listDeliveries(
    db,
    endpoint ?? account,
    filter,
    wanted.cursor,
    wanted.limit + 1,
  )
  const page = pageOf(found, wanted.limit, cursorOf)
  return isCut && page.next === undefined
    ? { ...page, next: [floor, '', '', 0, 0].join('.') }
    : page
}

const cursorOf = (last: Delivery) => [
  last.createdAt,
  last.accountId,
  last.endpointId,
  last.sequence,
  last.round,
]

export interface ShownDelivery {
  delivery: Delivery
  attempts: DeliveryAttempt[]
  paymentReference: string | undefined
  payload: string
}

export async function showDelivery(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<ShownDelivery | RefusedAs<'delivery_not_found'>> {
  const key = readDeliveryName(name)
  const delivery = key && (await findDelivery(db, scopeOf(caller), key))
  if (delivery === undefined) return { refused: 'delivery_not_found' }
  const [event] = await listFeed(db, delivery.accountId, delivery.sequence - 1, 1)
  if (event?.sequence !== delivery.sequence) return { refused: 'delivery_not_found' }
  const { payload } = event
  const { data } = JSON.parse(payload) as { data?: { reference?: string } }
  return {
    delivery,
    attempts: await listDeliveryAttempts(db, delivery),
    paymentReference: data?.reference,
    payload,
  }
}

// Replays events: one delivery, every event of a payment, or all that failed since a time. Replays
// are marked, wait in a queue of their own, and are listed in the feed as replays, so that readers
// of the feed get them too.

export type ReplayDeps = Pick<Deps, 'db' | 'clock' | 'publicReferences'>

export type ReplayInput = { delivery: string } | { payment: string } | FailedSince

interface FailedSince {
  failedSince: number
  /** Not needed when the endpoint is named, nor by a merchant. */
  accountId?: string | undefined
  endpointId?: string | undefined
}

/** At most so many in one call; the next call replays the rest. */
export const MOST_REPLAYS = 1_000

type ToSend = { endpointId: string; sequence: number; number: number }

interface Found {
  deliveries: ToSend[]
  /** For the feed: each event once, however many endpoints it goes to. */
  events: number[]
}

export async function replayEvents(
  deps: ReplayDeps,
  caller: AccountCaller,
  input: ReplayInput,
): Promise<{ deliveries: number; events: number } | Refused> {
  const { db, clock } = deps
  const subject = await findSubject(deps, caller, input)
  if (isRefused(subject)) return subject
  const { accountId } = subject
  return db.transaction(async (tx) => {
    // One replay at a time: two would take the same round, and each would send the same failures
    // again.
    await lockAccount(tx, accountId)
    const start = await findFeedStart(tx, accountId)
    const found = await findWhatToSend(tx, subject, input, start)
    if (isRefused(found)) return found
    const { deliveries, events } = found
    const now = clock.now()
    for (const each of deliveries) {
      const key = { ...each, accountId }
      await queueDelivery(tx, { ...key, round: (await lastRound(tx, key)) + 1 }, now)
    }
    for (const sequence of events)
      await insertReplay(tx, accountId, await takeReplayNumber(tx, accountId), sequence, now)
    await wakeEndpoints(tx, accountId, now)
    const detail = { ...input, deliveries: deliveries.length }
    await insertAudit(tx, caller, {
      at: now,
      action: 'webhook.replay',
      subject: accountId,
      accountId,
      detail,
    })
    return { deliveries: deliveries.length, events: events.length }
  })
}

/** The payment, delivery or account that the caller names, if they may see it. */
type Subject = NamedPayment | Delivery | { accountId: string }
type NamedPayment = Pick<OperatorPayment, 'accountId' | 'number' | 'createdAt'>

async function findSubject(
  deps: ReplayDeps,
  caller: AccountCaller,
  input: ReplayInput,
): Promise<Subject | Refused> {
  if ('payment' in input) return findNamedPayment(deps, caller, { name: input.payment })
  if ('failedSince' in input) return findFailing(deps.db, caller, input)
  const name = readDeliveryName(input.delivery)
  const delivery = name && (await findDelivery(deps.db, scopeOf(caller), name))
  return delivery ?? { refused: 'delivery_not_found' }
}

async function findFailing(
  db: Database,
  caller: AccountCaller,
  { accountId, endpointId }: FailedSince,
): Promise<Subject | Refused> {
  if (endpointId === undefined) return findActingAccount(db, caller, accountId)
  const account =
    accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in account) return account
  return (await findEndpoint(db, account, endpointId)) ?? { refused: 'endpoint_not_found' }
}

function findWhatToSend(
  tx: Queries,
  subject: Subject,
  input: ReplayInput,
  start: FeedStart,
): Promise<Found | Refused> {
  if ('payment' in input) return ofPayment(tx, subject as NamedPayment, start)
  if ('failedSince' in input)
    return allFailed(tx, { ...input, accountId: subject.accountId }, start)
  return oneDelivery(tx, subject as Delivery, start)
}

async function oneDelivery(
  tx: Queries,
  delivery: Delivery,
  { removedTo }: FeedStart,
): Promise<Found | Refused> {
  const { endpointId, sequence, number } = delivery
  if (sequence <= removedTo) return { refused: 'events_removed' }
  if ((await findEndpoint(tx, delivery, endpointId)) === undefined)
    return { refused: 'endpoint_removed' }
  return { deliveries: [{ endpointId, sequence, number }], events: [sequence] }
}

async function allFailed(
  tx: Queries,
  input: FailedSince & { accountId: string },
  { removedTo }: FeedStart,
): Promise<Found> {
  const failed = { ...input, since: input.failedSince }
  const deliveries = await listFailed(tx, failed, removedTo, MOST_REPLAYS)
  return { deliveries, events: [...new Set(deliveries.map(({ sequence }) => sequence))] }
}

async function ofPayment(
  tx: Queries,
  payment: NamedPayment,
  start: FeedStart,
): Promise<Found | Refused> {
  const { accountId, number, createdAt } = payment
  const all = await eventsOfPayment(tx, accountId, number)
  const events = all.filter(({ sequence }) => sequence > start.removedTo)
  if (events.length === 0) {
    const outcome = await findOutcome(tx, accountId, number)
    const hadEvents = outcome?.status !== 'initiated' && outcome?.status !== 'pending'
    return {
      refused: hadEvents && createdAt <= start.removedUntil ? 'events_removed' : 'no_events_yet',
    }
  }
  const endpoints = await listEndpoints(tx, payment)
  const deliveries = events.flatMap(({ sequence, event }) =>
    endpoints
      .filter((endpoint) => eventsOf(endpoint).includes(event))
      .map(({ endpointId }) => ({ endpointId, sequence, number })),
  )
  return { deliveries, events: events.map(({ sequence }) => sequence) }
}
