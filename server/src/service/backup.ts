// Backup of a store while a server runs, and restore of SQLite's while none does. PostgreSQL's own
// programs dump and restore its databases.
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Config, SettingRefused } from '../config.ts'
import type { Database } from '../store/engine/database.ts'
import { type FileWatch, syncFile, syncFolder } from '../store/engine/durable-file.ts'
import { sqliteFaults } from '../store/engine/engine-faults.ts'
import { removeLeftovers } from '../store/engine/leftovers.ts'
import {
  DatabaseIsOlder,
  findMigrationFaults,
  listApplied,
  refuseNewer,
} from '../store/engine/migrate.ts'
import { dumpPostgres } from '../store/engine/postgres-tools.ts'
import { openSqlite } from '../store/engine/sqlite.ts'
import { lockSqliteFile } from '../store/engine/sqlite-files.ts'
import { copySqlite } from '../store/engine/sqlite-thread.ts'
import { MASTER_KEY_CHECK } from '../store/master-key/sealed-values.ts'
import { findFact, writeFact } from '../store/service/service-facts.ts'
import { findMasterKey, masterKeyCheck } from './master-key.ts'
import { fileOf, isSqlite, openFile, openRuntime, realClock, realPause } from './runtime.ts'

const PROGRESS_EVERY_MS = 200

interface BackUpOptions {
  /** Called with the bytes so far. */
  progress(bytes: number): void
  /** Called with a sentence for each file of a killed command that was removed. */
  removed(sentence: string): void
}

/** Returns the size of the copy. */
export async function backUp(
  config: Config,
  to: string,
  { progress, removed }: BackUpOptions,
): Promise<number> {
  for (const path of removeLeftovers(to, realClock.now())) removed(removedSentence(path))
  refuseOverwrite(config, to)
  const from = fileOf(config)
  const watch = fileWatch(progress)
  return asRefusal(to, () =>
    isSqlite(config)
      ? copySqlite({ from, to }, watch)
      : dumpPostgres(config.databaseUrl, to, watch),
  )
}

export const removedSentence = (what: string): string =>
  `Removed ${what}, which a killed command had left.`

export const fileWatch = (progress: (bytes: number) => void): FileWatch => ({
  progress,
  pause: () => realPause(PROGRESS_EVERY_MS),
})

export function refuseOverwrite(config: Config, to: string): void {
  const from = fileOf(config)
  if (isSqlite(config) && !existsSync(from))
    throw new SettingRefused(`There is no store at ${from} to copy.`)
  if (existsSync(to))
    throw new SettingRefused(`${to} is there already, and is not overwritten. Name another file.`)
}

export async function asRefusal<T>(to: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof SettingRefused) throw error
    throw new SettingRefused(`${to} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** What `karba doctor` judges by its age. */
export type NotedFact = 'last_backup_at' | 'last_drill_at'

/** Records the time in the store. Returns why it could not, such as before an upgrade. */
export async function noteTime(
  config: Config,
  facts: readonly NotedFact[],
  at: number,
): Promise<string | undefined> {
  try {
    const { db, close } = await openRuntime(config, { mayMigrate: false, mayCreate: false })
    try {
      for (const fact of facts) await writeFact(db, fact, String(at))
    } finally {
      await close()
    }
  } catch (error) {
    if (error instanceof DatabaseIsOlder) return 'the store is still an older version’s'
    return (error as Error).message.replace(/\.$/, '')
  }
  return undefined
}

/** A new file of a command: its content and its entry in the folder. */
export function syncFileIn(folder: string, file: string): void {
  syncFile(file)
  syncFolder(folder)
}

/**
 * Returns where the store that was there is kept now; undefined when there was none. `at` is the
 * time for its name.
 */
export async function restore(
  config: Config,
  from: string,
  at: number,
): Promise<string | undefined> {
  if (!isSqlite(config)) {
    throw new SettingRefused(
      'PostgreSQL is restored with its own tools, into a new database: `createdb karba_restored`, `pg_restore --exit-on-error --no-owner --dbname=karba_restored karba.dump`, then set DATABASE_URL to it and start the servers.',
    )
  }
  if (!existsSync(from) || !statSync(from).isFile())
    throw new SettingRefused(`There is no file ${from}.`)
  const file = openFile(config, (path) => path)
  if (resolve(from) === resolve(file))
    throw new SettingRefused(`${from} is the store itself. Name a copy of it.`)
  const unlock = openFile(config, lockSqliteFile)
  const copy = `${file}.restoring-${process.pid}`
  try {
    removeRestoring(file)
    copyFileSync(from, copy)
    await checkCopy(config, copy, from)
    syncFile(copy)
    return putInPlace(file, copy, at)
  } finally {
    for (const rest of ['', '-wal', '-shm']) rmSync(`${copy}${rest}`, { force: true })
    unlock()
  }
}

/** What a killed restore left. None is in use: this process has the lock of the store. */
function removeRestoring(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(file)}.restoring-`)) rmSync(join(folder, name), { force: true })
}

