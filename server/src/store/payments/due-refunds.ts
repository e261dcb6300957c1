// Refunds by when they are due, with the connection that each is sent by. They have none of their own: it is their payment's, or that of the attempt
// whose late debit they give back.
import type { ConnectionKey } from '../../domain/operator-report.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface DueRefund extends ConnectionKey {
  refundReference: string
  dueAt: number
}

const DUE_REFUND = columns<DueRefund>({
  refundReference: 'r.refund_reference',
  dueAt: 'r.due_at',
  environment: 'p.environment',
  connection: 'coalesce(t.connection, t.operator, p.connection, p.operator)',
})

/** How many are read at once by a walk over all of them. */
const AT_ONCE = 500

/** Those due longest first, after the given one. */
const findDueRefunds = (db: Queries, now: number, last: DueRefund | undefined): Promise<DueRefund[]> =>
  db.rows<DueRefund>(
    `select ${DUE_REFUND} from refunds r
     join payments p on p.account_id = r.account_id and p.number = r.number
     left join payment_attempts t
       on t.account_id = r.account_id and t.number = r.number and t.reference = r.request_reference
     where r.due_at <= $1 and r.due_at >= $2 and (r.due_at > $2 or r.refund_reference > $3)
     order by r.due_at, r.refund_reference limit $4`,
    [now, last?.dueAt ?? 0, last?.refundReference ?? '', AT_ONCE],
  )

/** Makes refunds due now that are due later than any is ever postponed: the clock was ahead when that was written. */
export const bringBackRefunds = (db: Queries, { now, latest }: { now: number; latest: number }): Promise<number> =>
  db.change('update refunds set due_at = $1 where due_at > $2', [now, latest])

/** All that are due, those due longest first. */
export async function* allDueRefunds(db: Queries, now: number): AsyncGenerator<DueRefund> {
  let last: DueRefund | undefined
  do {
    const some = await findDueRefunds(db, now, last)
    yield* some
    last = some.length === AT_ONCE ? some.at(-1) : undefined
  } while (last !== undefined)
}
