// One server for each SQLite file. The lock is SQLite's own, on a file beside the database: the operating system releases it
// when the process ends, however it ends. Commands open the database without taking this lock.
import { DatabaseSync } from 'node:sqlite'

export class StoreInUse extends Error {
  override name = 'StoreInUse'
}

const SQLITE_BUSY = 5

/** Returns a function that releases the lock. */
export function lockSqliteFile(file: string): () => void {
  const lock = new DatabaseSync(`${file}.lock`)
  try {
    lock.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error
    throw new StoreInUse(
      `Another Karba is already running on ${file}. Stop it first, or give this one its own KARBA_DATA_DIR or DATABASE_URL.`,
      { cause: error },
    )
  }
  return () => lock.close()
}
