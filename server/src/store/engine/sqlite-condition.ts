// What a store on SQLite can be relied on for; its reader and its writer share it. It is in one of
// four modes:
//
// - usable: reads and writes are answered.
// - doubtful: a sync failed, so commits in the WAL may not be on disk. The next group first brings
//   them into the database file; a read waits for that. Then it is usable again.
// - refusing: the file is damaged, or was removed or replaced. Nothing is read or written until the
//   server restarts.
// - closed.
import { StoreDamaged, StoreUnavailable, type StoreWatch } from './database.ts'
import { asStoreError } from './sqlite-connection.ts'

export class SqliteCondition {
  /** Of the last commit, while it runs. */
  syncing: Promise<void> | undefined
  /**
   * After a failed sync: later ones may succeed although the system has dropped pages that it could
   * not write.
   */
  isWalDoubtful = false
  isClosed = false
  readonly #watch: StoreWatch
  #refusal: StoreUnavailable | undefined

  constructor(watch: StoreWatch) {
    this.#watch = watch
  }

  refuseIfUnusable(): void {
    if (this.isClosed) throw new StoreUnavailable('the store is closed')
    this.refuseIfRefusing()
  }

  /** Writes that wait when the store closes are still committed. */
  refuseIfRefusing(): void {
    if (this.#refusal !== undefined) throw this.#refusal
  }

  /** The files are no longer ours: `why` says what was saved of them. */
  filesRemoved(why: string): StoreUnavailable {
    const refusal = new StoreUnavailable(why)
    this.#refusal = refusal
    this.#watch.filesRemoved?.(why)
    return refusal
  }

  /**
   * A server refuses everything once its file is damaged: writing may damage more (ADR-0017).
   * Commands read on.
   */
  faultOf(error: unknown): unknown {
    const fault = asStoreError(error)
    const isNew = fault instanceof StoreDamaged && this.#refusal === undefined
    if (isNew && this.#watch.damaged !== undefined) {
      this.#refusal = fault
      this.#watch.damaged(fault)
    }
    return fault
  }
}
