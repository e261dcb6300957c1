// What the engines themselves find damaged: SQLite reads its whole file, PostgreSQL knows which indexes it does not trust and where a page's
// checksum was wrong.
import type { Queries } from './database.ts'

/** SQLite's own limit for what its check finds. */
const MOST = 100
/** Its codes for a file that is damaged, or is none of its own. */
const SQLITE_DAMAGED = [11, 26]

export async function sqliteFaults(db: Queries): Promise<string[]> {
  try {
    // As functions, not as pragmas: those would go to the writer, and keep the server beside us from writing.
    const damaged = await db.rows<{ fault: string }>('select integrity_check as fault from pragma_integrity_check')
    if (damaged.some(({ fault }) => fault !== 'ok')) return damaged.map(({ fault }) => fault.replaceAll('\n', ', '))
    const dangling = await db.rows<{ child: string; parent: string }>(
      `select "table" as child, parent from pragma_foreign_key_check limit ${MOST}`,
    )
    return dangling.map(({ child, parent }) => `a row of ${child} names a row of ${parent} that is not there`)
  } catch (error) {
    if (!SQLITE_DAMAGED.includes((error as { errcode?: number }).errcode ?? 0)) throw error
    return [(error as Error).message]
  }
}

export async function postgresFaults(db: Queries): Promise<string[]> {
  const distrusted = await db.rows<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     join pg_namespace n on n.oid = c.relnamespace where n.nspname = current_schema() and not i.indisvalid order by 1`,
  )
  const checksums = await db.rows<{ failures: number }>(
    'select checksum_failures as failures from pg_stat_database where datname = current_database() and checksum_failures > 0',
  )
  return [
    ...distrusted.map(({ name }) => `the index ${name} is not valid`),
    ...checksums.map(({ failures }) => `${failures} pages had a wrong checksum`),
  ]
}
