// What a person wants to know of deliveries: which there were, what was tried, what failed, and what to send again.
import type { DeliveryKey } from '../../domain/webhook-event.ts'
import type { Queries } from '../engine/database.ts'

export interface DeliveryRow {
  account_id: string
  endpoint_id: string
  sequence: number
  round: number
  number: number
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  created_at: number
  due_at: number | null
  ended_at: number | null
  event: string
  event_id: string
}

const COLUMNS = `d.account_id, d.endpoint_id, d.sequence, d.round, d.number, d.status, d.attempts, d.created_at, d.due_at,
  d.ended_at, e.event, e.event_id`

export interface DeliveryFilter {
  accountId: string
  endpointId?: string | undefined
  failedOnly?: boolean | undefined
  since?: number | undefined
  most: number
}

/** The latest first. */
export function listDeliveries(db: Queries, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const { accountId, endpointId = null, failedOnly = false, since = 0, most } = filter
  return db.rows<DeliveryRow>(
    `select ${COLUMNS} from webhook_deliveries d
     join events e on e.account_id = d.account_id and e.sequence = d.sequence
     where d.account_id = $1 and d.created_at >= $2 and (cast($3 as text) is null or d.endpoint_id = $3)
       and (cast($4 as bigint) = 0 or d.status = 'failed')
     order by d.created_at desc, d.sequence desc, d.round desc limit $5`,
    [accountId, since, endpointId, failedOnly ? 1 : 0, most],
  )
}

export async function findDelivery(db: Queries, key: DeliveryKey): Promise<DeliveryRow | undefined> {
  const [row] = await db.rows<DeliveryRow>(
    `select ${COLUMNS} from webhook_deliveries d
     join events e on e.account_id = d.account_id and e.sequence = d.sequence
     where d.account_id = $1 and d.endpoint_id = $2 and d.sequence = $3 and d.round = $4`,
    [key.accountId, key.endpointId, key.sequence, key.round],
  )
  return row
}

/**
 * Which account has it, for the service's operator, who names a delivery alone. Looked for in each account by its key, because the
 * endpoint may have been removed.
 */
export async function accountOfDelivery(
  db: Queries,
  { endpointId, sequence, round }: Omit<DeliveryKey, 'accountId'>,
): Promise<string | undefined> {
  const [row] = await db.rows<{ account_id: string }>(
    `select a.account_id from accounts a join webhook_deliveries d on d.account_id = a.account_id
     where d.endpoint_id = $1 and d.sequence = $2 and d.round = $3`,
    [endpointId, sequence, round],
  )
  return row?.account_id
}

export interface AttemptRow {
  attempt: number
  at: number
  duration_ms: number
  status_code: number | null
  answer: string
  error: string | null
  next_at: number | null
}

export function listAttempts(db: Queries, key: DeliveryKey): Promise<AttemptRow[]> {
  return db.rows<AttemptRow>(
    `select attempt, at, duration_ms, status_code, answer, error, next_at from webhook_attempts
     where account_id = $1 and endpoint_id = $2 and sequence = $3 and round = $4 order by attempt`,
    [key.accountId, key.endpointId, key.sequence, key.round],
  )
}

/** Failed ones that have not been sent again since: what a replay of all failures takes, the oldest first. */
export function listFailed(
  db: Queries,
  { accountId, endpointId, since }: { accountId: string; endpointId?: string | undefined; since: number },
  most: number,
): Promise<{ endpoint_id: string; sequence: number; number: number }[]> {
  return db.rows(
    `select d.endpoint_id, d.sequence, d.number from webhook_deliveries d
     join webhook_endpoints w on w.account_id = d.account_id and w.endpoint_id = d.endpoint_id
     where d.account_id = $1 and d.created_at >= $2 and (cast($3 as text) is null or d.endpoint_id = $3)
       and d.status = 'failed' and not exists (
         select 1 from webhook_deliveries f where f.account_id = d.account_id and f.endpoint_id = d.endpoint_id
           and f.sequence = d.sequence and f.round > d.round)
     order by d.created_at, d.sequence limit $4`,
    [accountId, since, endpointId ?? null, most],
  )
}

export async function lastRound(tx: Queries, key: Omit<DeliveryKey, 'round'>): Promise<number> {
  const [row] = await tx.rows<{ last: number | null }>(
    `select max(round) as last from webhook_deliveries where account_id = $1 and endpoint_id = $2 and sequence = $3`,
    [key.accountId, key.endpointId, key.sequence],
  )
  return row?.last ?? 0
}

/** Nothing more is owed to an endpoint that is removed; what was tried stays to be read. */
export async function giveUpDeliveries(tx: Queries, accountId: string, endpointId: string, now: number): Promise<void> {
  await tx.change(
    `update webhook_deliveries set status = 'failed', due_at = null, ended_at = $3
     where account_id = $1 and endpoint_id = $2 and status = 'waiting'`,
    [accountId, endpointId, now],
  )
}
