// Connections that somebody has paused: they take no new payments, in any process.
import type { Environment } from '../../domain/environment.ts'
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface ConnectionPause extends ConnectionKey {
  environment: Environment
  since: number
  reason: string
  pausedBy: string
}

const PAUSE = columns<ConnectionPause>({
  environment: 'environment',
  connection: 'connection',
  since: 'since',
  reason: 'reason',
  pausedBy: 'paused_by',
})

export const listPauses = (db: Queries): Promise<ConnectionPause[]> =>
  db.rows<ConnectionPause>(`select ${PAUSE} from connection_pauses`, [])

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
export async function removePause(tx: Queries, { environment, connection }: ConnectionKey): Promise<boolean> {
  const changed = await tx.change('delete from connection_pauses where environment = $1 and connection = $2', [
    environment,
    connection,
  ])
  return changed === 1
}
