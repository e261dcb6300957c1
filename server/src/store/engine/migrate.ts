// Brings a database to the shape this code expects: forward only, each file once, never on a database that is newer, and never past a
// migration whose text is no longer the one that was applied.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Database, Queries } from './database.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

export interface Migration {
  name: string
  sql: string
}

interface AppliedRow {
  name: string
  /** Null for a migration that was applied before checksums were kept. */
  checksum: string | null
}

/** A deployment mistake, not a bug: shown to the person who starts the service, without a stack trace. */
export class DatabaseIsNewer extends Error {
  override name = 'DatabaseIsNewer'
}

/** A command of a newer version beside an older server: to migrate now would change the tables under it. */
export class DatabaseIsOlder extends Error {
  override name = 'DatabaseIsOlder'
}

/** The database and the files disagree about what a migration did, so nothing that builds on it can be trusted. */
export class MigrationChanged extends Error {
  override name = 'MigrationChanged'
}

export function migrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file) => ({ name: file.slice(0, -4), sql: readFileSync(new URL(file, FOLDER), 'utf8') }))
}

/** Returns the names of the migrations it applied. Two processes that start together take turns. */
export async function migrate(db: Database, now: number, known: Migration[] = migrations()): Promise<string[]> {
  return db.alone(async (tx, script) => {
    const applied = await readApplied(tx, script)
    refuseNewer([...applied.keys()], known)
    for (const migration of known.filter(({ name }) => applied.has(name))) {
      await checkUnchanged(tx, migration, applied.get(migration.name))
    }
    const missing = known.filter(({ name }) => !applied.has(name))
    for (const migration of missing) {
      const { name, sql } = migration
      await script(sql)
      const values = [name, now, checksumOf(migration)]
      await tx.change('insert into migrations (name, applied_at, checksum) values ($1, $2, $3)', values)
    }
    return missing.map(({ name }) => name)
  })
}

/** For commands: an empty database is made ready, one that is in use is left as it is. */
export async function migrateIfEmpty(db: Database, now: number, known: Migration[] = migrations()): Promise<void> {
  const applied = await namesApplied(db)
  if (applied.length === 0) {
    await migrate(db, now, known)
    return
  }
  refuseNewer(applied, known)
  const missing = known.filter(({ name }) => !applied.includes(name)).map(({ name }) => name)
  if (missing.length === 0) return
  throw new DatabaseIsOlder(
    `This database is of an older Karba (it lacks ${missing.join(', ')}). Start the server, or run \`karba migrate\` once no older server is running.`,
  )
}

/** None when the database is empty: then the table is not there. An outage is met again by whoever goes on. */
async function namesApplied(db: Database): Promise<string[]> {
  const rows = await db.rows<{ name: string }>('select name from migrations order by name').catch(() => [])
  return rows.map(({ name }) => name)
}

function refuseNewer(applied: readonly string[], known: readonly Migration[]): void {
  const unknown = applied.filter((name) => !known.some((migration) => migration.name === name))
  if (unknown.length === 0) return
  throw new DatabaseIsNewer(
    `This database was used by a newer Karba (it has ${unknown.join(', ')}). Start that version or a later one.`,
  )
}

/** The checksum of each migration that was applied, by name. */
async function readApplied(
  tx: Queries,
  script: (sql: string) => Promise<void>,
): Promise<Map<string, AppliedRow['checksum']>> {
  await script(
    'create table if not exists migrations (name text not null primary key, applied_at bigint not null, checksum text)',
  )
  // `*`, because a table made before checksums were kept lacks the column, and the two engines have no common catalogue of columns.
  const rows = await tx.rows<AppliedRow>('select * from migrations order by name')
  const [first] = rows
  if (first !== undefined && !('checksum' in first)) await script('alter table migrations add column checksum text')
  return new Map(rows.map(({ name, checksum }) => [name, checksum ?? null]))
}

async function checkUnchanged(tx: Queries, migration: Migration, applied: string | null | undefined): Promise<void> {
  const { name } = migration
  const checksum = checksumOf(migration)
  if (typeof applied !== 'string') {
    await tx.change('update migrations set checksum = $1 where name = $2', [checksum, name])
  } else if (applied !== checksum) {
    throw new MigrationChanged(
      `The migration ${name} was changed after this database had applied it: restore ${name}.sql in server/migrations ` +
        'as it was, and put the change in a new file.',
    )
  }
}

/** Line endings are normalised: a Git checkout may change them, and they mean nothing in SQL. */
function checksumOf({ sql }: Migration): string {
  return hash('sha256', sql.replaceAll('\r\n', '\n'), 'hex')
}
