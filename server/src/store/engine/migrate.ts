// Brings a database to the shape this code expects: forward only, each file once, never past a
// migration whose text is no longer the one that was applied, and on a newer database only when its
// migrations allow this code.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type Database, type Queries, type SqlTexts, StoreUnavailable, textOf } from './database.ts'
import { WRITE_STATISTICS } from './sqlite-statistics.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

/**
 * One text for both engines, or one for each where they really differ (CONTRIBUTING.md,
 * Migrations).
 */
export type Migration = { name: string; sql: string | SqlTexts }

interface Applied {
  name: string
  checksum: string
  /**
   * What a server must know to run on a database with this one; null when it must know this one
   * itself.
   */
  needs: string | null
}

/**
 * Among the migrations while a store is being copied: no server or command of any version opens it.
 */
export const UNFINISHED_COPY = 'unfinished_copy'

/**
 * A deployment mistake, not a bug: shown to the person who starts the service, without a stack
 * trace.
 */
export class DatabaseIsNewer extends Error {
  override name = 'DatabaseIsNewer'
}

/**
 * Of a build that this version does not continue: neither an older nor a newer version of this one.
 */
export class DatabaseOfOtherBuild extends Error {
  override name = 'DatabaseOfOtherBuild'
}

/**
 * A command of a newer version while an older server runs: migrating now would change the tables
 * under that server.
 */
export class DatabaseIsOlder extends Error {
  override name = 'DatabaseIsOlder'
}

/**
 * The database and the files disagree about what a migration did, so nothing that builds on it can
 * be trusted.
 */
export class MigrationChanged extends Error {
  override name = 'MigrationChanged'
}

const TWO_TEXTS = { sqlite: '.sqlite.sql', postgres: '.postgres.sql' }

/** `0001_initial.sql`, or `0001_initial.sqlite.sql` and `0001_initial.postgres.sql`. */
export function migrations(): Migration[] {
  const textOfFile = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8')
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql') && !file.endsWith(TWO_TEXTS.postgres))
    .sort()
    .map((file) => {
      if (!file.endsWith(TWO_TEXTS.sqlite))
        return { name: file.slice(0, -4), sql: textOfFile(file) }
      const name = file.slice(0, -TWO_TEXTS.sqlite.length)
      return {
        name,
        sql: { sqlite: textOfFile(file), postgres: textOfFile(name + TWO_TEXTS.postgres) },
      }
    })
}

/**
 * The first line of one that older servers may run with: `-- Works with servers that know
 * 0001_initial.`
 */
const needsOf = ({ sql }: Migration): string | null =>
  /^-- Works with servers that know (\w+)\./.exec(textOf(sql, 'sqlite'))?.[1] ?? null

/** Returns the names of the migrations it applied. Two processes that start together take turns. */
export async function migrate(
  db: Database,
  now: number,
  known: readonly Migration[] = migrations(),
): Promise<string[]> {
  return db.alone(async (tx, script) => {
    await script(
      'create table if not exists migrations (name text not null primary key, applied_at bigint not null, checksum text not null, needs text)',
    )
    const applied = await listApplied(tx)
    refuseNewer(applied, known)
    for (const migration of known) checkUnchanged(migration, applied)
    const missing = missingFrom(applied, known)
    for (const migration of missing) {
      const { name, sql } = migration
      await script(sql)
      await tx.change(
        `insert into migrations (name, applied_at, checksum, needs)
         values (:name, :now, :checksum, :needs)`,
        { name, now, checksum: checksumOf(migration), needs: needsOf(migration) },
      )
    }
    // PostgreSQL keeps its own.
    if (missing.length > 0) await script({ sqlite: WRITE_STATISTICS, postgres: '' })
    return missing.map(({ name }) => name)
  })
}

const missingFrom = (applied: readonly Applied[], known: readonly Migration[]): Migration[] =>
  known.filter(({ name }) => !applied.some((each) => each.name === name))

/**
 * Whether every migration that this process knows is applied, and it may run with those that it
 * does not know.
 */
export async function schemaFits(
  db: Database,
  known: readonly Migration[] = migrations(),
): Promise<boolean> {
  const names = known.map(({ name }) => name)
  const own = names.map((_, at) => `:name${at}`).join(', ')
  const [found] = await db.read<{ own: number; unfit: number }>(
    `select count(*) as own, (select count(*) from migrations
       where name not in (${own}) and coalesce(needs, '') not in (${own})) as unfit
     from migrations where name in (${own})`,
    Object.fromEntries(names.map((name, at) => [`name${at}`, name])),
  )
  return found?.own === names.length && found.unfit === 0
}

