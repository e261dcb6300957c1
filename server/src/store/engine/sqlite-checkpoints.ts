// Copies the WAL into the database file whenever it is long, in a thread that is started for the
// first time then.
import { openThread, type SqliteThread } from './sqlite-thread.ts'

/**
 * Pages of 4 KiB. With 16,000, commits waited up to three times as long for the disk during the
 * copy.
 */
const CHECKPOINT_PAGES = 4_000
/** Reading the length of the WAL costs as much as writing two pages. */
const GROUPS_BETWEEN_LOOKS = 8
/**
 * How long a full checkpoint may wait for other connections. It keeps groups from committing
 * meanwhile.
 */
const CHECKPOINT_WAIT_MS = 50

export class SqliteCheckpoints {
  readonly #file: string
  readonly #walPages: () => number
  #thread: SqliteThread | undefined
  #isRunning = false
  #groups = 0
  /** In pages. */
  #nextAt = CHECKPOINT_PAGES

  constructor(file: string, walPages: () => number) {
    this.#file = file
    this.#walPages = walPages
  }

  /** After each group. */
  runIfLong(): void {
    if (this.#isRunning || ++this.#groups % GROUPS_BETWEEN_LOOKS !== 0) return
    this.#isRunning = true
    void this.#run()
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  /**
   * Most pages without a lock, the rest with the writer's: SQLite restarts the WAL only once all of
   * it is copied.
   */
  async #run(): Promise<void> {
    try {
      if (this.#walPages() < this.#nextAt) return
      this.#thread ??= openThread(this.#file, CHECKPOINT_WAIT_MS)
      await this.#thread.run('pragma wal_checkpoint(passive)')
      const full = await this.#thread.run('pragma wal_checkpoint(full)')
      const { log, checkpointed } = full as Record<string, number>
      // A long read of another process may still need the pages as they are in the file.
      this.#nextAt = log === checkpointed ? CHECKPOINT_PAGES : this.#nextAt + CHECKPOINT_PAGES
    } catch {
      // The disk may be full, or there is no room for a thread. A fault of the disk will fail the
      // next commit too.
      this.#thread = undefined
      this.#nextAt += CHECKPOINT_PAGES
    } finally {
      this.#isRunning = false
    }
  }
}
