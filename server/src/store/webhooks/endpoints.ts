// Where merchants want to be told. An endpoint is also a queue of deliveries: its due time says that there is something to do, its
// claim that somebody is doing it. Both are columns, so a queue whose process died is taken over when its claim is over.
import { EVENTS } from '../../domain/webhook-event.ts'
import type { Database, Queries } from '../engine/database.ts'

export type EndpointStatus = 'on' | 'off' | 'gone'

export interface EndpointRow {
  account_id: string
  endpoint_id: string
  url: string
  /** What it is subscribed to, with commas between. */
  events: string
  status: EndpointStatus
  secret_hash: string
  old_secret_hash: string | null
  old_secret_hash_until: number | null
  signing_secret: string
  old_signing_secret: string | null
  old_signing_secret_until: number | null
  created_at: number
  failing_since: number | null
}

/** In the order of the life of a payment, however they were named. */
const SUBSCRIBED = `(
  select string_agg(s.event, ',' order by case s.event ${EVENTS.map((event, at) => `when '${event}' then ${at}`).join(' ')} end)
  from webhook_subscriptions s
  where s.account_id = webhook_endpoints.account_id and s.endpoint_id = webhook_endpoints.endpoint_id)`

const COLUMNS = `account_id, endpoint_id, url, ${SUBSCRIBED} as events, status, secret_hash, old_secret_hash, old_secret_hash_until,
  signing_secret, old_signing_secret, old_signing_secret_until, created_at, failing_since`

export interface NewEndpoint {
  accountId: string
  endpointId: string
  url: string
  /** With commas between. */
  events: string
  secretHash: string
  signingSecret: string
  createdAt: number
}

export async function insertEndpoint(tx: Queries, endpoint: NewEndpoint): Promise<void> {
  const { accountId, endpointId, url, events, secretHash, signingSecret, createdAt } = endpoint
  await tx.change(
    `insert into webhook_endpoints (account_id, endpoint_id, url, status, secret_hash, signing_secret, created_at)
     values ($1, $2, $3, 'on', $4, $5, $6)`,
    [accountId, endpointId, url, secretHash, signingSecret, createdAt],
  )
  for (const event of events.split(',')) await insertSubscription(tx, accountId, endpointId, event)
}

async function insertSubscription(tx: Queries, accountId: string, endpointId: string, event: string): Promise<void> {
  await tx.change('insert into webhook_subscriptions (account_id, endpoint_id, event) values ($1, $2, $3)', [
    accountId,
    endpointId,
    event,
  ])
}

