// Reports when PostgreSQL is lost and when it is back, once each, from the outcomes of what is sent to it. A failure
// among successes is no outage: connections may be short for a moment. Commits have an outage of their own: without a
// standby the server still answers reads.
import type { StoreWatch } from './database.ts'
import { NOT_REPLICATED } from './postgres-pool.ts'

/** Without any success since the first failure. */
const LOST_AFTER_MS = 2_000

type Part = 'connections' | 'commits'

export class PostgresOutage {
  readonly #watch: StoreWatch
  readonly #now: () => number
  /** The time of the first failure since the last success. */
  readonly #failingSince = new Map<Part, number>()
  #lostAt: number | undefined

  constructor(watch: StoreWatch, now: () => number) {
    this.#watch = watch
    this.#now = now
  }

  failed(error: Error): void {
    // Each such failure has waited for seconds.
    const isCommit = (error as { code?: string }).code === NOT_REPLICATED
    const part = isCommit ? 'commits' : 'connections'
    const now = this.#now()
    const since = this.#failingSince.get(part) ?? now
    this.#failingSince.set(part, since)
    if (this.#lostAt !== undefined || (!isCommit && now - since < LOST_AFTER_MS)) return
    this.#lostAt = since
    this.#watch.lost?.(error)
  }

  /** `isWrite`: it changed rows, so that its commit is on the standbys too. */
  worked(isWrite: boolean): void {
    if (this.#failingSince.size === 0) return
    this.#failingSince.delete('connections')
    if (isWrite) this.#failingSince.delete('commits')
    if (this.#failingSince.size > 0 || this.#lostAt === undefined) return
    this.#watch.back?.(this.#now() - this.#lostAt)
    this.#lostAt = undefined
  }
}
