// The index by which payments are found by what people remember of them: for each term, the numbers
// of the payments that have it, in lists (domain/lists/number-list.ts). The worker indexes payments
// below which no number can come; newer ones are scanned. Terms only choose payments to look at:
// they are checked against the search when they are read.

import type { Environment } from '../../domain/environment.ts'
import { getOrMake } from '../../domain/limits/get-or-make.ts'
import {
  type Listed,
  LONGEST_LIST,
  listText,
  type NumberList,
  readList,
  splitList,
} from '../../domain/lists/number-list.ts'
import {
  payerTermsOf,
  type RoughTest,
  type Searched,
  type SearchedPayer,
  searchTermsOf,
  type Term,
} from '../../domain/lists/search-terms.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import type { Scope } from '../../domain/people/caller.ts'
import {
  manyRows,
  ofEachAccount,
  type Queries,
  type SqlTexts,
  type Transaction,
  type Value,
  type Values,
} from '../engine/database.ts'
import {
  columnsOf,
  deleteRows,
  firstRow,
  firstValue,
  inScope,
  insertTexts,
  padded,
  scopeValues,
  updateRows,
} from '../rows.ts'
import { ofNumbers, PAYMENTS_BY_NUMBER, type PaymentFilter } from './payment-list.ts'

export type PaymentKey = { accountId: string; number: number }

export interface SearchedPayment extends Searched {
  number: number
}

export type SearchedPaymentOf = SearchedPayment & PaymentKey

export interface IndexedPayment extends SearchedPayment {
  createdAt: number
}

/** What a search needs of a payment to check and add it. */
export interface MatchedPayment extends SearchedPayment {
  status: PaymentStatus
}

const SEARCHED_FIELDS = {
  number: 'p.number',
  msisdn: 'p.msisdn',
  customerName: 'p.customer_name',
  externalReference: 'p.external_reference',
  clientReference: 'p.client_reference',
  operatorReference: 'p.operator_reference',
  amountXof: 'p.amount_xof',
}
const SEARCHED = columnsOf<SearchedPaymentOf>({ accountId: 'p.account_id', ...SEARCHED_FIELDS })
const MATCHED = columnsOf<MatchedPayment>({ ...SEARCHED_FIELDS, status: 'p.status' })
const INDEXED = columnsOf<IndexedPayment>({ ...SEARCHED_FIELDS, createdAt: 'p.created_at' })

/** The next payments to index, the oldest first. */
export const listUnindexed = (db: Queries, accountId: string, after: number, most: number) =>
  db.read<IndexedPayment>(
    `select ${INDEXED} from payments p where p.account_id = :accountId and p.number > :after
      order by p.number limit :most`,
    { accountId, after, most },
  )

/**
 * The list that a number belongs to: the one with the highest first number that is not above it.
 */
const covering = (account: string, term: string, number: string): string =>
  `(select max(c.first_number) from payment_search c
    where c.account_id = ${account} and c.term = ${term} and c.first_number <= ${number})`

const LIST = columnsOf<TermList>({ term: 's.term', first: 's.first_number', text: 's.numbers' })

type TermList = NumberList & { term: string }

/** The lists of a term that the numbers from `lowest` to `highest` belong to. */
const FIND_LISTS: SqlTexts = {
  sqlite: `select ${LIST} from payment_search s where s.account_id = :accountId and s.term = :term
    and s.first_number >= coalesce(${covering(':accountId', ':term', ':lowest')}, :lowest)
    and s.first_number <= :highest`,
  postgres: `select ${LIST}
    from ${manyRows({ account_id: 'text', term: 'text', lowest: 'bigint', highest: 'bigint' }, 'w')}
    join payment_search s on s.account_id = w.account_id and s.term = w.term
      and s.first_number >= coalesce(${covering('w.account_id', 'w.term', 'w.lowest')}, w.lowest)
      and s.first_number <= w.highest`,
}

