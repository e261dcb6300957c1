// How connections do, as the process that calls them saw it last: commands and other processes read it here.
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface SeenHealth extends ConnectionKey {
  state: string
  since: number
  why: string | null
  /** 1 or 0. */
  misconfigured: number
  seenAt: number
}

const HEALTH = columns<SeenHealth>({
  environment: 'environment',
  connection: 'connection',
  state: 'state',
  since: 'since',
  why: 'why',
  misconfigured: 'misconfigured',
  seenAt: 'seen_at',
})

export const listHealth = (db: Queries): Promise<SeenHealth[]> =>
  db.rows<SeenHealth>(`select ${HEALTH} from connection_health`, [])

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
