// Reports when PostgreSQL is lost and when it is back, once each, from the outcomes of what is sent
// to it. A failure among successes is no outage: connections may be short for a moment. Writes have
// an outage of their own: without a standby, as after most fail-overs, the server answers reads and
// no write.
import type { StoreWatch } from './database.ts'
import { NOT_REPLICATED } from './postgres-pool.ts'

/** Without any success since the first failure. */
const LOST_AFTER_MS = 2_000

export class PostgresOutage {
  readonly #watch: StoreWatch
  readonly #now: () => number
  /** The last success, or the start. */
  #workedAt: number
  /** The first failure since the last success. */
  #failingSince: number | undefined
  #areWritesFailing = false
  #lostAt: number | undefined

  constructor(watch: StoreWatch, now: () => number) {
    this.#watch = watch
    this.#now = now
    this.#workedAt = now()
  }

  failed(error: Error, isWrite: boolean): void {
    const now = this.#now()
    this.#failingSince ??= now
    if (isWrite) this.#areWritesFailing = true
    // Such a failure has waited for seconds, and reads may have worked meanwhile.
    const isCommit = (error as { code?: string }).code === NOT_REPLICATED
    if (this.#lostAt !== undefined || (!isCommit && now - this.#failingSince < LOST_AFTER_MS))
      return
    // A silent connection is given up after seconds: the outage began with it.
    this.#lostAt = isCommit ? this.#failingSince : this.#workedAt
    this.#watch.lost?.(error)
  }

  worked(isWrite: boolean): void {
    this.#workedAt = this.#now()
    if (this.#failingSince === undefined) return
    if (isWrite) this.#areWritesFailing = false
    if (this.#areWritesFailing) return
    this.#failingSince = undefined
    if (this.#lostAt === undefined) return
    this.#watch.back?.(this.#workedAt - this.#lostAt)
    this.#lostAt = undefined
  }
}
