// SQLite in this process: one writer behind a queue, reads on their own connection, every commit on disk before its
// answer. All writes that wait when the writer is free share one commit; each that has several statements gets a
// savepoint, so one that fails does not undo the others. Sharing raised durable creates from 11,500 to 16,000 a second.
import { existsSync } from 'node:fs'
import { batch } from './batch.ts'
import { type Database, StoreUnavailable, type StoreWatch, type Transaction, type Value } from './database.ts'
import type { ManyRows } from './many-rows.ts'
import { openConnections, type Prepared } from './sqlite-connections.ts'
import type { Sync } from './sqlite-disk.ts'
import { asStoreError, withStoreErrors } from './sqlite-faults.ts'
import { rescue } from './sqlite-files.ts'
import { insertSql, isRead, oneRowText, TIME } from './sqlite-texts.ts'
import { answerOnce, failAll, outcomeUnknown, singleFirst, type Write } from './sqlite-writes.ts'

/** Past this many waiting writes a new one is refused: better a quick 503 than an answer after the client has gone. */
const MOST_WAITING = 10_000

/** A group begins with so many: while the thread inserts them, the event loop parses those that come next. */
const ENOUGH = 24

/** Batches of look-ups that may wait for the disk at once. */
const MOST_LOOK_UPS = 16

/** A group begins no other transaction after so many statements of transactions: the next creates would wait for it. About 4 ms. */
const MOST_STEPS = 400

/** A command may be writing to the same file. Its lock is waited for so long, and looked at so often. */
const LOCK_WAIT_MS = 5_000
const LOCK_LOOK_MS = 5

const SQLITE_BUSY = 5

