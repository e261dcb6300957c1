// The sums of a day or a month: for its event and its email, which have no rows. A step of other actions.

import { sumsOf } from '../../domain/account-statement.ts'
import type { ConnectionSums, ReadyPeriod } from '../../domain/ready-statement.ts'
import { findOpening, listKindSums } from '../../store/books/account-statements.ts'
import type { Queries } from '../../store/engine/database.ts'

/** The statements of a period without their rows, one for each connection with movements. */
export async function readPeriodSums(
  db: Queries,
  accountId: string,
  { firstDay: fromDay, lastDay: toDay }: Pick<ReadyPeriod, 'firstDay' | 'lastDay'>,
): Promise<ConnectionSums[]> {
  const kinds = Map.groupBy(await listKindSums(db, accountId, { fromDay, toDay }), ({ connection }) => connection)
  const sums: ConnectionSums[] = []
  for (const [connection, ofConnection] of kinds) {
    const period = { accountId, connection, fromDay, toDay, lastEntry: Number.MAX_SAFE_INTEGER }
    const openingXof = await findOpening(db, period)
    sums.push({ connection, ...sumsOf(openingXof, ofConnection) })
  }
  return sums
}
