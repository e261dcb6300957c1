// What the service asks of a database. Two engines keep this interface: SQLite in the process, PostgreSQL beside it.
// Query files write one SQL text for both, with $1, $2 … for values; what truly differs is a method here.

export type Value = string | number | null

export interface Queries {
  /** The rows a statement gives back: a select, or a write with `returning`. */
  rows<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** How many rows a write changed. */
  change(sql: string, values?: readonly Value[]): Promise<number>
}

/** A table's columns, told once so that an engine can send many rows in one statement. */
export interface Insertion {
  table: string
  columns: Readonly<Record<string, 'text' | 'bigint'>>
  /** A column with a unique index whose value only the caller can have made: how a row is recognised as its own. */
  identity: string
  /** What unique indexes are about: rows that travel together are in this order, or two processes could wait for each other. */
  sortedBy: readonly string[]
}

export interface Database extends Queries {
  /** Inserts one row, unless a unique index is against it: then false. Rows that wait together share one commit. */
  insert(into: Insertion, row: readonly Value[]): Promise<boolean>
  /** At most one row, by text keys. Look-ups that wait together may travel together; the text stays that of one. */
  find<Row>(sql: string, keys: readonly string[]): Promise<Row | undefined>
  /** An update that takes rows nobody else is taking: where its text says `skip locked`, held rows are passed over. */
  claim<Row>(sql: string, values: readonly Value[]): Promise<Row[]>
  /** All or nothing. No network call inside: others wait. */
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>
  /** Runs a script of several statements with nobody else writing: for migrations. */
  alone<T>(work: (tx: Queries, script: (sql: string) => Promise<void>) => Promise<T>): Promise<T>
  /** Resolves when the store answers; throws StoreUnavailable when it does not. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** What an engine tells about its work, for /metrics. */
export interface StoreWatch {
  committed(groupSize: number): void
}

/** The store cannot take this now, and nothing was recorded. The caller may try again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** Somebody else holds what this needs, and nothing was recorded. Unlike an outage it says nothing about the others of a batch. */
export class StoreContended extends StoreUnavailable {
  override name = 'StoreContended'
}

/** The store went away in the middle of a write, and we do not know whether it was recorded. */
export class StoreOutcomeUnknown extends Error {
  override name = 'StoreOutcomeUnknown'
}
