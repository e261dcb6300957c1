// A list of payments, newest first, in pages, filtered by state, operator and time.
import { type AccountCaller, type MerchantCaller, type Scope, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import type { ListedPayment } from '../../domain/payment.ts'
import { NUMBERS } from '../../domain/public-reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { readSearch, type Search, type Term } from '../../domain/search-terms.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findSummaryPlace } from '../../store/figures/summaries.ts'
import * as listStore from '../../store/payments/payment-list.ts'
import * as searchStore from '../../store/payments/payment-search.ts'
import { findEndTimes } from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'
import { findActingAccount } from '../merchants/show-merchants.ts'
import { type PricedPayment, withMoney } from './payment-money.ts'
import { type FindPaymentDeps, findNamedPayment } from './read-payment.ts'

export interface ListPaymentsInput extends PageInput, listStore.PaymentFilter {
  /** For callers of the service: the account to list; without it, the payments of all accounts. */
  accountId?: string | undefined
}

/** Numbers follow time to a minute, and the clocks of machines differ by some seconds. */
const MARGIN_MS = 5 * 60_000

/** A page may have fewer rows than its limit, or none, and still a next page: see findScanFloor. */
export async function listNewestPayments(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId, after, limit, ...filter }: ListPaymentsInput,
): Promise<Page<ListedPayment> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const range = await rangeOf(db, scope, filter, wanted.cursor[0])
  const floor = isIndexed(filter) ? undefined : await listStore.findScanFloor(db, 'payments', scope, range.below)
  const isCut = floor !== undefined && floor > range.from
  const found = await listStore.listPayments(
    db,
    scope,
    isCut ? { ...range, from: floor } : range,
    filter,
    wanted.limit + 1,
  )
  const page = pageOf(found, wanted.limit, ({ number }) => [number])
  return isCut && page.next === undefined ? { ...page, next: String(floor) } : page
}

async function rangeOf(db: Database, scope: Scope, { from, to }: listStore.PaymentFilter, cursor: number) {
  const below = to === undefined ? cursor : await listStore.findNumberAtTime(db, scope, to + MARGIN_MS, cursor)
  return { below, from: from === undefined ? 0 : await listStore.findNumberAtTime(db, scope, from - MARGIN_MS, below) }
}

/** Whether the rows of a page are contiguous in an index: without a filter, or for a rare state (migration 0008). */
function isIndexed({ status, operator, environment, minimumXof, maximumXof }: listStore.PaymentFilter): boolean {
  const others = [operator, environment, minimumXof, maximumXof]
  return others.every((each) => each === undefined) && status !== 'pending' && status !== 'succeeded'
}

/** The caller's own, with fees and refunds. */
export async function listOwnPayments(
  deps: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  input: Omit<ListPaymentsInput, 'accountId'>,
): Promise<Page<PricedPayment> | RefusedAs<'cursor_not_valid' | 'limit_not_valid'>> {
  const page = await listNewestPayments(deps, caller, input)
  if (!isRefused(page)) return { ...page, rows: await withMoney(deps.db, caller.accountId, page.rows) }
  if (page.refused === 'account_not_found') throw new Error('the account of a caller is not there')
  return page
}

// One search box: any reference of a payment, or what domain/search-terms.ts finds it by. Newest first, in pages that
// look at a bounded number of rows: a page may be short, and its cursor leads on.

export interface SearchPaymentsInput extends PageInput, Omit<listStore.PaymentFilter, 'environment'> {
  search?: string | undefined
}

/** How many lists of a term are read for one page, of some hundred payments each: one first, of which most match. */
const LISTS_AT_ONCE = [1, 3, 8]
/** The number of rows scanned for one page that are not yet indexed. */
const MOST_NOT_INDEXED = 10_000

export interface FoundPayment extends PricedPayment {
  endedAt: number | null
}

type ListRefusal = RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>

export async function searchPayments(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  input: SearchPaymentsInput,
): Promise<Page<FoundPayment> | ListRefusal> {
  const page = await findPage(deps, caller, input)
  if (isRefused(page)) return page
  const ended = page.rows.filter(({ status }) => status === 'failed' || status === 'refunded')
  const numbers = ended.map(({ number }) => number)
  const times = await findEndTimes(deps.db, caller.accountId, numbers)
  const rows = await withMoney(deps.db, caller.accountId, page.rows)
  return { ...page, rows: rows.map((row) => ({ ...row, endedAt: times.get(row.number) ?? null })) }
}

