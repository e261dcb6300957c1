// The connections to an SQLite file: one that writes and one that reads, and the disk that commits are brought to.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Checkpoints, checkpointsOf, PAGES_WITHOUT_THREAD } from './checkpoints.ts'
import type { Value } from './database.ts'
import { type Disk, diskOf, type Sync } from './sqlite-disk.ts'
import { type OpenFiles, watchFiles } from './sqlite-files.ts'
import { NO_THREAD, type ThreadWrites, threadWrites } from './thread-writes.ts'

/**
 * WAL: SQLite keeps the order of what it writes. What is acknowledged is on disk before, so that it survives a power cut. For writing, a small
 * page cache is faster than a large one: the file is in the system's cache anyway, and 200 MB instead of 8 made inserts slower (55 against 36 µs).
 */
const PRAGMAS = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma wal_autocheckpoint = ${PAGES_WITHOUT_THREAD};
  pragma cache_size = -8000;
  pragma foreign_keys = on;
`

/**
 * For reading, so much that the newest hundred thousand payments are in it: 11 µs instead of 15 for each of them. The file is not mapped into
 * memory, which would be as fast: a page that the disk cannot give would end the process then, and not only one answer.
 */
const READ_CACHE = 'pragma cache_size = -64000'

/**
 * `normal` on the event loop: a commit does not wait for the disk, and sqlite-disk.ts does so before anybody is answered. `full` in a thread:
 * the commit waits, and nobody can read it before.
 */
const SYNCHRONOUS = { normal: 1, full: 2 }
type Synchronous = keyof typeof SYNCHRONOUS

interface Connections {
  writer: DatabaseSync
  reader: DatabaseSync
  write: (sql: string) => Prepared
  read: (sql: string) => Prepared
  files: OpenFiles
  checkpoints: Checkpoints
  thread: ThreadWrites
  disk: Disk
}

/** What a store may do beside the event loop. */
export interface Beside {
  /** Instead of the system's own way to the disk. */
  sync?: Sync | undefined
  /** The file of the thread that may do large writes; without it there is none. */
  thread?: URL
}

export function openConnections(file: string, { sync, thread }: Beside): Connections {
  const { writer, write } = openWriter(file)
  const reader = connect(file)
  reader.exec(READ_CACHE)
  const checkpoints = checkpointsOf(file, writer)
  const files = watchFiles(file)
  return {
    writer,
    reader,
    write,
    read: statements(reader),
    files,
    checkpoints,
    thread: thread === undefined ? NO_THREAD : threadWrites(thread, file, files.areOurs),
    disk: diskOf(`${file}-wal`, sync),
  }
}

export function openWriter(
  file: string | URL,
  synchronous: Synchronous = 'normal',
): Pick<Connections, 'writer' | 'write'> {
  const writer = connect(file, synchronous)
  // SQLite's own waiting would stop the whole process for as long as the other one writes: reads, answers, everything.
  writer.exec('pragma busy_timeout = 0')
  return { writer, write: statements(writer) }
}

function connect(file: string | URL, wanted: Synchronous = 'normal'): DatabaseSync {
  const connection = new DatabaseSync(file)
  connection.exec(PRAGMAS)
  connection.exec(`pragma synchronous = ${wanted}`)
  proveDurable(connection, wanted)
  return connection
}

/** A file system without shared memory cannot do WAL, and SQLite then keeps another journal without an error. */
function proveDurable(connection: DatabaseSync, wanted: Synchronous): void {
  // Also the first read, with which SQLite makes the files beside the database.
  connection.prepare('select count(*) from sqlite_schema').get()
  const { journal_mode: journal } = connection.prepare('pragma journal_mode').get() as { journal_mode: string }
  const { synchronous } = connection.prepare('pragma synchronous').get() as { synchronous: number }
  if (journal === 'wal' && synchronous === SYNCHRONOUS[wanted]) return
  connection.close()
  throw new Error(`it cannot keep a write-ahead log there (journal_mode ${journal}, synchronous ${synchronous})`)
}

export interface Prepared {
  /** How many rows were changed. */
  run(values?: readonly Value[]): number
  get(values?: readonly Value[]): object | undefined
  all(values?: readonly Value[]): object[]
}

/** Prepares each SQL text once. */
function statements(connection: DatabaseSync): (sql: string) => Prepared {
  const texts = new Map<string, Prepared>()
  return (sql) => {
    let statement = texts.get(sql)
    if (statement === undefined) {
      statement = prepared(connection.prepare(inSqlite(sql)))
      texts.set(sql, statement)
    }
    return statement
  }
}

/** SQLite writes `?1` where PostgreSQL and our texts write `$1`, and `max` for `greatest`. */
const inSqlite = (sql: string): string => sql.replace(/\$(\d+)/g, '?$1').replace(/\bgreatest\(/g, 'max(')

const NOTHING: readonly Value[] = []

/**
 * Makes its rows itself, from arrays. Node's own are objects without a prototype, in which V8 looks every field up by its name: reading one
 * and writing its JSON took 15 µs with those and 6 with these.
 */
function prepared(statement: StatementSync): Prepared {
  statement.setReturnArrays(true)
  const names = statement.columns().map(({ name }) => name)
  const asRow = (values: unknown): object => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) row[names[at] as string] = (values as unknown[])[at]
    return row
  }
  return {
    run: (values = NOTHING) => Number(statement.run(...values).changes),
    get(values = NOTHING) {
      const found = statement.get(...values)
      return found === undefined ? undefined : asRow(found)
    },
    all: (values = NOTHING) => statement.all(...values).map(asRow),
  }
}
