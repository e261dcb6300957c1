// SQLite in this process: one writer behind a queue, reads on their own connection, every commit on disk before its
// answer. All writes that wait when the writer is free share one commit; each that has several statements gets a
// savepoint, so one that fails does not undo the others. Sharing raised durable creates from 11,500 to 16,000 a second.
import { existsSync } from 'node:fs'
import {
  type Database,
  type RowsClaim,
  StoreDamaged,
  StoreUnavailable,
  type StoreWatch,
  type Value,
} from './database.ts'
import { type Beside, openConnections, type Prepared } from './sqlite-connections.ts'
import { asStoreError, isLocked, mayBeCommitted } from './sqlite-faults.ts'
import { rescue } from './sqlite-files.ts'
import { readsOf } from './sqlite-reads.ts'
import { claimTexts, insertSql, isRead, TIME } from './sqlite-texts.ts'
import { savepointOn, transactionOn } from './sqlite-transaction.ts'
import {
  answerAll,
  answerOnce,
  answersOf,
  failAll,
  isLarge,
  orderOf,
  outcomeUnknown,
  type Statement,
  type StatementAnswer,
  singleFirst,
  takeAnswers,
  type Write,
} from './sqlite-writes.ts'

/** Past this many waiting writes a new one is refused: better a quick 503 than an answer after the client has gone. */
const MOST_WAITING = 10_000

/** A group begins with so many: while the thread writes them, the event loop parses those that come next. */
const ENOUGH = 24

/** A group begins no other transaction after so many statements of transactions: the next creates would wait for it. About 4 ms. */
const MOST_STEPS = 400

/** A command may be writing to the same file. Its lock is waited for so long, and looked at so often. */
const LOCK_WAIT_MS = 5_000
/** By the next group after one that waited in vain: its writes have waited as long. */
const LOCK_WAIT_AGAIN_MS = 500
const LOCK_LOOK_MS = 5
/** A lock that is held for longer is looked at less often: on a busy machine a thousand short pauses took 18 seconds instead of 5. */
const LOCK_IS_SHORT_MS = 200
const LOCK_LOOK_LATER_MS = 50

