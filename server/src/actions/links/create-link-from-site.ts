// A merchant's page creates a payment link with the public key. With an order that the merchant's server signed, it is that order; without
// one, the page's word is anybody's: it claims no transaction_id, and the merchant reads the payment back before delivering (D-52, D-57).
import type { MerchantKey } from '../../domain/caller.ts'
import { checkPageLink, PAGE_LINK_FAULTS, type SignedOrder, type UncheckedLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/web-address.ts'
import type { NewLink } from '../../store/links/payment-links.ts'
import { readSignedOrder } from '../../wire/link.ts'
import type { ListedSite } from '../keys/authenticate-site.ts'
import { type OrderKeysDeps, openOrderKeys } from '../keys/order-keys.ts'
import { type CreateLinkDeps, recordLink } from './create-payment-link.ts'

/** In the order in which they are checked (D-52). */
export const CREATE_LINK_FROM_SITE_REFUSALS = [
  'account_not_available',
  'order_not_valid',
  ...PAGE_LINK_FAULTS,
  'operator_not_available',
  'external_reference_taken',
  'order_reference_taken',
] as const

export interface SiteLinkInput {
  site: ListedSite
  order: UncheckedLink
  /** As the page sent it; undefined or null when it has none. */
  signedOrder: unknown
}

export async function createLinkFromSite(
  deps: CreateLinkDeps & OrderKeysDeps,
  caller: MerchantKey,
  { site, order, signedOrder }: SiteLinkInput,
): Promise<NewLink | RefusedAs<(typeof CREATE_LINK_FROM_SITE_REFUSALS)[number]>> {
  if (site.accountStatus !== 'validated' || site.pages === 'off') return { refused: 'account_not_available' }
  const signed = await proven(deps, caller, signedOrder)
  if (signed !== undefined && 'refused' in signed) return signed
  const checked = checkPageLink(order, signed, caller.environment)
  if (isRefused(checked)) return checked
  for (const which of ['onSuccessUrl', 'onFailedUrl'] as const) {
    const url = checked[which]
    if (url !== null && !isWithin(url, site.origins)) return { refused: 'redirection_url_not_valid', which }
  }
  const outcome = await recordLink(deps, caller, checked, site.origin)
  if (isRefused(outcome) && outcome.refused === 'link_reference_taken') {
    throw new Error('a generated link reference of 160 random bits was already taken')
  }
  return outcome
}

/** Undefined when the page gives no signed order. */
async function proven(
  deps: OrderKeysDeps,
  { accountId }: MerchantKey,
  given: unknown,
): Promise<SignedOrder | undefined | RefusedAs<'order_not_valid'>> {
  if (given === undefined || given === null) return undefined
  const signed = readSignedOrder(given, await openOrderKeys(deps, accountId))
  // A time that cannot be read is not in the future either.
  return signed !== undefined && signed.expiresAt > deps.clock.now() ? signed : { refused: 'order_not_valid' }
}
