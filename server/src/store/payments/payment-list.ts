// Lists of payments, newest first. Numbers grow with time, so the primary key is the order of the
// list, and creating a payment has no extra index to maintain.
import type { Scope } from '../../domain/caller.ts'
import type { Environment } from '../../domain/environment.ts'
import type { ListedPayment } from '../../domain/payment.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { ofEachAccount, type Queries, type Value } from '../engine/database.ts'
import { columnsOf, firstRow, firstValue, padded } from '../rows.ts'
import { PAYMENT_FIELDS, REFUNDED_XOF } from './payments.ts'

const LISTED = columnsOf<ListedPayment>('p')(
  `${PAYMENT_FIELDS} environment msisdn customerName createdAt`,
  {
    linkReference: 'l.reference',
    refundedXof: REFUNDED_XOF,
    linkTitle: 'l.title',
    connection: 'coalesce(p.connection, p.operator)',
  },
)

const LINKED = 'left join payment_links l on l.account_id = p.account_id and l.number = p.number'

/** For ofEachAccount. */
export const PAYMENTS_BY_NUMBER = { table: 'payments', as: 'p', key: ['number'] } as const

export interface PaymentFilter {
  status?: PaymentStatus | undefined
  operator?: string | undefined
  environment?: Environment | undefined
  /** Recorded at or after `from` and before `to`, in milliseconds. */
  from?: number | undefined
  to?: number | undefined
  minimumXof?: number | undefined
  maximumXof?: number | undefined
}

/** Payment numbers from `from` and below `below`. */
export type NumberRange = { from: number; below: number }

export function listPayments(
  db: Queries,
  { accountId }: Scope,
  { from, below }: NumberRange,
  filter: PaymentFilter,
  most: number,
): Promise<ListedPayment[]> {
  const values: Value[] = [from, below, most]
  const conditions = (of: string): string =>
    `${of}.number >= $1 and ${of}.number < $2${filterSql(of, filter, values)} order by ${of}.number desc limit $3`
  if (accountId !== null) {
    const account = `$${values.push(accountId)}`
    return db.rows<ListedPayment>(
      `select ${LISTED} from payments p ${LINKED} where p.account_id = ${account} and ${conditions('p')}`,
      values,
    )
  }
  // The newest `most` of each account by the primary key, then the newest of those.
  const sql = ofEachAccount(
    PAYMENTS_BY_NUMBER,
    `and ${conditions('q')}`,
    (joined) =>
      `select ${LISTED} from accounts a ${joined} ${LINKED} order by p.number desc limit $3`,
  )
  return db.rows<ListedPayment>(sql, values)
}

export interface PaymentSum {
  count: number
  amountXof: number
  /** Of those that succeeded and were not refunded. */
  collectedXof: number
}

const SUM = columnsOf<PaymentSum>()('', {
  count: 'count(*)',
  amountXof: 'cast(coalesce(sum(amount_xof), 0) as bigint)',
  collectedXof:
    "cast(coalesce(sum(case when status = 'succeeded' then amount_xof else 0 end), 0) as bigint)",
})

/** Of the newest `most` payments that pass the filter. */
export async function sumPayments(
  db: Queries,
  accountId: string,
  { from, below }: NumberRange,
  filter: PaymentFilter,
  most: number,
): Promise<PaymentSum> {
  const values: Value[] = [from, below, most, accountId]
  const sql = `select ${SUM} from (
    select p.amount_xof, p.status from payments p where p.account_id = $4 and p.number >= $1 and p.number < $2
      ${filterSql('p', filter, values)} order by p.number desc limit $3) as found`
  return (await firstRow<PaymentSum>(db, sql, values)) as PaymentSum
}

/** Those of an account that have one of these numbers and pass the filter, newest first. */
export async function listNumberedPayments(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
  filter: PaymentFilter,
): Promise<ListedPayment[]> {
  if (numbers.length === 0) return []
  const { where, values } = ofNumbers(accountId, numbers, filter)
  return db.rows<ListedPayment>(`select ${LISTED} from payments p ${LINKED} ${where}`, values)
}

