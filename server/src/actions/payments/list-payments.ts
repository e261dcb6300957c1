// A list of payments, newest first, in pages, filtered by state, operator and time.

import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import { readSearch, type Search } from '../../domain/lists/search-terms.ts'
import type { ListedPayment } from '../../domain/payments/payment.ts'
import { NUMBERS } from '../../domain/payments/reference.ts'
import {
  type AccountCaller,
  type MerchantCaller,
  type Scope,
  scopeOf,
} from '../../domain/people/caller.ts'
import { isRefused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findSummaryPlace } from '../../store/figures/summaries.ts'
import {
  findNumberAtTime,
  findScanFloor,
  listNumberedPayments,
  listPayments,
  MOST_SCANNED,
  type PaymentFilter,
  type PaymentSum,
  sumPayments,
} from '../../store/payments/payment-list.ts'
import {
  type Candidates,
  findNotIndexed,
  listByTerm,
  listMatched,
  listNotIndexed,
  type MatchedPayment,
} from '../../store/payments/payment-search.ts'
import { findEndTimes } from '../../store/webhooks/events.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import type { Deps } from '../deps.ts'
import { type PricedPayment, withMoney } from './payment-money.ts'
import { type FindPaymentDeps, findNamedPayment, readPayment } from './read-payment.ts'

export interface ListPaymentsInput extends PageInput, PaymentFilter {
  /** For callers of the service: the account to list; without it, the payments of all accounts. */
  accountId?: string | undefined
}

/** Numbers follow time to a minute, and the clocks of machines differ by some seconds. */
const MARGIN_MS = 5 * 60_000

const FEW_SCANNED = 500

/** A page may have fewer rows than its limit, or none, and still a next page: see findScanFloor. */
export async function listNewestPayments(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId, after, limit, ...filter }: ListPaymentsInput,
): Promise<
  Page<ListedPayment> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope =
    accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const range = await rangeOf(db, scope, filter, wanted.cursor[0])
  const listFrom = async (from: number): Promise<Page<ListedPayment>> => {
    const found = await listPayments(db, scope, { ...range, from }, filter, wanted.limit + 1)
    return pageOf(found, wanted.limit, ({ number }) => [number])
  }
  if (isIndexed(filter)) return listFrom(range.from)
  const floorOf = async (most: number): Promise<number> =>
    (await findScanFloor(db, 'payments', scope, range.below, most)) ?? 0
  // Most pages are full after a few rows.
  const near = await floorOf(FEW_SCANNED)
  const page = await listFrom(Math.max(near, range.from))
  if (page.next !== undefined || near <= range.from) return page
  const floor = await floorOf(MOST_SCANNED)
  const whole = await listFrom(Math.max(floor, range.from))
  return whole.next === undefined && floor > range.from ? { ...whole, next: String(floor) } : whole
}

async function rangeOf(db: Database, scope: Scope, { from, to }: PaymentFilter, cursor: number) {
  const below =
    to === undefined ? cursor : await findNumberAtTime(db, scope, to + MARGIN_MS, cursor)
  return {
    below,
    from: from === undefined ? 0 : await findNumberAtTime(db, scope, from - MARGIN_MS, below),
  }
}

/**
 * Whether the rows of a page are contiguous in an index: without a filter, or for a rare state
 * (index payments_rare).
 */
function isIndexed({
  status,
  operator,
  environment,
  minimumXof,
  maximumXof,
}: PaymentFilter): boolean {
  const others = [operator, environment, minimumXof, maximumXof]
  return (
    others.every((each) => each === undefined) && status !== 'pending' && status !== 'succeeded'
  )
}

interface OwnPaymentsInput extends Omit<ListPaymentsInput, 'accountId'> {
  /** Only this one, by our reference or the merchant's transaction_id. */
  payment?: string | undefined
}

/** The caller's own, with fees and refunds. */
export async function listOwnPayments(
  deps: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  { payment: name, ...input }: OwnPaymentsInput,
): Promise<
  Page<PricedPayment> | RefusedAs<'cursor_not_valid' | 'limit_not_valid' | 'payment_not_found'>
> {
  const page =
    name === undefined
      ? await listNewestPayments(deps, caller, input)
      : await listNamed(deps, caller, name, input)
  if (!isRefused(page))
    return { ...page, rows: await withMoney(deps.db, caller.accountId, page.rows) }
  if (page.refused === 'account_not_found') throw new Error('the account of a caller is not there')
  return page
}

/** No page, or one with the payment if it passes the filter. */
async function listNamed(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  name: string,
  { after, limit, ...filter }: Omit<ListPaymentsInput, 'accountId'>,
): Promise<
  Page<ListedPayment> | RefusedAs<'cursor_not_valid' | 'limit_not_valid' | 'payment_not_found'>
