// From a secret key to its account. What the store said is believed for at most one second, so a revoked key is refused
// everywhere within that time (D-17), and a busy merchant costs one look-up a second instead of one a request.
import type { Account } from '../../domain/account.ts'
import { readApiKey } from '../../domain/api-key.ts'
import type { Clock } from '../../domain/clock-and-random.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Refused } from '../../domain/refusal.ts'
import type { Database } from '../../store/engine/database.ts'
import { findKeyHolder, type KeyHolder } from '../../store/keys/api-keys.ts'

const BELIEVED_MS = 1_000
/** Bounds the memory; when more keys than this are busy in one second, the rest are asked for each time. */
const MOST_REMEMBERED = 10_000

export type Authenticate = (key: string, environment: Environment) => Account | Refused | Promise<Account | Refused>

export function authenticator(db: Database, clock: Clock, hashKey: (key: string) => string): Authenticate {
  const remembered = new Map<string, { holder: KeyHolder; until: number }>()

  return (key, environment) => {
    const known = remembered.get(key)
    const now = clock.now()
    if (known !== undefined && known.until > now) return judge(known.holder, environment, now)
    // A key of the wrong form is refused without asking the store.
    if (readApiKey(key)?.kind !== 'secret') return { refused: 'key_not_valid' }
    return ask(key, environment)
  }

  async function ask(key: string, environment: Environment): Promise<Account | Refused> {
    const calledAt = clock.now()
    const holder = await findKeyHolder(db, hashKey(key))
    if (holder === undefined) {
      remembered.delete(key)
      return { refused: 'key_not_valid' }
    }
    if (remembered.size >= MOST_REMEMBERED) remembered.clear()
    remembered.set(key, { holder, until: calledAt + BELIEVED_MS })
    return judge(holder, environment, clock.now())
  }
}

/** 401 before 403: D-01 rows 6 and 7. */
function judge(holder: KeyHolder, environment: Environment, now: number): Account | Refused {
  const valid = holder.kind === 'secret' && holder.environment === environment
  const ended = holder.expiresAt !== null && holder.expiresAt <= now
  if (!valid || ended) return { refused: 'key_not_valid' }
  if (holder.status !== 'validated') return { refused: 'account_not_available' }
  return holder
}
