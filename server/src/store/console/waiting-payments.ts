// Payments that wait long for their outcome, and how many events wait for receivers: for people who look after the whole service.
import type { Environment } from '../../domain/environment.ts'
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

export interface WaitingPayment {
  reference: string
  merchantName: string
  environment: Environment
  operator: string
  amountXof: number
  createdAt: number
  handedOverAt: number | null
  polls: number
  dueAt: number | null
}

const WAITING = columns<WaitingPayment>({
  reference: 'w.reference',
  merchantName: 'm.name',
  environment: 'w.environment',
  operator: "coalesce(w.operator, '')",
  amountXof: 'w.amount_xof',
  createdAt: 'w.created_at',
  handedOverAt: 'w.handed_over_at',
  polls: 'w.asked_times',
  dueAt: 'w.due_at',
})

/** Of so many that are due at some time: a longer backlog has an alarm of its own. */
const MOST_LOOKED_AT = 20_000

/** Those made before a time, the oldest first. */
export const listWaitingPayments = (db: Queries, madeBefore: number, most: number): Promise<WaitingPayment[]> =>
  db.rows<WaitingPayment>(
    `select ${WAITING} from (
       select * from payments where due_at is not null limit ${MOST_LOOKED_AT}
     ) w join accounts a on a.account_id = w.account_id join merchants m on m.merchant_id = a.merchant_id
     where w.status = 'pending' and w.created_at < $1 order by w.created_at, w.reference limit $2`,
    [madeBefore, most],
  )

/** Counts no further than `most`. */
export async function countWaitingDeliveries(db: Queries, most: number): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    'select count(*) as count from (select 1 from webhook_deliveries where due_at is not null limit $1) as waiting',
    [most],
  )
  return row?.count ?? 0
}

export async function namesOfMerchants(db: Queries, accountIds: readonly string[]): Promise<Map<string, string>> {
  if (accountIds.length === 0) return new Map()
  const places = accountIds.map((_, at) => `$${at + 1}`).join(', ')
  const rows = await db.rows<{ accountId: string; name: string }>(
    `select a.account_id as "accountId", m.name as name from accounts a join merchants m on m.merchant_id = a.merchant_id
     where a.account_id in (${places})`,
    accountIds,
  )
  return new Map(rows.map(({ accountId, name }) => [accountId, name]))
}
