// The ledger entries behind each amount of "Where is my money": newest first, and what waits for the network's
// statement.

import type { EntryKind, MoneyPlace } from '../../domain/ledger.ts'
import type { Queries } from '../engine/database.ts'
import { columnsOf, firstValue } from '../rows.ts'

export interface MoneyEntry {
  entry: number
  connection: string
  bookedAt: number
  day: number
  kind: EntryKind
  /** What the place gained by it; negative for what it lost. */
  amountXof: number
  /** The payment's; null where there is none. */
  reference: string | null
  publicReference: string | null
}

export interface EntryWindow {
  accountId: string
  place: MoneyPlace
  /** Null for every connection. */
  connection: string | null
  /** The entries from `bottom` up to, and without, `top`. */
  top: number
  bottom: number
}

const ENTRY = columnsOf<MoneyEntry>('l')('entry connection bookedAt day kind p.reference p.publicReference', {
  amountXof: 'case when l.debit = $4 then l.amount_xof else -l.amount_xof end',
})

const confirmedBy = (kind: string, more = ''): string =>
  `exists (select 1 from ledger_entries c where c.account_id = l.account_id and c.number = l.number and c.kind = '${kind}'
     and 'receivable' in (c.debit, c.credit)${more})`

/** Payments and refunds that no line of a statement has confirmed: together they are the balance of `receivable`. */
const NOT_CONFIRMED = ` and (l.kind = 'payment' and not ${confirmedBy('collected')}
  or l.kind in ('refund', 'reversal') and not ${confirmedBy('refund_confirmed', " and coalesce(c.refund_reference, '') = coalesce(l.refund_reference, '')")})`

export const listEntriesAt = (db: Queries, window: EntryWindow, most: number) =>
  db.rows<MoneyEntry>(
    `select ${ENTRY} from ledger_entries l left join payments p on p.account_id = l.account_id and p.number = l.number
     where l.account_id = $1 and l.entry < $2 and l.entry >= $3 and (l.debit = $4 or l.credit = $4)
       and (cast($5 as text) is null or l.connection = $5)${window.place === 'receivable' ? NOT_CONFIRMED : ''}
     order by l.entry desc limit $6`,
    [window.accountId, window.top, window.bottom, window.place, window.connection, most],
  )

export const findLastEntry = async (db: Queries, accountId: string): Promise<number> =>
  (await firstValue<number>(db, 'select last_entry from ledger_heads where account_id = $1', [accountId])) ?? 0
