// The interface of a database. Two engines implement it: SQLite in this process, and PostgreSQL.
// Query files write one SQL text for both, with `:name` for values, and two texts where the engines
// really differ.
import type { Value, Values } from './named-values.ts'

export type { Value, Values }

export interface Queries {
  /** The rows of a select. On SQLite it does not wait for the writer, and cannot write. */
  read<Row>(sql: string | SqlTexts, values?: Values): Promise<Row[]>
  /** The rows that a write returns: it has `returning`. */
  write<Row>(sql: string, values?: Values): Promise<Row[]>
  /** How many rows a write changed. */
  change(sql: string, values?: Values): Promise<number>
}

export type Reads = Pick<Queries, 'read'>

/** One statement in two texts, where the engines really differ. */
export type SqlTexts = { sqlite: string; postgres: string }

/**
 * Rows of `table` that a query chooses for each account `a`, as `as`. `key` is the rest of the
 * table's primary key. SQLite looks each of them up; PostgreSQL would read all rows of the account
 * for that, and takes them from the query.
 */
export function ofEachAccount(
  { table, as, key }: { table: string; as: string; key: readonly string[] },
  /** Of the rows `q` of the account: further conditions, the order and the limit. */
  chosen: string,
  statement: (joined: string) => string,
): SqlTexts {
  const from = `from ${table} q where q.account_id = a.account_id ${chosen}`
  const keyOf = (alias: string): string => key.map((column) => `${alias}.${column}`).join(', ')
  return {
    sqlite: statement(
      `join ${table} ${as} on ${as}.account_id = a.account_id
       and (${keyOf(as)}) in (select ${keyOf('q')} ${from})`,
    ),
    postgres: statement(`cross join lateral (select q.* ${from}) as ${as}`),
  }
}

export const textOf = (sql: string | SqlTexts, engine: keyof SqlTexts): string =>
  typeof sql === 'string' ? sql : sql[engine]

/**
 * Statements for many rows of values. SQLite runs its text once for each row, with the values as
 * parameters: without round trips that is the fastest way. PostgreSQL runs its text once, with an
 * array of values for each parameter: no row sees what is done for another.
 */
export interface Transaction extends Queries {
  /** The rows that a statement returns, for all rows of values together. */
  many<Row>(texts: SqlTexts, rows: readonly Values[]): Promise<Row[]>
  /**
   * For each row, whether an update changed something: PostgreSQL returns its `position`, counted
   * from 1.
   */
  changeEach(texts: SqlTexts, rows: readonly Values[]): Promise<boolean[]>
}

/**
 * A look-up by text keys: `sql` gets their SQL expressions. PostgreSQL's text takes an array for
 * each key.
 */
export const lookUpBy = (
  keys: readonly string[],
  sql: (...keys: string[]) => string,
): SqlTexts => ({
  sqlite: sql(...keys.map((key) => `:${key}`)),
  postgres: `select lookup.position::int, found.*
    from unnest(${keys.map((key) => `:${key}::text[]`).join(', ')}) with ordinality
      as lookup (${keys.join(', ')}, position)
    cross join lateral (${sql(...keys.map((key) => `lookup.${key}`))}) as found`,
})

/** The field of a column: `amount_xof` is `amountXof` in a row's values. */
export const fieldOf = (column: string): string =>
  column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint'>>

/**
 * Many rows of values as PostgreSQL takes them, an array for each column:
 * `unnest(:accountId::text[], …) with ordinality as given (account_id, …, position)`.
 */
export function manyRows(columns: ColumnTypes, as = 'given'): string {
  const arrays = Object.entries(columns).map(([column, type]) => `:${fieldOf(column)}::${type}[]`)
  const names = [...Object.keys(columns), 'position']
  return `unnest(${arrays.join(', ')}) with ordinality as ${as} (${names.join(', ')})`
}

/** A table's columns, declared once so that an engine can insert many rows in one statement. */
export interface Insertion {
  table: string
  columns: ColumnTypes
  /**
   * A column with a unique value that only the caller can have generated: it identifies the
   * caller's own row.
   */
  identity: string
  /**
   * Those of the unique indexes. A batch is inserted in this order, or two processes could
   * deadlock.
   */
  sortedBy: readonly string[]
}

export interface Database extends Queries {
  /**
   * Inserts one row; false when a unique index prevents it. Rows that wait at the same time share
   * one commit.
   */
  insert(into: Insertion, row: Values): Promise<boolean>
  /**
   * At most one row. Look-ups that wait are sent together; for those of every request of a
   * merchant.
   */
  find<Row>(texts: SqlTexts, keys: Readonly<Record<string, string>>): Promise<Row | undefined>
  /**
   * Ends the choice of the rows that an update claims: rows that another transaction has locked are
   * skipped.
   */
  readonly skipLocked: '' | 'for update skip locked'
  /** All or nothing. No network call inside: other writers wait for it. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Runs scripts of several statements while no other process migrates. */
  alone<T>(
    work: (tx: Transaction, script: (sql: string | SqlTexts) => Promise<void>) => Promise<T>,
  ): Promise<T>
  /** Resolves when the store answers; throws StoreUnavailable when it does not. */
  ping(): Promise<void>
  /**
   * The store's own time, in milliseconds since 1970: of PostgreSQL's server; with SQLite, of this
   * machine.
   */
  time(): Promise<number>
  close(): Promise<void>
}

/** What an engine reports for /metrics and for the log. */
export interface StoreWatch {
  committed(groupSize: number): void
  /** A sentence for the operator of the service. */
  warn?(sentence: string): void
  /**
   * PostgreSQL has answered nothing for seconds, or no standby has confirmed a commit. Called once
   * in an outage.
   */
  lost?(why: Error): void
  /** It answers again, so many milliseconds after its last answer; also writes, if some failed. */
  back?(afterMs: number): void
  /**
   * Of a server: called once. It refuses everything from then on (ADR-0017); a command reads on
   * where it can.
   */
  damaged?(error: StoreDamaged): void
  /**
   * Of a server: its files were removed or replaced. It must end; the sentence says where the
   * payments are.
   */
  filesRemoved?(sentence: string): void
}

/** The store cannot take this now, and nothing was recorded. The caller may try again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The store finds its own file damaged. Trying again does not help. */
export class StoreDamaged extends StoreUnavailable {
  override name = 'StoreDamaged'
}

/**
 * Another transaction holds a lock, and nothing was recorded. It may concern one item of a batch
 * only.
 */
export class StoreContended extends StoreUnavailable {
  override name = 'StoreContended'
}

/** The connection was lost in the middle of a write, and we do not know whether it was recorded. */
export class StoreOutcomeUnknown extends Error {
  override name = 'StoreOutcomeUnknown'
}

/**
 * Steps of one transaction that do not wait for each other, begun in order: PostgreSQL gets their
 * statements in one round trip. Waits for every step, also when one fails, and then throws the
 * first failure: a step that was still running when the transaction is rolled back would write
 * outside of it.
 */
export async function together<Item, T>(
  items: readonly Item[],
  step: (item: Item) => Promise<T>,
): Promise<T[]> {
  const ended = await Promise.allSettled(items.map(step))
  return ended.map((each) => {
    if (each.status === 'rejected') throw each.reason
    return each.value
  })
}