/** The condition and order of payments `p` for `listNumberedPayments`. */
export function ofNumbers(accountId: string, numbers: readonly number[], filter: PaymentFilter) {
  const values: Value[] = [accountId]
  const places = padded(numbers).map((number) => `$${values.push(number)}`)
  const passes = filterSql('p', filter, values)
  const where = `where p.account_id = $1 and p.number in (${places.join(', ')})${passes} order by p.number desc`
  return { where, values }
}

/**
 * The status is literal, so that the partial index on rare statuses applies. It is from a closed
 * list.
 */
export function filterSql(of: string, filter: PaymentFilter, values: Value[]): string {
  const { status, operator, environment, from, to, minimumXof, maximumXof } = filter
  const where: [string, Value | undefined][] = [
    ['operator =', operator],
    ['environment =', environment],
    ['created_at >=', from],
    ['created_at <', to],
    ['amount_xof >=', minimumXof],
    ['amount_xof <=', maximumXof],
  ]
  const given = where.filter((pair): pair is [string, Value] => pair[1] !== undefined)
  const others = given.map(([test, value]) => ` and ${of}.${test} $${values.push(value)}`)
  return `${status === undefined ? '' : ` and ${of}.status = '${status}'`}${others.join('')}`
}

const FIRST_OF_ACCOUNT = `select number, created_at as "createdAt" from payments
  where account_id = $2 and number >= $1 order by number limit 1`
const FIRST_OF_ALL = `select p.number, p.created_at as "createdAt" from accounts a
  join payments p on p.account_id = a.account_id and p.number = (
    select min(q.number) from payments q where q.account_id = a.account_id and q.number >= $1)
  order by p.number limit 1`

/** The payment with the lowest number from `number` on. */
const findFirst = (db: Queries, { accountId }: Scope, number: number) =>
  firstRow<{ number: number; createdAt: number }>(
    db,
    accountId === null ? FIRST_OF_ALL : FIRST_OF_ACCOUNT,
    accountId === null ? [number] : [number, accountId],
  )

/**
 * From which number on payments were recorded at or after a time: about thirty look-ups by the
 * primary key. Numbers follow time only to a minute (store/service/service-facts.ts): the caller
 * adds a larger margin.
 */
export async function findNumberAtTime(
  db: Queries,
  scope: Scope,
  time: number,
  below: number,
): Promise<number> {
  let [low, high] = [0, below]
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    const first = await findFirst(db, scope, middle)
    if (first === undefined || first.number >= high || first.createdAt >= time) high = middle
    else low = first.number + 1
  }
  return low
}

/** Looked at for the count: some milliseconds. */
const NEWEST_COUNTED = 10_000

/** How many of the newest payments are pending. */
export async function countPending(db: Queries, accountId: string): Promise<number> {
  const newest = 'select status from payments where account_id = $1 order by number desc limit $2'
  const sql = `select count(*) as count from (${newest}) as newest where status = 'pending'`
  return (await firstValue<number>(db, sql, [accountId, NEWEST_COUNTED])) ?? 0
}

// How far a page scans rows that no index filters: a filter that hardly any row matches must not
// read them all. Such a page has few rows, or none, and its cursor continues from there.

/** Scanned in some milliseconds. */
export const MOST_SCANNED = 10_000
/**
 * Numbers for one row, in a scan of all accounts: they come from one counter, and some are never
 * used.
 */
const NUMBERS_PER_ROW = 10

/** The number to stop at; undefined when there are fewer rows than `most`. */
export async function findScanFloor(
  db: Queries,
  table: 'payments' | 'payment_links',
  { accountId }: Scope,
  below: number,
  most = MOST_SCANNED,
): Promise<number | undefined> {
  if (accountId !== null) {
    const sql = `select number from ${table} where account_id = $1 and number < $2 order by number desc limit 1 offset $3`
    return firstValue<number>(db, sql, [accountId, below, most])
  }
  const last = await firstValue<number>(
    db,
    `select max(newest) as last from (
       select (select max(q.number) from ${table} q where q.account_id = a.account_id and q.number < $1) as newest
       from accounts a) as newest_of_each`,
    [below],
  )
  const floor = (last ?? 0) - most * NUMBERS_PER_ROW
  return floor > 0 ? floor : undefined
}
