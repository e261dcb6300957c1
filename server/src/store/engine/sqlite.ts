// SQLite in this process. The event loop runs every write on one connection, and reads on another. Writes that wait
// together share one commit (group commit): that raised durable creates from 11,500 to 16,000 a second. A commit does
// not wait for the disk: Node's thread pool syncs the WAL, the event loop keeps running, and neither a write nor a read
// of that commit is answered before the sync. `synchronous=full` would block the event loop in each commit: 0.2 ms on
// an idle disk, 5 on a busy one. The same holds for checkpoints: a thread copies the WAL into the database file.
import { closeSync, fdatasync, fdatasyncSync, fstatSync, openSync } from 'node:fs'
import { getOrMake, singleFlight } from '../../domain/bounded-cache.ts'
import { batch } from './batch.ts'
import {
  type Database,
  type Insertion,
  type SqlTexts,
  StoreDamaged,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type StoreWatch,
  type Transaction,
  textOf,
  type Value,
} from './database.ts'
import { asStoreError, connect, isBusy, mayBeCommitted, type Statement } from './sqlite-connection.ts'
import { saveRemovedFiles, watchFiles } from './sqlite-files.ts'
import { openThread, type SqliteThread } from './sqlite-thread.ts'

/** Past this many waiting a write or look-up is refused: a quick 503 is better than an answer that comes too late. */
const MAX_WAITING = 10_000

/** Batches of look-ups that may wait for the disk at once. */
const MAX_LOOK_UP_BATCHES = 16

/** After so many statements, about 4 ms, a group starts no other transaction: the next creates would wait. */
const MAX_TRANSACTION_STATEMENTS = 400

/** A command may be writing to the same file: how long a group waits for its lock. */
const LOCK_WAIT_MS = 5_000
/** For the next group after a lock time-out: its writes have waited as long. */
const LOCK_WAIT_AGAIN_MS = 500
const LOCK_RETRY_MS = 5
/** A longer lock is tried less often: on a busy machine a thousand short pauses took 18 seconds instead of 5. */
const LOCK_IS_SHORT_MS = 200
const LOCK_RETRY_LATER_MS = 50

/**
 * The reader's page cache, in KiB: about the newest 25,000 payments. With 64 MB a read spread over 100,000 payments
 * took 14 µs instead of 18, and the process kept 48 MB more. The file is not mapped into memory: a page that the disk
 * cannot read would end the process, not only one answer.
 */
const READ_CACHE_KIB = 16_000

/** Pages of 4 KiB. With 16,000, commits waited up to three times as long for the disk during the copy. */
const CHECKPOINT_PAGES = 4_000
/** Reading the length of the WAL costs as much as writing two pages. */
const GROUPS_BETWEEN_LOOKS = 8
/** How long a full checkpoint may wait for other connections. It keeps groups from committing meanwhile. */
const CHECKPOINT_WAIT_MS = 50

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void

interface Write {
  /** Runs inside the group's transaction. Returns a promise only when it has several steps. */
  work(): unknown
  isTransaction: boolean
  resolve(result: never): void
  reject(error: unknown): void
  result?: unknown
}

