// PostgreSQL through a pool. Rows that wait are inserted by one many-row insert, look-ups that wait
// are sent as one query: one by one, the pool reached half the creates.
import type pg from 'pg'
import { getOrMake } from '../../domain/limits/get-or-make.ts'
import { batch } from './batch.ts'
import {
  type Database,
  type SqlTexts,
  type StoreWatch,
  type Transaction,
  textOf,
  type Values,
} from './database.ts'
import { PostgresConnections } from './postgres-connections.ts'
import { asStoreError } from './postgres-errors.ts'
import { LIMITS, PostgresInserts } from './postgres-inserts.ts'
import { PostgresStatements, withoutTimeout } from './postgres-statements.ts'

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

const WHILE_MIGRATING = `set local statement_timeout = 0; set local lock_timeout = 0;
  set local enable_seqscan = on; set local enable_bitmapscan = on; set local enable_hashjoin = on;
  set local enable_mergejoin = on`

export function openPostgres({
  url,
  poolSize,
  watch,
  pause,
  now,
  silentAfterMs,
}: PostgresOptions): Database {
  const connections = new PostgresConnections({ url, poolSize, watch, now, silentAfterMs })
  const statements = new PostgresStatements()
  const inserts = new PostgresInserts({ connections, statements, watch, pause, now })
  const send = (statement: pg.QueryConfig) => connections.query(statement).catch(throwAsStoreError)
  const direct = statements.queries(send)
  return {
    ...direct,
    insert: async (into, row) => inserts.insert(into, row),
    find: lookUps(statements, send),
    skipLocked: 'for update skip locked',
    transaction: (work) =>
      connections.transaction((client) => work(statements.transaction(client))),
    alone: (work) =>
      connections.transaction((client) => migrating(client, statements.transaction(client), work)),
    ping: async () => void (await direct.read('select 1')),
    time: async () => ((await direct.read<{ time: number }>(TIME))[0] as { time: number }).time,
    close: () => connections.close(),
  }
}

/** Look-ups by one text that wait together are one query: the row of each key set. */
function lookUps(
  statements: PostgresStatements,
  send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>,
): Database['find'] {
  const finds = new Map<SqlTexts, (keys: Values) => Promise<unknown>>()
  async function findAll({ postgres }: SqlTexts, keys: Values[]): Promise<unknown[]> {
    const found = await send(statements.ofRows(postgres, keys))
    const answers = new Array<unknown>(keys.length).fill(undefined)
    for (const row of found.rows) answers[row.position - 1] = row
    return answers
  }
  return async <Row>(texts: SqlTexts, keys: Values) => {
    const find = getOrMake(finds, texts, () => batch((all) => findAll(texts, all), LIMITS))
    return find(keys) as Promise<Row | undefined>
  }
}

async function migrating<T>(
  client: pg.PoolClient,
  tx: Transaction,
  work: (tx: Transaction, run: (sql: string | SqlTexts) => Promise<void>) => Promise<T>,
): Promise<T> {
  // Another process may be migrating, and an index on a large table may take long.
  await client.query(WHILE_MIGRATING)
  // Any number will do, as long as every Karba uses the same.
  await client.query(withoutTimeout('select pg_advisory_xact_lock(5227229)'))
  return work(tx, async (sql) => void (await client.query(withoutTimeout(textOf(sql, 'postgres')))))
}

const throwAsStoreError = (error: unknown): never => {
  throw asStoreError(error)
}

const TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as time'
