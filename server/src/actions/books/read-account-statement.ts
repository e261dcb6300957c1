// A merchant's statement of a period at one connection: opening, every movement, closing, and how much of it the
// network's own statement confirms.

import { type AccountStatement, type StatementEntry, statementOf } from '../../domain/account-statement.ts'
import type { MerchantCaller } from '../../domain/caller.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import { findOpening, listStatementEntries } from '../../store/books/account-statements.ts'
import { findNamedAccount } from '../../store/merchants/accounts.ts'
import type { Deps } from '../deps.ts'
import { labelConnections } from '../operators/label-connections.ts'

const SLICE = 1_000
/** Some tens of milliseconds of the store's time. A longer list is read from the ledger entries, in pages. */
const MOST_STATEMENT_ROWS = 10_000
const MOST_DAYS = 366

export interface StatementQuery {
  connection: string
  fromDay: number
  toDay: number
}

export async function readAccountStatement(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Pick<MerchantCaller, 'accountId' | 'environment'>,
  { connection, fromDay, toDay }: StatementQuery,
): Promise<AccountStatement | RefusedAs<'period_not_valid'>> {
  if (toDay < fromDay || toDay - fromDay >= MOST_DAYS) return { refused: 'period_not_valid' }
  const period = { accountId, connection, fromDay, toDay }
  const entries: StatementEntry[] = []
  for (let after = { day: fromDay, entry: 0 }; ; ) {
    const slice = await listStatementEntries(db, period, after, SLICE)
    entries.push(...slice)
    if (entries.length > MOST_STATEMENT_ROWS) return { refused: 'period_not_valid' }
    const last = slice.at(-1)
    if (last === undefined || slice.length < SLICE) break
    after = { day: last.day, entry: last.entry }
  }
  const { merchantName } = await findNamedAccount(db, accountId)
  const whole = statementOf(await findOpening(db, period), entries)
  const labelled = await labelConnections({ db }, { accountId }, [{ connection }])
  return labelled({ merchantName, accountId, environment, connection, fromDay, toDay, ...whole })
}
