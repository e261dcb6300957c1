// Copies an SQLite store into an empty PostgreSQL, while no server runs on either: row by row, in
// commits that record their progress, and then compares both, table by table. An interrupted copy
// continues where it stopped.
import { existsSync } from 'node:fs'
import { SettingRefused } from '../config.ts'
import {
  beginCopy,
  type CopiedTable,
  type CopyProgress,
  endCopy,
  findProgress,
  isEmpty,
  keyOf,
  listTables,
  noteProgress,
  readSlice,
  sumTable,
  type TableSum,
  writeRows,
} from '../store/copy/copied-tables.ts'
import type { Database, Value } from '../store/engine/database.ts'
import { findMigrationFaults, listApplied, migrate, refuseNewer } from '../store/engine/migrate.ts'
import { openPostgres } from '../store/engine/postgres.ts'
import { openSqlite } from '../store/engine/sqlite.ts'
import { lockSqliteFile } from '../store/engine/sqlite-files.ts'
import { findFact } from '../store/service/service-facts.ts'
import { CODE_KEY, openFile, realClock, realPause } from './runtime.ts'

export interface CopyInput {
  /** `sqlite:` and a file. */
  from: string
  /** `postgres://…` */
  to: string
  /** Called after each commit, and after each compared table. */
  progress(now: { is: 'copied' | 'compared'; table: string; rows: number }): void
}

/** By the table's name. */
export type CopyReport = Record<string, TableSum>

/** PostgreSQL takes 65,535 values in a statement. */
const VALUES_IN_STATEMENT = 20_000
const MOST_ROWS = 1_000
const NOT_WATCHED = { committed: () => {} }

export async function copyStore({ from, to, progress }: CopyInput): Promise<CopyReport> {
  const file = /^sqlite:(.+)$/.exec(from)?.[1]
  if (file === undefined) throw new SettingRefused('--from is sqlite: and the file of a store.')
  if (!/^postgres(ql)?:\/\//.test(to))
    throw new SettingRefused('--to is the postgres:// address of an empty database.')
  if (!existsSync(file)) throw new SettingRefused(`There is no store at ${file}.`)
  const store = { databaseUrl: from }
  const unlock = openFile(store, lockSqliteFile)
  const source = openFile(store, (path) => openSqlite(path, NOT_WATCHED, realPause))
  const target = openPostgres({
    url: to,
    poolSize: 2,
    watch: NOT_WATCHED,
    now: () => realClock.monotonic(),
    pause: realPause,
  })
  try {
    await checkSource(source, file)
    const tables = await listTables(source)
    const before = await prepareTarget(source, target, tables)
    for (const table of tables)
      await copyTable(source, target, table, before.tables[table.name], progress)
    const report = await compare(source, target, tables, progress)
    await endCopy(target)
    return report
  } finally {
    await source.close()
    await target.close()
    unlock()
  }
}

async function checkSource(source: Database, file: string): Promise<void> {
  const applied = await listApplied(source).catch(() => [])
  if (applied.length === 0) throw new SettingRefused(`${file} is not a store of Karba.`)
  refuseNewer(applied)
  const { changed, missing } = await findMigrationFaults(source)
  const [fault] = [...changed, ...missing]
  if (fault !== undefined) {
    throw new SettingRefused(
      `${file} is of another version (${fault}): start this version’s server on it once, and stop it.`,
    )
  }
}

/**
 * Creates the tables in an empty database. A database with an interrupted copy of the same store is
 * continued.
 */
async function prepareTarget(
  source: Database,
  target: Database,
  tables: readonly CopiedTable[],
): Promise<CopyProgress> {
  const name = await findFact(source, CODE_KEY)
  if (name === undefined)
    throw new SettingRefused('The store to copy was never started: there is nothing in it.')
  const applied = await listApplied(target).catch(() => [])
  const begun = applied.length === 0 ? undefined : await findProgress(target)
  if (begun?.source === name) return begun
  if (begun !== undefined) throw notEmpty('is an unfinished copy of another store')
  await migrate(target, realClock.now())
  for (const table of tables)
    if (!(await isEmpty(target, table))) throw notEmpty(`has rows in ${table.name}`)
  await beginCopy(target, name, realClock.now())
  return { source: name, tables: {} }
}

const notEmpty = (why: string): SettingRefused =>
  new SettingRefused(
    `The database to copy to ${why}. Name an empty one; nothing was changed in it.`,
  )

async function copyTable(
  source: Database,
  target: Database,
  table: CopiedTable,
  before: CopyProgress['tables'][string] | undefined,
  progress: CopyInput['progress'],
): Promise<void> {
  let { after, rows } = before ?? { after: [] as Value[], rows: 0 }
  const most = Math.min(MOST_ROWS, Math.floor(VALUES_IN_STATEMENT / table.columns.length))
  for (;;) {
    const slice = await readSlice(source, table, after, most)
    const last = slice.at(-1)
    if (last === undefined) return
    after = keyOf(table, last)
    rows += slice.length
    await target.transaction(async (tx) => {
      await writeRows(tx, table, slice)
      await noteProgress(tx, table.name, after, rows)
    })
    progress({ is: 'copied', table: table.name, rows })
  }
}

async function compare(
  source: Database,
  target: Database,
  tables: readonly CopiedTable[],
  progress: CopyInput['progress'],
): Promise<CopyReport> {
  const report: CopyReport = {}
  for (const table of tables) {
    const wanted = await sumTable(source, table)
    const found = await sumTable(target, table)
    if (wanted.rows !== found.rows || wanted.checksum !== found.checksum) {
      throw new SettingRefused(
        `The table ${table.name} differs: ${wanted.rows} rows (${wanted.checksum}) were to be copied, and ${found.rows} (${found.checksum}) are there. ` +
          'The store was changed meanwhile, or the copy was: empty the database, and begin again.',
      )
    }
    report[table.name] = wanted
    progress({ is: 'compared', table: table.name, rows: wanted.rows })
  }
  return report
}
