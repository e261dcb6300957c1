// Lists of payments, newest first. Numbers grow with time, so the primary key is the order of the
// list, and creating a payment has no extra index to maintain.

import type { Environment } from '../../domain/environment.ts'
import type { ListedPayment } from '../../domain/payments/payment.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import type { Scope } from '../../domain/people/caller.ts'
import { ofEachAccount, type Queries, type Value } from '../engine/database.ts'
import { columnsOf, firstRow, firstValue, listOf, ofTable, padded } from '../rows.ts'
import { PAYMENT_FIELDS, REFUNDED_XOF } from './payments.ts'

const LISTED = columnsOf<ListedPayment>({
  ...ofTable('p', PAYMENT_FIELDS),
  environment: 'p.environment',
  msisdn: 'p.msisdn',
  customerName: 'p.customer_name',
  createdAt: 'p.created_at',
  method: 'p.method',
  linkReference: 'l.reference',
  refundedXof: REFUNDED_XOF,
  linkTitle: 'l.title',
  connection: 'p.connection',
})

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
  const values: Record<string, Value> = { from, below, most }
  const conditions = (table: string): string =>
    `${table}.number >= :from and ${table}.number < :below${filterSql(table, filter, values)}
     order by ${table}.number desc limit :most`
  if (accountId !== null) {
    return db.read<ListedPayment>(
      `select ${LISTED} from payments p ${LINKED}
       where p.account_id = :accountId and ${conditions('p')}`,
      { ...values, accountId },
    )
  }
  // The newest `most` of each account by the primary key, then the newest of those.
  const sql = ofEachAccount(
    PAYMENTS_BY_NUMBER,
    `and ${conditions('q')}`,
    (joined) =>
      `select ${LISTED} from accounts a ${joined} ${LINKED} order by p.number desc limit :most`,
  )
  return db.read<ListedPayment>(sql, values)
}

export interface PaymentSum {
  count: number
  amountXof: number
  /** Of those that succeeded and were not refunded. */
  collectedXof: number
}

const SUM = columnsOf<PaymentSum>({
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
  const values: Record<string, Value> = { from, below, most, accountId }
  const sql = `select ${SUM} from (
    select p.amount_xof, p.status from payments p
    where p.account_id = :accountId and p.number >= :from and p.number < :below
      ${filterSql('p', filter, values)} order by p.number desc limit :most) as found`
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
  return db.read<ListedPayment>(`select ${LISTED} from payments p ${LINKED} ${where}`, values)
}

/** The condition and order of payments `p` for `listNumberedPayments`. */
export function ofNumbers(accountId: string, numbers: readonly number[], filter: PaymentFilter) {
  const listed = listOf('number', padded(numbers))
  const values: Record<string, Value> = { ...listed.values, accountId }
  const passes = filterSql('p', filter, values)
  const where = `where p.account_id = :accountId and p.number in (${listed.places})${passes}
    order by p.number desc`
  return { where, values }
}

/**
 * The status is literal, so that the partial index on rare statuses applies. It is from a closed
 * list.
 */
export function filterSql(
  of: string,
  filter: PaymentFilter,
  values: Record<string, Value>,
): string {
  const { status, operator, environment, from, to, minimumXof, maximumXof } = filter
  const tests: [test: string, name: string, value: Value | undefined][] = [
    ['operator =', 'operator', operator],
    ['environment =', 'environment', environment],
    ['created_at >=', 'recordedFrom', from],
    ['created_at <', 'recordedBefore', to],
    ['amount_xof >=', 'minimumXof', minimumXof],
    ['amount_xof <=', 'maximumXof', maximumXof],
  ]
  let where = status === undefined ? '' : ` and ${of}.status = '${status}'`
  for (const [test, name, value] of tests) {
    if (value === undefined) continue
    where += ` and ${of}.${test} :${name}`
    values[name] = value
  }
  return where
}

const FIRST_OF_ACCOUNT = `select number, created_at as "createdAt" from payments
  where account_id = :accountId and number >= :number order by number limit 1`
const FIRST_OF_ALL = `select p.number, p.created_at as "createdAt" from accounts a
  join payments p on p.account_id = a.account_id and p.number = (
    select min(q.number) from payments q where q.account_id = a.account_id and q.number >= :number)
  order by p.number limit 1`

/** The payment with the lowest number from `number` on. */
const findFirst = (db: Queries, { accountId }: Scope, number: number) =>
  firstRow<{ number: number; createdAt: number }>(
    db,
    accountId === null ? FIRST_OF_ALL : FIRST_OF_ACCOUNT,
    accountId === null ? { number } : { number, accountId },
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
  const newest =
    'select status from payments where account_id = :accountId order by number desc limit :most'
  const sql = `select count(*) as count from (${newest}) as newest where status = 'pending'`
  return (await firstValue<number>(db, sql, { accountId, most: NEWEST_COUNTED })) ?? 0
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
    const sql = `select number from ${table} where account_id = :accountId and number < :below
      order by number desc limit 1 offset :most`
    return firstValue<number>(db, sql, { accountId, below, most })
  }
  const last = await firstValue<number>(
    db,
    `select max(newest) as last from (
       select (select max(q.number) from ${table} q
         where q.account_id = a.account_id and q.number < :below) as newest
       from accounts a) as newest_of_each`,
    { below },
  )
  const floor = (last ?? 0) - most * NUMBERS_PER_ROW
  return floor > 0 ? floor : undefined
}
