// Authenticates a secret key. A look-up is cached for at most one second, so a revoked key is
// refused everywhere within that time (D-17), and a busy merchant costs one look-up a second
// instead of one a request.

import { BlockList, isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { AccountStatus, Environment } from '../../domain/environment.ts'
import type { CheckoutPages } from '../../domain/links/payment-link.ts'
import { type KeyHasher, readApiKey } from '../../domain/people/api-key.ts'
import type { MerchantKey } from '../../domain/people/caller.ts'
import { isPermitted, type KeyPermission, readPermissions } from '../../domain/people/role.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findKeyHolder, type KeyHolder, noteKeyUsed } from '../../store/keys/api-keys.ts'
import { findCheckoutSettings } from '../../store/merchants/accounts.ts'

const CACHED_MS = 1_000
/** Bounds the memory: with more busy keys than this in one second, some are looked up again. */
const MOST_CACHED = 10_000

/** Shown to people, who do not need seconds. */
const USE_NOTED_EVERY_MS = 60_000

/** D-01, rows 6 and 7; then what a restricted key may not do (D-102). */
export const KEY_REFUSALS = [
  'key_not_valid',
  'account_not_available',
  'address_not_allowed',
  'key_not_permitted',
] as const

type Authenticated = MerchantKey | RefusedAs<(typeof KEY_REFUSALS)[number]>

export interface AskedWithKey {
  environment: Environment
  permission: KeyPermission
  /** The caller's address; read only for a key that is limited to networks. */
  from: { readonly ip: string }
}

export type Authenticate = (
  key: string,
  asked: AskedWithKey,
) => Authenticated | Promise<Authenticated>

interface Cached {
  lookedUpAt: number
  /** When one request renews it in the background, so that no request waits at expiry. */
  renewFrom: number
  holder: KeyHolder
  caller: MerchantKey
  permissions: readonly KeyPermission[] | null
  isAllowed: ((address: string) => boolean) | null
}

export function authenticator(db: Database, clock: Clock, hashKey: KeyHasher): Authenticate {
  const cache = new LRUCache<string, Cached>({ max: MOST_CACHED })
  /** When the use of a key was noted. */
  const notedAt = new LRUCache<string, number>({ max: MOST_CACHED })

  return (key, asked) => {
    const now = clock.now()
    const known = cache.get(key)
    // A look-up in the future has an unknown age: the clock was set back.
    if (known !== undefined && known.lookedUpAt <= now && now < known.lookedUpAt + CACHED_MS) {
      const outcome = check(known, asked, now)
      if (now >= known.renewFrom) renew(key, known, outcome)
      return outcome
    }
    if (readApiKey(key)?.kind !== 'secret') return { refused: 'key_not_valid' }
    return lookUp(key, asked)
  }

  /** Not awaited. When the store is unavailable, the first request after expiry finds that out. */
  function renew(key: string, known: Cached, outcome: Authenticated): void {
    known.renewFrom = Number.POSITIVE_INFINITY
    find(key).catch(() => {})
    if (!('refused' in outcome)) noteUse(known.holder)
  }

  async function lookUp(key: string, asked: AskedWithKey): Promise<Authenticated> {
    const found = await find(key)
    if (found === undefined) return { refused: 'key_not_valid' }
    const outcome = check(found, asked, clock.now())
    if (!('refused' in outcome)) noteUse(found.holder)
    return outcome
  }

  async function find(key: string): Promise<Cached | undefined> {
    const startedAt = clock.now()
    const holder = await findKeyHolder(db, hashKey(key))
    if (holder === undefined) {
      cache.delete(key)
      return undefined
    }
    const renewFrom = startedAt + CACHED_MS / 2
    const found = {
      lookedUpAt: startedAt,
      renewFrom,
      holder,
      caller: callerOf(holder),
      ...restrictionsOf(holder),
    }
    cache.set(key, found)
    return found
  }

  /** Not awaited; nothing is lost when the store is unavailable. */
  function noteUse(holder: KeyHolder): void {
    const now = clock.now()
    if (now < (notedAt.get(holder.keyId) ?? Number.NEGATIVE_INFINITY) + USE_NOTED_EVERY_MS) return
    notedAt.set(holder.keyId, now)
    noteKeyUsed(db, holder, now, USE_NOTED_EVERY_MS).catch(() => notedAt.delete(holder.keyId))
  }
}

const restrictionsOf = ({
  permissions,
  networks,
}: KeyHolder): Pick<Cached, 'permissions' | 'isAllowed'> => ({
  permissions: readPermissions(permissions),
  isAllowed: networks === null ? null : networkTest(networks.split(',')),
})

const callerOf = ({ accountId, environment, keyId, kind }: KeyHolder): MerchantKey => ({
  is: 'merchant_key',
  accountId,
  environment,
  keyId,
  kind,
})

/** 401 before 403: D-01 rows 6 and 7. */
function check(
  { holder, caller, permissions, isAllowed }: Cached,
  asked: AskedWithKey,
  now: number,
): Authenticated {
  const valid = holder.kind === 'secret' && holder.environment === asked.environment
  const ended = holder.expiresAt !== null && holder.expiresAt <= now
  if (!valid || ended) return { refused: 'key_not_valid' }
  if (holder.status !== 'validated') return { refused: 'account_not_available' }
  if (isAllowed !== null && !isAllowed(asked.from.ip)) return { refused: 'address_not_allowed' }
  if (!isPermitted(permissions, asked.permission, holder.environment))
    return { refused: 'key_not_permitted' }
  return caller
}

// Authenticates a public key and the site whose page sent it. The key is public, so the site is
// checked: browsers state truthfully where a page comes from, and only the sites that the account
// lists are served (D-52).

export interface ListedSite {
  caller: MerchantKey
  accountStatus: AccountStatus
  origin: string
  origins: readonly string[]
  pages: CheckoutPages
}

/** In the order in which they are checked (D-52). */
export const SITE_REFUSALS = [
  'secret_key_in_page',
  'public_key_not_valid',
  'origin_not_allowed',
] as const

export async function authenticateSite(
  { db, clock, hashKey }: { db: Database; clock: Clock; hashKey: KeyHasher },
  key: string,
  origin: string | undefined,
): Promise<ListedSite | RefusedAs<(typeof SITE_REFUSALS)[number]>> {
  // Also when it is mistyped: the page's author has probably put the right one there too.
  if (key.startsWith('sk_')) return { refused: 'secret_key_in_page' }
  const holder = readApiKey(key) && (await findKeyHolder(db, hashKey(key)))
  const hasEnded =
    holder !== undefined && holder.expiresAt !== null && holder.expiresAt <= clock.now()
  if (holder?.kind !== 'public' || hasEnded) return { refused: 'public_key_not_valid' }
  const { origins, pages } = await findCheckoutSettings(db, holder.accountId)
  if (origin === undefined || !origins.includes(origin)) return { refused: 'origin_not_allowed' }
  return { caller: callerOf(holder), accountStatus: holder.status, origin, origins, pages }
}

// The addresses that a key works from: each an address, or a network such as 203.0.113.0/24.

const BITS = { 4: 32, 6: 128 } as const

export function isNetwork(written: string): boolean {
  const [address = '', bits, ...more] = written.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= BITS[family as 4 | 6])
}

/** An IPv4 address that comes in the form of IPv6 is the same address. */
const MAPPED = /^::ffff:(?=[\d.]+$)/i

export function networkTest(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const each of networks) {
    const [address = '', bits] = each.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (written) => {
    const address = written.replace(MAPPED, '')
    const family = isIP(address)
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}
