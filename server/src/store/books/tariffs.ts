// The tariffs of connections, each from a day on.

import type { KeptTariff } from '../../domain/tariff.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf } from '../rows.ts'

/** Replaces the tariff that begins on the same day. */
export async function keepTariff(tx: Queries, tariff: KeptTariff): Promise<void> {
  const { environment, connection, fromDay, rate, fixedXof, minimumXof, maximumXof, rounding, setBy, setAt } = tariff
  await tx.change(
    `insert into tariffs
       (environment, connection, from_day, rate, fixed_xof, minimum_xof, maximum_xof, rounding, set_by, set_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (environment, connection, from_day) do update set rate = excluded.rate, fixed_xof = excluded.fixed_xof,
       minimum_xof = excluded.minimum_xof, maximum_xof = excluded.maximum_xof, rounding = excluded.rounding,
       set_by = excluded.set_by, set_at = excluded.set_at`,
    [environment, connection, fromDay, rate, fixedXof, minimumXof, maximumXof, rounding, setBy, setAt],
  )
}

const TARIFF = columnsOf<KeptTariff>()(
  'environment connection fromDay rate fixedXof minimumXof maximumXof rounding setBy setAt',
)

export const listKeptTariffs = (db: Queries) =>
  db.rows<KeptTariff>(`select ${TARIFF} from tariffs order by environment, connection, from_day`)
