// How far a copy has come, in the store that it is copied into: noted in the commit of the rows themselves, so that a copy that was
// interrupted goes on where it was. While it is there, no server starts on that store.
import type { Database, Queries, Value } from '../engine/database.ts'
import { UNFINISHED_COPY } from '../engine/migrate.ts'

export interface CopyProgress {
  source: string
  /** By the table's name: the key of the last row that was copied, and how many there are. */
  tables: Readonly<Record<string, { after: Value[]; rows: number }>>
}

/** Undefined when no copy is under way. */
export async function findProgress(db: Queries): Promise<CopyProgress | undefined> {
  const [mark] = await db.rows<{ checksum: string }>('select checksum from migrations where name = $1', [
    UNFINISHED_COPY,
  ])
  if (mark === undefined) return undefined
  const rows = await db.rows<{ tableName: string; after: string; copied: number }>(
    'select table_name as "tableName", after_key as after, copied from store_copy',
  )
  const tables = rows.map(({ tableName, after, copied }) => [tableName, { after: JSON.parse(after), rows: copied }])
  return { source: mark.checksum, tables: Object.fromEntries(tables) }
}

export async function beginCopy(db: Database, source: string, now: number): Promise<void> {
  await db.alone(async (tx, script) => {
    await script(
      'create table store_copy (table_name text not null primary key, after_key text not null, copied bigint not null)',
    )
    await tx.change('insert into migrations (name, applied_at, checksum) values ($1, $2, $3)', [
      UNFINISHED_COPY,
      now,
      source,
    ])
  })
}

export async function noteProgress(tx: Queries, table: string, after: readonly Value[], rows: number): Promise<void> {
  await tx.change(
    `insert into store_copy (table_name, after_key, copied) values ($1, $2, $3)
     on conflict (table_name) do update set after_key = excluded.after_key, copied = excluded.copied`,
    [table, JSON.stringify(after), rows],
  )
}

export async function endCopy(db: Database): Promise<void> {
  await db.alone(async (tx, script) => {
    await script('drop table store_copy')
    await tx.change('delete from migrations where name = $1', [UNFINISHED_COPY])
  })
}