/** `pause` waits without blocking: only the runtime has timers. `sync` replaces the system's own in tests. */
export function openSqlite(
  file: string,
  watch: StoreWatch,
  pause: (ms: number) => Promise<void>,
  sync: Sync = fdatasync,
): Database {
  const { database: writer, statement: write } = connect(file)
  // SQLite's own waiting would block the event loop for as long as another process writes.
  writer.exec('pragma busy_timeout = 0')
  const { database: reader, statement: read } = connect(file)
  reader.exec(`pragma cache_size = -${READ_CACHE_KIB}`)
  const files = watchFiles(file)
  // SQLite has no locks on the WAL, so it may be closed. On the database file that would drop SQLite's locks.
  const wal = openSync(`${file}-wal`, 'r+')
  // A killed process may have left commits that are readable here and not on disk.
  if (fstatSync(wal).size > 0) fdatasyncSync(wal)
  const checkpointIfLong = checkpoints(file, () => write('pragma wal_checkpoint(noop)').get() as { log: number })

  let waiting: Write[] = []
  let committing: Promise<void> | undefined
  /** Of the last commit, while it runs. */
  let syncing: Promise<void> | undefined
  /** After a failed sync: later ones may succeed although the system has dropped pages that it could not write. */
  let isWalDoubtful = false
  let isClosed = false
  /** Why nothing is read or written any more: the file is damaged, or was removed or replaced. */
  let refusal: StoreUnavailable | undefined
  let lockWaitMs = LOCK_WAIT_MS
  /** Of the transactions of this group, so far. */
  let transactionStatements = 0

  function enqueue<T>(work: () => T | Promise<T>, isTransaction = false): Promise<T> {
    refuseIfUnusable()
    if (waiting.length >= MAX_WAITING) throw new StoreUnavailable('too many writes are waiting')
    return new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Write['resolve'], reject, isTransaction })
      committing ??= commitAll()
    })
  }

  function refuseIfUnusable(): void {
    if (isClosed) throw new StoreUnavailable('the store is closed')
    if (refusal !== undefined) throw refusal
  }

  /** A server refuses everything once its file is damaged: writing may damage more (ADR-0017). Commands read on. */
  function faultOf(error: unknown): unknown {
    const fault = asStoreError(error)
    if (fault instanceof StoreDamaged && refusal === undefined && watch.damaged !== undefined) {
      refusal = fault
      watch.damaged(fault)
    }
    return fault
  }

  /** Never rejects: each write of a group gets its own answer. */
  async function commitAll(): Promise<void> {
    do {
      // Writes that arrive in the same turn of the event loop join the group.
      await new Promise((resolve) => setImmediate(resolve))
      const group = waiting
      waiting = []
      try {
        waiting.unshift(...(await commitGroup(group)))
      } catch (error) {
        isWalDoubtful = true
        rejectAll(group, new StoreOutcomeUnknown('the store failed in the middle of a commit', { cause: error }))
      }
      // Writes that arrive during a sync join the next group: a commit of few writes costs as much as one of many.
      await syncing?.catch(() => {})
      checkpointIfLong()
    } while (waiting.length > 0)
    committing = undefined
  }

  /** Returns the transactions that are left for another group. */
  async function commitGroup(waited: readonly Write[]): Promise<Write[]> {
    // Merchants wait for single writes: they go first.
    const group = [...waited.filter((each) => !each.isTransaction), ...waited.filter((each) => each.isTransaction)]
    const done: Write[] = []
    let isCommitting = false
    let at = 0
    try {
      if (refusal !== undefined) throw refusal
      if (isWalDoubtful) leaveWal()
      await takeLock()
      transactionStatements = 0
      for (; at < group.length; at++) {
        const item = group[at] as Write
        if (item.isTransaction && transactionStatements >= MAX_TRANSACTION_STATEMENTS) break
        if (await runOne(item)) done.push(item)
      }
      isCommitting = true
      write('commit').run()
    } catch (error) {
      if (writer.isTransaction) write('rollback').run()
      if (!isCommitting || !mayBeCommitted(error)) {
        rejectAll(group, faultOf(error))
        return []
      }
      isWalDoubtful = true
      rejectAll(done, new StoreOutcomeUnknown('the disk failed during the commit', { cause: error }))
      return group.slice(at)
    }
    acknowledgeOnceSynced(done)
    return group.slice(at)
  }

  /** False when this write failed alone. Throws when SQLite has ended the transaction, as on a full disk. */
  async function runOne(item: Write): Promise<boolean> {
    try {
      const result = item.work()
      item.result = result instanceof Promise ? await result : result
      return true
    } catch (error) {
      if (!writer.isTransaction) throw error
      item.reject(faultOf(error))
      return false
    }
  }

  /** Sets `syncing` at once: a read must not see this commit and be answered before it is on disk. */
  function acknowledgeOnceSynced(done: readonly Write[]): void {
    if (!files.areOurs()) {
      refusal = new StoreUnavailable(saveRemovedFiles(file, files.isDatabaseOurs(), writer))
      watch.filesRemoved?.(refusal.message)
      rejectAll(done, new StoreOutcomeUnknown('the files of the store were removed', { cause: refusal }))
      return
    }
    watch.committed(done.length)
    const synced = new Promise<void>((resolve, reject) => {
      sync(wal, (error) => (error === null ? resolve() : reject(error)))
    })
    syncing = synced
    synced
      .then(
        () => {
          for (const item of done) item.resolve(item.result as never)
        },
        (error: unknown) => {
          isWalDoubtful = true
          rejectAll(done, new StoreOutcomeUnknown('the commit could not be synced to disk', { cause: error }))
        },
      )
      .finally(() => {
        if (syncing === synced) syncing = undefined
      })
  }

  /** Once the WAL could not be synced, its commits are safe only in the database file. */
  function leaveWal(): void {
    const { busy } = writer.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    if (busy !== 0) throw new StoreUnavailable('the disk failed, and another process reads from the write-ahead log')
    isWalDoubtful = false
  }

  async function takeLock(): Promise<void> {
    for (let waitedMs = 0; ; ) {
      try {
        write('begin immediate').run()
        lockWaitMs = LOCK_WAIT_MS
        return
      } catch (error) {
        if (!isBusy(error)) throw error
        if (waitedMs >= lockWaitMs) {
          lockWaitMs = LOCK_WAIT_AGAIN_MS
          throw error
        }
      }
      const retryMs = waitedMs < LOCK_IS_SHORT_MS ? LOCK_RETRY_MS : LOCK_RETRY_LATER_MS
      await pause(retryMs)
      waitedMs += retryMs
    }
  }

  /** SQLite may have ended the transaction itself: later steps would run without one, each committed alone. */
  function requireTransaction(): void {
    if (!writer.isTransaction) throw new StoreUnavailable('SQLite has ended the transaction')
  }

  function step(sql: string, times = 1): Statement {
    requireTransaction()
    transactionStatements += times
    return write(sql)
  }

  const tx: Transaction = {
    rows: async <Row>(sql: string | SqlTexts, values: readonly Value[] = []) =>
      step(textOf(sql, 'sqlite')).all(values) as Row[],
    change: async (sql, values = []) => step(sql).run(values),
    many: async <Row>({ sqlite }: { sqlite: string }, rows: readonly (readonly Value[])[]) => {
      const one = step(sqlite, rows.length)
      return rows.flatMap((row) => one.all(row) as Row[])
    },
    changeEach: async ({ sqlite }, rows) => {
      const one = step(sqlite, rows.length)
      return rows.map((row) => one.run(row) > 0)
    },
  }

  /** A savepoint: when it fails, the other writes of the group stay. */
  async function inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    write('savepoint one').run()
    try {
      const result = await work()
      requireTransaction()
      write('release one').run()
      return result
    } catch (error) {
      if (writer.isTransaction) {
        write('rollback to one').run()
        write('release one').run()
      }
      throw error
    }
  }

  /** Reads that wait for a doubtful WAL share one try. A write of nothing brings the commits into the database file. */
  const untilTrusted = singleFlight(() =>
    enqueue(() => {}).catch((error: unknown) => {
      throw new StoreUnavailable('the disk failed, and commits are not on it yet', { cause: error })
    }),
  )

  /** The rows read may belong to a commit that is not on disk yet. */
  async function reading<T>(work: () => T): Promise<T> {
    if (isWalDoubtful) await untilTrusted()
    refuseIfUnusable()
    let found: T
    try {
      found = work()
    } catch (error) {
      throw faultOf(error)
    }
    await syncing?.catch((error: unknown) => {
      throw new StoreUnavailable('the rows read could not be synced to disk', { cause: error })
    })
    return found
  }

  /** Look-ups that wait share one read transaction: its locks cost two system calls, the look-up itself less. */
  const lookUp = batch(
    (asked: { sql: string; keys: readonly Value[] }[]) =>
      reading(() => {
        read('begin').run()
        try {
          return asked.map(({ sql, keys }) => read(sql).get(keys))
        } finally {
          read('commit').run()
        }
      }),
    { flushes: MAX_LOOK_UP_BATCHES, batchSize: 1_000, maxWaiting: MAX_WAITING },
  )

  return {
    // There is one writer: no other transaction ever holds a lock on a row.
    skipLocked: '',
    rows: async <Row>(texts: string | SqlTexts, values: readonly Value[] = []) => {
      const sql = textOf(texts, 'sqlite')
      return isRead(sql)
        ? reading(() => read(sql).all(values) as Row[])
        : enqueue(() => write(sql).all(values) as Row[])
    },
    change: async (sql, values = []) => enqueue(() => write(sql).run(values)),
    insert: async (into, row) => enqueue(() => write(insertSql(into)).run(row) === 1),
    find: async <Row>({ sqlite }: { sqlite: string }, keys: readonly string[]) =>
      lookUp({ sql: sqlite, keys }) as Promise<Row | undefined>,
    transaction: async (work) => enqueue(() => inSavepoint(() => work(tx)), true),
    alone: async (work) =>
      enqueue(() => inSavepoint(() => work(tx, async (sql) => writer.exec(textOf(sql, 'sqlite')))), true),
    ping: async () => void (await reading(() => read('select 1').get())),
    time: async () => (await reading(() => read(TIME).get() as { time: number })).time,
    close: async () => {
      if (isClosed) return
      isClosed = true
      await committing
      await checkpointIfLong.close()
      closeSync(wal)
      reader.close()
      writer.close()
    },
  }
}

