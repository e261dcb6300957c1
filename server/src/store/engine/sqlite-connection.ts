// One connection to an SQLite file: its settings, its prepared statements, and its errors as the
// store's own.
import { DatabaseSync } from 'node:sqlite'
import { getOrMake } from '../../domain/limits/get-or-make.ts'
import { StoreDamaged, StoreUnavailable, type Value, type Values } from './database.ts'
import { NO_VALUES, numberNames, valuesInOrder } from './named-values.ts'

/**
 * Pages of 4 KiB after which a commit copies the WAL itself: only when the thread of sqlite.ts
 * cannot do it.
 */
const CHECKPOINT_IN_COMMIT_PAGES = 64_000

/**
 * `normal`: a commit does not wait for the disk. sqlite.ts syncs the WAL before it acknowledges the
 * commit, without blocking the event loop. For writing, a small page cache is faster than a large
 * one: 200 MB instead of 8 made inserts slower (55 against 36 µs).
 */
const PRAGMAS = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma wal_autocheckpoint = ${CHECKPOINT_IN_COMMIT_PAGES};
  pragma cache_size = -8000;
  pragma foreign_keys = on;
`
const NORMAL = 1

/**
 * While it opens, a connection waits this long for another process that recovers or migrates the
 * file.
 */
const OPEN_WAIT_MS = 5_000

export type Statement = ReturnType<typeof statementOf>
export type Connection = ReturnType<typeof connect>

export function connect(file: string) {
  const database = new DatabaseSync(file, { timeout: OPEN_WAIT_MS })
  database.exec(PRAGMAS)
  refuseWithoutWal(database)
  const statements = new Map<string, Statement>()
  return {
    database,
    /** Prepares each SQL text once. */
    statement: (sql: string): Statement =>
      getOrMake(statements, sql, () => statementOf(database, sql)),
  }
}

/**
 * On a file system without shared memory SQLite cannot use a WAL, and keeps another journal without
 * an error.
 */
function refuseWithoutWal(database: DatabaseSync): void {
  // The first read creates the files next to the database.
  database.prepare('select count(*) from sqlite_schema').get()
  const { journal_mode: journal } = database.prepare('pragma journal_mode').get() as {
    journal_mode: string
  }
  const { synchronous } = database.prepare('pragma synchronous').get() as { synchronous: number }
  if (journal === 'wal' && synchronous === NORMAL) return
  database.close()
  throw new Error(
    `it cannot keep a write-ahead log there (journal_mode ${journal}, synchronous ${synchronous})`,
  )
}

/** V8 looks fields of Node’s own rows up by name: one to JSON took 15 µs, of arrays 6. */
function statementOf(database: DatabaseSync, text: string) {
  const numbered = numberNames(text, '?')
  const prepared = database.prepare(numbered.sql)
  prepared.setReturnArrays(true)
  const inOrder = (values: Values): Value[] => valuesInOrder(numbered, values)
  const names = prepared.columns().map(({ name }) => name)
  const asRow = (values: unknown): object => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < names.length; at++) row[names[at] as string] = (values as unknown[])[at]
    return row
  }
  return {
    /** How many rows were changed. */
    run: (values: Values = NO_VALUES) => Number(prepared.run(...inOrder(values)).changes),
    get(values: Values = NO_VALUES): object | undefined {
      const found = prepared.get(...inOrder(values))
      return found === undefined ? undefined : asRow(found)
    },
    all(values: Values = NO_VALUES): object[] {
      if (names.length > 0) return prepared.all(...inOrder(values)).map(asRow)
      prepared.run(...inOrder(values))
      return []
    },
  }
}

/**
 * SQLite's primary result codes for outages: busy, no memory, read-only, I/O, full, cannot open.
 */
const [BUSY, NO_MEMORY, IO, FULL] = [5, 7, 10, 13]
const IO_OF_WRITE = 778
const OUTAGES = new Set([BUSY, NO_MEMORY, 8, IO, FULL, 14])
/** A page that cannot be right, and a file that is no database. */
const DAMAGED = new Set([11, 26])

const primaryCode = (error: unknown): number =>
  ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Whether the disk is full or fails. */
export const isOfDisk = (error: unknown): boolean => [IO, FULL].includes(primaryCode(error))

/** Whether another connection writes. */
export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY

/**
 * Recovery may find such a failed commit in the WAL: all its pages were written, and the WAL's
 * index was not. It cannot when a page could not be written, because the page that ends the commit
 * is the last one.
 */
export const mayBeCommitted = (error: unknown): boolean =>
  primaryCode(error) === NO_MEMORY ||
  (primaryCode(error) === IO && (error as { errcode?: number }).errcode !== IO_OF_WRITE)

function outageSentence(code: number): string {
  if (code === FULL)
    return 'SQLite cannot write its file: the disk is full. Make room and try again'
  if (code === IO)
    return 'SQLite cannot write or read its file: see whether its disk is full or fails'
  return 'SQLite cannot write or read its file'
}

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (DAMAGED.has(primaryCode(error))) {
    const sentence = `SQLite finds its file damaged (${(error as Error).message}): stop the server, see what \`karba verify\` names, and put the latest backup in its place with \`karba restore\``
    return new StoreDamaged(sentence, { cause: error })
  }
  if (!OUTAGES.has(primaryCode(error))) return error
  return new StoreUnavailable(outageSentence(primaryCode(error)), { cause: error })
}
