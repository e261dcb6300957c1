// The tariffs of connections, each from a day on.

import type { KeptTariff } from '../../domain/ledger/tariff.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, listOf, padded, putRow } from '../rows.ts'

/** Replaces the tariff that begins on the same day. */
export const keepTariff = (
  tx: Queries,
  { environment, connection, fromDay, ...tariff }: KeptTariff,
): Promise<void> => putRow(tx, 'tariffs', { environment, connection, fromDay }, tariff)

const TARIFF = columnsOf<KeptTariff>({
  environment: 'environment',
  connection: 'connection',
  fromDay: 'from_day',
  rate: 'rate',
  fixedXof: 'fixed_xof',
  minimumXof: 'minimum_xof',
  maximumXof: 'maximum_xof',
  rounding: 'rounding',
  setBy: 'set_by',
  setAt: 'set_at',
})

export const listKeptTariffs = (db: Queries) =>
  db.read<KeptTariff>(`select ${TARIFF} from tariffs order by environment, connection, from_day`)

export const listConnectionTariffs = (db: Queries, { environment, connection }: ConnectionKey) =>
  db.read<KeptTariff>(
    `select ${TARIFF} from tariffs where environment = :environment and connection = :connection
      order by from_day`,
    { environment, connection },
  )

/** Those of connections with these names, in both environments. */
export function listTariffsOf(db: Queries, connections: readonly string[]): Promise<KeptTariff[]> {
  const named = listOf('connection', padded(connections))
  return db.read<KeptTariff>(
    `select ${TARIFF} from tariffs where connection in (${named.places})`,
    named.values,
  )
}
