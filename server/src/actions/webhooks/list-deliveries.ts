// Webhook deliveries, newest first, and one delivery with every attempt.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { readDeliveryName } from '../../domain/webhook-event.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  findDelivery,
  findDeliveryFloor,
  listDeliveries,
  listDeliveryAttempts,
} from '../../store/webhooks/delivery-log.ts'
import { findEndpoint } from '../../store/webhooks/endpoints.ts'
import { listFeed } from '../../store/webhooks/events.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListDeliveriesInput extends PageInput {
  /** For callers of the service: the account to list; without it and without an endpoint, the deliveries of all accounts. */
  accountId?: string | undefined
  endpointId?: string | undefined
  failedOnly?: boolean | undefined
  /** In milliseconds. */
  since?: number | undefined
}

type ListRefused = RefusedAs<'account_not_found' | 'endpoint_not_found' | 'cursor_not_valid' | 'limit_not_valid'>

/** A page for one endpoint may have fewer rows than its limit, or none, and still a next page: the scan is bounded. */
export async function listLatestDeliveries(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId, endpointId, failedOnly = false, since = 0, ...pageInput }: ListDeliveriesInput,
): Promise<Page<Delivery> | ListRefused> {
  const parts = ['number', 'text', 'text', 'number', 'number'] as const
  const wanted = readPage(pageInput, parts, [Number.MAX_SAFE_INTEGER, '', '', 0, 0])
  if (isRefused(wanted)) return wanted
  const account = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in account) return account
  const endpoint = endpointId === undefined ? undefined : await findEndpoint(db, account, endpointId)
  if (endpointId !== undefined && endpoint === undefined) return { refused: 'endpoint_not_found' }
  const [until] = wanted.cursor
  const floor = endpoint && (await findDeliveryFloor(db, endpoint.accountId, until, failedOnly))
  const isCut = floor !== undefined && floor > since
  const filter = { endpointId, failedOnly, since: isCut ? floor : since }
  const found = await listDeliveries(db, endpoint ?? account, filter, wanted.cursor, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, cursorOf)
  return isCut && page.next === undefined ? { ...page, next: [floor, '', '', 0, 0].join('.') } : page
}

const cursorOf = ({ createdAt, accountId, endpointId, sequence, round }: Delivery) => [
  createdAt,
  accountId,
  endpointId,
  sequence,
  round,
]

export interface ShownDelivery {
  delivery: Delivery
  attempts: DeliveryAttempt[]
  /** The payment it is about; undefined for a test. */
  paymentReference: string | undefined
  /** What is sent. */
  payload: string
}

export async function showDelivery(
  { db }: { db: Database },
  caller: AccountCaller,
  { name }: { name: string },
): Promise<ShownDelivery | RefusedAs<'delivery_not_found'>> {
  const key = readDeliveryName(name)
  const delivery = key && (await findDelivery(db, scopeOf(caller), key))
  if (delivery === undefined) return { refused: 'delivery_not_found' }
  const [event] = await listFeed(db, delivery.accountId, delivery.sequence - 1, 1)
  const payload = event?.payload ?? '{}'
  const { data } = JSON.parse(payload) as { data?: { reference?: string } }
  return { delivery, attempts: await listDeliveryAttempts(db, delivery), paymentReference: data?.reference, payload }
}
