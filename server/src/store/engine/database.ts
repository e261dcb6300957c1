// The interface of a database. Two engines implement it: SQLite in this process, and PostgreSQL.
// Query files write one SQL text for both, with $1, $2 … for values; where the engines really differ, there is a method here.

import type { ManyRows } from './many-rows.ts'

export type Value = string | number | null

export interface Queries {
  /** The rows a statement returns: a select, or a write with `returning`. */
  rows<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** How many rows a write changed. */
  change(sql: string, values?: readonly Value[]): Promise<number>
}

/** For many rows of values. They may be sent as one statement, in which no row sees what is done for another. */
export interface Transaction extends Queries {
  /** The rows that a statement returns, for all rows of values together. */
  many<Row>(statement: ManyRows, rows: readonly (readonly Value[])[]): Promise<Row[]>
  /** For each row of values, whether an update changed something. */
  changeEach(statement: ManyRows, rows: readonly (readonly Value[])[]): Promise<boolean[]>
}

/** A table's columns, declared once so that an engine can insert many rows in one statement. */
export interface Insertion {
  table: string
  columns: Readonly<Record<string, 'text' | 'bigint'>>
  /** A column with a unique index and a value that only the caller can have generated: it identifies the caller's own row. */
  identity: string
  /** The columns of the unique indexes. The rows of a batch are inserted in this order, or two processes could deadlock. */
  sortedBy: readonly string[]
}

/** An update that claims rows, as `claim` takes it but without `returning`, and what is read of each row that it claimed. */
export interface RowsClaim {
  sql: string
  table: string
  key: readonly string[]
  columns: string
}

/** A transaction that is a function of plain data, so that a thread which knows it by its name may do it. */
export interface NamedWork<Given, Result> {
  name: string
  work(tx: Transaction, given: Given): Promise<Result>
}

export interface Database extends Queries {
  /** Inserts one row; false when a unique index prevents it. Rows that wait at the same time share one commit. */
  insert(into: Insertion, row: readonly Value[]): Promise<boolean>
  /** At most one row, by text keys. Look-ups that wait at the same time may be sent as one query; `sql` is that of a single one. */
  find<Row>(sql: string, keys: readonly string[]): Promise<Row | undefined>
  /** An update that claims rows: where its text says `skip locked`, rows that another transaction has locked are skipped. */
  claim<Row>(sql: string, values: readonly Value[]): Promise<Row[]>
  /** One claim for several sets of values, in one commit: the rows of each. */
  claimEach<Row>(claim: RowsClaim, sets: readonly (readonly Value[])[]): Promise<Row[][]>
  /** All or nothing. No network call inside: other writers wait for it. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** The same for a named one, about so many items. `given` is asked for when its turn has come: a time in it is that of the transaction. */
  perform<Given, Result>(named: NamedWork<Given, Result>, items: number, given: () => Given): Promise<Result>
  /** Runs scripts of several statements while no other process migrates. */
  alone<T>(work: (tx: Transaction, script: (sql: string) => Promise<void>) => Promise<T>): Promise<T>
  /** Resolves when the store answers; throws StoreUnavailable when it does not. */
  ping(): Promise<void>
  /** The store's own time, in milliseconds since 1970: of PostgreSQL's server; with SQLite, of this machine. */
  time(): Promise<number>
  close(): Promise<void>
}

/** What an engine reports for /metrics and for the log. */
export interface StoreWatch {
  committed(groupSize: number): void
  /** What a person should know, in one sentence. */
  warn?(sentence: string): void
  /** Of a server: told once, when the store finds its file damaged, and refuses everything from then on (ADR-0017). A command reads on where it can. */
  damaged?(error: StoreDamaged): void
}

/** The store cannot take this now, and nothing was recorded. The caller may try again later. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The store finds its own file damaged. Trying again does not help. */
export class StoreDamaged extends StoreUnavailable {
  override name = 'StoreDamaged'
}

/** Another transaction holds a lock that is needed, and nothing was recorded. Unlike an outage, it may concern one item of a batch only. */
export class StoreContended extends StoreUnavailable {
  override name = 'StoreContended'
}

/** The connection was lost in the middle of a write, and we do not know whether it was recorded. */
export class StoreOutcomeUnknown extends Error {
  override name = 'StoreOutcomeUnknown'
}