async function findPage(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { search = '', after, limit, ...filter }: SearchPaymentsInput,
): Promise<Page<ListedPayment> | ListRefusal> {
  const written = search.trim()
  if (written === '') return listNewestPayments(deps, caller, { after, limit, ...filter })
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const rowsOf = async (numbers: readonly number[]): Promise<ListedPayment[]> =>
    numbers.length === 0 ? [] : listStore.listNumberedPayments(deps.db, caller.accountId, numbers, filter)
  const named = await findNamedPayment(deps, caller, { name: written })
  const exact = isRefused(named) ? [] : await rowsOf([named.number])
  // A shop may number its orders: 3456 is then an order, and also the end of a payer's number.
  const read = isRefused(named) || ONLY_NUMBERS.test(written) ? readSearch(written) : undefined
  if (read === undefined) return { rows: exact, next: undefined }
  const [below] = wanted.cursor
  const { matched, lookedTo } = await findMatches(deps.db, caller.accountId, read, { below, wanted: wanted.limit })
  const chosen = matched.slice(0, wanted.limit)
  const others = chosen.filter((number) => isRefused(named) || number !== named.number)
  const last = matched.length > chosen.length ? chosen.at(-1) : lookedTo
  return {
    rows: [...(after === undefined ? exact : []), ...(await rowsOf(others))],
    next: last === undefined ? undefined : String(last),
  }
}

const ONLY_NUMBERS = /^[\d\s]+$/

interface Matches {
  matched: number[]
  /** The number down to which all were looked at; undefined when there are no more. */
  lookedTo: number | undefined
}

type MatchRange = { below: number; wanted: number }

async function findMatches(db: Queries, accountId: string, search: Search, range: MatchRange): Promise<Matches> {
  const { indexedNumber } = await findSummaryPlace(db, accountId)
  const notIndexed = { after: indexedNumber, below: range.below }
  const newest = await searchStore.listNotIndexed(db, accountId, notIndexed, MOST_NOT_INDEXED)
  const found = new Set(numbersOf(newest, search))
  const ends = newest.length === MOST_NOT_INDEXED ? [(newest.at(-1) as searchStore.SearchedPayment).number] : []
  for (const term of search.terms) {
    const { matched, lookedTo } = await findByTerm(db, accountId, search, term, range)
    for (const number of matched) found.add(number)
    if (lookedTo !== undefined) ends.push(lookedTo)
  }
  const lookedTo = ends.length === 0 ? undefined : Math.max(...ends)
  const matched = [...found].filter((number) => number >= (lookedTo ?? 0)).sort((a, b) => b - a)
  return { matched, lookedTo }
}

async function findByTerm(
  db: Queries,
  accountId: string,
  search: Search,
  term: Term,
  { below, wanted }: MatchRange,
): Promise<Matches> {
  const matched: number[] = []
  let lookedTo = below
  for (const most of LISTS_AT_ONCE) {
    const { numbers, listedTo } = await searchStore.listByTerm(db, accountId, term, lookedTo, most)
    const keys = numbers.map((number) => ({ accountId, number }))
    matched.push(...numbersOf(await searchStore.listSearched(db, keys), search))
    if (listedTo === undefined) return { matched, lookedTo: undefined }
    lookedTo = listedTo
    if (matched.length > wanted) break
  }
  return { matched, lookedTo }
}

const numbersOf = (payments: readonly searchStore.SearchedPayment[], { matches }: Search): number[] =>
  payments.filter(matches).map(({ number }) => number)

// How many payments a filter finds and what they add up to: exact up to a limit, so that no filter reads them all.

export interface FilteredSum extends listStore.PaymentSum {
  /** There are more than were counted. */
  isMore: boolean
}

/** Neighbours in the table, as far as a page scans (findScanFloor): 6 ms. */
const MOST_SUMMED = 10_000
/** Found by the index on rare states, each on a page of its own: 8 ms. */
const MOST_RARE_SUMMED = 2_500
const MOST_FOUND_SUMMED = 1_000

export async function sumFilteredPayments(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { search = '', ...filter }: Omit<SearchPaymentsInput, keyof PageInput>,
): Promise<FilteredSum> {
  const { db } = deps
  if (search.trim() !== '') return sumFound(deps, caller, search.trim(), filter)
  const range = await rangeOf(db, caller, filter, NUMBERS)
  const floor = isIndexed(filter) ? undefined : await listStore.findScanFloor(db, 'payments', caller, range.below)
  const isCut = floor !== undefined && floor > range.from
  // Without the row at which the scan was cut: it is the one more than the limit.
  const scanned = isCut ? { ...range, from: floor + 1 } : range
  const most = isIndexed(filter) && filter.status !== undefined ? MOST_RARE_SUMMED : MOST_SUMMED
  const sum = await listStore.sumPayments(db, caller.accountId, scanned, filter, most + 1)
  return { ...sum, count: Math.min(sum.count, most), isMore: isCut || sum.count > most }
}

async function sumFound(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  search: string,
  filter: listStore.PaymentFilter,
): Promise<FilteredSum> {
  const page = await findPage(deps, caller, { search, limit: MOST_FOUND_SUMMED, ...filter })
  if (isRefused(page)) throw new Error(`a page was refused: ${page.refused}`)
  const add = (rows: readonly ListedPayment[]): number => rows.reduce((sum, { amountXof }) => sum + amountXof, 0)
  const { rows, next } = page
  return {
    ...{ count: rows.length, amountXof: add(rows), isMore: next !== undefined },
    collectedXof: add(rows.filter(({ status }) => status === 'succeeded')),
  }
}
