// The files of an SQLite database: their one path, the lock of its one server, and rescue when they
// are removed.
import {
  existsSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncFile, syncFolder } from './durable-file.ts'
import { isBusy } from './sqlite-connection.ts'

export class StoreInUse extends Error {
  override name = 'StoreInUse'
}

/**
 * One server for each SQLite file. The lock is SQLite's own, on a file next to the database: the
 * operating system releases it when the process ends, however it ends. Commands open the database
 * without this lock. Returns a function that releases the lock.
 */
export function lockSqliteFile(file: string): () => void {
  const lock = new DatabaseSync(`${file}.lock`)
  try {
    lock.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new StoreInUse(
      `Another Karba is already running on ${file}. Stop it first, or give this one its own KARBA_DATA_DIR or DATABASE_URL.`,
      { cause: error },
    )
  }
  return () => lock.close()
}

/**
 * The one path of a database file. SQLite follows a symbolic link and keeps its log next to the
 * target, so that is where the lock and the log belong. A hard link or a mount of the file alone
 * gives it a second log, and two servers would destroy the database: refused.
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
    throw new Error(
      'the file itself is a mount, and its write-ahead log would not be in it. Mount its folder instead',
    )
  }
  return path
}

function withoutLinks(file: string): string {
  if (existsSync(file)) return realpathSync(file)
  const isDangling = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isDangling ? resolve(dirname(file), readlinkSync(file)) : file
}

/** Only Linux says; elsewhere single files are not mounted. */
function isMountPoint(path: string): boolean {
  const table = '/proc/self/mountinfo'
  if (!existsSync(table)) return false
  const mounted = path.replaceAll('\\', '\\134').replaceAll(' ', '\\040')
  return readFileSync(table, 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === mounted)
}

/**
 * Whether the files at their paths are still those that were opened. A file that is removed or
 * replaced stays open, unseen by other processes: commits go into it, and are lost with this
 * process. Asked after each commit: 2.3 µs for each file. Call it after the first read, which
 * creates them.
 */
export function watchFiles(file: string): { areOurs(): boolean; isDatabaseOurs(): boolean } {
  const inodeOf = (path: string): number | undefined =>
    statSync(path, { throwIfNoEntry: false })?.ino
  const [wal, shm] = [`${file}-wal`, `${file}-shm`]
  const [ownDatabase, ownWal, ownShm] = [inodeOf(file), inodeOf(wal), inodeOf(shm)]
  const isDatabaseOurs = (): boolean => inodeOf(file) === ownDatabase
  return {
    areOurs: () => isDatabaseOurs() && inodeOf(wal) === ownWal && inodeOf(shm) === ownShm,
    isDatabaseOurs,
  }
}

/**
 * Saves what the writer’s files hold: into the database if still ours, else a copy. Returns the
 * sentence to log.
 */
export function saveRemovedFiles(
  file: string,
  isDatabaseOurs: boolean,
  writer: DatabaseSync,
): string {
  const name = basename(file)
  const removeWal = (): void => {
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  }
  if (isDatabaseOurs && isWholeAfterCheckpoint(writer)) {
    // Another WAL at this path would be replayed into the database.
    removeWal()
    syncFolder(dirname(file))
    return `${name}-wal or ${name}-shm was removed or replaced under the server. All recorded payments are in ${name}: start the server again.`
  }
  const copy = `${file}.rescued-${process.pid}`
  rmSync(copy, { force: true })
  writer.prepare('vacuum into ?').run(copy)
  syncFile(copy)
  const isRemoved = !existsSync(file)
  if (isRemoved) {
    // Before the copy has the name: SQLite would replay the old WAL into it.
    removeWal()
    renameSync(copy, file)
  }
  syncFolder(dirname(file))
  return isRemoved
    ? `${name} was removed under the server. All recorded payments are in a new ${name}: start the server again.`
    : `Files of ${name} were replaced under the server. All recorded payments are in ${basename(copy)}: put it in the place of ${name} before you start the server again.`
}

/** False while a reader of another process keeps SQLite from copying the whole WAL. */
function isWholeAfterCheckpoint(writer: DatabaseSync): boolean {
  const { log, checkpointed } = writer.prepare('pragma wal_checkpoint(passive)').get() as Record<
    string,
    number
  >
  return log === checkpointed
}
