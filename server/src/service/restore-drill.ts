// A restore drill: makes a backup while servers run, restores it at another place, and compares the
// copy with the store at the moment of the backup, table by table. No server is started on the
// copy: it would send pending payments and webhooks a second time.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { openEverySecret } from '../actions/master-key/rotate-master-key.ts'
import { type Verification, verifyStore } from '../actions/verify/verify-store.ts'
import { type Config, SettingRefused } from '../config.ts'
import type { Shell } from '../domain/people/caller.ts'
import { isRefused } from '../domain/refusals/refusal.ts'
import { type StoreSums, sumStore } from '../store/copy/copied-tables.ts'
import type { Database } from '../store/engine/database.ts'
import { writeNewFile } from '../store/engine/durable-file.ts'
import { removeLeftovers, temporaryPath } from '../store/engine/leftovers.ts'
import { openPostgres } from '../store/engine/postgres.ts'
import {
  dumpPostgres,
  makeDatabase,
  PostgresToolFailed,
  restorePostgres,
} from '../store/engine/postgres-tools.ts'
import { openPostgresSnapshot, openSqliteSnapshot } from '../store/engine/snapshot.ts'
import { openSqlite } from '../store/engine/sqlite.ts'
import { copySqlite } from '../store/engine/sqlite-thread.ts'
import {
  asRefusal,
  fileWatch,
  findRestoreRefusal,
  type NotedFact,
  noteTime,
  refuseOverwrite,
  removedSentence,
  restore,
} from './backup.ts'
import { freeBytes } from './check-up.ts'
import { fileIn, readKey, useOf } from './master-key.ts'
import { fileOf, isSqlite, openRuntime, realClock, realPause, realRandom } from './runtime.ts'

export interface DrillInput {
  /** The backup to make; an existing one is tested as it is. */
  file: string
  isExisting: boolean
  /** The kept copy of the master key; undefined for that of the settings. */
  masterKeyFile: string | undefined
  /** The address of a PostgreSQL server for the copy; undefined for that of the settings. */
  on: string | undefined
  step(line: string): void
  /** How far a step is. */
  progress(line: string): void
}

export interface DrillReport {
  file: string
  /** The moment of the backup; undefined when an existing one has no file of sums. */
  at: number | undefined
  tables: number
  rows: number
  /** Tables whose count or checksum is not that of the original. */
  differences: string[]
  secrets: number
  /** Columns with a secret that does not open. */
  unopened: string[]
  verification: Verification
  /** Why the store could not record that the drill succeeded. */
  notNoted: string | undefined
}

/** The tables of the original at the moment of the backup, in a file next to it. */
type Original = { at: number; tables: StoreSums }

const sumsFileOf = (file: string): string => `${file}.sums.json`

export async function drillRestore(
  config: Config,
  caller: Shell,
  input: DrillInput,
): Promise<DrillReport> {
  const { file, isExisting, step } = input
  const masterKey = masterKeyOf(config, input.masterKeyFile)
  const drill = isSqlite(config) ? ON_SQLITE : ON_POSTGRES
  for (const path of removeLeftovers(file, realClock.now())) step(removedSentence(path))
  let original = isExisting ? findOriginal(file) : undefined
  if (isExisting) step(`1 of 4: ${file} is tested as it is.`)
  else {
    step(`1 of 4: backing up into ${file} and reading every table of that moment.`)
    refuseOverwrite(config, file)
    refuseOverwrite(config, sumsFileOf(file))
    original = await asRefusal(file, () => drill.makeBackup(config, input))
    writeNewFile(sumsFileOf(file), `${JSON.stringify(original)}\n`)
  }
  const copy = await drill.restore({ ...config, masterKey }, input)
  try {
    step('3 of 4: comparing every table of the copy.')
    const found = await drill.sums(copy.config, input)
    step('4 of 4: opening every secret and verifying the copy.')
    const checked = await checkCopy(copy.config, caller, input)
    const report = {
      file,
      at: original?.at,
      ...compare(original?.tables ?? found, found),
      ...checked,
    }
    const isGood =
      report.differences.length + report.unopened.length + report.verification.found === 0
    return { ...report, notNoted: isGood ? await note(config, isExisting) : undefined }
  } finally {
    await copy.remove()
  }
}

