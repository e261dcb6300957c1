// PostgreSQL through a pool. Rows that wait are inserted by one many-row insert, look-ups that wait are sent as one
// query: one by one, the pool reached half the creates. When the answer to an insert is lost, we check whether the rows
// were recorded before we answer.
import pg from 'pg'
import { getOrMake } from '../../domain/bounded-cache.ts'
import { batch } from './batch.ts'
import {
  type Database,
  type Insertion,
  type Queries,
  type SqlTexts,
  StoreContended,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type StoreWatch,
  type Transaction,
  textOf,
  type Value,
} from './database.ts'
import { LOCK_ALONE_MS, makePool, readHosts, trustInConnections } from './postgres-pool.ts'

/** Two flushes of one kind at once keep the server busy while we read the first's answer. */
const LIMITS = { flushes: 2, batchSize: 500, maxWaiting: 10_000 }
/** After a lost connection, how long we keep trying to find out whether a write was recorded. */
const VERIFY_MS = 10_000

export interface PostgresOptions {
  url: string
  poolSize: number
  watch: StoreWatch
  /** Waits. An argument, because only service/runtime.ts knows the real clock. */
  pause(ms: number): Promise<void>
  now(): number
  /** Instead of 9.5 seconds, after which a connection that answers nothing is given up. */
  silentAfterMs?: number
}

// int8 arrives as text by default; ours are counts, francs and milliseconds, all below 2^53.
pg.types.setTypeParser(20, Number)

/**
 * Every statement finds its rows by an index, and in the index's order where it needs one. Planned for a table that was
 * small then, it would read the whole table or sort a whole account, until PostgreSQL looks at the table's size again:
 * after a minute at best.
 */
export const BY_INDEX = `set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set jit = off`

