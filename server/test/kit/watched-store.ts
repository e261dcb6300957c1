// A store whose work a virtual clock waits for: its answers take turns of the event loop, PostgreSQL's real time, and a clock that does
// not know of them runs ahead.
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../src/config.ts'
import type { Database } from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { openSqlite, type Sync } from '../../src/store/engine/sqlite.ts'
import type { VirtualClock } from './virtual-clock.ts'

const UNWATCHED = { committed: () => {} }
const PAUSE = (ms: number): Promise<void> => pause(ms)

/** The next turn takes the place of the disk: under a virtual clock processes crash and machines do not, and half of the time was waiting for it. */
const AT_ONCE: Sync = (_descriptor, done) => void setImmediate(done, null)

/** A store as it is, with whatever is in it: nothing is migrated. */
export function openStore({ databaseUrl: url, postgresPool: poolSize }: Config, sync?: Sync): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), UNWATCHED, PAUSE, sync)
  return openPostgres({ url, poolSize, watch: UNWATCHED, now: () => Date.now(), pause: async () => {} })
}

export const openWatchedStore = (config: Config, clock: VirtualClock): Database =>
  watched(openStore(config, AT_ONCE), clock)

export const openWatchedFile = (file: string, clock: VirtualClock): Database =>
  watched(openSqlite(file, UNWATCHED, PAUSE, AT_ONCE), clock)

const watched = (db: Database, { busy }: VirtualClock): Database => ({
  rows: (sql, values) => busy(db.rows(sql, values)),
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
