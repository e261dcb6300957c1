// The connections to an SQLite file: one that writes and one that reads, set so that what is committed lasts.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type Checkpoints, checkpointsOf, PAGES_WITHOUT_THREAD } from './checkpoints.ts'
import { type OpenFiles, watchFiles } from './sqlite-files.ts'

/**
 * WAL and `synchronous=full`: an acknowledged payment survives a power cut. A small page cache is faster than a large one here: the file
 * is in the system's cache anyway, and 200 MB instead of 8 made inserts slower (55 against 36 µs).
 */
const PRAGMAS = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma wal_autocheckpoint = ${PAGES_WITHOUT_THREAD};
  pragma cache_size = -8000;
  pragma foreign_keys = on;
`

const SYNCHRONOUS_FULL = 2

interface Connections {
  writer: DatabaseSync
  reader: DatabaseSync
  write: (sql: string) => StatementSync
  read: (sql: string) => StatementSync
  files: OpenFiles
  checkpoints: Checkpoints
}

export function openConnections(file: string): Connections {
  const writer = connect(file)
  // SQLite's own waiting would stop the whole process for as long as the other one writes: reads, answers, everything.
  writer.exec('pragma busy_timeout = 0')
  const reader = connect(file)
  const checkpoints = checkpointsOf(file, writer)
  return { writer, reader, write: statements(writer), read: statements(reader), files: watchFiles(file), checkpoints }
}

function connect(file: string): DatabaseSync {
  const connection = new DatabaseSync(file)
  connection.exec(PRAGMAS)
  proveDurable(connection)
  return connection
}

/** A file system without shared memory cannot do WAL, and SQLite then keeps another journal without an error. */
function proveDurable(connection: DatabaseSync): void {
  // Also the first read, with which SQLite makes the files beside the database.
  connection.prepare('select count(*) from sqlite_schema').get()
  const { journal_mode: journal } = connection.prepare('pragma journal_mode').get() as { journal_mode: string }
  const { synchronous } = connection.prepare('pragma synchronous').get() as { synchronous: number }
  if (journal === 'wal' && synchronous === SYNCHRONOUS_FULL) return
  connection.close()
  throw new Error(`it cannot keep a write-ahead log there (journal_mode ${journal}, synchronous ${synchronous})`)
}

/** Prepares each SQL text once. SQLite writes `?1` where PostgreSQL and our texts write `$1`. */
function statements(connection: DatabaseSync): (sql: string) => StatementSync {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'))
      prepared.set(sql, statement)
    }
    return statement
  }
}
