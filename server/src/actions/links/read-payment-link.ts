// Reads payment links: one link for its payer or for its merchant, and lists.

import { type LinkState, linkState } from '../../domain/links/link-state.ts'
import {
  type LinkAttempt,
  looksLikeLinkReference,
  type PaymentLink,
  type PublicLink,
} from '../../domain/links/payment-link.ts'
import { type Page, type PageInput, pageOf, readPage } from '../../domain/lists/page.ts'
import type { PaymentStatus } from '../../domain/payments/payment-status.ts'
import { NUMBERS } from '../../domain/payments/reference.ts'
import {
  type AccountCaller,
  EVERY_ACCOUNT,
  type Payer,
  scopeOf,
  type Visitor,
} from '../../domain/people/caller.ts'
import { isRefused, type Refused, type RefusedAs } from '../../domain/refusals/refusal.ts'
import {
  findLink,
  findLinkOfPayment,
  findPoster,
  findPosterReference,
  listLinkAttempts,
  listLinks,
  listPosters,
} from '../../store/links/payment-links.ts'
import { findScanFloor } from '../../store/payments/payment-list.ts'
import { findActingAccount } from '../accounts/acting-account.ts'
import type { Deps } from '../deps.ts'
import { type FindPaymentDeps, findNamedPayment } from '../payments/read-payment.ts'

/**
 * What anyone with the link may see: never who pays, and the payment's own reference only once it
 * is paid (D-24).
 */
export async function readPaymentLink(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Payer,
): Promise<PublicLink | RefusedAs<'payment_not_found'>> {
  const link = await openLink({ db }, caller)
  if (isRefused(link)) return { refused: 'payment_not_found' }
  const isClosed = linkState(link, clock.now()).is === 'closed'
  return {
    ...link,
    status: isClosed ? 'failed' : link.status,
    paymentReference: link.validatedAt === null ? undefined : link.reference,
  }
}

export type ShownLink = { link: PaymentLink; state: LinkState; attempts: LinkAttempt[] }

export async function showLink(
  deps: FindPaymentDeps & Pick<Deps, 'clock'>,
  caller: AccountCaller,
  { name }: { name: string },
): Promise<ShownLink | Refused> {
  const link = await findNamedLink(deps, caller, name)
  if (isRefused(link)) return link
  const attempts = await listLinkAttempts(deps.db, link.accountId, link.number)
  return { link, state: linkState(link, deps.clock.now()), attempts }
}

export async function findNamedLink(
  deps: FindPaymentDeps,
  caller: AccountCaller,
  name: string,
): Promise<PaymentLink | Refused> {
  const payment = await findNamedPayment(deps, caller, { name })
  if (isRefused(payment)) {
    if (payment.refused !== 'payment_not_found') return payment
    // A poster is no payment.
    return (await findPoster(deps.db, scopeOf(caller), name)) ?? { refused: 'link_not_found' }
  }
  return (
    (await findLinkOfPayment(deps.db, payment.accountId, payment.number)) ?? {
      refused: 'link_not_found',
    }
  )
}

export interface ListLinksInput extends PageInput {
  /** For callers of the service: the account to list; without it, the links of all accounts. */
  accountId?: string | undefined
  status?: PaymentStatus | undefined
}

/**
 * Newest first, posters included. A page may be short and still have a next one: see findScanFloor.
 */
export async function listNewestLinks(
  { db }: Pick<Deps, 'db'>,
  caller: AccountCaller,
  { accountId, status, ...pageInput }: ListLinksInput,
): Promise<
  Page<PaymentLink> | RefusedAs<'account_not_found' | 'cursor_not_valid' | 'limit_not_valid'>
> {
  const wanted = readPage(pageInput, ['number'], [NUMBERS])
  if (isRefused(wanted)) return wanted
  const scope =
    accountId === undefined ? scopeOf(caller) : await findActingAccount(db, caller, accountId)
  if ('refused' in scope) return scope
  const [below] = wanted.cursor
  const floor =
    status === undefined ? undefined : await findScanFloor(db, 'payment_links', scope, below)
  const range = { below, from: floor ?? 0, status }
  const [links, posters] = await Promise.all([
    listLinks(db, scope, range, wanted.limit + 1),
    listPosters(db, scope, range, wanted.limit + 1),
  ])
  const found = [...links, ...posters]
    .sort((a, b) => b.number - a.number)
    .slice(0, wanted.limit + 1)
  const page = pageOf(found, wanted.limit, ({ number }) => [number])
  return floor !== undefined && page.next === undefined ? { ...page, next: String(floor) } : page
}

export async function openLink(
  { db }: Pick<Deps, 'db'>,
  { linkReference }: Payer,
): Promise<PaymentLink | RefusedAs<'link_not_found'>> {
  // A text that cannot be a link's reference needs no look-up.
  if (!looksLikeLinkReference(linkReference)) return { refused: 'link_not_found' }
  const link =
    (await findLink(db, EVERY_ACCOUNT, linkReference)) ??
    (await findPoster(db, EVERY_ACCOUNT, linkReference))
  return link ?? { refused: 'link_not_found' }
}

export type OpenPosterDeps = Pick<Deps, 'db' | 'publicReferences'>

/**
 * By the short code on the poster. Other links have no short address: theirs must not be guessed.
 */
export async function openPoster(
  { db, publicReferences }: OpenPosterDeps,
  _caller: Visitor,
  { code }: { code: string },
): Promise<Pick<PaymentLink, 'linkReference'> | RefusedAs<'link_not_found'>> {
  const number = publicReferences.numberOf(code)
  const linkReference = number === undefined ? undefined : await findPosterReference(db, number)
  return linkReference === undefined ? { refused: 'link_not_found' } : { linkReference }
}
