// A transaction inside a group's commit: a savepoint. When it fails, the other writes of the group
// stay.
import {
  type SqlTexts,
  StoreUnavailable,
  type Transaction,
  textOf,
  type Values,
} from './database.ts'
import { NO_VALUES } from './named-values.ts'
import type { Connection, Statement } from './sqlite-connection.ts'

export class GroupTransaction {
  /** Of the transactions of this group, so far. */
  statements = 0
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Of a new group. */
  begin(): void {
    this.statements = 0
  }

  readonly queries: Transaction = {
    read: async <Row>(sql: string | SqlTexts, values: Values = NO_VALUES) =>
      this.#step(textOf(sql, 'sqlite')).all(values) as Row[],
    write: async <Row>(sql: string, values: Values = NO_VALUES) =>
      this.#step(sql).all(values) as Row[],
    change: async (sql, values = NO_VALUES) => this.#step(sql).run(values),
    many: async <Row>({ sqlite }: { sqlite: string }, rows: readonly Values[]) => {
      const one = this.#step(sqlite, rows.length)
      return rows.flatMap((row) => one.all(row) as Row[])
    },
    changeEach: async ({ sqlite }, rows) => {
      const one = this.#step(sqlite, rows.length)
      return rows.map((row) => one.run(row) > 0)
    },
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const { database, statement } = this.#connection
    statement('savepoint one').run()
    try {
      const result = await work()
      this.#requireTransaction()
      statement('release one').run()
      return result
    } catch (error) {
      if (database.isTransaction) {
        statement('rollback to one').run()
        statement('release one').run()
      }
      throw error
    }
  }

  #step(sql: string, times = 1): Statement {
    this.#requireTransaction()
    this.statements += times
    return this.#connection.statement(sql)
  }

  /**
   * SQLite may have ended the transaction itself: later steps would run without one, each committed
   * alone.
   */
  #requireTransaction(): void {
    if (!this.#connection.database.isTransaction)
      throw new StoreUnavailable('SQLite has ended the transaction')
  }
}
