// Inserts into one table: rows that wait are inserted by one many-row insert. When its answer is
// lost, we look whether the rows were recorded before we answer. Until that is known, new inserts
// are refused.
import { getOrMake } from '../../domain/limits/get-or-make.ts'

import { batch } from './batch.ts'
import {
  fieldOf,
  type Insertion,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type StoreWatch,
  type Values,
} from './database.ts'
import type { PostgresConnections } from './postgres-connections.ts'
import { asStoreError, wasRefused } from './postgres-errors.ts'
import type { PostgresStatements } from './postgres-statements.ts'

/** Two flushes of one kind at once keep the server busy while we read the first's answer. */
export const LIMITS = { flushes: 2, batchSize: 500, maxWaiting: 10_000 }

/** After a lost connection, how long we keep trying to find out whether a write was recorded. */
const VERIFY_MS = 10_000
const BETWEEN_TRIES_MS = 100

export interface InsertDeps {
  connections: PostgresConnections
  statements: PostgresStatements
  watch: StoreWatch
  pause(ms: number): Promise<void>
  now(): number
}

export class PostgresInserts {
  readonly #deps: InsertDeps
  readonly #batches = new Map<Insertion, (row: Values) => Promise<boolean>>()
  readonly #texts = new Map<Insertion, string>()
  /** Inserts that lost their connection, and look whether their rows were recorded. */
  #verifying = 0

  constructor(deps: InsertDeps) {
    this.#deps = deps
  }

  /** False when the row was there. */
  insert(into: Insertion, row: Values): Promise<boolean> {
    // A new insert is refused at once: nothing of it was recorded.
    if (this.#verifying > 0) throw new StoreUnavailable('PostgreSQL went away')
    const insertOne = getOrMake(this.#batches, into, () =>
      batch((rows) => this.#insertAll(into, rows), LIMITS),
    )
    return insertOne(row)
  }

  /**
   * Which of these rows were inserted. A retry recognises the rows of its first try by the identity
   * column.
   */
  async #insertAll(into: Insertion, rows: Values[]): Promise<boolean[]> {
    const { watch, pause, now } = this.#deps
    const identity = fieldOf(into.identity)
    const own = rows.map((row) => row[identity] as string)
    const sorted = sortRows(into, rows)
    const giveUpAt = now() + VERIFY_MS
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) this.#verifying++
      try {
        const mine = await this.#tryAll(into, sorted, attempt > 1 ? own : [])
        watch.committed(mine.size)
        return own.map((value) => mine.has(value))
      } catch (error) {
        // A refusal of a later attempt, perhaps by a lock of the first, does not show whether the
        // first was recorded.
        if (attempt === 1 && wasRefused(error)) throw asStoreError(error)
        if (now() > giveUpAt)
          throw new StoreOutcomeUnknown('PostgreSQL went away during a write', { cause: error })
        await pause(BETWEEN_TRIES_MS)
      } finally {
        if (attempt > 1) this.#verifying--
      }
    }
  }

  /**
   * The identities of the rows that this attempt inserted, and of those that an earlier one did.
   */
  async #tryAll(into: Insertion, rows: Values[], triedBefore: string[]): Promise<Set<string>> {
    const { connections, statements } = this.#deps
    const inserted = await connections.query<{ own: string }>(
      statements.ofRows(
        getOrMake(this.#texts, into, () => insertText(into)),
        rows,
      ),
    )
    const mine = new Set(inserted.rows.map((row) => row.own))
    if (mine.size < triedBefore.length) {
      const earlier = await connections.query<{ own: string }>(
        statements.ofRows(
          ownText(into),
          triedBefore.map((own) => ({ own })),
        ),
      )
      for (const row of earlier.rows) mine.add(row.own)
    }
    return mine
  }
}

function insertText({ table, columns, identity }: Insertion): string {
  const names = Object.keys(columns)
  const arrays = Object.entries(columns).map(([name, type]) => `:${fieldOf(name)}::${type}[]`)
  return `insert into ${table} (${names.join(', ')}) select * from unnest(${arrays.join(', ')})
    on conflict do nothing returning ${identity} as own`
}

function sortRows({ sortedBy }: Insertion, rows: Values[]): Values[] {
  const fields = sortedBy.map(fieldOf)
  return rows.toSorted((a, b) => {
    for (const field of fields)
      if (a[field] !== b[field]) return (a[field] as string) < (b[field] as string) ? -1 : 1
    return 0
  })
}

/**
 * The message is a write: its commit waits for the synchronous standby, which then has the rows as
 * well. Rows whose session ended during that wait can be read, and a fail-over would lose them.
 */
const ownText = ({ table, identity }: Insertion): string =>
  `select ${identity} as own, pg_logical_emit_message(true, 'karba', '') from ${table}
    where ${identity} = any(:own::text[])`