> {
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const payment = await readPayment({ db }, caller, { name })
  if (isRefused(payment)) return payment
  const numbers = payment.number < wanted.cursor[0] ? [payment.number] : []
  return {
    rows: await listNumberedPayments(db, caller.accountId, numbers, filter),
    next: undefined,
  }
}

// One search box: any reference of a payment, or what domain/lists/search-terms.ts finds it by.
// Newest first, in pages that look at a bounded number of rows: a page may be short, and its cursor
// leads on.

export interface SearchPaymentsInput extends PageInput, Omit<PaymentFilter, 'environment'> {
  search?: string | undefined
}

/** How many lists of a term are read for one page, of some hundred payments each. */
const LISTS_AT_ONCE = [6, 12]
const FEWEST_AT_ONCE = 50
/** The number of rows scanned for one page that are not yet indexed. */
const MOST_NOT_INDEXED = 10_000

export interface FoundPayment extends PricedPayment {
  endedAt: number | null
}

type ListRefusal = RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>

export async function searchPayments(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { search = '', after, limit, ...filter }: SearchPaymentsInput,
): Promise<Page<FoundPayment> | ListRefusal> {
  const written = search.trim()
  if (written === '') {
    const page = await listNewestPayments(deps, caller, { after, limit, ...filter })
    return isRefused(page) ? page : withDetails(deps, caller, page)
  }
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const range = { below: wanted.cursor[0], wanted: wanted.limit }
  return pageOfFound(deps, caller, await findFiltered(deps, caller, written, range, filter))
}

async function withDetails(
  { db }: Pick<Deps, 'db'>,
  { accountId }: MerchantCaller,
  page: Page<ListedPayment>,
): Promise<Page<FoundPayment>> {
  const ended = page.rows.filter(({ status }) => status === 'failed' || status === 'refunded')
  const numbers = ended.map(({ number }) => number)
  const times = await findEndTimes(db, accountId, numbers)
  const rows = await withMoney(db, accountId, page.rows)
  return { ...page, rows: rows.map((row) => ({ ...row, endedAt: times.get(row.number) ?? null })) }
}

async function pageOfFound(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { named, rows: others, lookedTo }: Found,
): Promise<Page<FoundPayment>> {
  const numbers = [...named, ...others].map(({ number }) => number)
  const rows = await listNumberedPayments(deps.db, caller.accountId, numbers, {})
  return withDetails(deps, caller, {
    rows: rows.toSorted((a, b) => numbers.indexOf(a.number) - numbers.indexOf(b.number)),
    next: lookedTo === undefined ? undefined : String(lookedTo),
  })
}

const ONLY_NUMBERS = /^[\d\s]+$/

interface Found extends Matches {
  /** The payment with the reference that was searched for: the first of the list. */
  named: MatchedPayment[]
}

async function findFiltered(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  written: string,
  range: MatchRange,
  filter: PaymentFilter,
): Promise<Found> {
  const { db } = deps
  const { accountId } = caller
  const payment = await findNamedPayment(deps, caller, { name: written })
  const exact = isRefused(payment) ? [] : [payment.number]
  const named = range.below === NUMBERS ? await listMatched(db, accountId, exact, filter) : []
  // A shop may number its orders: 3456 is then an order, and also the end of a payer's number.
  const read = isRefused(payment) || ONLY_NUMBERS.test(written) ? readSearch(written) : undefined
  if (read === undefined) return { named, rows: [], lookedTo: undefined }
  const { rows, lookedTo } = await findMatches(db, accountId, read, range, filter)
  return { named, rows: rows.filter(({ number }) => !exact.includes(number)), lookedTo }
}

interface Matches {
  rows: MatchedPayment[]
  /** The number down to which all were looked at; undefined when there are no more. */
  lookedTo: number | undefined
}

type MatchRange = { below: number; wanted: number }

/**
 * The newest that match. Reads candidates in small parts: of most searches, most candidates match.
 */
async function findMatches(
  db: Queries,
  accountId: string,
  search: Search,
  range: MatchRange,
  filter: PaymentFilter,
): Promise<Matches> {
  const rows: MatchedPayment[] = []
  let lookedTo: number | undefined = range.below
  for (const most of LISTS_AT_ONCE) {
    const { numbers, listedTo } = await listCandidates(db, accountId, search, lookedTo, most)
    for (let at = 0; at < numbers.length; ) {
      // Twice as many each time: when few match, fewer reads follow.
      const part = numbers.slice(
        at,
        at + Math.max(range.wanted - rows.length + 1, FEWEST_AT_ONCE, at),
      )
      at += part.length
      const found = await listMatched(db, accountId, part, filter)
      rows.push(...found.filter(search.matches))
      // One more than wanted says that there are more.
      if (rows.length > range.wanted) return cutTo(rows, range.wanted)
    }
    lookedTo = listedTo
    if (lookedTo === undefined) break
  }
  return { rows, lookedTo }
}

