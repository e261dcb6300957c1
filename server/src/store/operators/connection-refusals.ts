// Connections that a network refuses for our configuration: every process reads them, and takes no new payments there.
import type { ConfigurationRefusal, ConnectionKey } from '../../domain/operator-report.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

const REFUSAL = columns<ConfigurationRefusal>({
  environment: 'environment',
  connection: 'connection',
  operator: 'operator',
  kind: 'kind',
  since: 'since',
  refusedAt: 'refused_at',
  why: 'why',
})

export const listConnectionRefusals = (db: Queries): Promise<ConfigurationRefusal[]> =>
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