/**
 * For commands: an empty database is migrated, one in use is left unchanged. Returns whether it was
 * empty.
 */
export async function migrateIfEmpty(
  db: Database,
  now: number,
  known: readonly Migration[] = migrations(),
): Promise<boolean> {
  // Without the table the database is empty. An outage fails again below.
  const applied = await listApplied(db).catch(() => [])
  if (applied.length === 0) {
    await migrate(db, now, known)
    return true
  }
  refuseNewer(applied, known)
  const missing = missingFrom(applied, known)
  if (missing.length > 0) throw new DatabaseIsOlder(olderSentence(missing))
  return false
}

/** Whether any migration was ever applied. An outage is thrown. */
export async function hasTables(db: Queries): Promise<boolean> {
  const applied = await listApplied(db).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) throw error
    return []
  })
  return applied.length > 0
}

function olderSentence(missing: readonly Migration[]): string {
  const needed = missing.map(needsOf)
  const when = needed.includes(null)
    ? 'once no older server is running'
    : `while servers that know ${needed.toSorted().at(-1)} go on`
  return `This database is of an older Karba (it lacks ${missing.map(({ name }) => name).join(', ')}). Start the server or run \`karba migrate\`, ${when}.`
}

export const listApplied = (db: Queries): Promise<Applied[]> =>
  db.read<Applied>('select name, checksum, needs from migrations order by name')

export function refuseNewer(
  applied: readonly Applied[],
  known: readonly Migration[] = migrations(),
): void {
  const isKnown = (wanted: string | null): boolean => known.some(({ name }) => name === wanted)
  const unfit = applied
    .filter(({ name, needs }) => !isKnown(name) && !isKnown(needs))
    .map(({ name }) => name)
  if (unfit.length === 0) return
  if (unfit.includes(UNFINISHED_COPY)) {
    throw new DatabaseIsNewer(
      'This database is an unfinished copy of a store: run `karba store copy` again to finish it.',
    )
  }
  // A newer version has every migration of this one, unchanged.
  const lacks = missingFrom(applied, known).map(({ name }) => name)
  const differs = known
    .filter((migration) => isChanged(migration, applied))
    .map(({ name }) => `another ${name}`)
  if (lacks.length + differs.length > 0)
    throw new DatabaseOfOtherBuild(otherBuildSentence(unfit, [...lacks, ...differs]))
  throw new DatabaseIsNewer(
    `This database was used by a newer Karba (it has ${unfit.join(', ')}). Start that version or a later one.`,
  )
}

const otherBuildSentence = (unknown: readonly string[], other: readonly string[]): string =>
  `This database is of another build of Karba, from before the first release or from another branch (it has ${unknown.join(', ')}, which this version does not know, and not its ${other.join(', ')}). ` +
  'Nothing in it was changed. No version upgrades it: go on with the build that made it, or set DATABASE_URL to an empty database.'

const isChanged = (migration: Migration, applied: readonly Applied[]): boolean => {
  const before = applied.find(({ name }) => name === migration.name)
  return before !== undefined && before.checksum !== checksumOf(migration)
}

function checkUnchanged(migration: Migration, applied: readonly Applied[]): void {
  const { name, sql } = migration
  if (!isChanged(migration, applied)) return
  const endings = typeof sql === 'string' ? ['.sql'] : Object.values(TWO_TEXTS)
  const files = endings.map((ending) => name + ending).join(' and ')
  throw new MigrationChanged(
    `The migration ${name} was changed after this database had applied it: restore ${files} in server/migrations ` +
      'as it was, and put the change in a new file.',
  )
}

/**
 * The migrations of this version whose text differs from the applied one, and those that are not
 * applied.
 */
export async function findMigrationFaults(
  db: Queries,
  known: readonly Migration[] = migrations(),
): Promise<{ changed: string[]; missing: string[] }> {
  const applied = await listApplied(db)
  const changed = known.filter((migration) => isChanged(migration, applied))
  return {
    changed: changed.map(({ name }) => name),
    missing: missingFrom(applied, known).map(({ name }) => name),
  }
}

/**
 * Of both texts: one checksum on every engine. A Git checkout may change line endings, which mean
 * nothing in SQL.
 */
function checksumOf({ sql }: Migration): string {
  const text = typeof sql === 'string' ? sql : `${sql.sqlite}\0${sql.postgres}`
  return hash('sha256', text.replaceAll('\r\n', '\n'), 'hex')
}
