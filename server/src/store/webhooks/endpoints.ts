// Webhook endpoints. Each is also a queue of deliveries: its due time says that there is something
// to send, its claim that a process is sending it. Both are columns, so that another process takes
// over when a claim expires.
import type { Scope } from '../../domain/people/caller.ts'
import {
  type Endpoint,
  type EndpointStatus,
  EVENTS,
  FAILING_AFTER,
  type ListedEndpoint,
} from '../../domain/webhooks/webhook-event.ts'
import type { Database, Queries } from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstRow,
  inScope,
  insertRow,
  isAnyRow,
  scopeValues,
  updateOne,
  updateRows,
} from '../rows.ts'

/** The events in the order of `EVENTS`, whatever order the merchant gave. */
const SUBSCRIBED = `(
  select string_agg(s.event, ','
    order by case s.event ${EVENTS.map((event, at) => `when '${event}' then ${at}`).join(' ')} end)
  from webhook_subscriptions s
  where s.account_id = webhook_endpoints.account_id
    and s.endpoint_id = webhook_endpoints.endpoint_id)`

const ENDPOINT = columnsOf<Endpoint>({
  accountId: 'account_id',
  endpointId: 'endpoint_id',
  url: 'url',
  status: 'status',
  secretHash: 'secret_hash',
  oldSecretHash: 'old_secret_hash',
  oldSecretHashUntil: 'old_secret_hash_until',
  signingSecret: 'signing_secret',
  oldSigningSecret: 'old_signing_secret',
  oldSigningSecretUntil: 'old_signing_secret_until',
  createdAt: 'created_at',
  failures: 'failures',
  lastStatusCode: 'last_status_code',
  events: SUBSCRIBED,
  failedSince: 'failing_since',
})

type OwnFields =
  | 'accountId'
  | 'endpointId'
  | 'url'
  | 'events'
  | 'secretHash'
  | 'signingSecret'
  | 'createdAt'
export type NewEndpoint = Pick<Endpoint, OwnFields>

export async function insertEndpoint(
  tx: Queries,
  { events, ...endpoint }: NewEndpoint,
): Promise<void> {
  await insertRow(tx, 'webhook_endpoints', { ...endpoint, status: 'on' })
  await subscribe(tx, endpoint.accountId, endpoint.endpointId, events)
}

export async function setEndpointTarget(
  tx: Queries,
  { accountId, endpointId }: EndpointKey,
  url: string,
  events: string,
): Promise<void> {
  await updateRows(tx, 'webhook_endpoints', { accountId, endpointId }, { url, ...WORKING })
  await deleteRows(tx, 'webhook_subscriptions', { accountId, endpointId })
  await subscribe(tx, accountId, endpointId, events)
}

async function subscribe(
  tx: Queries,
  accountId: string,
  endpointId: string,
  events: string,
): Promise<void> {
  for (const event of events.split(','))
    await insertRow(tx, 'webhook_subscriptions', { accountId, endpointId, event })
}

/** Oldest first, all of them: an account has few endpoints. */
export const listEndpoints = (db: Queries, { accountId }: { accountId: string }) =>
  db.read<Endpoint>(
    `select ${ENDPOINT} from webhook_endpoints where account_id = :accountId
      order by created_at, endpoint_id`,
    { accountId },
  )

const LISTED = columnsOf<ListedEndpoint>({
  accountId: 'account_id',
  endpointId: 'endpoint_id',
  url: 'url',
  status: 'status',
  createdAt: 'created_at',
  failures: 'failures',
  lastStatusCode: 'last_status_code',
  events: SUBSCRIBED,
  failedSince: 'failing_since',
})

/** Oldest first, after a cursor. */
export const listEndpointsAfter = (
  db: Queries,
  scope: Scope,
  after: { createdAt: number; endpointId: string },
  most: number,
) =>
  db.read<ListedEndpoint>(
    `select ${LISTED} from webhook_endpoints
     where (created_at, endpoint_id) > (:createdAt, :endpointId)${inScope(scope)}
     order by created_at, endpoint_id limit :most`,
    { createdAt: after.createdAt, endpointId: after.endpointId, most, ...scopeValues(scope) },
  )