const PUT_LISTS = insertTexts(
  'payment_search',
  { account_id: 'text', term: 'text', first_number: 'bigint', numbers: 'text' },
  'on conflict (account_id, term, first_number) do update set numbers = excluded.numbers',
)

/** `inOrder`: payments whose numbers follow each other; `others`: with any numbers. */
export async function indexPayments(
  tx: Transaction,
  accountId: string,
  inOrder: readonly SearchedPayment[],
  others: readonly SearchedPayment[],
): Promise<void> {
  const ranges = [inOrder, ...others.map((payment) => [payment])].flatMap((payments) =>
    [...entriesByTerm(payments)].map(([term, entries]) => {
      const numbers = entries.map(({ number }) => number)
      return { accountId, term, lowest: Math.min(...numbers), highest: Math.max(...numbers) }
    }),
  )
  const found = Map.groupBy(await tx.many<TermList>(FIND_LISTS, ranges), ({ term }) => term)
  const lists = [...entriesByTerm([...inOrder, ...others])].flatMap(([term, entries]) =>
    withEntries(found.get(term) ?? [], entries).map(({ first, text }) => ({
      accountId,
      term,
      firstNumber: first,
      numbers: text,
    })),
  )
  await tx.many(PUT_LISTS, lists)
}

function entriesByTerm(payments: readonly SearchedPayment[]): Map<string, Listed[]> {
  const entries = payments.flatMap((payment) =>
    searchTermsOf(payment).map(({ term, before }) => ({
      term,
      number: payment.number,
      digits: before,
    })),
  )
  return Map.groupBy(entries, ({ term }) => term)
}

/** The lists that the entries belong to, with them. */
function withEntries(found: readonly NumberList[], entries: readonly Listed[]): NumberList[] {
  const texts = new Map(found.map(({ first, text }) => [first, text]))
  const firsts = [...texts.keys()]
  const added = new Map<number, Listed[]>()
  for (const entry of entries.toSorted((a, b) => a.number - b.number)) {
    const own = firsts.reduce(
      (best, each) => (each <= entry.number && each > best ? each : best),
      -1,
    )
    const first = own === -1 ? entry.number : own
    if (own === -1) firsts.push(first)
    getOrMake(added, first, () => []).push(entry)
  }
  return [...added].flatMap(([first, own]) => {
    const before = texts.get(first) ?? ''
    const text = before + listText(first, own)
    return text.length <= LONGEST_LIST
      ? [{ first, text }]
      : splitList(first, [...readList(first, before), ...own])
  })
}

/** It stays findable by its order and amount. */
export async function removePayerFromSearch(
  tx: Queries,
  accountId: string,
  payment: SearchedPayer & { number: number },
): Promise<void> {
  const { number } = payment
  for (const { term, before } of payerTermsOf(payment)) {
    const sql = `select ${LIST} from payment_search s
      where s.account_id = :accountId and s.term = :term
      and s.first_number = ${covering(':accountId', ':term', ':number')}`
    const list = await firstRow<TermList>(tx, sql, { accountId, term, number })
    if (list === undefined) continue
    const { first, text } = list
    const rest = readList(first, text).filter(
      (entry) => entry.number !== number || entry.digits !== before,
    )
    const key = { accountId, term, firstNumber: first }
    if (rest.length === 0) await deleteRows(tx, 'payment_search', key)
    else await updateRows(tx, 'payment_search', key, { numbers: listText(first, rest) })
  }
}

/**
 * Numbers of payments that had a term when they were indexed, newest first: a link's payer may have
 * changed since.
 */
export interface Candidates {
  numbers: number[]
  /** The number down to which all were listed; undefined when there are no more. */
  listedTo: number | undefined
}

