// Damage that the engines find: SQLite reads its file, PostgreSQL reports invalid indexes and wrong
// checksums.
import { type Queries, StoreDamaged } from './database.ts'

/** SQLite's own limit for what its check finds. */
const MOST = 100

export function sqliteFaults(db: Queries): Promise<string[]> {
  return damagesOf(async () => {
    // As functions, not as pragmas: pragmas would run on the writer, and block the writes of a
    // running server.
    const damaged = await db.read<Fault>(
      'select integrity_check as fault from pragma_integrity_check',
    )
    if (damaged.some(isFault)) return damaged.map(inOneLine)
    const dangling = await db.read<{ child: string; parent: string }>(
      `select "table" as child, parent from pragma_foreign_key_check limit ${MOST}`,
    )
    return dangling.map(
      ({ child, parent }) => `a row of ${child} names a row of ${parent} that is not there`,
    )
  })
}

/**
 * Whether SQLite could have written every page; comparing indexes with tables takes more than twice
 * as long.
 */
export function sqliteDamages(db: Queries): Promise<string[]> {
  return damagesOf(async () =>
    (await db.read<Fault>('select quick_check as fault from pragma_quick_check limit 1'))
      .filter(isFault)
      .map(inOneLine),
  )
}

type Fault = { fault: string }

const isFault = ({ fault }: Fault): boolean => fault !== 'ok'
const inOneLine = ({ fault }: Fault): string => fault.replaceAll('\n', ', ')

async function damagesOf(check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error
    return [(error.cause as Error).message]
  }
}

export async function postgresFaults(db: Queries): Promise<string[]> {
  const distrusted = await db.read<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and not i.indisvalid order by 1`,
  )
  const checksums = await db.read<{ failures: number }>(
    `select checksum_failures as failures from pg_stat_database
      where datname = current_database() and checksum_failures > 0`,
  )
  return [
    ...distrusted.map(({ name }) => `the index ${name} is not valid`),
    ...checksums.map(({ failures }) => `${failures} pages had a wrong checksum`),
  ]
}