/**
 * Refuses, before anything is moved, a backup that a server could not start on or that would lose
 * payments.
 */
async function checkCopy(config: Config, copy: string, name: string): Promise<void> {
  const refuse = (why: string): never => {
    throw new SettingRefused(`${name} cannot be restored: ${why}. Nothing was changed.`)
  }
  if (existsSync(`${name}-wal`) && statSync(`${name}-wal`).size > 0) {
    refuse(
      `its last writes are in ${basename(name)}-wal in the same folder. Make copies with \`karba backup\``,
    )
  }
  let db: Database
  try {
    db = openSqlite(copy, { committed: () => {} }, realPause)
  } catch (error) {
    return refuse((error as Error).message)
  }
  try {
    const [fault] = await sqliteFaults(db)
    if (fault !== undefined) refuse(`it is damaged (${fault})`)
    const why = await findRestoreRefusal(config, db)
    if (why !== undefined) refuse(why)
  } finally {
    await db.close()
  }
}

/** Why a server of these settings could not start on a restored store; undefined if it can. */
export async function findRestoreRefusal(
  config: Config,
  db: Database,
): Promise<string | undefined> {
  const applied = await listApplied(db).catch(() => [])
  if (applied.length === 0) return 'it is not a store of Karba'
  refuseNewer(applied)
  const { changed } = await findMigrationFaults(db)
  if (changed.length > 0) return `its migration ${changed[0]} is another than this version’s`
  const master = findMasterKey(config.masterKey, config.dataDir)
  if (master === undefined)
    return `its master key is missing: put master.key in ${config.dataDir} first`
  if ((await findFact(db, MASTER_KEY_CHECK)) === masterKeyCheck(master)) return undefined
  return 'it belongs to another master key. Set KARBA_MASTER_KEY, or KARBA_DATA_DIR to the folder with its master.key'
}

function putInPlace(file: string, copy: string, at: number): string | undefined {
  if (!existsSync(file)) {
    renameSync(copy, file)
    syncFolder(dirname(file))
    return undefined
  }
  const kept = `${file}.before-${new Date(at).toISOString().replaceAll(':', '-')}`
  const isWhole = foldLog(file)
  if (isWhole && existsSync(`${file}-wal`)) {
    throw new SettingRefused(
      `Another command is using ${file}. Wait until it has ended, and try again.`,
    )
  }
  // A link, so that there is a store at the path at every moment.
  linkSync(file, kept)
  // The log of a damaged store is kept with it: SQLite would replay it into the other one.
  for (const rest of ['-wal', '-shm'])
    if (existsSync(`${file}${rest}`)) renameSync(`${file}${rest}`, `${kept}${rest}`)
  renameSync(copy, file)
  syncFolder(dirname(file))
  return kept
}

/** Moves the log into the file; SQLite then removes the log. False when the store is damaged. */
function foldLog(file: string): boolean {
  try {
    const connection = new DatabaseSync(file)
    connection.exec('pragma wal_checkpoint(truncate)')
    connection.close()
    return true
  } catch {
    return false
  }
}