/** `pause` waits without blocking; an argument, because only the runtime has timers. */
export function openSqlite(
  file: string,
  watch: StoreWatch,
  pause: (ms: number) => Promise<void>,
  sync?: Sync,
): Database {
  let { writer, reader, write, read, files, checkpoints, inserts, disk } = openConnections(file, sync)
  /** Undefined while the files at their paths are those that we write to. */
  let foreignFiles: 'to rescue' | 'lost' | undefined
  let waiting: Write[] = []
  let committing: Promise<void> | undefined
  let begin = (): void => {}
  let closed = false
  /** The statements that the transactions of the group have run so far. */
  let steps = 0

  function enqueue<T>(
    work: () => T | Promise<T>,
    isTransaction = false,
    insert: Write['insert'] = undefined,
  ): Promise<T> {
    if (closed) throw new StoreUnavailable('the store is closed')
    if (waiting.length >= MOST_WAITING) throw new StoreUnavailable('too many writes are waiting')
    return new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Write['resolve'], reject, isTransaction, insert })
      committing ??= commitAll()
      if (waiting.length === ENOUGH) begin()
    })
  }

  /** Writes that arrive in the same turn of the event loop join a group, until it is large enough. */
  function collected(): Promise<void> | undefined {
    if (waiting.length >= ENOUGH) return undefined
    return new Promise((resolve) => {
      const turn = setImmediate(resolve)
      begin = () => {
        clearImmediate(turn)
        resolve()
      }
    })
  }

  async function commitAll(): Promise<void> {
    do {
      await collected()
      const group = waiting
      waiting = []
      const left = await insertApart(group)
      if (left.length > 0) waiting.unshift(...(await commitGroup(left)))
      checkpoints.committed()
      // What comes in while the disk works joins the next group: a commit of few writes costs as much as one of many.
      await disk.underway?.catch(() => {})
    } while (waiting.length > 0)
    committing = undefined
  }

  /** Gives the inserts of a large group to the thread. Returns what is to be done here. */
  async function insertApart(group: Write[]): Promise<Write[]> {
    const sql = group.find(({ insert }) => insert !== undefined)?.insert?.sql
    if (sql === undefined || foreignFiles !== undefined || disk.isDoubtful) return group
    const apart = group.filter(({ insert }) => insert?.sql === sql)
    if (!inserts.takes(apart.length)) return group
    const others = group.filter(({ insert }) => insert?.sql !== sql)
    const rows = apart.map(({ insert }) => insert?.row ?? [])
    const inserting = inserts.insert(sql, rows)
    // Already now: the thread has committed before we are told, and nobody may read that before it is on disk.
    const reached = disk.reachedBy(inserting)
    try {
      const inserted = await inserting
      if (inserted === 'nothing') {
        await reached
        return group
      }
      for (const [at, item] of apart.entries()) item.result = inserted[at]
      if (!files.areOurs()) await keepFiles()
    } catch (error) {
      reached.catch(() => {})
      failAll(apart, outcomeUnknown('the thread may have recorded it', error))
      return others
    }
    watch.committed(apart.length)
    answerOnce(reached, apart)
    return others
  }

  /** Returns the transactions that are left for another group. */
  async function commitGroup(waited: Write[]): Promise<Write[]> {
    const group = singleFirst(waited)
    const done: Write[] = []
    let isCommitted = false
    let at = 0
    steps = 0
    try {
      if (foreignFiles !== undefined) await keepFiles()
      if (disk.isDoubtful) leaveLog()
      for (let waitedMs = 0; !tookLock(waitedMs); waitedMs += LOCK_LOOK_MS) await pause(LOCK_LOOK_MS)
      for (; at < group.length; at++) {
        const item = group[at] as Write
        if (item.isTransaction && steps >= MOST_STEPS) break
        try {
          const result = item.work()
          item.result = result instanceof Promise ? await result : result
          done.push(item)
        } catch (error) {
          // Some faults (a full disk, a broken file) end the whole transaction, not only the statement.
          if (!writer.isTransaction) throw error
          item.reject(asStoreError(error))
        }
      }
      write('commit').run()
      isCommitted = true
      if (!files.areOurs()) await keepFiles()
    } catch (error) {
      if (writer.isOpen && writer.isTransaction) write('rollback').run()
      const failure = isCommitted
        ? outcomeUnknown('the files of the store are no longer ours', error)
        : asStoreError(error)
      failAll(group.slice(0, isCommitted ? at : group.length), failure)
      return isCommitted ? group.slice(at) : []
    }
    watch.committed(done.length)
    answerOnce(disk.reached(), done)
    return group.slice(at)
  }

  /** Once the disk has refused the log, what was committed is safe only in the database file. */
  function leaveLog(): void {
    const { busy } = writer.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number }
    if (busy !== 0) throw new StoreUnavailable('the disk failed, and another process reads from the write-ahead log')
    disk.trustAgain()
  }

  /** Saves what is in files that others no longer see, and opens those at the path. Until that is done, nothing is acknowledged. */
  async function keepFiles(): Promise<void> {
    foreignFiles ??= 'to rescue'
    // Their connections would hold on to files that are no longer at their paths.
    await Promise.all([checkpoints.close(), inserts.close()])
    await disk.underway?.catch(() => {})
    for (let waitedMs = 0; foreignFiles === 'to rescue' && writer.isOpen; waitedMs += LOCK_LOOK_MS) {
      const saved = rescue(file, files, writer)
      if (saved !== undefined) {
        watch.warn?.(saved.sentence)
        if (saved.next === 'lost') foreignFiles = 'lost'
        else closeConnections()
      } else if (waitedMs < LOCK_WAIT_MS) await pause(LOCK_LOOK_MS)
      else throw new StoreUnavailable('another process reads from files that were removed')
    }
    if (foreignFiles === 'lost' || !existsSync(file)) throw new StoreUnavailable('the database was replaced or removed')
    ;({ writer, reader, write, read, files, checkpoints, inserts, disk } = openConnections(file, sync))
    foreignFiles = undefined
  }

  function closeConnections(): void {
    disk.close()
    reader.close()
    writer.close()
  }

  /** False while another process writes; throws once that has been waited for long enough. */
  function tookLock(waitedMs: number): boolean {
    try {
      write('begin immediate').run()
      return true
    } catch (error) {
      const isBusy = ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY
      if (!isBusy || waitedMs >= LOCK_WAIT_MS) throw error
      return false
    }
  }

  function step(sql: string, count = 1): Prepared {
    steps += count
    return write(sql)
  }

  const inTransaction: Transaction = {
    rows: async <Row>(sql: string, values: readonly Value[] = []) => step(sql).all(values) as Row[],
    change: async (sql, values = []) => step(sql).run(values),
    many: async <Row>(statement: ManyRows, rows: readonly (readonly Value[])[]) => {
      const one = step(oneRowText(statement), rows.length)
      return rows.flatMap((row) => one.all(row) as Row[])
    },
    changeEach: async (statement, rows) => {
      const one = step(oneRowText(statement), rows.length)
      return rows.map((row) => one.run(row) > 0)
    },
  }

  async function inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    write('savepoint one').run()
    try {
      const result = await work()
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

  /** What was read may be from a commit that is not on disk yet, and is told to nobody before. */
  async function onceOnDisk<T>(found: T): Promise<T> {
    await disk.underway?.catch((error: unknown) => {
      throw new StoreUnavailable('what was read could not be brought to disk', { cause: error })
    })
    return found
  }

  /** Look-ups that wait at the same time share one read transaction: its locks cost two system calls, the look-up itself less. */
  const lookUp = batch(
    async (asked: { sql: string; keys: readonly string[] }[]) => {
      const found = withStoreErrors(() => {
        if (closed) throw new StoreUnavailable('the store is closed')
        read('begin').run()
        try {
          return asked.map(({ sql, keys }) => read(sql).get(keys))
        } finally {
          read('commit').run()
        }
      })
      return disk.underway === undefined ? found : onceOnDisk(found)
    },
    { flushes: MOST_LOOK_UPS, batchSize: 1_000, maxWaiting: MOST_WAITING },
  )

  return {
    rows: async <Row>(sql: string, values: readonly Value[] = []) =>
      isRead(sql)
        ? onceOnDisk(withStoreErrors(() => read(sql).all(values)) as Row[])
        : enqueue(() => write(sql).all(values) as Row[]),
    change: async (sql, values = []) => enqueue(() => Number(write(sql).run(values))),
    insert: async (into, row) => {
      const sql = insertSql(into)
      return enqueue(() => write(sql).run(row) === 1, false, { sql, row })
    },
    find: <Row>(sql: string, keys: readonly string[]) => lookUp({ sql, keys }) as Promise<Row | undefined>,
    // One writer at a time: no row is ever locked by another transaction.
    claim: async <Row>(sql: string, values: readonly Value[]) => enqueue(() => write(sql).all(values) as Row[]),
    claimEach: async <Row>(sql: string, sets: readonly (readonly Value[])[]) =>
      enqueue(() => sets.map((values) => write(sql).all(values) as Row[])),
    transaction: async (work) => enqueue(() => inSavepoint(() => work(inTransaction)), true),
    alone: async (work) => enqueue(() => inSavepoint(() => work(inTransaction, async (sql) => writer.exec(sql))), true),
    ping: async () => {
      withStoreErrors(() => read('select 1').get())
    },
    time: async () => withStoreErrors(() => (read(TIME).get() as { time: number }).time),
    close: async () => {
      if (closed) return
      closed = true
      await committing
      await Promise.all([checkpoints.close(), inserts.close()])
      await disk.underway?.catch(() => {})
      if (writer.isOpen) closeConnections()
    },
  }
}
