// Statements as the driver takes them. A named statement is planned once per connection, not each
// time: it halved the time of recording outcomes.
import type pg from 'pg'
import { getOrMake } from '../../domain/limits/get-or-make.ts'
import { type Queries, type SqlTexts, type Transaction, textOf, type Values } from './database.ts'
import { NO_VALUES, type NumberedText, numberNames, valuesInOrder } from './named-values.ts'

type Rows = readonly Values[]

interface Statement extends NumberedText {
  name: string
}

/** The statements of one store, each text by one name. */
export class PostgresStatements {
  readonly #statements = new Map<string, Statement>()

  named(text: string, values: Values): pg.QueryConfig {
    const statement = this.#statement(text)
    return { name: statement.name, text: statement.sql, values: valuesInOrder(statement, values) }
  }

  /** One array for each value of the rows. */
  ofRows(text: string, rows: Rows): pg.QueryConfig {
    const statement = this.#statement(text)
    const ordered = rows.map((row) => valuesInOrder(statement, row))
    const values = (ordered[0] ?? []).map((_, at) => ordered.map((row) => row[at]))
    return { name: statement.name, text: statement.sql, values }
  }

  #statement(text: string): Statement {
    return getOrMake(this.#statements, text, () => ({
      name: `karba ${this.#statements.size}`,
      ...numberNames(text, '$'),
    }))
  }

  queries(send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>): Queries {
    return {
      read: async <Row>(sql: string | SqlTexts, values: Values = NO_VALUES) =>
        (await send(this.named(textOf(sql, 'postgres'), values))).rows as Row[],
      write: async <Row>(sql: string, values: Values = NO_VALUES) =>
        (await send(this.named(sql, values))).rows as Row[],
      change: async (sql, values = NO_VALUES) =>
        (await send(this.named(sql, values))).rowCount ?? 0,
    }
  }

  transaction(client: pg.PoolClient): Transaction {
    const many = async <Row>({ postgres }: SqlTexts, rows: Rows): Promise<Row[]> =>
      rows.length === 0 ? [] : ((await client.query(this.ofRows(postgres, rows))).rows as Row[])
    return {
      ...this.queries((statement) => client.query(statement)),
      many,
      changeEach: async (texts, rows) => {
        const changed = await many<{ position: number }>(texts, rows)
        const positions = new Set(changed.map(({ position }) => position))
        return rows.map((_, at) => positions.has(at + 1))
      },
    }
  }
}

/**
 * A statement without a time limit. The largest number, because pg reads 0 as the pool's own limit.
 */
export const withoutTimeout = (text: string): pg.QueryConfig =>
  ({ text, query_timeout: 2 ** 31 - 1 }) as pg.QueryConfig