const cutTo = (rows: readonly MatchedPayment[], wanted: number): Matches => {
  const cut = rows.slice(0, wanted)
  return { rows: cut, lookedTo: cut.at(-1)?.number }
}

/** Payments that may match, newest first, and the number down to which these are all. */
async function listCandidates(
  db: Queries,
  accountId: string,
  search: Search,
  below: number,
  most: number,
): Promise<Candidates> {
  const numbers = new Set<number>()
  const ends: number[] = []
  const { indexedNumber } = await findSummaryPlace(db, accountId)
  if (below > indexedNumber) {
    const notIndexed = { after: indexedNumber, below }
    const floor = await findNotIndexed(db, accountId, notIndexed, MOST_NOT_INDEXED)
    const scanned = { ...notIndexed, after: floor === undefined ? indexedNumber : floor - 1 }
    const newest = await listNotIndexed(db, accountId, scanned, search.rough)
    for (const payment of newest) if (search.matches(payment)) numbers.add(payment.number)
    if (floor !== undefined) ends.push(floor)
  }
  for (const term of search.terms) {
    const found = await listByTerm(db, accountId, term, below, most)
    for (const number of found.numbers) numbers.add(number)
    if (found.listedTo !== undefined) ends.push(found.listedTo)
  }
  const listedTo = ends.length === 0 ? undefined : Math.max(...ends)
  return {
    numbers: [...numbers].filter((number) => number >= (listedTo ?? 0)).sort((a, b) => b - a),
    listedTo,
  }
}

// How many payments a filter finds and what they add up to: exact up to a limit, so that no filter
// reads them all.

export interface FilteredSum extends PaymentSum {
  /** There are more than were counted. */
  isMore: boolean
}

/** Neighbours in the table, as far as a page scans (findScanFloor): 6 ms. */
const MOST_SUMMED = 10_000
/** Found by the index on rare states, each on a page of its own: 8 ms. */
const MOST_RARE_SUMMED = 2_500
/**
 * Each on a page of its own, too: a search among many payments takes no longer than three among
 * few.
 */
const MOST_FOUND_SUMMED = 100

export interface SummedPage extends Page<FoundPayment> {
  /** Of everything that the filter finds, not only of the page. */
  sum: FilteredSum
}

/** The first page. A search looks at its candidates once for both. */
export async function searchAndSum(
  deps: FindPaymentDeps,
  caller: MerchantCaller,
  { search = '', limit, ...filter }: Omit<SearchPaymentsInput, 'after'>,
): Promise<SummedPage | ListRefusal> {
  const written = search.trim()
  if (written === '') {
    const page = await searchPayments(deps, caller, { limit, ...filter })
    return isRefused(page)
      ? page
      : { ...page, sum: await sumFilteredPayments(deps, caller, filter) }
  }
  const wanted = readPage({ limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const range = { below: NUMBERS, wanted: Math.max(wanted.limit, MOST_FOUND_SUMMED) }
  const found = await findFiltered(deps, caller, written, range, filter)
  const shown = found.rows.length > wanted.limit ? cutTo(found.rows, wanted.limit) : found
  return { ...(await pageOfFound(deps, caller, { ...found, ...shown })), sum: sumFound(found) }
}

async function sumFilteredPayments(
  { db }: Pick<Deps, 'db'>,
  caller: MerchantCaller,
  filter: PaymentFilter,
): Promise<FilteredSum> {
  const range = await rangeOf(db, caller, filter, NUMBERS)
  const floor = isIndexed(filter)
    ? undefined
    : await findScanFloor(db, 'payments', caller, range.below)
  const isCut = floor !== undefined && floor > range.from
  // Without the row at which the scan was cut: it is the one more than the limit.
  const scanned = isCut ? { ...range, from: floor + 1 } : range
  const most = isIndexed(filter) && filter.status !== undefined ? MOST_RARE_SUMMED : MOST_SUMMED
  const sum = await sumPayments(db, caller.accountId, scanned, filter, most + 1)
  return { ...sum, count: Math.min(sum.count, most), isMore: isCut || sum.count > most }
}

function sumFound({ named, rows: others, lookedTo }: Found): FilteredSum {
  const rows = [...named, ...others]
  const add = (all: readonly MatchedPayment[]) =>
    all.reduce((sum, { amountXof }) => sum + amountXof, 0)
  return {
    count: rows.length,
    amountXof: add(rows),
    isMore: lookedTo !== undefined,
    collectedXof: add(rows.filter(({ status }) => status === 'succeeded')),
  }
}
