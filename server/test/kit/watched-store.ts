// A store whose work a virtual clock waits for: PostgreSQL's answers take real time, and a clock that does not know of them runs ahead.
import type { Config } from '../../src/config.ts'
import type { Database } from '../../src/store/database.ts'
import { openPostgres } from '../../src/store/postgres.ts'

type Busy = <T>(work: Promise<T>) => Promise<T>

export function openWatchedPostgres({ databaseUrl: url, postgresPool: poolSize }: Config, busy: Busy): Database {
  const watch = { committed: () => {} }
  const db = openPostgres({ url, poolSize, watch, now: () => Date.now(), pause: async () => {} })
  return {
    rows: (sql, values) => busy(db.rows(sql, values)),
    change: (sql, values) => busy(db.change(sql, values)),
    insert: (into, row) => busy(db.insert(into, row)),
    find: (sql, keys) => busy(db.find(sql, keys)),
    claim: (sql, values) => busy(db.claim(sql, values)),
    transaction: (work) => busy(db.transaction(work)),
    alone: (work) => busy(db.alone(work)),
    ping: () => busy(db.ping()),
    close: () => db.close(),
  }
}
