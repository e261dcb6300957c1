// A list of payment links, newest first, and of those that live on posters.
import { type AccountCaller, scopeOf } from '../../domain/caller.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/page.ts'
import type { PaymentLink } from '../../domain/payment-link.ts'
import type { PaymentStatus } from '../../domain/payment-status.ts'
import { NUMBERS } from '../../domain/public-reference.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { listLinks } from '../../store/links/payment-links.ts'
import { listPosters } from '../../store/links/posters.ts'
import { findScanFloor } from '../../store/payments/scan-floor.ts'
import { findActingAccount } from '../merchants/acting-account.ts'

export interface ListLinksInput extends PageInput {
  /** For callers of the service: the account to list; without it, the links of all accounts. */
  accountId?: string | undefined
  status?: PaymentStatus | undefined
}

/** A page may have fewer rows than its limit, or none, and still a next page: see store/payments/scan-floor.ts. */
export async function listNewestLinks(
  { db }: { db: Database },
  caller: AccountCaller,
  { accountId, status, ...pageInput }: ListLinksInput,
): Promise<Page<PaymentLink> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>> {
  const wanted = readPage(pageInput, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope = accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const [below] = wanted.cursor
  const floor = status === undefined ? undefined : await findScanFloor(db, 'payment_links', scope, below)
  const range = { below, from: floor ?? 0, status }
  const [links, posters] = await Promise.all([
    listLinks(db, scope, range, wanted.limit + 1),
    listPosters(db, scope, range, wanted.limit + 1),
  ])
  const found = [...links, ...posters].sort((a, b) => b.number - a.number).slice(0, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ number }) => [number])
  return floor !== undefined && page.next === undefined ? { ...page, next: String(floor) } : page
}
