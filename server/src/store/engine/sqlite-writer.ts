// The one writer of a store on SQLite. Writes that wait together are one group, and share one
// commit. It is:
//
// - idle: no write waits.
// - collecting: writes of this turn of the event loop join the group.
// - committing: it holds the file's lock. Single writes run first, then transactions, each in a
//   savepoint of its own: when one fails, the others stay. What does not fit is left for the next
//   group.
// - syncing: a thread brings the commit to disk; only then its writes are answered. Writes that
//   arrive meanwhile are the next group.
import { fdatasync } from 'node:fs'
import { StoreOutcomeUnknown, StoreUnavailable, type StoreWatch } from './database.ts'
import type { SqliteCondition } from './sqlite-condition.ts'
import { type Connection, isBusy, mayBeCommitted } from './sqlite-connection.ts'
import { saveRemovedFiles, type watchFiles } from './sqlite-files.ts'
import { GroupTransaction } from './sqlite-transaction.ts'

/**
 * Past this many waiting a write or look-up is refused: a quick 503 is better than an answer that
 * comes too late.
 */
export const MAX_WAITING = 10_000

/**
 * After so many statements, about 4 ms, a group starts no other transaction: the next creates would
 * wait.
 */
const MAX_TRANSACTION_STATEMENTS = 400

/** A command may be writing to the same file: how long a group waits for its lock. */
const LOCK_WAIT_MS = 5_000
/** For the next group after a lock time-out: its writes have waited as long. */
const LOCK_WAIT_AGAIN_MS = 500
const LOCK_RETRY_MS = 5
/**
 * A longer lock is tried less often: on a busy machine a thousand short pauses took 18 seconds
 * instead of 5.
 */
const LOCK_IS_SHORT_MS = 200
const LOCK_RETRY_LATER_MS = 50

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void

interface Write {
  /** Runs inside the group's transaction. Returns a promise only when it has several steps. */
  work(): unknown
  isTransaction: boolean
  resolve(result: never): void
  reject(error: unknown): void
  result?: unknown
}

export interface WriterDeps {
  file: string
  /** The descriptor of the WAL. */
  wal: number
  connection: Connection
  condition: SqliteCondition
  files: ReturnType<typeof watchFiles>
  watch: StoreWatch
  /** Waits without blocking: only the runtime has timers. */
  pause(ms: number): Promise<void>
  /** Instead of the system's own in tests. */
  sync?: Sync | undefined
  /** After each group. */
  committed(): void
}

export class SqliteWriter {
  readonly transaction: GroupTransaction
  readonly #deps: WriterDeps
  readonly #sync: Sync
  #waiting: Write[] = []
  #committing: Promise<void> | undefined
  #lockWaitMs = LOCK_WAIT_MS

  constructor(deps: WriterDeps) {
    this.#deps = deps
    this.#sync = deps.sync ?? fdatasync
    this.transaction = new GroupTransaction(deps.connection)
  }

