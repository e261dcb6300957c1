// Statements as the driver takes them. A named statement is planned once per connection, not each
// time: it halved the time of recording outcomes.
import type pg from 'pg'
import { getOrMake } from '../../domain/bounded-cache.ts'
import { type Queries, type SqlTexts, type Transaction, textOf, type Value } from './database.ts'

type Rows = readonly (readonly Value[])[]

/** The statements of one store, each text by one name. */
export class PostgresStatements {
  readonly #names = new Map<string, string>()

  named(text: string, values: unknown[]): pg.QueryConfig {
    return { name: getOrMake(this.#names, text, () => `karba ${this.#names.size}`), text, values }
  }

  /** One array for each value of the rows. */
  ofRows(text: string, rows: Rows): pg.QueryConfig {
    return this.named(
      text,
      (rows[0] ?? []).map((_, at) => rows.map((row) => row[at])),
    )
  }

  queries(send: (statement: pg.QueryConfig) => Promise<pg.QueryResult>): Queries {
    return {
      rows: async <Row>(sql: string | SqlTexts, values: readonly Value[] = []) =>
        (await send(this.named(textOf(sql, 'postgres'), [...values]))).rows as Row[],
      change: async (sql, values = []) => (await send(this.named(sql, [...values]))).rowCount ?? 0,
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
