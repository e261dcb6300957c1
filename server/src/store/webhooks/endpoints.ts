// Webhook endpoints. Each is also a queue of deliveries: its due time says that there is something to send, its claim
// that a process is sending it. Both are columns, so that another process takes over the queue of a dead one when its
// claim expires.

import type { Scope } from '../../domain/caller.ts'
import { type Endpoint, type EndpointStatus, EVENTS, type ListedEndpoint } from '../../domain/webhook-event.ts'
import type { Database, Queries } from '../engine/database.ts'
import { inScope, scopeValues } from '../engine/scope.ts'
import { changesOne, columnsOf, firstRow, insertRow } from '../rows.ts'

/** The events in the order of `EVENTS`, whatever order the merchant gave. */
const SUBSCRIBED = `(
  select string_agg(s.event, ',' order by case s.event ${EVENTS.map((event, at) => `when '${event}' then ${at}`).join(' ')} end)
  from webhook_subscriptions s
  where s.account_id = webhook_endpoints.account_id and s.endpoint_id = webhook_endpoints.endpoint_id)`

const ENDPOINT = columnsOf<Endpoint>()(
  `accountId endpointId url status secretHash oldSecretHash oldSecretHashUntil
  signingSecret oldSigningSecret oldSigningSecretUntil createdAt failingSince`,
  {
    events: SUBSCRIBED,
  },
)

export interface NewEndpoint {
  accountId: string
  endpointId: string
  url: string
  /** Comma-separated. */
  events: string
  secretHash: string
  signingSecret: string
  createdAt: number
}

export async function insertEndpoint(tx: Queries, endpoint: NewEndpoint): Promise<void> {
  const { accountId, endpointId, url, events, secretHash, signingSecret, createdAt } = endpoint
  await insertRow(tx, 'webhook_endpoints', {
    accountId,
    endpointId,
    url,
    status: 'on',
    secretHash,
    signingSecret,
    createdAt,
  })
  for (const event of events.split(',')) await insertSubscription(tx, accountId, endpointId, event)
}

export async function setEndpointTarget(
  tx: Queries,
  accountId: string,
  endpointId: string,
  url: string,
  events: string,
): Promise<void> {
  await tx.change('update webhook_endpoints set url = $3 where account_id = $1 and endpoint_id = $2', [
    ...[accountId, endpointId, url],
  ])
  await tx.change('delete from webhook_subscriptions where account_id = $1 and endpoint_id = $2', [
    accountId,
    endpointId,
  ])
  for (const event of events.split(',')) await insertSubscription(tx, accountId, endpointId, event)
}

async function insertSubscription(tx: Queries, accountId: string, endpointId: string, event: string): Promise<void> {
  await insertRow(tx, 'webhook_subscriptions', { accountId, endpointId, event })
}

/** Oldest first, all of them: an account has few endpoints. */
export const listEndpoints = (db: Queries, { accountId }: { accountId: string }) =>
  db.rows<Endpoint>(
    `select ${ENDPOINT} from webhook_endpoints where account_id = $1 order by created_at, endpoint_id`,
    [accountId],
  )

const LISTED = columnsOf<ListedEndpoint>()('accountId endpointId url status createdAt failingSince', {
  events: SUBSCRIBED,
})

/** Oldest first, after a cursor. */
export const listEndpointsAfter = (
  db: Queries,
  scope: Scope,
  after: { createdAt: number; endpointId: string },
  most: number,
) =>
  db.rows<ListedEndpoint>(
    `select ${LISTED} from webhook_endpoints
     where (created_at, endpoint_id) > ($1, $2)${inScope(scope, 4)} order by created_at, endpoint_id limit $3`,
    [after.createdAt, after.endpointId, most, ...scopeValues(scope)],
  )

export const findEndpoint = (db: Queries, scope: Scope, endpointId: string) =>
  firstRow<Endpoint>(db, `select ${ENDPOINT} from webhook_endpoints where endpoint_id = $1${inScope(scope, 2)}`, [
    endpointId,
    ...scopeValues(scope),
  ])

/** The foreign key removes its subscriptions too; its deliveries stay on record. */
export const removeEndpoint = (tx: Queries, accountId: string, endpointId: string) =>
  changesOne(tx, 'delete from webhook_endpoints where account_id = $1 and endpoint_id = $2', [accountId, endpointId])

/** Deliveries that waited while the endpoint was off are due when it is on again. */
export const setEndpointStatus = (
  tx: Queries,
  accountId: string,
  endpointId: string,
  status: EndpointStatus,
  now: number,
) =>
  changesOne(
    tx,
    `update webhook_endpoints set status = $3, due_at = case when $3 = 'on' then cast($4 as bigint) else due_at end
     where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId, status, now],
  )

/** The receiver answered 410. An endpoint that was turned off by hand meanwhile stays off. */
export async function markGone(tx: Queries, accountId: string, endpointId: string): Promise<void> {
  await tx.change(
    `update webhook_endpoints set status = 'gone' where account_id = $1 and endpoint_id = $2 and status = 'on'`,
    [accountId, endpointId],
  )
}

export async function setSecretHash(
  tx: Queries,
  { accountId, endpointId, secretHash }: Endpoint,
  sealed: string,
  oldUntil: number | null,
): Promise<void> {
  await tx.change(
    `update webhook_endpoints set secret_hash = $3, old_secret_hash = $4, old_secret_hash_until = $5
     where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId, sealed, oldUntil === null ? null : secretHash, oldUntil],
  )
}

