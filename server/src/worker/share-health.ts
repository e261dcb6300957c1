// Writes down how each connection does, for people who look at it from another process: at once when it changes, and now and then otherwise.
import type { Clock } from '../domain/clock-and-random.ts'
import type { ConnectionHealth } from '../operators/dispatcher.ts'
import type { Database } from '../store/engine/database.ts'
import { writeHealth } from '../store/operators/connections.ts'

const AGAIN_AFTER_MS = 60_000

export interface ShareHealthDeps {
  db: Database
  clock: Clock
  health(): readonly ConnectionHealth[]
}

/** Returns one round of the work; nothing is ever left over for the next. */
export function healthSharer({ db, clock, health }: ShareHealthDeps): () => Promise<boolean> {
  const written = new Map<string, { as: string; at: number }>()
  return async () => {
    const now = clock.now()
    for (const each of health()) {
      const { environment, connection, state, since, why, isMisconfigured } = each
      const key = `${environment} ${connection}`
      const as = `${state} ${since} ${isMisconfigured}`
      const last = written.get(key)
      if (last?.as === as && now - last.at < AGAIN_AFTER_MS) continue
      const misconfigured = isMisconfigured ? 1 : 0
      await writeHealth(db, { environment, connection, state, since, why, misconfigured, seenAt: now })
      written.set(key, { as, at: now })
    }
    return false
  }
}