function note(config: Config, isExisting: boolean): Promise<string | undefined> {
  const facts: NotedFact[] = isExisting ? ['last_drill_at'] : ['last_backup_at', 'last_drill_at']
  return noteTime(config, facts, realClock.now())
}

/** Hexadecimal digits. A missing key is never created: the backup would be of another one. */
function masterKeyOf({ masterKey, dataDir }: Config, kept: string | undefined): string {
  const file = kept ?? (masterKey === '' ? fileIn(dataDir) : undefined)
  if (file === undefined) return masterKey
  if (existsSync(file)) return readKey(file)
  throw new SettingRefused(
    `The master key is missing: there is no file ${file}. Without it no backup can be used. Name your kept copy with --master-key.`,
  )
}

function findOriginal(file: string): Original | undefined {
  if (!existsSync(file)) throw new SettingRefused(`There is no file ${file}.`)
  const sums = sumsFileOf(file)
  if (!existsSync(sums)) return undefined
  try {
    const { at, tables } = JSON.parse(readFileSync(sums, 'utf8')) as Original
    if (Number.isSafeInteger(at) && Object.keys(tables).length > 0) return { at, tables }
  } catch {
    // Refused below.
  }
  throw new SettingRefused(`${sums} is not a file that a drill wrote.`)
}

function compare(
  wanted: StoreSums,
  found: StoreSums,
): Pick<DrillReport, 'tables' | 'rows' | 'differences'> {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
  const isSame = (name: string): boolean =>
    wanted[name]?.rows === found[name]?.rows && wanted[name]?.checksum === found[name]?.checksum
  return {
    tables: names.length,
    rows: Object.values(found).reduce((sum, { rows }) => sum + rows, 0),
    differences: names.filter((name) => !isSame(name)),
  }
}

/**
 * As a start of the server opens it: an older backup is migrated here, which shows that an upgrade
 * works on it.
 */
async function checkCopy(config: Config, caller: Shell, { progress }: DrillInput) {
  const runtime = await openRuntime(config)
  try {
    const { opened, unopened } = await openEverySecret(
      runtime.db,
      useOf(runtime.master, realRandom),
    )
    const verification = await verifyStore(
      { ...runtime, progress: (rows) => progress(`${rows.toLocaleString('en')} rows verified`) },
      caller,
    )
    if (isRefused(verification)) throw new Error(verification.refused)
    return { secrets: opened, unopened, verification }
  } finally {
    await runtime.close()
  }
}

interface StoreDrill {
  makeBackup(config: Config, input: DrillInput): Promise<Original>
  /** `config` has the master key to test. Returns the settings of the copy. */
  restore(config: Config, input: DrillInput): Promise<{ config: Config; remove(): Promise<void> }>
  sums(config: Config, input: DrillInput): Promise<StoreSums>
}

const watchOf = ({ progress }: DrillInput) =>
  fileWatch((bytes) => progress(`${Math.round(bytes / 1e6)} MB copied`))
const comparing =
  ({ progress }: DrillInput) =>
  (table: string): void =>
    progress(`${table} is read`)

/**
 * Development mode: the copy is not served, and the checks of a production start are not about it.
 */
const copyConfig = (config: Config, databaseUrl: string): Config => ({
  ...config,
  databaseUrl,
  mode: 'development',
})