const numbersOf = (
  lists: readonly NumberList[],
  { before }: Term,
  below = Number.MAX_SAFE_INTEGER,
): number[] => {
  const entries = lists.flatMap(({ first, text }) => readList(first, text))
  const wanted = entries.filter(({ number, digits }) => number < below && digits.endsWith(before))
  return [...new Set(wanted.map(({ number }) => number))].sort((a, b) => b - a)
}

/** Of so many lists. */
export async function listByTerm(
  db: Queries,
  accountId: string,
  term: Term,
  below: number,
  most: number,
): Promise<Candidates> {
  const lists = await db.read<TermList>(
    `select ${LIST} from payment_search s where s.account_id = :accountId and s.term = :term
      and s.first_number < :below
     order by s.first_number desc limit :most`,
    { accountId, term: term.term, below, most },
  )
  return {
    numbers: numbersOf(lists, term, below),
    listedTo: lists.length < most ? undefined : lists.at(-1)?.first,
  }
}

/** Payments that a search in every account looks at: of one term, or not indexed. */
export const MOST_OF_ALL = { found: 2_000, notIndexed: 5_000 }

/** In every account that the scope allows, in no order; `most` of one account. */
export async function listByTermOfAll(
  db: Queries,
  scope: Scope,
  environment: Environment | null,
  term: Term,
  most: { lists: number; payments: number },
): Promise<PaymentKey[]> {
  const lists = await db.read<TermList & { accountId: string }>(
    `select s.account_id as "accountId", ${LIST} from accounts a
     join payment_search s on s.account_id = a.account_id and s.term = :term and s.first_number in (
       select c.first_number from payment_search c
       where c.account_id = a.account_id and c.term = :term
       order by c.first_number desc limit :lists)
     where a.environment = coalesce(:environment, a.environment)${inScope(scope, 'a.account_id')}`,
    { term: term.term, lists: most.lists, environment, ...scopeValues(scope) },
  )
  const keys = [...Map.groupBy(lists, ({ accountId }) => accountId)].flatMap(([accountId, own]) =>
    numbersOf(own, term)
      .slice(0, most.payments)
      .map((number) => ({ accountId, number })),
  )
  return keys.slice(0, MOST_OF_ALL.found)
}

/** After every text that begins with the one before it. */
const LAST = String.fromCodePoint(0x10ffff)

/**
 * `start` to `end` are the ids that begin so, of which `beyond` + 1 are taken. On PostgreSQL these
 * columns have the collation C.
 */
const beginningIn = (table: string, id: string): string =>
  `select p.account_id as "accountId", p.number from accounts a cross join ${table} p
   where p.account_id = a.account_id and p.${id} < :end and p.${id} >= coalesce((
     select q.${id} from ${table} q
     where q.account_id = a.account_id and q.${id} >= :start and q.${id} < :end
     order by q.${id} desc limit 1 offset :beyond), :start) limit ${MOST_OF_ALL.found}`

/**
 * Payments whose transaction_id or order_reference begins so, in no order: of each account the last
 * `most` by the id.
 */
export async function listByOrderStart(
  db: Queries,
  start: string,
  most: number,
): Promise<PaymentKey[]> {
  const values = { start, end: start + LAST, beyond: most - 1 }
  const [byId, byOrder] = await Promise.all([
    db.read<PaymentKey>(beginningIn('payments', 'external_reference'), values),
    db.read<PaymentKey>(beginningIn('orders', 'order_reference'), values),
  ])
  return [...byId, ...byOrder]
}

const NO_KEY = { accountId: null, number: null }

/**
 * The rows of payments `p` with these keys, for `from`, with the first condition, and their values.
 * `cross join` makes SQLite look up each key: without it, it scans the
 * payments of the account.
 */