/** Copies the WAL into the database file whenever it is long, in a thread that is started for the first time then. */
function checkpoints(file: string, readLength: () => { log: number }): { (): void; close(): Promise<void> } {
  let thread: SqliteThread | undefined
  let isRunning = false
  let groups = 0
  /** In pages. */
  let nextAt = CHECKPOINT_PAGES

  /** Most pages without a lock, the rest with the writer's: SQLite restarts the WAL only once all of it is copied. */
  async function run(): Promise<void> {
    try {
      if (readLength().log < nextAt) return
      thread ??= openThread(file, CHECKPOINT_WAIT_MS)
      await thread.run('pragma wal_checkpoint(passive)')
      const { log, checkpointed } = (await thread.run('pragma wal_checkpoint(full)')) as Record<string, number>
      // A long read of another process may still need the pages as they are in the file.
      nextAt = log === checkpointed ? CHECKPOINT_PAGES : nextAt + CHECKPOINT_PAGES
    } catch {
      // The disk may be full, or there is no room for a thread. A fault of the disk will fail the next commit too.
      thread = undefined
      nextAt += CHECKPOINT_PAGES
    } finally {
      isRunning = false
    }
  }

  function checkpointIfLong(): void {
    if (isRunning || ++groups % GROUPS_BETWEEN_LOOKS !== 0) return
    isRunning = true
    void run()
  }
  checkpointIfLong.close = async () => thread?.close()
  return checkpointIfLong
}

function rejectAll(group: readonly Write[], error: unknown): void {
  for (const item of group) item.reject(error)
}

const insertTexts = new WeakMap<Insertion, string>()

const insertSql = (into: Insertion): string =>
  getOrMake(insertTexts, into, () => {
    const names = Object.keys(into.columns)
    const places = names.map((_, at) => `$${at + 1}`)
    return `insert into ${into.table} (${names.join(', ')}) values (${places.join(', ')}) on conflict do nothing`
  })

const TIME = `select cast(unixepoch('subsec') * 1000 as integer) as time`

/** Whether a text changes nothing, and so need not wait for the writer. */
const isRead = (sql: string): boolean =>
  /^\s*select\b/i.test(sql) || (/^\s*with\b/i.test(sql) && !/\b(?:insert|update|delete|replace)\b/i.test(sql))
