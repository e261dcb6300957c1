// A page makes a payment link with its merchant's public key. The amount is the page's word: the merchant reads the payment back before
// delivering (D-52).
import type { MerchantKey } from '../../domain/caller.ts'
import { checkLink, type UncheckedLink } from '../../domain/payment-link.ts'
import { isRefused, type RefusedAs } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/site-origin.ts'
import type { ListedSite } from '../keys/authenticate-site.ts'
import { type CreateLinkDeps, createPaymentLink } from './create-payment-link.ts'

export async function createLinkFromSite(
  deps: CreateLinkDeps,
  caller: MerchantKey,
  { site, order }: { site: ListedSite; order: UncheckedLink },
): Promise<Awaited<ReturnType<typeof createPaymentLink>> | RefusedAs<'account_not_available'>> {
  if (site.accountStatus !== 'validated') return { refused: 'account_not_available' }
  // A page cannot choose a link's name, nor make one that never ends.
  const allowed = { ...order, reference: undefined, shouldExpire: undefined }
  const checked = checkLink(allowed, caller.environment)
  if (isRefused(checked)) return checked
  const leadsTo = [checked.onSuccessUrl, checked.onFailedUrl].filter((url) => url !== null)
  if (!leadsTo.every((url) => isWithin(url, site.origins))) return { refused: 'redirection_url_not_valid' }
  return createPaymentLink(deps, caller, { order: allowed, origin: site.origin })
}