/** `pause` waits without blocking; an argument, because only the runtime has timers. */
export function openSqlite(
  file: string,
  watch: StoreWatch,
  pause: (ms: number) => Promise<void>,
  beside: Beside = {},
): Database {
  let { writer, reader, write, read, files, checkpoints, thread, disk } = openConnections(file, beside)
  /** Undefined while the files at their paths are those that we write to. */
  let foreignFiles: 'to rescue' | 'lost' | undefined
  let waiting: Write[] = []
  let committing: Promise<void> | undefined
  let begin = (): void => {}
  let closed = false
  let lockWaitMs = LOCK_WAIT_MS
  /** What can still be read of a damaged file may be wrong, and writing may damage more: a server refuses both (ADR-0017). */
  let damaged: StoreDamaged | undefined
  /** The statements that the transactions of the group have run so far. */
  let steps = 0
  /** What the thread has brought to disk, and nobody was told of yet. */
  let untold: Write[] = []

  function enqueue<T>(
    work: () => T | Promise<T>,
    isTransaction = false,
    forThread: Pick<Write, 'statement' | 'resultOf' | 'named'> = {},
  ): Promise<T> {
    if (closed) throw new StoreUnavailable('the store is closed')
    if (damaged !== undefined) throw damaged
    if (waiting.length >= MOST_WAITING) throw new StoreUnavailable('too many writes are waiting')
    return new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as Write['resolve'], reject, isTransaction, ...forThread })
      committing ??= commitAll()
      if (waiting.length === ENOUGH) begin()
    })
  }

  function faultOf(error: unknown): unknown {
    const fault = asStoreError(error)
    if (fault instanceof StoreDamaged && damaged === undefined && watch.damaged !== undefined) {
      damaged = fault
      watch.damaged(fault)
    }
    return fault
  }

  function reading<T>(work: () => T): T {
    if (damaged !== undefined) throw damaged
    try {
      return work()
    } catch (error) {
      throw faultOf(error)
    }
  }

  const run = <T>(statement: Statement, resultOf: (answers: StatementAnswer[]) => T): Promise<T> =>
    enqueue(() => resultOf(answersOf(write, statement)), false, { statement, resultOf })

  const isEnough = (): boolean => waiting.length >= ENOUGH || waiting.some(isLarge)

  /** Writes that arrive in the same turn of the event loop join a group, until it is large enough. */
  function collected(): Promise<void> | undefined {
    if (isEnough()) return undefined
    return new Promise((resolve) => {
      const turn = setImmediate(resolve)
      begin = () => {
        clearImmediate(turn)
        resolve()
      }
    })
  }

  /** Never rejects: nobody waits for it but those whose writes it commits. */
  async function commitAll(): Promise<void> {
    do {
      await collected()
      const group = waiting
      waiting = []
      try {
        await commitSome(group)
      } catch (error) {
        failUnexpectedly(group, error)
      }
      // What comes in while the disk works joins the next group: a commit of few writes costs as much as one of many.
      await disk.underway?.catch(() => {})
    } while (waiting.length > 0)
    committing = undefined
  }

  /** What is left for another group waits again, before those that came since. */
  async function commitSome(group: Write[]): Promise<void> {
    const { here, later } = await leaveToThread(group)
    waiting.unshift(...later)
    // Where there is enough for the thread, it begins before we see to what became of the group before.
    if (here.length > 0 || disk.underway !== undefined || !isEnough()) tell()
    if (here.length > 0) waiting.unshift(...(await commitGroup(here)))
    checkpoints.committed()
  }

  /** Of a fault that nobody foresaw: we do not know whether it came before the commit or after. */
  function failUnexpectedly(group: Write[], error: unknown): void {
    tell()
    disk.doubt()
    const again = new Set(waiting)
    const failed = group.filter((item) => !again.has(item))
    failAll(failed, outcomeUnknown('the store failed in the middle of a commit', error))
  }

  function tell(): void {
    const told = untold
    untold = []
    answerAll(told)
  }

  /**
   * Gives the thread the single statements of a large group and one named transaction, in one commit: each costs a wait for the disk. Returns
   * what is to be done here, and what waits for the thread: creates come between.
   */
  async function leaveToThread(group: Write[]): Promise<{ here: Write[]; later: Write[] }> {
    const [named, ...later] = group.filter(isLarge)
    const single = group.filter((item) => item.statement !== undefined)
    const items = single.length + (named?.named?.items ?? 0)
    if (foreignFiles !== undefined || disk.isDoubtful || !thread.takes(items)) return { here: group, later: [] }
    const apart = named === undefined ? single : [...single, named]
    const left = new Set([...apart, ...later])
    const others = group.filter((item) => !left.has(item))
    try {
      const writing = thread.write(orderOf(single, named))
      tell()
      const written = await writing
      if (written === 'nothing') return { here: [...apart, ...others], later }
      takeAnswers(written, single, named)
      if (!files.areOurs()) await keepFiles()
    } catch (error) {
      disk.doubt()
      failAll(apart, outcomeUnknown('the thread may have recorded it', error))
      return { here: others, later }
    }
    watch.committed(apart.length)
    untold = apart
    return { here: others, later }
  }

  /** Returns the transactions that are left for another group. */
  async function commitGroup(waited: Write[]): Promise<Write[]> {
    const group = singleFirst(waited)
    const done: Write[] = []
    let commit: 'to come' | 'running' | 'done' = 'to come'
    let at = 0
    steps = 0
    try {
      if (foreignFiles !== undefined) await keepFiles()
      if (disk.isDoubtful) leaveLog()
      for (let waitedMs = 0, lookMs = 0; !tookLock(waitedMs); waitedMs += lookMs) {
        lookMs = waitedMs < LOCK_IS_SHORT_MS ? LOCK_LOOK_MS : LOCK_LOOK_LATER_MS
        await pause(lookMs)
      }
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
          item.reject(faultOf(error))
        }
      }
      commit = 'running'
      write('commit').run()
      commit = 'done'
      if (!files.areOurs()) await keepFiles()
    } catch (error) {
      if (writer.isOpen && writer.isTransaction) write('rollback').run()
      if (commit === 'running' && mayBeCommitted(error)) disk.doubt()
      else if (commit !== 'done') {
        failAll(group, faultOf(error))
        return []
      }
      const why = commit === 'done' ? 'the files of the store are no longer ours' : 'the disk failed during the commit'
      failAll(group.slice(0, at), outcomeUnknown(why, error))
      return group.slice(at)
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
    await Promise.all([checkpoints.close(), thread.close()])
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
    ;({ writer, reader, write, read, files, checkpoints, thread, disk } = openConnections(file, beside))
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
      lockWaitMs = LOCK_WAIT_MS
      return true
    } catch (error) {
      if (!isLocked(error)) throw error
      if (waitedMs < lockWaitMs) return false
      lockWaitMs = LOCK_WAIT_AGAIN_MS
      throw error
    }
  }

  function step(sql: string, count = 1): Prepared {
    steps += count
    return write(sql)
  }

  const isInTransaction = (): boolean => writer.isTransaction
  const inTransaction = transactionOn(step, isInTransaction)
  const inSavepoint = savepointOn((sql) => write(sql), isInTransaction)

  const reads = readsOf({
    read: (sql) => read(sql),
    reading,
    disk: () => disk,
    isClosed: () => closed,
    // A write of nothing: before any write the log is left if the disk has refused it.
    bringToDisk: async () => enqueue(() => {}),
  })

  return {
    rows: async <Row>(sql: string, values: readonly Value[] = []) =>
      isRead(sql)
        ? (reads.all(sql, values) as Promise<Row[]>)
        : run({ sql, wants: 'rows', sets: [values] }, ([rows]) => rows as Row[]),
    change: async (sql, values = []) => run({ sql, wants: 'changes', sets: [values] }, ([count]) => count as number),
    insert: async (into, row) => run({ sql: insertSql(into), wants: 'changes', sets: [row] }, ([count]) => count === 1),
    find: <Row>(sql: string, keys: readonly string[]) => reads.find(sql, keys) as Promise<Row | undefined>,
    // One writer at a time: no row is ever locked by another transaction.
    claim: async <Row>(sql: string, values: readonly Value[]) =>
      run({ sql, wants: 'rows', sets: [values] }, ([rows]) => rows as Row[]),
    claimEach: async <Row>(claim: RowsClaim, sets: readonly (readonly Value[])[]) => {
      const { keys, row } = claimTexts(claim)
      const claimed = await run({ sql: keys, wants: 'rows', sets }, (answers) => answers as Record<string, Value>[][])
      const read = (key: Record<string, Value>) => reads.find(row, Object.values(key)) as Promise<Row>
      return Promise.all(claimed.map((some) => Promise.all(some.map(read))))
    },
    transaction: async (work) => enqueue(() => inSavepoint(() => work(inTransaction)), true),
    perform: async ({ name, work }, items, given) =>
      enqueue(() => inSavepoint(() => work(inTransaction, given())), true, { named: { name, items, given } }),
    alone: async (work) => enqueue(() => inSavepoint(() => work(inTransaction, async (sql) => writer.exec(sql))), true),
    ping: async () => {
      reading(() => read('select 1').get())
    },
    time: async () => reading(() => (read(TIME).get() as { time: number }).time),
    close: async () => {
      if (closed) return
      closed = true
      await committing
      await Promise.all([checkpoints.close(), thread.close()])
      await disk.underway?.catch(() => {})
      if (writer.isOpen) closeConnections()
    },
  }
}
