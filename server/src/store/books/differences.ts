// Differences between networks' statements and the ledger as a person reads them: with the line and the payment.

import type { Scope } from '../../domain/caller.ts'
import type { Queries } from '../engine/database.ts'
import { firstValue, inScope, scopeValues } from '../rows.ts'

/** Counted up to `most`: more is as urgent. */
export const countOpenDifferences = async (db: Queries, scope: Scope, most: number): Promise<number> =>
  (await firstValue<number>(
    db,
    `select count(*) from (select 1 from book_exceptions
     where resolved_at is null${inScope(scope, 2)} limit $1) as open`,
    [most, ...scopeValues(scope)],
  )) ?? 0
