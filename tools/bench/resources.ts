// The resources that a server and its store use: processor time, bytes written, bytes on disk.
// Linux only (/proc).
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Measured } from './servers.ts'
import type { Settings } from './stores.ts'

/** The unit of /proc on every Linux. */
const TICKS_A_SECOND = 100

export interface Used {
  karbaCpuSeconds: number
  /** Of PostgreSQL; SQLite runs inside the process. */
  storeCpuSeconds: number
  /** PostgreSQL: its write-ahead log. SQLite: all writes of the process except log lines. */
  writtenBytes: number
  logBytes: number
}

export async function usedBy(karba: Measured, place: Settings): Promise<Used> {
  const karbaCpuSeconds = await karba.counter('process_cpu_seconds_total')
  const logBytes = karba.logBytes()
  const url = place.DATABASE_URL
  if (url === undefined) {
    const written = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${karba.pid}/io`, 'utf8'))?.[1]
    return {
      karbaCpuSeconds,
      storeCpuSeconds: 0,
      writtenBytes: Number(written) - logBytes,
      logBytes,
    }
  }
  const [row] = await query<{ pid: number; written: string }>(
    url,
    `select pid, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as written from pg_stat_activity
     where backend_type = 'checkpointer'`,
  )
  // All processes of PostgreSQL have the same parent.
  const { pid, written } = row as { pid: number; written: string }
  return {
    karbaCpuSeconds,
    storeCpuSeconds: cpuOfFamily(statOf(pid).parent),
    writtenBytes: Number(written),
    logBytes,
  }
}

export async function tableBytes(place: Settings): Promise<Map<string, number>> {
  const rows =
    place.DATABASE_URL === undefined
      ? sqliteTables(place)
      : await query<TableRow>(place.DATABASE_URL, POSTGRES_TABLES)
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

/** What autovacuum does after some time; SQLite needs none. */
export async function vacuum({ DATABASE_URL: url }: Settings): Promise<void> {
  if (url !== undefined) await query(url, 'vacuum analyze')
}

export type Settled = { count: number; last: number }

/**
 * Read from the store: /metrics may be a second old, and rendering it slows the measured server.
 */
export async function settledBetween(place: Settings, from: number, to: number): Promise<Settled> {
  const sql = `select count(*) as count, coalesce(max(created_at), 0) as last from events
     where created_at between $1 and $2`
  const between = [Math.floor(from), Math.ceil(to)]
  const [row] =
    place.DATABASE_URL === undefined
      ? inSqlite(place, (db) => db.prepare(sql.replace(/\$/g, '?')).all(...between))
      : await query(place.DATABASE_URL, sql, between)
  return { count: Number(row?.count), last: Number(row?.last) }
}

type TableRow = { name: string; bytes: number | string }

const POSTGRES_TABLES = `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace`

const SQLITE_TABLES = `select schema.tbl_name as name, sum(dbstat.pgsize) as bytes from dbstat
  join sqlite_schema as schema on schema.name = dbstat.name group by schema.tbl_name`

const sqliteTables = (place: Settings): TableRow[] =>
  inSqlite(place, (db) => db.prepare(SQLITE_TABLES).all() as unknown as TableRow[])

function inSqlite<T>(place: Settings, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(`${place.KARBA_DATA_DIR}/karba.db`, { readOnly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

async function query<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: number[] = [],
): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<Row>(sql, values)
  await client.end()
  return rows
}

/**
 * Seconds of user and system time of all running threads of a process. In nanoseconds, where the
 * ticks of /proc/[pid]/stat would be several percent of a short run.
 */
export function cpuOfThreads(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
}

/** A process, its children, and its ended children. */
function cpuOfFamily(parent: number): number {
  const { own, ended } = statOf(parent)
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => tryStat(Number(name)))
    .filter((stat) => stat?.parent === parent)
  return own + ended + children.reduce((sum, stat) => sum + (stat?.own ?? 0), 0)
}

function tryStat(pid: number): ReturnType<typeof statOf> | undefined {
  try {
    return statOf(pid)
  } catch {
    // It has ended; its parent has its time.
    return undefined
  }
}

/**
 * Seconds of processor time. The second field is a name in parentheses that may hold any character.
 */
function statOf(pid: number): { parent: number; own: number; ended: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number)
  const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = fields as number[]
  const seconds = (a: number | undefined, b: number | undefined) =>
    ((a ?? 0) + (b ?? 0)) / TICKS_A_SECOND
  return {
    parent: parent as number,
    own: seconds(user, system),
    ended: seconds(endedUser, endedSystem),
  }
}
