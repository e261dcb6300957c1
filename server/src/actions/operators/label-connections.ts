// The labels of merchants' own connections, for lists whose rows have only the id. A step of other actions and routes.
import type { Scope } from '../../domain/caller.ts'
import { isMerchantConnection } from '../../domain/merchant-connection.ts'
import type { Queries } from '../../store/engine/database.ts'
import { labelsOfConnections } from '../../store/operators/merchant-connections.ts'

/** Returns a function that adds its label to a row; null for a connection of the installation. */
export async function labelConnections(
  { db }: { db: Queries },
  scope: Scope,
  rows: Iterable<{ connection: string }>,
): Promise<<Row extends { connection: string }>(row: Row) => Row & { connectionLabel: string | null }> {
  const ids = new Set([...rows].map(({ connection }) => connection).filter(isMerchantConnection))
  const labels = await labelsOfConnections(db, scope, [...ids])
  return (row) => ({ ...row, connectionLabel: labels.get(row.connection) ?? null })
}
