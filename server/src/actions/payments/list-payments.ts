// A list of payments, newest first, in pages, filtered by state, operator and time.
import { type AccountCaller, type Scope, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { NUMBERS } from '../../domain/public-reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  findNumberAtTime,
  type ListedPayment,
  listPayments,
  type NumberRange,
  type PaymentFilter,
} from '../../store/payments/payment-list.ts'
import { findScanFloor } from '../../store/payments/scan-floor.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListPaymentsInput extends PageInput, PaymentFilter {
  /** For callers of the service: the account to list; without it, the payments of all accounts. */
  accountId?: string | undefined
}

/** Numbers follow time to a minute, and the clocks of machines differ by some seconds. */
const MARGIN_MS = 5 * 60_000

/** A page may have fewer rows than its limit, or none, and still a next page: see store/payments/scan-floor.ts. */
export async function listNewestPayments(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId, after, limit, ...filter }: ListPaymentsInput,
): Promise<Page<ListedPayment> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const range = await rangeOf(db, scope, filter, wanted.cursor[0])
  const floor = isIndexed(filter) ? undefined : await findScanFloor(db, 'payments', scope, range.below)
  const isCut = floor !== undefined && floor > range.from
  const found = await listPayments(db, scope, isCut ? { ...range, from: floor } : range, filter, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ number }) => [number])
  return isCut && page.next === undefined ? { ...page, next: String(floor) } : page
}

async function rangeOf(db: Database, scope: Scope, { from, to }: PaymentFilter, cursor: number): Promise<NumberRange> {
  const below = to === undefined ? cursor : await findNumberAtTime(db, scope, to + MARGIN_MS, cursor)
  return { below, from: from === undefined ? 0 : await findNumberAtTime(db, scope, from - MARGIN_MS, below) }
}

/** Whether the rows of a page are contiguous in an index: without a filter, or for a rare state (migration 0008). */
function isIndexed({ status, operator, environment, minimumXof, maximumXof }: PaymentFilter): boolean {
  const others = [operator, environment, minimumXof, maximumXof]
  return others.every((each) => each === undefined) && status !== 'pending' && status !== 'succeeded'
}