/** All of an account, which has few, as lists show them. */
export const listShownEndpoints = (db: Queries, { accountId }: { accountId: string }) =>
  listEndpointsAfter(db, { accountId }, { createdAt: 0, endpointId: '' }, 100)

export const findEndpoint = (db: Queries, scope: Scope, endpointId: string) =>
  firstRow<Endpoint>(
    db,
    `select ${ENDPOINT} from webhook_endpoints where endpoint_id = :endpointId${inScope(scope)}`,
    { endpointId, ...scopeValues(scope) },
  )

/** The foreign key removes its subscriptions too; its deliveries stay on record. */
export const removeEndpoint = async (tx: Queries, accountId: string, endpointId: string) =>
  (await deleteRows(tx, 'webhook_endpoints', { accountId, endpointId })) === 1

/**
 * Deliveries that waited while the endpoint was off are due when it is on again, and earlier
 * failures do not count.
 */
export const setEndpointStatus = (
  tx: Queries,
  accountId: string,
  endpointId: string,
  status: EndpointStatus,
  now: number,
) => {
  const values = status === 'on' ? { status, dueAt: now, ...WORKING } : { status }
  return updateOne(tx, 'webhook_endpoints', { accountId, endpointId }, values)
}

/** The receiver answered 410. An endpoint that was turned off by hand meanwhile stays off. */
export const markGone = (tx: Queries, accountId: string, endpointId: string) =>
  updateRows(tx, 'webhook_endpoints', { accountId, endpointId, status: 'on' }, { status: 'gone' })

/** `oldUntil`: until when the old secret is valid; null when it is not. */
const setSecret =
  (kind: 'secretHash' | 'signingSecret', old: 'oldSecretHash' | 'oldSigningSecret') =>
  (
    tx: Queries,
    { accountId, endpointId, [kind]: before }: Endpoint,
    sealed: string,
    oldUntil: number | null,
  ) => {
    const values = {
      [kind]: sealed,
      [old]: oldUntil === null ? null : before,
      [`${old}Until`]: oldUntil,
    }
    return updateRows(tx, 'webhook_endpoints', { accountId, endpointId }, values)
  }

export const setSecretHash = setSecret('secretHash', 'oldSecretHash')
export const setSigningSecret = setSecret('signingSecret', 'oldSigningSecret')

type EndpointKey = Pick<Endpoint, 'accountId' | 'endpointId'>

/** No failed attempt since the last success. */
const WORKING = { failingSince: null, failures: 0, lastStatusCode: null, warnedAt: null }

/**
 * An attempt succeeded after failures. A failure that ended later stays: attempts are not recorded
 * in their order.
 */
export const setWorking = (
  tx: Queries,
  { accountId, endpointId }: EndpointKey,
  endedAt: number,
) => {
  const values = { recoveredAt: endedAt, ...WORKING }
  return updateRows(
    tx,
    'webhook_endpoints',
    { accountId, endpointId },
    values,
    'failing_since <= :recoveredAt',
  )
}

export interface Failures {
  count: number
  firstAt: number
  lastStatusCode: number | null
}

/** Adds failed attempts; those before a success that is recorded already do not count. */
export const addFailures = (
  tx: Queries,
  { accountId, endpointId }: EndpointKey,
  { count, firstAt, lastStatusCode }: Failures,
) =>
  tx.change(
    `update webhook_endpoints
     set failures = case when failing_since is null then 0 else failures end + :count,
       failing_since = coalesce(failing_since, :firstAt), last_status_code = :lastStatusCode
     where account_id = :accountId and endpoint_id = :endpointId
       and coalesce(recovered_at, 0) <= :firstAt`,
    { accountId, endpointId, count, firstAt, lastStatusCode },
  )

/**
 * Failing endpoints whose people had no email about it yet. One that its merchant turned off is
 * left out.
 */
