// The two stores that store-dependent tests run on: each call gives a fresh, empty one. And stores
// whose work a virtual clock waits for.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, readConfig } from '../../src/config.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { migrate } from '../../src/store/engine/migrate.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import type { Sync } from '../../src/store/engine/sqlite-writer.ts'
import { freshDatabase } from './postgres.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface StorePlace {
  /** The environment variables that make a Karba process use it. */
  env: Record<string, string>
  config: Config
  remove(): Promise<void>
}

export interface StoreKind {
  name: 'SQLite' | 'PostgreSQL'
  makePlace(settings?: Record<string, string>, wishes?: PlaceWishes): Promise<StorePlace>
}

interface PlaceWishes {
  /** With every migration: a copy of a migrated database, which costs less than the migrations. */
  isMigrated?: boolean
}

/**
 * Names an SQLite file with every migration and nothing else, for the processes of the test files.
 */
const MIGRATED_FILE = 'TEST_SQLITE_MIGRATED'

/** In the process of the run. */
export async function makeMigratedFile(file: string): Promise<void> {
  const db = openSqlite(file, UNWATCHED, PAUSE)
  await migrate(db, Date.now())
  await db.close()
  process.env[MIGRATED_FILE] = file
}

export const SQLITE: StoreKind = {
  name: 'SQLite',
  makePlace: async (settings = {}, { isMigrated = false } = {}) => {
    const made = place(settings)
    const [file, from] = [join(made.config.dataDir, 'karba.db'), process.env[MIGRATED_FILE]]
    if (isMigrated && from !== undefined && made.config.databaseUrl === `sqlite:${file}`)
      copyFileSync(from, file)
    return made
  },
}

export const POSTGRES: StoreKind = {
  name: 'PostgreSQL',
  makePlace: async (settings = {}, { isMigrated = false } = {}) =>
    place({ DATABASE_URL: await freshDatabase({ isMigrated }), ...settings }),
}

export const STORES: readonly StoreKind[] = [SQLITE, POSTGRES]

/**
 * For files whose SQL does not differ between the stores: scripts/test.mjs runs their SQLite half
 * with the quick tests and their PostgreSQL half with the slow ones. A run of named files runs
 * both.
 */
export const STORES_IN_HALVES = STORES.filter(
  ({ name }) => (process.env.TEST_STORE ?? name) === name,
)

function place(settings: Record<string, string>): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
  // The simulated network decides so late that a payment stays pending during a test.
  const quiet = { PORT: '0', KARBA_LOG_LEVEL: 'silent', KARBA_SANDBOX_DELAY_MS: '600000' }
  const env = { ...quiet, KARBA_DATA_DIR: folder, ...settings }
  return {
    env,
    config: readConfig(env),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

const UNWATCHED = { committed: () => {} }
const PAUSE = (ms: number): Promise<void> => pause(ms)

/**
 * The next turn replaces fsync: under a virtual clock processes crash and machines do not, and half
 * of the time was waiting for the disk.
 */
const AT_ONCE: Sync = (_descriptor, done) => void setImmediate(done, null)

/** An existing store with its content: nothing is migrated. */
export function openStore(
  { databaseUrl: url, postgresPool: poolSize }: Config,
  sync?: Sync,
): Database {
  if (url.startsWith('sqlite:'))
    return openSqlite(url.slice('sqlite:'.length), UNWATCHED, PAUSE, sync)
  return openPostgres({
    url,
    poolSize,
    watch: UNWATCHED,
    now: () => Date.now(),
    pause: async () => {},
  })
}

export const openWatchedStore = (config: Config, clock: VirtualClock): Database =>
  watched(openStore(config, AT_ONCE), clock)

export const openWatchedFile = (file: string, clock: VirtualClock): Database =>
  watched(openSqlite(file, UNWATCHED, PAUSE, AT_ONCE), clock)

const watched = (db: Database, { busy }: VirtualClock): Database => ({
  read: (sql, values) => busy(db.read(sql, values)),
  write: (sql, values) => busy(db.write(sql, values)),
  change: (sql, values) => busy(db.change(sql, values)),
  insert: (into, row) => busy(db.insert(into, row)),
  find: (sql, keys) => busy(db.find(sql, keys)),
  skipLocked: db.skipLocked,
  transaction: (work) => busy(db.transaction(work)),
  alone: (work) => busy(db.alone(work)),
  ping: () => busy(db.ping()),
  time: () => busy(db.time()),
  close: () => db.close(),
})
