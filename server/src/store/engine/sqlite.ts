// SQLite in this process. The event loop runs every write on one connection (sqlite-writer.ts), and
// reads on another (sqlite-reader.ts). Writes that wait together share one commit (group commit):
// that raised durable creates from 11,500 to 16,000 a second. A commit does not wait for the disk:
// Node's thread pool syncs the WAL, the event loop keeps running, and neither a write nor a read of
// that commit is answered before the sync. `synchronous=full` would block the event loop in each
// commit: 0.2 ms on an idle disk, 5 on a busy one. The same holds for checkpoints: a thread copies
// the WAL into the database file.
import { closeSync, fdatasyncSync, fstatSync, openSync } from 'node:fs'
import { getOrMake } from '../../domain/limits/get-or-make.ts'
import {
  type Database,
  fieldOf,
  type Insertion,
  type SqlTexts,
  type StoreWatch,
  textOf,
  type Values,
} from './database.ts'
import { NO_VALUES } from './named-values.ts'
import { SqliteCheckpoints } from './sqlite-checkpoints.ts'
import { SqliteCondition } from './sqlite-condition.ts'
import { type Connection, connect } from './sqlite-connection.ts'
import { watchFiles } from './sqlite-files.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteWriter, type Sync } from './sqlite-writer.ts'

/**
 * The reader's page cache, in KiB: about the newest 25,000 payments. With 64 MB a read spread over
 * 100,000 payments took 14 µs instead of 18, and the process kept 48 MB more. The file is not
 * mapped into memory: a page that the disk cannot read would end the process, not only one answer.
 */
const READ_CACHE_KIB = 16_000

/**
 * `pause` waits without blocking: only the runtime has timers. `sync` replaces the system's own in
 * tests.
 */
export function openSqlite(
  file: string,
  watch: StoreWatch,
  pause: (ms: number) => Promise<void>,
  sync?: Sync,
): Database {
  const writing = connect(file)
  // SQLite's own waiting would block the event loop for as long as another process writes.
  writing.database.exec('pragma busy_timeout = 0')
  const reading = connect(file)
  reading.database.exec(`pragma cache_size = -${READ_CACHE_KIB}; pragma query_only = on`)
  const wal = openWal(file)
  const condition = new SqliteCondition(watch)
  const checkpoints = new SqliteCheckpoints(
    file,
    () => (writing.statement('pragma wal_checkpoint(noop)').get() as { log: number }).log,
  )
  const writer = new SqliteWriter({
    file,
    wal,
    connection: writing,
    condition,
    files: watchFiles(file),
    watch,
    pause,
    sync,
    committed: () => checkpoints.runIfLong(),
  })
  const reader = new SqliteReader(reading, condition, writer)
  return {
    ...queriesOf(reader, writer, writing),
    close: async () => {
      if (condition.isClosed) return
      condition.isClosed = true
      await writer.whenIdle()
      await checkpoints.close()
      closeSync(wal)
      reading.database.close()
      writing.database.close()
    },
  }
}

function queriesOf(
  reader: SqliteReader,
  writer: SqliteWriter,
  { database, statement }: Connection,
): Omit<Database, 'close'> {
  const { transaction } = writer
  const execute = async (sql: string | SqlTexts) => database.exec(textOf(sql, 'sqlite'))
  return {
    // There is one writer: no other transaction ever holds a lock on a row.
    skipLocked: '',
    read: async <Row>(sql: string | SqlTexts, values: Values = NO_VALUES) =>
      reader.rows<Row>(textOf(sql, 'sqlite'), values),
    write: async <Row>(sql: string, values: Values = NO_VALUES) =>
      writer.enqueue(() => statement(sql).all(values) as Row[]),
    change: async (sql, values = NO_VALUES) => writer.enqueue(() => statement(sql).run(values)),
    insert: async (into, row) => writer.enqueue(() => statement(insertSql(into)).run(row) === 1),
    find: async <Row>({ sqlite }: { sqlite: string }, keys: Values) =>
      reader.lookUp({ sql: sqlite, keys }) as Promise<Row | undefined>,
    transaction: async (work) =>
      writer.enqueue(() => transaction.run(() => work(transaction.queries)), true),
    alone: async (work) =>
      writer.enqueue(() => transaction.run(() => work(transaction.queries, execute)), true),
    ping: async () => void (await reader.one('select 1')),
    time: async () => (await reader.one<{ time: number }>(TIME)).time,
  }
}

/**
 * SQLite has no locks on the WAL, so it may be closed. On the database file that would drop
 * SQLite's locks.
 */
function openWal(file: string): number {
  const wal = openSync(`${file}-wal`, 'r+')
  // A killed process may have left commits that are readable here and not on disk.
  if (fstatSync(wal).size > 0) fdatasyncSync(wal)
  return wal
}

const insertTexts = new WeakMap<Insertion, string>()

const insertSql = (into: Insertion): string =>
  getOrMake(insertTexts, into, () => {
    const names = Object.keys(into.columns)
    const places = names.map((column) => `:${fieldOf(column)}`)
    return `insert into ${into.table} (${names.join(', ')}) values (${places.join(', ')})
      on conflict do nothing`
  })

const TIME = `select cast(unixepoch('subsec') * 1000 as integer) as time`
