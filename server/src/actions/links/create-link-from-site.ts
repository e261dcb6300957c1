// A merchant's page creates a payment link with the public key. The page sets the amount, so it proves nothing: the merchant reads the
// payment back before delivering (D-52).
import type { MerchantKey } from '../../domain/caller.ts'
import { checkPageLink, PAGE_LINK_FAULTS, type UncheckedLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/site-origin.ts'
import type { NewLink } from '../../store/links/payment-links.ts'
import type { ListedSite } from '../keys/authenticate-site.ts'
import { type CreateLinkDeps, recordLink } from './create-payment-link.ts'

/** In the order in which they are checked (D-52). */
export const CREATE_LINK_FROM_SITE_REFUSALS = [
  'account_not_available',
  ...PAGE_LINK_FAULTS,
  'operator_not_available',
  'external_reference_taken',
] as const

export async function createLinkFromSite(
  deps: CreateLinkDeps,
  caller: MerchantKey,
  { site, order }: { site: ListedSite; order: UncheckedLink },
): Promise<NewLink | RefusedAs<(typeof CREATE_LINK_FROM_SITE_REFUSALS)[number]>> {
  if (site.accountStatus !== 'validated') return { refused: 'account_not_available' }
  const checked = checkPageLink(order, caller.environment)
  if (isRefused(checked)) return checked
  const redirections = [checked.onSuccessUrl, checked.onFailedUrl].filter((url) => url !== null)
  if (!redirections.every((url) => isWithin(url, site.origins))) return { refused: 'redirection_url_not_valid' }
  const outcome = await recordLink(deps, caller, checked, site.origin)
  if (isRefused(outcome) && outcome.refused === 'link_reference_taken') {
    throw new Error('a generated link reference of 160 random bits was already taken')
  }
  return outcome
}
