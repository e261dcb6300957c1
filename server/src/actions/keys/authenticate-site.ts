// From a public key and the site whose page sent it to their caller. The key is public, so the site is what is checked: browsers state
// truthfully where a page comes from, and only the sites that the account lists are served (D-52).
import type { AccountStatus } from '../../domain/account.ts'
import { type KeyHasher, readApiKey } from '../../domain/api-key.ts'
import type { MerchantKey } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { CheckoutPages } from '../../domain/payment-link.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findKeyHolder } from '../../store/keys/api-keys.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'
import { callerOf } from './authenticate-key.ts'

/** A site that the key's account lists. */
export interface ListedSite {
  caller: MerchantKey
  accountStatus: AccountStatus
  origin: string
  /** All sites that the account lists. */
  origins: readonly string[]
  pages: CheckoutPages
}

/** In the order in which they are checked (D-52). */
export const SITE_REFUSALS = ['secret_key_in_page', 'public_key_not_valid', 'origin_not_allowed'] as const

export async function authenticateSite(
  { db, clock, hashKey }: { db: Database; clock: Clock; hashKey: KeyHasher },
  key: string,
  origin: string | undefined,
): Promise<ListedSite | RefusedAs<(typeof SITE_REFUSALS)[number]>> {
  // Also when it is mistyped: the page's author has probably put the right one there too.
  if (key.startsWith('sk_')) return { refused: 'secret_key_in_page' }
  const holder = readApiKey(key) && (await findKeyHolder(db, hashKey(key)))
  const hasEnded = holder !== undefined && holder.expiresAt !== null && holder.expiresAt <= clock.now()
  if (holder?.kind !== 'public' || hasEnded) return { refused: 'public_key_not_valid' }
  const { origins, pages } = await findCheckoutSettings(db, holder.accountId)
  if (origin === undefined || !origins.includes(origin)) return { refused: 'origin_not_allowed' }
  return { caller: callerOf(holder), accountStatus: holder.status, origin, origins, pages }
}