export const listUnwarned = (db: Queries, now: number, most: number) =>
  db.read<EndpointKey>(
    `select account_id as "accountId", endpoint_id as "endpointId" from webhook_endpoints
     where failing_since is not null and warned_at is null and status <> 'off'
       and (failures >= ${FAILING_AFTER.failures} or failing_since <= :failingSince) limit :most`,
    { failingSince: now - FAILING_AFTER.ms, most },
  )

/** False when another process has sent the emails, or the endpoint works again. */
export const setWarned = (tx: Queries, { accountId, endpointId }: EndpointKey, at: number) =>
  updateOne(
    tx,
    'webhook_endpoints',
    { accountId, endpointId },
    { warnedAt: at },
    'warned_at is null and failing_since is not null',
  )

export interface EndpointQueue {
  accountId: string
  endpointId: string
  /** When our claim expires; this value in the row also shows that the claim is ours. */
  claimedUntil: number
}

const IS_DUE = `due_at <= :now and status = 'on'
  and (claimed_until is null or claimed_until <= :now)`

/**
 * Whether a claim would find one. Most events have no endpoint, and a claim costs ten times as
 * much.
 */
export const isAnyEndpointDue = (db: Database, now: number) =>
  isAnyRow(db, `select 1 as due from webhook_endpoints where ${IS_DUE} limit 1`, { now })

/** Claims queues that have something to send and that no process has claimed. */
export async function claimEndpointQueues(
  db: Database,
  now: number,
  claimedUntil: number,
  most: number,
): Promise<EndpointQueue[]> {
  const claimed = await db.write<Pick<EndpointQueue, 'accountId' | 'endpointId'>>(
    `with due as materialized (
       select account_id as due_account, endpoint_id as due_endpoint from webhook_endpoints
       where ${IS_DUE}
       order by due_at limit :most ${db.skipLocked}
     )
     update webhook_endpoints set due_at = :claimedUntil, claimed_until = :claimedUntil from due
     where account_id = due_account and endpoint_id = due_endpoint
     returning account_id as "accountId", endpoint_id as "endpointId"`,
    { now, claimedUntil, most },
  )
  return claimed.map((endpoint) => ({ ...endpoint, claimedUntil }))
}

/** False when the claim is no longer ours, or the endpoint has been turned off. */
export const renewEndpointQueue = (db: Queries, queue: EndpointQueue, claimedUntil: number) =>
  updateOne(
    db,
    'webhook_endpoints',
    { ...queue, status: 'on' },
    { dueAt: claimedUntil, claimedUntil },
  )

/**
 * False when a delivery was queued since the claim was renewed, which made the queue due now: read
 * it again.
 */
export const leaveEndpointQueue = (db: Queries, queue: EndpointQueue, dueAt: number | null) =>
  updateOne(
    db,
    'webhook_endpoints',
    { ...queue },
    { dueAt, claimedUntil: null },
    'due_at = claimed_until',
  )

/** Releases the claim on a queue whose endpoint was turned off meanwhile. */
export const giveBackEndpointQueue = (db: Queries, queue: EndpointQueue) =>
  updateRows(db, 'webhook_endpoints', { ...queue }, { claimedUntil: null })

/**
 * Only for a process that is known to be the only one: any claim in the store is left over from an
 * earlier process.
 */
export const freeAllEndpointQueues = (db: Queries, now: number) =>
  db.change(
    `update webhook_endpoints set claimed_until = null, due_at = :now
     where claimed_until is not null`,
    { now },
  )

/**
 * Makes the queues of the account's endpoints due now. Queues that are due already are updated too:
 * a process that works such a queue would renew its claim, not see the events of this transaction,
 * and leave with nothing due.
 */
export const wakeEndpoints = (tx: Queries, accountId: string, now: number) =>
  tx.change(
    `update webhook_endpoints set due_at = case when due_at < :now then due_at else :now end
     where account_id = :accountId`,
    { accountId, now },
  )
