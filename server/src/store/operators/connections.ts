// What processes and commands share about connections: health, pauses, and refusals of our configuration.

import type { Environment } from '../../domain/environment.ts'
import type { ConfigurationRefusal, ConnectionKey } from '../../domain/operator-report.ts'
import type { Queries } from '../engine/database.ts'
import { changesOne, columnsOf } from '../rows.ts'

// Refusals: a network refuses our configuration. Every process reads them, and takes no new payments there.
const REFUSAL = columnsOf<ConfigurationRefusal>()('environment connection operator kind since refusedAt why')

export const listConnectionRefusals = (db: Queries) =>
  db.rows<ConfigurationRefusal>(`select ${REFUSAL} from connection_refusals order by since`, [])

export async function writeConnectionRefusal(db: Queries, refusal: ConfigurationRefusal): Promise<void> {
  const { environment, connection, operator, kind, since, refusedAt, why } = refusal
  await db.change(
    `insert into connection_refusals (environment, connection, operator, kind, since, refused_at, why)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (environment, connection, operator) do update set refused_at = excluded.refused_at, why = excluded.why`,
    [environment, connection, operator, kind, since, refusedAt, why],
  )
}

/** The network accepted a payment that was sent at that time. */
export async function removeConnectionRefusal(
  db: Queries,
  { environment, connection, operator }: ConfigurationRefusal,
  calledAt: number,
): Promise<void> {
  await db.change(
    'delete from connection_refusals where environment = $1 and connection = $2 and operator = $3 and since <= $4',
    [environment, connection, operator, calledAt],
  )
}

/** Of all operators; false when there was none. */
export async function removeConnectionRefusals(
  tx: Queries,
  { environment, connection }: ConnectionKey,
): Promise<boolean> {
  const changed = await tx.change('delete from connection_refusals where environment = $1 and connection = $2', [
    environment,
    connection,
  ])
  return changed > 0
}

// Pauses by a person: a paused connection takes no new payments, in any process.
export interface ConnectionPause extends ConnectionKey {
  environment: Environment
  since: number
  reason: string
  pausedBy: string
}

const PAUSE = columnsOf<ConnectionPause>()('environment connection since reason pausedBy')

export const listPauses = (db: Queries) => db.rows<ConnectionPause>(`select ${PAUSE} from connection_pauses`, [])

/** One that is paused already gets the new reason. */
export async function insertPause(tx: Queries, pause: ConnectionPause): Promise<void> {
  const { environment, connection, since, reason, pausedBy } = pause
  await tx.change(
    `insert into connection_pauses (environment, connection, since, reason, paused_by) values ($1, $2, $3, $4, $5)
     on conflict (environment, connection) do update set reason = excluded.reason, paused_by = excluded.paused_by`,
    [environment, connection, since, reason, pausedBy],
  )
}

/** False when it was not paused. */
export const removePause = (tx: Queries, { environment, connection }: ConnectionKey) =>
  changesOne(tx, 'delete from connection_pauses where environment = $1 and connection = $2', [environment, connection])

// Health, as last reported by the process that calls the connection.
export interface SeenHealth extends ConnectionKey {
  state: string
  since: number
  why: string | null
  /** 1 or 0. */
  misconfigured: number
  seenAt: number
}

const HEALTH = columnsOf<SeenHealth>()('environment connection state since why misconfigured seenAt')

export const listHealth = (db: Queries) => db.rows<SeenHealth>(`select ${HEALTH} from connection_health`, [])

export async function writeHealth(db: Queries, seen: SeenHealth): Promise<void> {
  const { environment, connection, state, since, why, misconfigured, seenAt } = seen
  await db.change(
    `insert into connection_health (environment, connection, state, since, why, misconfigured, seen_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (environment, connection) do update set state = excluded.state, since = excluded.since,
       why = excluded.why, misconfigured = excluded.misconfigured, seen_at = excluded.seen_at`,
    [environment, connection, state, since, why, misconfigured, seenAt],
  )
}
