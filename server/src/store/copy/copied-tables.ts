// Tables of one store, read and written row by row whatever they hold, to copy a store into another
// or to compare it with a copy. Every table has a primary key, by which it is read in slices.
import { hash } from 'node:crypto'
import type { Database, Queries, Reads, Value } from '../engine/database.ts'
import { UNFINISHED_COPY } from '../engine/migrate.ts'
import { deleteRows, firstValue, insertRow, isAnyRow, listOf, putRow } from '../rows.ts'

export interface CopiedTable {
  name: string
  columns: readonly string[]
  /** The columns of the primary key, in its order. */
  key: readonly string[]
}

/** Rows as values in the order of the table's columns. */
export type TableRow = readonly Value[]

/** A checksum of a table that does not depend on the order of its rows. */
export type TableSum = { rows: number; checksum: string }

/** Not copied: each store records its own migrations. */
const OF_ITS_OWN = 'migrations'

const MIGRATIONS: CopiedTable = {
  name: OF_ITS_OWN,
  columns: ['name', 'applied_at', 'checksum', 'needs'],
  key: ['name'],
}

/**
 * The tables of an SQLite store in the order in which they were made, so that what others refer to
 * comes first.
 */
export async function listTables(source: Reads): Promise<CopiedTable[]> {
  const names = await source.read<{ name: string }>(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'
      and name <> :OF_ITS_OWN order by rowid`,
    { OF_ITS_OWN },
  )
  const tables: CopiedTable[] = []
  for (const { name } of names) {
    const columns = await source.read<{ name: string; pk: number }>(
      'select name, pk from pragma_table_info(:name) order by cid',
      { name },
    )
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    tables.push({
      name,
      columns: columns.map((column) => column.name),
      key: key.map((column) => column.name),
    })
  }
  return tables
}

/** Every table of a PostgreSQL store, by name. Partitions are read through their table. */
async function listPostgresTables(db: Reads): Promise<CopiedTable[]> {
  const columns = await db.read<{ table: string; name: string; pk: number | null }>(
    `select c.relname as "table", a.attname as name, array_position(i.indkey::int2[], a.attnum)
      as pk
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition
     order by c.relname, a.attnum`,
  )
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, all]) => {
    const key = all.filter(({ pk }) => pk !== null).sort((a, b) => Number(a.pk) - Number(b.pk))
    // A table that is not ours may have no primary key.
    return {
      name,
      columns: all.map((each) => each.name),
      key: (key.length > 0 ? key : all).map((each) => each.name),
    }
  })
}

/** By the table's name. */
export type StoreSums = Record<string, TableSum>

/** Of every table, that of the migrations included. `progress` is called after each table. */
export async function sumStore(
  db: Reads,
  isSqlite: boolean,
  progress: (table: string) => void,
): Promise<StoreSums> {
  const tables = isSqlite ? [...(await listTables(db)), MIGRATIONS] : await listPostgresTables(db)
  const sums: StoreSums = {}
  for (const table of tables) {
    sums[table.name] = await sumTable(db, table)
    progress(table.name)
  }
  return sums
}

/** The next rows after the key of the last one; an empty key begins. */
export async function readSlice(
  db: Reads,
  { name, columns, key }: CopiedTable,
  after: readonly Value[],
  most: number,
): Promise<TableRow[]> {
  const place = listOf('after', after)
  const where = after.length === 0 ? '' : `where (${key.join(', ')}) > (${place.places})`
  const rows = await db.read<Record<string, Value>>(
    `select ${columns.join(', ')} from ${name} ${where} order by ${key.join(', ')} limit ${most}`,
    place.values,
  )
  return rows.map((row) => columns.map((column) => row[column] ?? null))
}

export const keyOf = ({ columns, key }: CopiedTable, row: TableRow): Value[] =>
  key.map((column) => row[columns.indexOf(column)] as Value)

export async function writeRows(
  tx: Queries,
  { name, columns }: CopiedTable,
  rows: readonly TableRow[],
): Promise<void> {
  const listed = rows.map((row, at) => listOf(`row${at}_`, row))
  const places = listed.map((row) => `(${row.places})`)
  await tx.change(
    `insert into ${name} (${columns.join(', ')}) values ${places.join(', ')}`,
    Object.assign({}, ...listed.map(({ values }) => values)),
  )
}

export const isEmpty = async (db: Queries, { name }: CopiedTable) =>
  !(await isAnyRow(db, `select 1 as one from ${name} limit 1`))

const SLICE = 1_000
const LANE = 2 ** 48

/** Adds up a hash of each row, so that the order in which an engine sorts text does not matter. */
export async function sumTable(db: Reads, table: CopiedTable): Promise<TableSum> {
  let rows = 0
  let [low, high] = [0, 0]
  for (let after: Value[] = []; ; ) {
    const slice = await readSlice(db, table, after, SLICE)
    for (const row of slice) {
      const digest = hash('sha256', JSON.stringify(row), 'buffer')
      low = (low + digest.readUIntBE(0, 6)) % LANE
      high = (high + digest.readUIntBE(6, 6)) % LANE
    }
    rows += slice.length
    const last = slice.at(-1)
    if (last === undefined || slice.length < SLICE) break
    after = keyOf(table, last)
  }
  return { rows, checksum: [high, low].map((lane) => lane.toString(16).padStart(12, '0')).join('') }
}

// The progress of a copy, kept in the target store: recorded in the commit of the rows themselves,
// so that an interrupted copy continues where it stopped. While the record exists, no server starts
// on that store.

export interface CopyProgress {
  source: string
  /** By the table's name: the key of the last row that was copied, and how many there are. */
  tables: Readonly<Record<string, { after: Value[]; rows: number }>>
}

/** Undefined when no copy is in progress. */
export async function findProgress(db: Queries): Promise<CopyProgress | undefined> {
  const mark = await firstValue<string>(db, 'select checksum from migrations where name = :name', {
    name: UNFINISHED_COPY,
  })
  if (mark === undefined) return undefined
  const rows = await db.read<{ tableName: string; after: string; copied: number }>(
    'select table_name as "tableName", after_key as after, copied from store_copy',
  )
  const tables = rows.map(({ tableName, after, copied }) => [
    tableName,
    { after: JSON.parse(after), rows: copied },
  ])
  return { source: mark, tables: Object.fromEntries(tables) }
}

export async function beginCopy(db: Database, source: string, now: number): Promise<void> {
  await db.alone(async (tx, script) => {
    await script(
      'create table store_copy (table_name text not null primary key, after_key text not null, copied bigint not null)',
    )
    await insertRow(tx, 'migrations', { name: UNFINISHED_COPY, appliedAt: now, checksum: source })
  })
}

export const noteProgress = (tx: Queries, table: string, after: readonly Value[], rows: number) =>
  putRow(tx, 'store_copy', { tableName: table }, { afterKey: JSON.stringify(after), copied: rows })

export async function endCopy(db: Database): Promise<void> {
  await db.alone(async (tx, script) => {
    await script('drop table store_copy')
    await deleteRows(tx, 'migrations', { name: UNFINISHED_COPY })
  })
}
