// PostgreSQL through a pool. Rows that wait are inserted by one many-row insert, look-ups that wait are sent as one query: one
// by one, the pool reached half the creates. When the answer to an insert is lost, we check what was recorded before we answer.
import pg from 'pg'
import { batch } from './batch.ts'
import {
  type Database,
  type Insertion,
  type Queries,
  type RowsClaim,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type StoreWatch,
  type Transaction,
  type Value,
} from './database.ts'
import type { ManyRows } from './many-rows.ts'
import { asStoreError, isLost, isOutage, wasRefused } from './postgres-faults.ts'
import { readHosts } from './postgres-hosts.ts'
import { LOCK_ALONE_MS, makePool, trustInConnections } from './postgres-pool.ts'
import {
  insertStatement,
  manyKeysSql,
  manyRows,
  manyRowsChanged,
  named,
  ownStatement,
  sortRows,
} from './postgres-texts.ts'

/** How many flushes of one kind may run at once: two keep the server busy while we read the first's answer. */
const FLUSHES = 2
const BATCH_SIZE = 500
const MOST_WAITING = 10_000
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
 * Transactions find every row by an index. Planned for a table that was small then, a join with the rows of a batch would read the whole
 * table, until PostgreSQL looks at the table's size again: after a minute at best.
 */
const BY_INDEX = 'set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off'

const WHILE_MIGRATING = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local enable_seqscan = on; set local enable_hashjoin = on; set local enable_mergejoin = on`

export function openPostgres({ url, poolSize, watch, pause, now, silentAfterMs }: PostgresOptions): Database {
  // Transactions have half of the connections to themselves: what merchants wait for does not queue behind outcomes, nor the other way round.
  // Only they pipeline: their steps share round trips, and single statements would pay 2 µs each for it.
  const ofTransactions = Math.floor(poolSize / 2)
  const hosts = readHosts(url)
  const trust = trustInConnections()
  const silence = silentAfterMs === undefined ? {} : { query_timeout: silentAfterMs }
  const transactionPool = makePool(hosts, trust, { max: ofTransactions, pipeline: true, ...silence }, BY_INDEX)
  const single = { max: poolSize - ofTransactions, ...silence }
  const statementPool = makePool(hosts, trust, single, `set lock_timeout = ${LOCK_ALONE_MS}`)

  /** Inserts that lost their connection and are checking what was recorded. */
  let verifying = 0
  const inserts = new Map<Insertion, (row: readonly Value[]) => Promise<boolean>>()
  const finds = new Map<string, (keys: readonly string[]) => Promise<unknown>>()

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
      return await client.query<Row>(statement)
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
        // What refuses a later attempt, such as the lock that the first still holds, says nothing about what the first recorded.
        if (attempt === 1 && wasRefused(error)) throw asStoreError(error)
        if (now() > giveUpAt) throw new StoreOutcomeUnknown('PostgreSQL went away during a write', { cause: error })
        await pause(100)
      } finally {
        if (attempt > 1) verifying--
      }
    }
  }

  const direct = queriesOf((statement) => query(statement).catch((error) => Promise.reject(asStoreError(error))))

  return {
    ...direct,
    insert: async (into, row) => {
      // A new insert is refused at once: nothing of it was recorded.
      if (verifying > 0) throw new StoreUnavailable('PostgreSQL went away')
      let insert = inserts.get(into)
      if (insert === undefined) {
        insert = batch((rows) => insertAll(into, rows), {
          flushes: FLUSHES,
          batchSize: BATCH_SIZE,
          maxWaiting: MOST_WAITING,
        })
        inserts.set(into, insert)
      }
      return insert(row)
    },
    find: async <Row>(sql: string, keys: readonly string[]) => {
      let find = finds.get(sql)
      if (find === undefined) {
        const statement = manyKeysSql(sql, keys.length)
        const name = `find ${finds.size}`
        find = batch(
          async (all: (readonly string[])[]) => {
            const columns = keys.map((_, at) => all.map((one) => one[at]))
            const found = await query<{ position: number }>({ name, text: statement, values: columns }).catch((error) =>
              Promise.reject(asStoreError(error)),
            )
            const answers = new Array<unknown>(all.length).fill(undefined)
            for (const row of found.rows) answers[row.position - 1] = row
            return answers
          },
          { flushes: FLUSHES, batchSize: BATCH_SIZE, maxWaiting: MOST_WAITING },
        )
        finds.set(sql, find)
      }
      return find(keys) as Promise<Row | undefined>
    },
    claim: (sql, values) => direct.rows(skippingLocked(sql), values),
    claimEach: <Row>({ sql, columns }: RowsClaim, sets: readonly (readonly Value[])[]) => {
      const text = `${skippingLocked(sql)} returning ${columns}`
      const claimAll = (queries: Queries): Promise<Row[][]> =>
        Promise.all(sets.map((values) => queries.rows<Row>(text, values)))
      // One needs no transaction; several share the round trip of one.
      return sets.length === 1 ? claimAll(direct) : transaction(claimAll)
    },
    transaction: (work) => transaction((tx) => work(tx)),
    perform: (named, _items, given) => transaction((tx) => named.work(tx, given())),
    alone: (work) =>
      transaction(async (tx, client) => {
        // Another process may be migrating, and an index on a large table may take long.
        await client.query(WHILE_MIGRATING)
        // Any number will do, as long as every Karba uses the same.
        await client.query(withoutTimeout('select pg_advisory_xact_lock(5227229)'))
        return work(tx, async (sql) => void (await client.query(withoutTimeout(sql))))
      }),
    ping: async () => void (await direct.rows('select 1')),
    time: async () => {
      const [row] = await direct.rows<{ time: number }>(TIME)
      return (row as { time: number }).time
    },
    close: async () => void (await Promise.all([transactionPool.end(), statementPool.end()])),
  }
}

const skippingLocked = (sql: string): string => sql.replace('/* skip locked */', 'for update skip locked')

const TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as time'

/** A statement without a time limit. The largest number, because pg reads 0 as the pool's own limit. */
const withoutTimeout = (text: string): pg.QueryConfig => ({ text, query_timeout: 2 ** 31 - 1 }) as pg.QueryConfig

function transactionOf(client: pg.PoolClient): Transaction {
  async function send<Row>(
    make: typeof manyRows,
    statement: ManyRows,
    rows: readonly (readonly Value[])[],
  ): Promise<Row[]> {
    return rows.length === 0 ? [] : ((await client.query(make(statement, rows))).rows as Row[])
  }
  return {
    ...queriesOf((statement) => client.query(statement)),
    many: (statement, rows) => send(manyRows, statement, rows),
    changeEach: async (statement, rows) => {
      const changed = await send<{ position: number }>(manyRowsChanged, statement, rows)
      const positions = new Set(changed.map(({ position }) => position))
      return rows.map((_, at) => positions.has(at + 1))
    },
  }
}

function queriesOf(send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>): Queries {
  return {
    rows: async <Row>(sql: string, values: readonly Value[] = []) =>
      (await send(named(sql, [...values]))).rows as Row[],
    change: async (sql, values = []) => (await send(named(sql, [...values]))).rowCount ?? 0,
  }
}