export async function setSigningSecret(
  tx: Queries,
  { accountId, endpointId, signingSecret }: Endpoint,
  sealed: string,
  oldUntil: number | null,
): Promise<void> {
  await tx.change(
    `update webhook_endpoints set signing_secret = $3, old_signing_secret = $4, old_signing_secret_until = $5
     where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId, sealed, oldUntil === null ? null : signingSecret, oldUntil],
  )
}

/** Since when the endpoint has been failing; null when it works. The first time is kept. */
export async function setFailing(
  tx: Queries,
  accountId: string,
  endpointId: string,
  since: number | null,
): Promise<void> {
  await tx.change(
    `update webhook_endpoints set failing_since = case when cast($3 as bigint) is null then null else coalesce(failing_since, $3) end
     where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId, since],
  )
}

export interface EndpointQueue {
  accountId: string
  endpointId: string
  /** When our claim expires; this value in the row also shows that the claim is ours. */
  claimedUntil: number
}

const IS_DUE = `due_at <= $1 and status = 'on' and (claimed_until is null or claimed_until <= $1)`

/** Whether a claim would find one. Most events have no endpoint, and a claim costs ten times as much. */
export async function isAnyEndpointDue(db: Database, now: number): Promise<boolean> {
  const due = await db.rows(`select 1 as due from webhook_endpoints where ${IS_DUE} limit 1`, [now])
  return due.length > 0
}

/** Claims queues that have something to send and that no process has claimed. */
export async function claimEndpointQueues(
  db: Database,
  now: number,
  claimedUntil: number,
  most: number,
): Promise<EndpointQueue[]> {
  const claimed = await db.rows<Pick<EndpointQueue, 'accountId' | 'endpointId'>>(
    `with due as materialized (
       select account_id as due_account, endpoint_id as due_endpoint from webhook_endpoints
       where ${IS_DUE}
       order by due_at limit $3 ${db.skipLocked}
     )
     update webhook_endpoints set due_at = $2, claimed_until = $2 from due
     where account_id = due_account and endpoint_id = due_endpoint
     returning account_id as "accountId", endpoint_id as "endpointId"`,
    [now, claimedUntil, most],
  )
  return claimed.map((endpoint) => ({ ...endpoint, claimedUntil }))
}

/** False when the claim is no longer ours, or the endpoint has been turned off. */
export const renewEndpointQueue = (db: Queries, queue: EndpointQueue, claimedUntil: number) =>
  changesOne(
    db,
    `update webhook_endpoints set due_at = $4, claimed_until = $4
     where account_id = $1 and endpoint_id = $2 and claimed_until = $3 and status = 'on'`,
    [queue.accountId, queue.endpointId, queue.claimedUntil, claimedUntil],
  )

/**
 * Releases a queue until `dueAt`. False when a delivery was queued since the claim was renewed: an event sets the due
 * time back to now, and this process must read the queue again.
 */
export const leaveEndpointQueue = (db: Queries, queue: EndpointQueue, dueAt: number | null) =>
  changesOne(
    db,
    `update webhook_endpoints set due_at = $4, claimed_until = null
     where account_id = $1 and endpoint_id = $2 and claimed_until = $3 and due_at = $3`,
    [queue.accountId, queue.endpointId, queue.claimedUntil, dueAt],
  )

/** Releases the claim on a queue whose endpoint was turned off meanwhile. */
export async function giveBackEndpointQueue(db: Queries, queue: EndpointQueue): Promise<void> {
  await db.change(
    'update webhook_endpoints set claimed_until = null where account_id = $1 and endpoint_id = $2 and claimed_until = $3',
    [queue.accountId, queue.endpointId, queue.claimedUntil],
  )
}

/** Only for a process that is known to be the only one: any claim in the store is left over from an earlier process. */
export async function freeAllEndpointQueues(db: Queries, now: number): Promise<void> {
  await db.change('update webhook_endpoints set claimed_until = null, due_at = $1 where claimed_until is not null', [
    now,
  ])
}

/**
 * Makes the queues of the account's endpoints due now. Queues that are due already are updated too: a process that
 * works such a queue would renew its claim, not see the events of this transaction, and leave with nothing due.
 */
export async function wakeEndpoints(tx: Queries, accountId: string, now: number): Promise<void> {
  await tx.change(
    'update webhook_endpoints set due_at = case when due_at < $2 then due_at else $2 end where account_id = $1',
    [accountId, now],
  )
}
