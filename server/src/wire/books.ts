// The books in the merchant API: where the money is, and the ledger entries behind it (D-153).
import { dayText } from '../domain/business-day.ts'
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