export function paymentsOf(keys: readonly PaymentKey[]): { from: string; values: Values } {
  const rows = padded<{ accountId: Value; number: Value }>(keys, NO_KEY)
  // PostgreSQL takes the types of all rows from the first.
  const places = rows.map((_, at) =>
    at === 0
      ? '(cast(:account0 as text), cast(:number0 as bigint))'
      : `(:account${at}, :number${at})`,
  )
  return {
    from: `(values ${places.join(', ')}) as w cross join payments p
      where p.account_id = w.column1 and p.number = w.column2`,
    values: Object.fromEntries(
      rows.flatMap(({ accountId, number }, at) => [
        [`account${at}`, accountId],
        [`number${at}`, number],
      ]),
    ),
  }
}

/** In no order. */
export async function listSearched(
  db: Queries,
  keys: readonly PaymentKey[],
): Promise<SearchedPaymentOf[]> {
  if (keys.length === 0) return []
  const { from, values } = paymentsOf(keys)
  return db.read<SearchedPaymentOf>(`select ${SEARCHED} from ${from}`, values)
}

/** Those of an account that have one of these numbers and pass the filter, newest first. */
export async function listMatched(
  db: Queries,
  accountId: string,
  numbers: readonly number[],
  filter: PaymentFilter,
): Promise<MatchedPayment[]> {
  if (numbers.length === 0) return []
  const { where, values } = ofNumbers(accountId, numbers, filter)
  return db.read<MatchedPayment>(`select ${MATCHED} from payments p ${where}`, values)
}

type NotIndexed = { after: number; below: number }

/** The number of the payment at this place from the newest of those that are not indexed yet. */
export const findNotIndexed = (
  db: Queries,
  accountId: string,
  { after, below }: NotIndexed,
  place: number,
) =>
  firstValue<number>(
    db,
    `select number from payments
     where account_id = :accountId and number > :after and number < :below
     order by number desc limit 1 offset :beyond`,
    { accountId, after, below, beyond: place - 1 },
  )

/**
 * Payments that are not indexed yet, newest first. The statement tests them roughly: reading 10,000
 * took 64 ms of the event loop on SQLite, most of it for rows that no search of digits could want.
 */
export async function listNotIndexed(
  db: Queries,
  accountId: string,
  { after, below }: NotIndexed,
  rough: RoughTest | undefined,
): Promise<SearchedPayment[]> {
  const values: Record<string, Value> = { accountId, after, below }
  return db.read<SearchedPayment>(
    `select ${SEARCHED} from payments p where p.account_id = :accountId and p.number > :after
      and p.number < :below
     ${rough === undefined ? '' : `and ${roughly(rough, values)}`} order by p.number desc`,
    values,
  )
}

function roughly(
  { digits, amounts, operatorReference }: RoughTest,
  values: Record<string, Value>,
): string {
  const tests = digits.flatMap((each, at) => {
    const pattern = `:digits${at}`
    values[`digits${at}`] = `%${each}%`
    return [
      'p.msisdn',
      'p.external_reference',
      'p.client_reference',
      'cast(p.amount_xof as text)',
    ].map((column) => `${column} like ${pattern}`)
  })
  for (const [at, each] of amounts.entries()) {
    tests.push(`cast(p.amount_xof as text) = :amount${at}`)
    values[`amount${at}`] = each
  }
  if (operatorReference !== undefined) {
    tests.push('lower(p.operator_reference) like :operatorReference')
    values.operatorReference = `%${[...operatorReference].join('%')}%`
  }
  return `(${tests.join(' or ')})`
}

const NOT_INDEXED_OF_ALL = ofEachAccount(
  PAYMENTS_BY_NUMBER,
  `and q.number > coalesce(u.indexed_number, -1)
   order by q.number desc limit ${MOST_OF_ALL.notIndexed}`,
  (joined) => `select ${SEARCHED} from accounts a
    left join payment_summaries u on u.account_id = a.account_id
    ${joined} limit ${MOST_OF_ALL.notIndexed}`,
)

/** Payments of every account that are not indexed yet, in no order; of one account the newest. */
export const listNotIndexedOfAll = (db: Queries) => db.read<SearchedPaymentOf>(NOT_INDEXED_OF_ALL)
