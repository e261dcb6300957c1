// A page makes a payment link with its merchant's public key. The key is public, so it is the site that counts: browsers say truthfully where a
// page comes from, and only the sites that the account lists are served. The amount is the page's word: the merchant reads the payment
// back before delivering (D-52).
import type { Account } from '../../domain/account.ts'
import { readApiKey } from '../../domain/api-key.ts'
import { checkLink, type UncheckedLink } from '../../domain/payment-link.ts'
import { isRefused, type Refused } from '../../domain/refusal.ts'
import { isWithin } from '../../domain/site-origin.ts'
import { findKeyHolder } from '../../store/keys/api-keys.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { type CreateLinkDeps, createPaymentLink, type NewLink } from './create-payment-link.ts'

export interface PublicKeyDeps extends CreateLinkDeps {
  hashKey(key: string): string
}

/** A site that the key's account lists. */
export interface ListedSite {
  account: Account
  origin: string
  /** All that the account lists. */
  origins: readonly string[]
}

export async function findSite(
  { db, clock, hashKey }: PublicKeyDeps,
  key: string,
  origin: string | undefined,
): Promise<ListedSite | Refused> {
  // Also when it is mistyped: whoever wrote it there has the right one somewhere near.
  if (key.startsWith('sk_')) return { refused: 'secret_key_in_page' }
  const holder = readApiKey(key) && (await findKeyHolder(db, hashKey(key)))
  const hasEnded = holder !== undefined && holder.expiresAt !== null && holder.expiresAt <= clock.now()
  if (holder?.kind !== 'public' || hasEnded) return { refused: 'public_key_not_valid' }
  const { origins = [] } = (await findCheckoutSettings(db, holder.accountId)) ?? {}
  if (origin === undefined || !origins.includes(origin)) return { refused: 'origin_not_allowed' }
  return { account: holder, origin, origins }
}

export async function createLinkFromSite(
  deps: PublicKeyDeps,
  { account, origin, origins }: ListedSite,
  asked: UncheckedLink,
): Promise<NewLink | Refused> {
  if (account.status !== 'validated') return { refused: 'account_not_available' }
  // A page cannot choose a link's name, nor make one that never ends.
  const order = { ...asked, reference: undefined, shouldExpire: undefined }
  const checked = checkLink(order, account.environment)
  if (isRefused(checked)) return checked
  const leadsTo = [checked.onSuccessUrl, checked.onFailedUrl].filter((url) => url !== null)
  if (!leadsTo.every((url) => isWithin(url, origins))) return { refused: 'redirection_url_not_valid' }
  return createPaymentLink(deps, account, order, origin)
}