export function listEndpoints(db: Queries, accountId: string): Promise<EndpointRow[]> {
  return db.rows<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where account_id = $1 order by created_at, endpoint_id`,
    [accountId],
  )
}

/** For the service's operator, who looks after all of them. */
export function listAllEndpoints(db: Queries): Promise<EndpointRow[]> {
  return db.rows<EndpointRow>(`select ${COLUMNS} from webhook_endpoints order by created_at, endpoint_id`)
}

export async function findEndpoint(
  db: Queries,
  accountId: string,
  endpointId: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.rows<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId],
  )
  return row
}

/** Which account has it: for the service's operator, who names an endpoint alone. */
export async function accountOfEndpoint(db: Queries, endpointId: string): Promise<string | undefined> {
  const [row] = await db.rows<{ account_id: string }>(
    'select account_id from webhook_endpoints where endpoint_id = $1',
    [endpointId],
  )
  return row?.account_id
}

/** With its subscriptions, which the store removes; what was delivered to it stays on record. */
export async function removeEndpoint(tx: Queries, accountId: string, endpointId: string): Promise<boolean> {
  const changed = await tx.change('delete from webhook_endpoints where account_id = $1 and endpoint_id = $2', [
    accountId,
    endpointId,
  ])
  return changed === 1
}

/** What waited while it was off is due when it is on again. */
export async function setEndpointStatus(
  tx: Queries,
  accountId: string,
  endpointId: string,
  status: EndpointStatus,
  now: number,
): Promise<boolean> {
  const changed = await tx.change(
    `update webhook_endpoints set status = $3, due_at = case when $3 = 'on' then cast($4 as bigint) else due_at end
     where account_id = $1 and endpoint_id = $2`,
    [accountId, endpointId, status, now],
  )
  return changed === 1
}

/** The receiver's own word. Who was turned off by hand meanwhile stays so. */
export async function markGone(tx: Queries, accountId: string, endpointId: string): Promise<void> {
  await tx.change(
    `update webhook_endpoints set status = 'gone' where account_id = $1 and endpoint_id = $2 and status = 'on'`,
    [accountId, endpointId],
  )
}

export async function setSecretHash(
  tx: Queries,
  { account_id, endpoint_id, secret_hash }: EndpointRow,
  sealed: string,
  oldUntil: number | null,
): Promise<void> {
  await tx.change(
    `update webhook_endpoints set secret_hash = $3, old_secret_hash = $4, old_secret_hash_until = $5
     where account_id = $1 and endpoint_id = $2`,
    [account_id, endpoint_id, sealed, oldUntil === null ? null : secret_hash, oldUntil],
  )
}

export async function setSigningSecret(
  tx: Queries,
  { account_id, endpoint_id, signing_secret }: EndpointRow,
  sealed: string,
  oldUntil: number | null,
): Promise<void> {
  await tx.change(
    `update webhook_endpoints set signing_secret = $3, old_signing_secret = $4, old_signing_secret_until = $5
     where account_id = $1 and endpoint_id = $2`,
    [account_id, endpoint_id, sealed, oldUntil === null ? null : signing_secret, oldUntil],
  )
}

/** Since when it has been failing; null when it works. The first time is kept. */
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
  /** Until when it is ours; also how its row is recognised as ours. */
  claimedUntil: number
}

/** Takes queues that have something to do and that nobody is working. */
export async function claimEndpointQueues(
  db: Database,
  now: number,
  claimedUntil: number,
  most: number,
): Promise<EndpointQueue[]> {
  const rows = await db.claim<{ account_id: string; endpoint_id: string }>(
    `with due as materialized (
       select account_id as due_account, endpoint_id as due_endpoint from webhook_endpoints
       where due_at <= $1 and status = 'on' and (claimed_until is null or claimed_until <= $1)
       order by due_at limit $3 /* skip locked */
     )
     update webhook_endpoints set due_at = $2, claimed_until = $2 from due
     where account_id = due_account and endpoint_id = due_endpoint returning account_id, endpoint_id`,
    [now, claimedUntil, most],
  )
  return rows.map((row) => ({ accountId: row.account_id, endpointId: row.endpoint_id, claimedUntil }))
}

/** False when it is ours no longer, or has been turned off. */
export async function renewEndpointQueue(db: Queries, queue: EndpointQueue, claimedUntil: number): Promise<boolean> {
  const changed = await db.change(
    `update webhook_endpoints set due_at = $4, claimed_until = $4
     where account_id = $1 and endpoint_id = $2 and claimed_until = $3 and status = 'on'`,
    [queue.accountId, queue.endpointId, queue.claimedUntil, claimedUntil],
  )
  return changed === 1
}

/**
 * Lets go of a queue, to be looked at again at `dueAt`. False when something has come in since the claim was renewed: an event sets
 * the due time back to now, and then it is ours to look again.
 */
export async function leaveEndpointQueue(db: Queries, queue: EndpointQueue, dueAt: number | null): Promise<boolean> {
  const changed = await db.change(
    `update webhook_endpoints set due_at = $4, claimed_until = null
     where account_id = $1 and endpoint_id = $2 and claimed_until = $3 and due_at = $3`,
    [queue.accountId, queue.endpointId, queue.claimedUntil, dueAt],
  )
  return changed === 1
}

/** Gives back the claim of a queue that was turned off meanwhile: turned on again, it is worked at once. */
export async function giveBackEndpointQueue(db: Queries, queue: EndpointQueue): Promise<void> {
  await db.change(
    'update webhook_endpoints set claimed_until = null where account_id = $1 and endpoint_id = $2 and claimed_until = $3',
    [queue.accountId, queue.endpointId, queue.claimedUntil],
  )
}

/** For whoever knows to be the only process: what a claim says is from a life before, and nobody is working there. */
export async function freeAllEndpointQueues(db: Queries, now: number): Promise<void> {
  await db.change('update webhook_endpoints set claimed_until = null, due_at = $1 where claimed_until is not null', [
    now,
  ])
}

/** There is something to do for these endpoints of an account from now on. */
export async function wakeEndpoints(tx: Queries, accountId: string, now: number): Promise<void> {
  await tx.change(
    'update webhook_endpoints set due_at = $2 where account_id = $1 and (due_at is null or due_at > $2)',
    [accountId, now],
  )
}
