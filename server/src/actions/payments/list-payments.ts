// A list of payments, newest first, in pages, filtered by state, operator and time.
import { type AccountCaller, type MerchantCaller, type Scope, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import type { ListedPayment } from '../../domain/payment.ts'
import { NUMBERS } from '../../domain/public-reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { readSearch, type Search } from '../../domain/search-terms.ts'
import type { Database, Queries } from '../../store/engine/database.ts'
import { findSummaryPlace } from '../../store/figures/summaries.ts'
import * as listStore from '../../store/payments/payment-list.ts'
import { findEndTimes } from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'
import { findActingAccount } from '../merchants/show-merchants.ts'
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

// One search box: any reference of a payment, the payer's number however it is written, or a name. Newest first, in
// pages that look at a bounded number of rows: a page may be short, and its cursor leads on.

export interface SearchPaymentsInput extends PageInput, Omit<listStore.PaymentFilter, 'environment'> {
  search?: string | undefined
}

/** The number of rows scanned for one page, indexed and not yet indexed. */
const MOST_INDEXED = 1_000
const MOST_NOT_INDEXED = 10_000

export interface FoundPayment extends ListedPayment {
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
  return { ...page, rows: page.rows.map((row) => ({ ...row, endedAt: times.get(row.number) ?? null })) }
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
  const named = await findNamedPayment(deps, caller, { name: written })
  if (!isRefused(named)) {
    return {
      rows: await listStore.listNumberedPayments(deps.db, caller.accountId, [named.number], filter),
      next: undefined,
    }
  }
  const read = readSearch(written)
  if (read === undefined) return { rows: [], next: undefined }
  const [below] = wanted.cursor
  const { matched, lookedTo } = await findMatches(deps.db, caller.accountId, read, below)
  const chosen = matched.slice(0, wanted.limit)
  const rows =
    chosen.length === 0 ? [] : await listStore.listNumberedPayments(deps.db, caller.accountId, chosen, filter)
  const last = matched.length > chosen.length ? chosen.at(-1) : lookedTo
  return { rows, next: last === undefined ? undefined : String(last) }
}

interface Matches {
  matched: number[]
  /** The number down to which all were looked at; undefined when there are no more. */
  lookedTo: number | undefined
}

async function findMatches(db: Queries, accountId: string, search: Search, below: number): Promise<Matches> {
  const { indexedNumber } = await findSummaryPlace(db, accountId)
  const newest = await listStore.listNotIndexed(db, accountId, { after: indexedNumber, below }, MOST_NOT_INDEXED)
  const found = new Set(numbersOf(newest, search))
  const ends: number[] = []
  for (const term of search.terms) {
    const indexed = await listStore.listByTerm(db, accountId, term, below, MOST_INDEXED)
    for (const number of numbersOf(indexed, search)) found.add(number)
    const last = indexed.at(-1)
    if (indexed.length === MOST_INDEXED && last !== undefined) ends.push(last.number)
  }
  const lookedTo = ends.length === 0 ? undefined : Math.max(...ends)
  const matched = [...found].filter((number) => number >= (lookedTo ?? 0)).sort((a, b) => b - a)
  return { matched, lookedTo }
}

const numbersOf = (payments: readonly listStore.SearchedPayment[], { matches }: Search): number[] =>
  payments.filter(matches).map(({ number }) => number)