  /** Resolves once the write is on disk. */
  enqueue<T>(work: () => T | Promise<T>, isTransaction = false): Promise<T> {
    this.#deps.condition.refuseIfUnusable()
    if (this.#waiting.length >= MAX_WAITING)
      throw new StoreUnavailable('too many writes are waiting')
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Write['resolve'], reject, isTransaction })
      this.#committing ??= this.#commitAll()
    })
  }

  /** Until no write waits. */
  async whenIdle(): Promise<void> {
    await this.#committing
  }

  /** Never rejects: each write of a group gets its own answer. */
  async #commitAll(): Promise<void> {
    const { condition, committed } = this.#deps
    do {
      // Writes that arrive in the same turn of the event loop join the group.
      await new Promise((resolve) => setImmediate(resolve))
      const group = this.#waiting
      this.#waiting = []
      try {
        this.#waiting.unshift(...(await this.#commitGroup(group)))
      } catch (error) {
        condition.isWalDoubtful = true
        rejectAll(
          group,
          new StoreOutcomeUnknown('the store failed in the middle of a commit', { cause: error }),
        )
      }
      // Writes that arrive during a sync join the next group: a commit of few writes costs as much
      // as one of many.
      await condition.syncing?.catch(() => {})
      committed()
    } while (this.#waiting.length > 0)
    this.#committing = undefined
  }

  /** Returns the transactions that are left for another group. */
  async #commitGroup(waited: readonly Write[]): Promise<Write[]> {
    const { condition, connection } = this.#deps
    const group = singleWritesFirst(waited)
    const done: Write[] = []
    let isCommitting = false
    let at = 0
    try {
      condition.refuseIfRefusing()
      if (condition.isWalDoubtful) this.#leaveWal()
      await this.#takeLock()
      this.transaction.begin()
      for (; at < group.length; at++) {
        const item = group[at] as Write
        if (item.isTransaction && this.transaction.statements >= MAX_TRANSACTION_STATEMENTS) break
        if (await this.#runOne(item)) done.push(item)
      }
      isCommitting = true
      connection.statement('commit').run()
    } catch (error) {
      if (connection.database.isTransaction) connection.statement('rollback').run()
      if (!isCommitting || !mayBeCommitted(error)) {
        rejectAll(group, condition.faultOf(error))
        return []
      }
      condition.isWalDoubtful = true
      rejectAll(
        done,
        new StoreOutcomeUnknown('the disk failed during the commit', { cause: error }),
      )
      return group.slice(at)
    }
    this.#acknowledgeOnceSynced(done)
    return group.slice(at)
  }

  /**
   * False when this write failed alone. Throws when SQLite has ended the transaction, as on a full
   * disk.
   */
  async #runOne(item: Write): Promise<boolean> {
    try {
      const result = item.work()
      item.result = result instanceof Promise ? await result : result
      return true
    } catch (error) {
      if (!this.#deps.connection.database.isTransaction) throw error
      item.reject(this.#deps.condition.faultOf(error))
      return false
    }
  }

  /**
   * Sets `syncing` at once: a read must not see this commit and be answered before it is on disk.
   */
  #acknowledgeOnceSynced(done: readonly Write[]): void {
    const { condition, file, files, connection, watch, wal } = this.#deps
    if (!files.areOurs()) {
      const why = saveRemovedFiles(file, files.isDatabaseOurs(), connection.database)
      const cause = condition.filesRemoved(why)
      rejectAll(done, new StoreOutcomeUnknown('the files of the store were removed', { cause }))
      return
    }
    watch.committed(done.length)
    const synced = new Promise<void>((resolve, reject) => {
      this.#sync(wal, (error) => (error === null ? resolve() : reject(error)))
    })
    condition.syncing = synced
    synced
      .then(
        () => {
          for (const item of done) item.resolve(item.result as never)
        },
        (error: unknown) => {
          condition.isWalDoubtful = true
          rejectAll(
            done,
            new StoreOutcomeUnknown('the commit could not be synced to disk', { cause: error }),
          )
        },
      )
      .finally(() => {
        if (condition.syncing === synced) condition.syncing = undefined
      })
  }

  /** Once the WAL could not be synced, its commits are safe only in the database file. */
  #leaveWal(): void {
    const { condition, connection } = this.#deps
    const copied = connection.database.prepare('pragma wal_checkpoint(truncate)').get() as {
      busy: number
    }
    if (copied.busy !== 0) {
      throw new StoreUnavailable(
        'the disk failed, and another process reads from the write-ahead log',
      )
    }
    condition.isWalDoubtful = false
  }

  async #takeLock(): Promise<void> {
    for (let waitedMs = 0; ; ) {
      try {
        this.#deps.connection.statement('begin immediate').run()
        this.#lockWaitMs = LOCK_WAIT_MS
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (waitedMs >= this.#lockWaitMs) {
          this.#lockWaitMs = LOCK_WAIT_AGAIN_MS
          throw error
        }
      }
      const retryMs = waitedMs < LOCK_IS_SHORT_MS ? LOCK_RETRY_MS : LOCK_RETRY_LATER_MS
      await this.#deps.pause(retryMs)
      waitedMs += retryMs
    }
  }
}

/** Merchants wait for single writes. */
const singleWritesFirst = (waited: readonly Write[]): Write[] => [
  ...waited.filter((each) => !each.isTransaction),
  ...waited.filter((each) => each.isTransaction),
]

function rejectAll(group: readonly Write[], error: unknown): void {
  for (const item of group) item.reject(error)
}