const ON_SQLITE: StoreDrill = {
  async makeBackup(config, input) {
    const { file } = input
    const store = fileOf(config)
    await refuseWithoutRoom(store, file)
    const raw = temporaryPath(file, 'snapshot')
    const snapshot = openSqliteSnapshot(store)
    const at = realClock.now()
    try {
      // `karba backup` rewrites the store into a file without free pages. It cannot read a given
      // moment, so that it gets a raw copy of the snapshot.
      await snapshot.copyTo(raw)
      const tables = await sumStore(snapshot, true, comparing(input))
      await copySqlite({ from: raw, to: file }, watchOf(input))
      return { at, tables }
    } finally {
      await snapshot.close()
      for (const suffix of ['', '-wal', '-shm', '-journal'])
        rmSync(`${raw}${suffix}`, { force: true })
    }
  },
  async restore(config, { file, step }) {
    const folder = temporaryPath(resolve(file), 'drill')
    mkdirSync(folder, { mode: 0o700 })
    const remove = async (): Promise<void> => rmSync(folder, { recursive: true, force: true })
    step(`2 of 4: restoring it in ${folder}, which is removed at the end.`)
    try {
      const copy = copyConfig({ ...config, dataDir: folder }, `sqlite:${join(folder, 'karba.db')}`)
      await restore(copy, file, realClock.now())
      return { config: copy, remove }
    } catch (error) {
      await remove()
      throw error
    }
  },
  async sums(config, input) {
    const db = openSqlite(fileOf(config), { committed: () => {} }, realPause)
    return sumAndClose(db, true, input)
  },
}

const sumAndClose = (db: Database, isSqlite: boolean, input: DrillInput): Promise<StoreSums> =>
  sumStore(db, isSqlite, comparing(input)).finally(() => db.close())

/**
 * The raw copy or the restored one, and the backup; each may be as large as the store with its log.
 */
async function refuseWithoutRoom(store: string, file: string): Promise<void> {
  const size = ['', '-wal'].reduce(
    (sum, suffix) => sum + (statSync(`${store}${suffix}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const free = await freeBytes(dirname(resolve(file)))
  if (free > 2 * size) return
  throw new SettingRefused(
    `A drill needs ${Math.ceil((2 * size) / 1e6)} MB free next to ${file}, and there are ${Math.floor(free / 1e6)} MB.`,
  )
}

const DRILL_DATABASES = 'karba_drill_'

const ON_POSTGRES: StoreDrill = {
  async makeBackup(config, input) {
    const snapshot = await asUsable('The PostgreSQL of DATABASE_URL', () =>
      openPostgresSnapshot(config.databaseUrl),
    )
    const at = realClock.now()
    try {
      await dumpPostgres(snapshot.address, input.file, watchOf(input), snapshot.id)
      return { at, tables: await sumStore(snapshot, false, comparing(input)) }
    } finally {
      await snapshot.close()
    }
  },
  async restore(config, { file, on, step }) {
    const name = `${DRILL_DATABASES}${Buffer.from(realRandom.bytes(6)).toString('hex')}`
    step(`2 of 4: restoring it in the new database ${name}, which is removed at the end.`)
    const made = await asUsable(
      'No database for the copy can be made. The role needs the right CREATEDB: the server',
      () => makeDatabase(on ?? config.databaseUrl, { name, prefix: DRILL_DATABASES }),
    )
    for (const database of made.removed) step(removedSentence(`the database ${database}`))
    try {
      await restorePostgres(made.address, file)
      const copy = copyConfig(config, made.address)
      const why = await withPostgres(copy, (db) => findRestoreRefusal(copy, db))
      if (why !== undefined) throw new SettingRefused(`${file} cannot be restored: ${why}.`)
      return { config: copy, remove: made.remove }
    } catch (error) {
      await made.remove().catch(() => {})
      if (!(error instanceof PostgresToolFailed)) throw error
      throw new SettingRefused(`${file} cannot be restored: ${error.message}.`, { cause: error })
    }
  },
  sums: (config, input) => withPostgres(config, (db) => sumStore(db, false, comparing(input))),
}

async function withPostgres<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openPostgres({
    url: config.databaseUrl,
    poolSize: 2,
    watch: { committed: () => {} },
    now: () => realClock.monotonic(),
    pause: realPause,
  })
  return work(db).finally(() => db.close())
}

/** Not the driver's whole message: it may repeat the address, which holds the password. */
async function asUsable<T>(subject: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw new SettingRefused(
      `${subject} cannot be used (${(error as { code?: string }).code ?? 'no answer'}).`,
      {
        cause: error,
      },
    )
  }
}
