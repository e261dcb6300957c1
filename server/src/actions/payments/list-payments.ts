// Payments for people to look through: newest first, by pages, by state, operator and time.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import { NUMBERS } from '../../domain/public-reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  findNumberAtTime,
  type ListedPayment,
  listPayments,
  type PaymentFilter,
} from '../../store/payments/payment-list.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListPaymentsInput extends PageInput, PaymentFilter {
  /** Only for a caller who looks after all accounts; without it, the payments of all. */
  accountId?: string | undefined
}

/** Numbers follow time to a minute, and machines' clocks each other to some seconds. */
const MARGIN_MS = 5 * 60_000

export async function listNewestPayments(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId, after, limit, ...filter }: ListPaymentsInput,
): Promise<Page<ListedPayment> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage({ after, limit }, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const { from, to } = filter
  const [cursor] = wanted.place
  const below = to === undefined ? cursor : await findNumberAtTime(db, scope, to + MARGIN_MS, cursor)
  const least = from === undefined ? 0 : await findNumberAtTime(db, scope, from - MARGIN_MS, below)
  const found = await listPayments(db, scope, { from: least, below }, filter, wanted.limit + 1)
  return pageOf(found, wanted.limit, ({ number }) => [number])
}
