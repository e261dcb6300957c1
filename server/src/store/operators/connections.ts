// What processes and commands share about connections: health, pauses, and refusals of our
// configuration.
import type {
  ConfigurationRefusal,
  ConnectionPause,
  SeenHealth,
} from '../../domain/operators/connection.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, deleteRows, putRow } from '../rows.ts'

// Refusals: a network refuses our configuration. Every process reads them, and takes no new
// payments there.
const REFUSAL = columnsOf<ConfigurationRefusal>({
  environment: 'environment',
  connection: 'connection',
  operator: 'operator',
  kind: 'kind',
  since: 'since',
  refusedAt: 'refused_at',
  why: 'why',
})

export const listConnectionRefusals = (db: Queries) =>
  db.read<ConfigurationRefusal>(`select ${REFUSAL} from connection_refusals order by since`)

export function writeConnectionRefusal(db: Queries, refusal: ConfigurationRefusal): Promise<void> {
  const { environment, connection, operator, kind, since, refusedAt, why } = refusal
  const route = { environment, connection, operator }
  return putRow(db, 'connection_refusals', route, { refusedAt, why }, { kind, since })
}

/** The network accepted a payment that was sent at that time. */
export const removeConnectionRefusal = (
  db: Queries,
  { environment, connection, operator }: ConfigurationRefusal,
  calledAt: number,
) =>
  db.change(
    `delete from connection_refusals
     where environment = :environment and connection = :connection and operator = :operator
       and since <= :calledAt`,
    { environment, connection, operator, calledAt },
  )

/** Of all operators; false when there was none. */
export const removeConnectionRefusals = async (
  tx: Queries,
  { environment, connection }: ConnectionKey,
) => (await deleteRows(tx, 'connection_refusals', { environment, connection })) > 0

// Pauses by a person: a paused connection takes no new payments, in any process.

const PAUSE = columnsOf<ConnectionPause>({
  environment: 'environment',
  connection: 'connection',
  since: 'since',
  reason: 'reason',
  pausedBy: 'paused_by',
})

export const listPauses = (db: Queries) =>
  db.read<ConnectionPause>(`select ${PAUSE} from connection_pauses`)

/** One that is paused already gets the new reason. */
export const insertPause = (
  tx: Queries,
  { environment, connection, since, reason, pausedBy }: ConnectionPause,
) => putRow(tx, 'connection_pauses', { environment, connection }, { reason, pausedBy }, { since })

/** False when it was not paused. */
export const removePause = async (tx: Queries, { environment, connection }: ConnectionKey) =>
  (await deleteRows(tx, 'connection_pauses', { environment, connection })) === 1

// Health, as last reported by the process that calls the connection.

const HEALTH = columnsOf<SeenHealth>({
  environment: 'environment',
  connection: 'connection',
  state: 'state',
  since: 'since',
  why: 'why',
  misconfigured: 'misconfigured',
  seenAt: 'seen_at',
})

export const listHealth = (db: Queries) =>
  db.read<SeenHealth>(`select ${HEALTH} from connection_health`)

export const writeHealth = (db: Queries, { environment, connection, ...seen }: SeenHealth) =>
  putRow(db, 'connection_health', { environment, connection }, seen)
