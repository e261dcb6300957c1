// Reads of a store on SQLite, on a connection of their own. A read is answered only once the
// commits that it may have seen are on disk.
import { singleFlight } from '../../domain/limits/single-flight.ts'
import { batch } from './batch.ts'
import { StoreUnavailable, type Values } from './database.ts'
import type { SqliteCondition } from './sqlite-condition.ts'
import type { Connection } from './sqlite-connection.ts'
import { MAX_WAITING, type SqliteWriter } from './sqlite-writer.ts'

/** Batches of look-ups that may wait for the disk at once. */
const MAX_LOOK_UP_BATCHES = 16

interface LookUp {
  sql: string
  keys: Values
}

export class SqliteReader {
  /**
   * Look-ups that wait share one read transaction: its locks cost two system calls, the look-up
   * itself less.
   */
  readonly lookUp: (asked: LookUp) => Promise<unknown>
  readonly #connection: Connection
  readonly #condition: SqliteCondition
  /** Reads that wait for a doubtful WAL share one try. */
  readonly #untilTrusted: () => Promise<void>

  constructor(connection: Connection, condition: SqliteCondition, writer: SqliteWriter) {
    this.#connection = connection
    this.#condition = condition
    // A write of nothing brings the commits into the database file.
    this.#untilTrusted = singleFlight(() =>
      writer
        .enqueue(() => {})
        .catch((error: unknown) => {
          throw new StoreUnavailable('the disk failed, and commits are not on it yet', {
            cause: error,
          })
        }),
    )
    this.lookUp = batch((asked: LookUp[]) => this.read(() => this.#findEach(asked)), {
      flushes: MAX_LOOK_UP_BATCHES,
      batchSize: 1_000,
      maxWaiting: MAX_WAITING,
    })
  }

  rows<Row>(sql: string, values: Values): Promise<Row[]> {
    return this.read(() => this.#connection.statement(sql).all(values) as Row[])
  }

  one<Row>(sql: string): Promise<Row> {
    return this.read(() => this.#connection.statement(sql).get() as Row)
  }

  /** The rows read may belong to a commit that is not on disk yet. */
  async read<T>(work: () => T): Promise<T> {
    const condition = this.#condition
    if (condition.isWalDoubtful) await this.#untilTrusted()
    condition.refuseIfUnusable()
    let found: T
    try {
      found = work()
    } catch (error) {
      throw condition.faultOf(error)
    }
    await condition.syncing?.catch((error: unknown) => {
      throw new StoreUnavailable('the rows read could not be synced to disk', { cause: error })
    })
    return found
  }

  #findEach(asked: readonly LookUp[]): unknown[] {
    const { statement } = this.#connection
    statement('begin').run()
    try {
      return asked.map(({ sql, keys }) => statement(sql).get(keys))
    } finally {
      statement('commit').run()
    }
  }
}
