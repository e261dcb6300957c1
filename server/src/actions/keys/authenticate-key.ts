// From a secret key to its caller. A look-up is cached for at most one second, so a revoked key is refused everywhere within
// that time (D-17), and a busy merchant costs one look-up a second instead of one a request.
import { type KeyHasher, readApiKey } from '../../domain/api-key.ts'
import { boundedCache } from '../../domain/bounded-cache.ts'
import type { MerchantKey } from '../../domain/caller.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { RefusedAs } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findKeyHolder, type KeyHolder } from '../../store/keys/api-keys.ts'

const CACHED_MS = 1_000
/** Bounds the memory: with more busy keys than this in one second, some are looked up again. */
const MOST_CACHED = 10_000

/** D-01, rows 6 and 7. */
export const KEY_REFUSALS = ['key_not_valid', 'account_not_available'] as const

type Authenticated = MerchantKey | RefusedAs<(typeof KEY_REFUSALS)[number]>

export type Authenticate = (key: string, environment: Environment) => Authenticated | Promise<Authenticated>

interface Cached {
  holder: KeyHolder
  caller: MerchantKey
}

export function authenticator(db: Database, clock: Clock, hashKey: KeyHasher): Authenticate {
  const cache = boundedCache<Cached>(MOST_CACHED)

  return (key, environment) => {
    const now = clock.now()
    const known = cache.get(key, now)
    if (known !== undefined) return check(known, environment, now)
    // A key of the wrong form is refused without a look-up.
    if (readApiKey(key)?.kind !== 'secret') return { refused: 'key_not_valid' }
    return lookUp(key, environment)
  }

  async function lookUp(key: string, environment: Environment): Promise<Authenticated> {
    const startedAt = clock.now()
    const holder = await findKeyHolder(db, hashKey(key))
    if (holder === undefined) {
      cache.delete(key)
      return { refused: 'key_not_valid' }
    }
    const found = { holder, caller: callerOf(holder) }
    cache.set(key, found, startedAt + CACHED_MS)
    return check(found, environment, clock.now())
  }
}

export const callerOf = ({ accountId, environment, keyId, kind }: KeyHolder): MerchantKey => ({
  is: 'merchant_key',
  accountId,
  environment,
  keyId,
  kind,
})

/** 401 before 403: D-01 rows 6 and 7. */
function check({ holder, caller }: Cached, environment: Environment, now: number): Authenticated {
  const valid = holder.kind === 'secret' && holder.environment === environment
  const ended = holder.expiresAt !== null && holder.expiresAt <= now
  if (!valid || ended) return { refused: 'key_not_valid' }
  if (holder.status !== 'validated') return { refused: 'account_not_available' }
  return caller
}
