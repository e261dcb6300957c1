// Connections to PostgreSQL in use. Transactions have half of them to themselves: requests do not
// queue behind outcomes, nor the other way round. Only transactions pipeline: their steps share
// round trips, and single statements would pay 2 µs each. A connection that was lost is never used
// again, nor any that was made before the loss.
import type pg from 'pg'
import { StoreOutcomeUnknown, StoreUnavailable, type StoreWatch } from './database.ts'
import { asStoreError, isLost, isOutage } from './postgres-errors.ts'
import { PostgresOutage } from './postgres-outage.ts'
import { LOCK_ALONE_MS, makePool, readHosts, trustInConnections } from './postgres-pool.ts'

/**
 * Every statement finds its rows by an index, and in the index's order where it needs one. Planned
 * for a table that was small then, it would read the whole table or sort a whole account, until
 * PostgreSQL looks at the table's size again: after a minute at best.
 */
export const BY_INDEX = `set enable_seqscan = off; set enable_bitmapscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set jit = off`

export interface ConnectionOptions {
  url: string
  poolSize: number
  watch: StoreWatch
  now(): number
  /** Instead of 9.5 seconds, after which a connection that answers nothing is given up. */
  silentAfterMs?: number | undefined
}

export class PostgresConnections {
  readonly #watch: StoreWatch
  readonly #hosts: ReturnType<typeof readHosts>
  readonly #trust = trustInConnections()
  readonly #outage: PostgresOutage
  readonly #ofTransactions: pg.Pool
  readonly #ofStatements: pg.Pool

  constructor({ url, poolSize, watch, now, silentAfterMs }: ConnectionOptions) {
    this.#watch = watch
    this.#outage = new PostgresOutage(watch, now)
    this.#hosts = readHosts(url)
    const ofTransactions = Math.floor(poolSize / 2)
    const silence = silentAfterMs === undefined ? {} : { query_timeout: silentAfterMs }
    this.#ofTransactions = makePool(
      this.#hosts,
      this.#trust,
      { max: ofTransactions, pipeline: true, ...silence },
      BY_INDEX,
    )
    this.#ofStatements = makePool(
      this.#hosts,
      this.#trust,
      { max: poolSize - ofTransactions, ...silence },
      `${BY_INDEX}; set lock_timeout = ${LOCK_ALONE_MS}`,
    )
  }

  async query<Row extends pg.QueryResultRow>(
    statement: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> {
    const isWrite = !/^\s*select\b/i.test(statement.text)
    const client = await this.#take(this.#ofStatements, isWrite)
    let broken: Error | undefined
    try {
      const result = await client.query<Row>(statement)
      this.#trust.assertReplicated(client)
      this.#outage.worked(isWrite && result.rowCount !== 0)
      return result
    } catch (error) {
      if (isOutage(error)) {
        broken = error as Error
        this.#outage.failed(broken, isWrite)
      }
      if (isLost(error)) this.#trust.lost(client)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#take(this.#ofTransactions, true)
    let broken: Error | undefined
    let isCommitting = false
    try {
      await client.query('begin')
      const result = await work(client)
      isCommitting = true
      await client.query('commit')
      this.#trust.assertReplicated(client)
      this.#watch.committed(1)
      this.#outage.worked(true)
      return result
    } catch (error) {
      if (isLost(error)) this.#trust.lost(client)
      if (isOutage(error)) this.#outage.failed(error as Error, true)
      broken = isOutage(error) ? (error as Error) : await failureToRollBack(client)
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

  async close(): Promise<void> {
    await Promise.all([this.#ofTransactions.end(), this.#ofStatements.end()])
  }

  async #take(pool: pg.Pool, isWrite: boolean): Promise<pg.PoolClient> {
    const hosts = this.#hosts
    for (let tried = 0; ; ) {
      const address = hosts.current()
      try {
        const client = await pool.connect()
        if (this.#trust.isTrusted(client)) return client
        client.release(true)
      } catch (error) {
        hosts.failed(address)
        tried++
        if (tried < hosts.count) continue
        this.#outage.failed(error as Error, isWrite)
        throw new StoreUnavailable('PostgreSQL cannot be reached', { cause: error })
      }
    }
  }
}

async function failureToRollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return error as Error
  }
}
