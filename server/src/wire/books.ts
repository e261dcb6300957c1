// The books in the merchant API: where the money is, and the ledger entries behind it (D-153).
import type { AccountStatement, StatementRow } from '../domain/account-statement.ts'
import { dayOf, dayText } from '../domain/business-day.ts'
import type { Balances, EntryPage } from '../domain/ledger.ts'
import { PAGE_LIMIT } from '../domain/page.ts'
import type { RefusedAs } from '../domain/refusal.ts'
import type { Body } from './bodies.ts'
import { isoTime } from './json.ts'

const whereOf = (balances: Balances | undefined) => ({
  to_receive: balances?.get('receivable') ?? 0,
  in_wallet: balances?.get('wallet') ?? 0,
  in_transit: balances?.get('in_transit') ?? 0,
  in_bank: balances?.get('bank') ?? 0,
  withheld: balances?.get('withheld') ?? 0,
})

export const balanceBody = (byConnection: ReadonlyMap<string, Balances>): string =>
  JSON.stringify({
    ...whereOf(byConnection.get('')),
    connections: [...byConnection]
      .filter(([connection]) => connection !== '')
      .map(([connection, balances]) => ({ connection, ...whereOf(balances) })),
  } satisfies Body<'Balance'>)

const DAY = /^\d{4}-\d\d-\d\d$/

function dayIn(text: unknown): number | undefined {
  const at = typeof text === 'string' && DAY.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : dayOf(at)
}

export function readStatementQuery({
  connection,
  from,
  to,
}: Record<string, unknown>):
  | { connection: string; fromDay: number; toDay: number }
  | RefusedAs<'statement_query_not_valid'> {
  const [fromDay, toDay] = [dayIn(from), dayIn(to)]
  const wrong = (parameter: 'connection' | 'from' | 'to') =>
    ({ refused: 'statement_query_not_valid', parameter }) as const
  if (typeof connection !== 'string' || connection === '' || connection.length > 64) return wrong('connection')
  if (fromDay === undefined) return wrong('from')
  return toDay === undefined ? wrong('to') : { connection, fromDay, toDay }
}

/** A statement without its movements, which may be many. */
export const statementHead = (statement: AccountStatement) =>
  ({
    connection: statement.connection,
    from: dayText(statement.fromDay),
    to: dayText(statement.toDay),
    opening: statement.openingXof,
    collected: statement.collectedXof,
    refunded: statement.refundedXof,
    fees: statement.feesXof,
    taxes: statement.taxesXof,
    withheld: statement.withheldXof,
    settled: statement.settledXof,
    unexplained: statement.unexplainedXof,
    closing: statement.closingXof,
    confirmed: statement.confirmedXof,
  }) satisfies Omit<Body<'Statement'>, 'movements'>

export const statementMovement = (row: StatementRow) =>
  ({
    entry: row.entry,
    kind: row.kind,
    amount: row.amountXof,
    balance: row.balanceXof,
    booked_at: isoTime(row.bookedAt),
    value_date: dayText(row.day),
    is_confirmed: row.isConfirmed,
    payment_reference: row.reference || undefined,
    public_reference: row.publicReference || undefined,
    external_reference: row.externalReference || undefined,
    refund_reference: row.refundReference || undefined,
    operator_reference: row.operatorReference || undefined,
  }) satisfies Body<'Statement'>['movements'][number]

export const statementBody = (statement: AccountStatement): string =>
  JSON.stringify({
    ...statementHead(statement),
    movements: statement.rows.map(statementMovement),
  } satisfies Body<'Statement'>)

/** In the order in which they are checked. */
export const ENTRY_QUERY_FAULTS = ['after_not_valid', 'limit_not_valid'] as const

export function readEntryQuery(
  query: Record<string, unknown>,
): { after: number; limit: number } | RefusedAs<(typeof ENTRY_QUERY_FAULTS)[number]> {
  const { after = '0', limit = String(PAGE_LIMIT.usual) } = query
  if (typeof after !== 'string' || !/^\d{1,15}$/.test(after)) return { refused: 'after_not_valid', parameter: 'after' }
  if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > PAGE_LIMIT.most)
    return { refused: 'limit_not_valid' }
  return { after: Number(after), limit: Number(limit) }
}

export const entryListBody = ({ entries, next }: EntryPage): string =>
  JSON.stringify({
    data: entries.map((entry) => ({
      entry: entry.entry,
      kind: entry.kind,
      debit: entry.debit,
      credit: entry.credit,
      amount: entry.amountXof,
      connection: entry.connection,
      booked_at: isoTime(entry.bookedAt),
      value_date: dayText(entry.day),
      payment_reference: entry.reference ?? undefined,
      refund_reference: entry.refundReference ?? undefined,
    })),
    next,
  } satisfies Body<'EntryList'>)
