// One server for each SQLite file. The lock is SQLite's own, on a file beside the database: the operating system releases it
// when the process ends, however it ends. Commands open the database without taking this lock.
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
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

/**
 * The one path of a database file. SQLite follows a symbolic link and keeps its log beside the target, so that is where the lock and the
 * log belong. A hard link or a mount of the file alone gives it a second log, and two servers would destroy the database: refused.
 */
export function onlyPathOf(file: string): string {
  const path = withoutLinks(file)
  const names = statSync(path, { throwIfNoEntry: false })?.nlink ?? 1
  if (names > 1) {
    throw new Error(
      `the file has ${names} names (hard links), and SQLite would keep another log for each. Find them with \`find / -samefile\`, and remove all but one`,
    )
  }
  if (isMountPoint(path)) {
    throw new Error('the file itself is a mount, and its write-ahead log would not be in it. Mount its folder instead')
  }
  return path
}

function withoutLinks(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const isDangling = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isDangling ? resolve(dirname(file), readlinkSync(file)) : file
}

/** Linux alone tells; elsewhere nobody mounts single files. */
function isMountPoint(path: string): boolean {
  const table = '/proc/self/mountinfo'
  if (!existsSync(table)) return false
  const mounted = path.replaceAll('\\', '\\134').replaceAll(' ', '\\040')
  return readFileSync(table, 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === mounted)
}
