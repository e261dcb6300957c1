// A store of an earlier version as a text file: its tables row by row, and the answers that its API
// gave. Written by write-old-stores.ts with that version, and read by upgrade.test.ts with this
// one.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Database, type Queries, textOf, type Value } from '../../src/store/engine/database.ts'
import { type Migration, migrate, migrations } from '../../src/store/engine/migrate.ts'
import { listOf } from '../../src/store/rows.ts'
import type { StoreKind } from '../kit/stores.ts'

export interface OldStore {
  /** When it was written, on the clock of the service. */
  at: number
  /** The commit of that version. */
  commit: string
  /** Its last migration. */
  migration: string
  settings: Record<string, string>
  secretKey: string
  liveSecretKey: string
  /** The Cookie headers of an owner and of a member of the staff. */
  owner: string
  staff: string
  accountId: string
  answers: OldAnswer[]
}

/** An answer of the merchants' API, or with `as` of the dashboard's. */
export interface OldAnswer {
  path: string
  as?: 'owner' | 'staff'
  code: number
  body: unknown
}

interface TableOfStore {
  table: string
  columns: string[]
  rows: Value[][]
}

const fileOf = (store: Pick<StoreKind, 'name'>): URL =>
  new URL(`stores/0002_search.${store.name.toLowerCase()}.jsonl`, import.meta.url)

/** Every row of every table, a line each. */
export async function writeOldStore(
  store: Pick<StoreKind, 'name'>,
  about: OldStore,
  tables: readonly TableOfStore[],
): Promise<void> {
  const lines = tables.flatMap(({ table, columns, rows }) => [{ table, columns }, ...rows])
  const { answers, ...facts } = about
  const all = [facts, { answers: answers.length }, ...answers, ...lines]
  writeFileSync(fileOf(store), `${all.map((line) => JSON.stringify(line)).join('\n')}\n`)
}

export function readOldStore(store: Pick<StoreKind, 'name'>): {
  about: OldStore
  tables: TableOfStore[]
} {
  const lines = readFileSync(fileOf(store), 'utf8').trimEnd().split('\n')
  const [facts, { answers: count }, ...rest] = lines.map((line) => JSON.parse(line))
  const tables: TableOfStore[] = []
  for (const line of rest.slice(count)) {
    if (Array.isArray(line)) tables.at(-1)?.rows.push(line)
    else tables.push({ ...line, rows: [] })
  }
  return { about: { ...facts, answers: rest.slice(0, count) }, tables }
}

type Version = Pick<OldStore, 'migration'>

/** The migrations of the version that wrote the store. */
export function oldMigrations({ migration }: Version): Migration[] {
  const all = migrations()
  return all.slice(0, all.findIndex(({ name }) => name === migration) + 1)
}

/** Those that this version adds. */
export const newMigrations = (old: Version): Migration[] =>
  migrations().slice(oldMigrations(old).length)

/** Whether servers of that version may go on while this one runs. */
export function worksWithOldServers(old: Version): boolean {
  const known = oldMigrations(old).map(({ name }) => `-- Works with servers that know ${name}.`)
  return newMigrations(old).every(({ sql }) =>
    known.some((line) => textOf(sql, 'sqlite').startsWith(line)),
  )
}

/** Makes the tables of that version in an empty database, and fills them. */
export async function fillOldStore(
  db: Database,
  store: Pick<StoreKind, 'name'>,
): Promise<OldStore> {
  const { about, tables } = readOldStore(store)
  await migrate(db, about.at, oldMigrations(about))
  await db.transaction(async (tx) => {
    for (const each of tables) await fill(tx, each)
  })
  return about
}

const ROWS_AT_ONCE = 100

async function fill(tx: Queries, { table, columns, rows }: TableOfStore): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const some = rows.slice(from, from + ROWS_AT_ONCE)
    const listed = some.map((row, at) => listOf(`row${at}_`, row))
    const places = listed.map((row) => `(${row.places})`)
    await tx.change(
      `insert into ${table} (${columns.join(', ')}) values ${places.join(', ')}`,
      Object.assign({}, ...listed.map(({ values }) => values)),
    )
  }
}
