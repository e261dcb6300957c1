// The books in the merchant API: where the money is, the ledger entries behind it, and statements (D-153).
import type { AccountStatement, StatementRow } from '../domain/account-statement.ts'
import { dayText } from '../domain/business-day.ts'
import type { Balances, EntryPage } from '../domain/ledger.ts'
import { CURRENCY } from '../domain/money.ts'
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
      payment_reference: entry.reference,
      refund_reference: entry.refundReference ?? undefined,
    })),
    next,
  } satisfies Body<'EntryList'>)

/** A statement without its rows, which may be many. */
export const statementHead = (statement: AccountStatement) =>
  ({
    merchant: statement.merchantName,
    account_id: statement.accountId,
    environment: statement.environment,
    connection: statement.connection,
    from: dayText(statement.fromDay),
    to: dayText(statement.toDay),
    currency: CURRENCY,
    opening: statement.openingXof,
    collected: statement.collectedXof,
    refunded: statement.refundedXof,
    fees: statement.feesXof,
    taxes: statement.taxesXof,
    withheld: statement.withheldXof,
    settled: statement.settledXof,
    closing: statement.closingXof,
    confirmed: statement.confirmedXof,
  }) satisfies Omit<Body<'Statement'>, 'rows'>

export const statementRow = (row: StatementRow) =>
  ({
    entry: row.entry,
    kind: row.kind,
    booked_at: isoTime(row.bookedAt),
    value_date: dayText(row.day),
    amount: row.amountXof,
    balance: row.balanceXof,
    confirmed: row.isConfirmed,
    payment_reference: row.reference || undefined,
    public_reference: row.publicReference || undefined,
    external_reference: row.externalReference || undefined,
    refund_reference: row.refundReference || undefined,
    operator_reference: row.operatorReference || undefined,
  }) satisfies Body<'StatementRow'>