const WHILE_MIGRATING = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local enable_seqscan = on; set local enable_bitmapscan = on; set local enable_hashjoin = on;
  set local enable_mergejoin = on`

export function openPostgres({ url, poolSize, watch, pause, now, silentAfterMs }: PostgresOptions): Database {
  // Transactions have half of the connections to themselves: requests do not queue behind outcomes, nor the other way
  // round. Only they pipeline: their steps share round trips, and single statements would pay 2 µs each.
  const ofTransactions = Math.floor(poolSize / 2)
  const hosts = readHosts(url)
  const trust = trustInConnections()
  const silence = silentAfterMs === undefined ? {} : { query_timeout: silentAfterMs }
  const transactionPool = makePool(hosts, trust, { max: ofTransactions, pipeline: true, ...silence }, BY_INDEX)
  const single = { max: poolSize - ofTransactions, ...silence }
  const statementPool = makePool(hosts, trust, single, `${BY_INDEX}; set lock_timeout = ${LOCK_ALONE_MS}`)

  /** Inserts that lost their connection and are checking whether their rows were recorded. */
  let verifying = 0
  const inserts = new Map<Insertion, (row: readonly Value[]) => Promise<boolean>>()
  const finds = new Map<SqlTexts, (keys: readonly string[]) => Promise<unknown>>()

  async function connected(pool: pg.Pool): Promise<pg.PoolClient> {
    let tried = 0
    for (;;) {
      const address = hosts.current()
      try {
        const client = await pool.connect()
        if (trust.isTrusted(client)) return client
        client.release(true)
      } catch (error) {
        hosts.failed(address)
        tried++
        if (tried === hosts.count) throw new StoreUnavailable('PostgreSQL cannot be reached', { cause: error })
      }
    }
  }

  async function query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const client = await connected(statementPool)
    let broken: Error | undefined
    try {
      const result = await client.query<Row>(statement)
      trust.assertReplicated(client)
      return result
    } catch (error) {
      if (isOutage(error)) broken = error as Error
      if (isLost(error)) trust.lost(client)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function transaction<T>(work: (tx: Transaction, client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await connected(transactionPool)
    let broken: Error | undefined
    let isCommitting = false
    try {
      await client.query('begin')
      const result = await work(transactionOf(client), client)
      isCommitting = true
      await client.query('commit')
      trust.assertReplicated(client)
      watch.committed(1)
      return result
    } catch (error) {
      if (isLost(error)) trust.lost(client)
      if (isOutage(error)) broken = error as Error
      else await client.query('rollback').catch((failed: Error) => (broken = failed))
      if (broken !== undefined && isCommitting) {
        throw new StoreOutcomeUnknown(
          'PostgreSQL went away during a commit. Look whether it was done before you try again.',
          { cause: error },
        )
      }
      throw asStoreError(error)
    } finally {
      client.release(broken)
    }
  }

  /** Which of these rows were inserted. A retry recognises the rows of its first try by the identity column. */
  async function insertAll(into: Insertion, rows: (readonly Value[])[]): Promise<boolean[]> {
    const identity = Object.keys(into.columns).indexOf(into.identity)
    const own = rows.map((row) => row[identity] as string)
    const sorted = sortRows(into, rows)
    const giveUpAt = now() + VERIFY_MS
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) verifying++
      try {
        const inserted = await query<{ own: string }>(insertStatement(into, sorted))
        const mine = new Set(inserted.rows.map((row) => row.own))
        if (attempt > 1 && mine.size < rows.length) {
          const earlier = await query<{ own: string }>(ownStatement(into, own))
          for (const row of earlier.rows) mine.add(row.own)
        }
        watch.committed(mine.size)
        return own.map((value) => mine.has(value))
      } catch (error) {
        // A refusal of a later attempt, perhaps by a lock of the first, does not show whether the first was recorded.
        if (attempt === 1 && wasRefused(error)) throw asStoreError(error)
        if (now() > giveUpAt) throw new StoreOutcomeUnknown('PostgreSQL went away during a write', { cause: error })
        await pause(100)
      } finally {
        if (attempt > 1) verifying--
      }
    }
  }

  /** The row of each key set. */
  async function findAll({ postgres }: SqlTexts, keys: (readonly string[])[]): Promise<unknown[]> {
    const found = await query<{ position: number }>(named(postgres, columnsOf(keys))).catch((error) =>
      Promise.reject(asStoreError(error)),
    )
    const answers = new Array<unknown>(keys.length).fill(undefined)
    for (const row of found.rows) answers[row.position - 1] = row
    return answers
  }

  const direct = queriesOf((statement) => query(statement).catch((error) => Promise.reject(asStoreError(error))))

  return {
    ...direct,
    insert: async (into, row) => {
      // A new insert is refused at once: nothing of it was recorded.
      if (verifying > 0) throw new StoreUnavailable('PostgreSQL went away')
      return getOrMake(inserts, into, () => batch((rows) => insertAll(into, rows), LIMITS))(row)
    },
    find: async <Row>(texts: SqlTexts, keys: readonly string[]) => {
      const find = getOrMake(finds, texts, () => batch((all) => findAll(texts, all), LIMITS))
      return find(keys) as Promise<Row | undefined>
    },
    skipLocked: 'for update skip locked',
    transaction: (work) => transaction((tx) => work(tx)),
    alone: (work) =>
      transaction(async (tx, client) => {
        // Another process may be migrating, and an index on a large table may take long.
        await client.query(WHILE_MIGRATING)
        // Any number will do, as long as every Karba uses the same.
        await client.query(withoutTimeout('select pg_advisory_xact_lock(5227229)'))
        return work(tx, async (sql) => void (await client.query(withoutTimeout(textOf(sql, 'postgres')))))
      }),
    ping: async () => void (await direct.rows('select 1')),
    time: async () => ((await direct.rows<{ time: number }>(TIME))[0] as { time: number }).time,
    close: async () => void (await Promise.all([transactionPool.end(), statementPool.end()])),
  }
}

const TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as time'

/** A statement without a time limit. The largest number, because pg reads 0 as the pool's own limit. */
const withoutTimeout = (text: string): pg.QueryConfig => ({ text, query_timeout: 2 ** 31 - 1 }) as pg.QueryConfig

function transactionOf(client: pg.PoolClient): Transaction {
  async function many<Row>({ postgres }: SqlTexts, rows: readonly (readonly Value[])[]): Promise<Row[]> {
    return rows.length === 0 ? [] : ((await client.query(named(postgres, columnsOf(rows)))).rows as Row[])
  }
  return {
    ...queriesOf((statement) => client.query(statement)),
    many,
    changeEach: async (texts, rows) => {
      const changed = await many<{ position: number }>(texts, rows)
      const positions = new Set(changed.map(({ position }) => position))
      return rows.map((_, at) => positions.has(at + 1))
    },
  }
}

function queriesOf(send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>): Queries {
  return {
    rows: async <Row>(sql: string | SqlTexts, values: readonly Value[] = []) =>
      (await send(named(textOf(sql, 'postgres'), [...values]))).rows as Row[],
    change: async (sql, values = []) => (await send(named(sql, [...values]))).rowCount ?? 0,
  }
}

function insertStatement(into: Insertion, rows: (readonly Value[])[]): pg.QueryConfig {
  const names = Object.keys(into.columns)
  const arrays = Object.values(into.columns).map((type, at) => `$${at + 1}::${type}[]`)
  const text = `insert into ${into.table} (${names.join(', ')}) select * from unnest(${arrays.join(', ')})
    on conflict do nothing returning ${into.identity} as own`
  return { name: `insert ${into.table}`, text, values: names.map((_, at) => rows.map((row) => row[at])) }
}

function sortRows({ columns, sortedBy }: Insertion, rows: (readonly Value[])[]): (readonly Value[])[] {
  const places = sortedBy.map((column) => Object.keys(columns).indexOf(column))
  return rows.toSorted((a, b) => {
    for (const at of places) if (a[at] !== b[at]) return (a[at] as string) < (b[at] as string) ? -1 : 1
    return 0
  })
}

/**
 * The message is a write: its commit waits for the synchronous standby, which then has the rows as well. Rows whose
 * session ended during that wait can be read, and a fail-over would lose them.
 */
const ownStatement = ({ table, identity }: Insertion, own: string[]): pg.QueryConfig => ({
  text: `select ${identity} as own, pg_logical_emit_message(true, 'karba', '') from ${table}
    where ${identity} = any($1::text[])`,
  values: [own],
})

/** One array for each value of the rows. */
const columnsOf = (rows: readonly (readonly Value[])[]): unknown[][] =>
  (rows[0] ?? []).map((_, at) => rows.map((row) => row[at]))

/** A named statement is planned once per connection, not each time: it halved the time of recording outcomes. */
const names = new Map<string, string>()

const named = (text: string, values: unknown[]): pg.QueryConfig => ({
  ...{ name: getOrMake(names, text, () => `karba ${names.size}`), text, values },
})

/** Connection errors, and the server's: stopping, starting, out of disk or connections, read-only, a timeout. */
export function isOutage(error: unknown): boolean {
  const { code, message, name } = error as { code?: string; message?: string; name?: string }
  // The driver's own errors have neither code nor name. Ours have a name, and may mention a connection.
  if (code === undefined) return name === 'Error' && /connection|timeout/i.test(message ?? '')
  return /^(08|53|57014|57P|58|25006|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)/.test(code)
}

/** The connection itself, and not the server that answers on it. */
const isLost = (error: unknown): boolean => isOutage(error) && !(error instanceof pg.DatabaseError)

function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (isOutage(error)) return new StoreUnavailable('PostgreSQL cannot answer now', { cause: error })
  return isContended(error)
    ? new StoreContended('another transaction holds a lock that is needed', { cause: error })
    : error
}

/** A lock wait timed out, or transactions conflicted. Nothing was recorded; other items may succeed alone. */
const isContended = (error: unknown): boolean => /^(55P03|40P01|40001)$/.test((error as { code?: string }).code ?? '')

/**
 * Nothing was recorded for sure: no connection was there, or the server itself refused the statement. Any other failure
 * may have come after the commit. So may errors that end the connection (57P), and those of a pooler that has lost the
 * server (08).
 */
export const wasRefused = (error: unknown): boolean =>
  error instanceof StoreUnavailable || (error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? ''))
