// Brings a database to the shape this code expects: forward only, each file once, never on a database that is newer.
import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from './database.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

export interface Migration {
  name: string
  sql: string
}

/** A mistake of deployment, not of code: shown to whoever starts the service, without a stack. */
export class DatabaseIsNewer extends Error {
  override name = 'DatabaseIsNewer'
}

export function migrations(): Migration[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'))
  return files.sort().map((file) => ({ name: file.slice(0, -4), sql: readFileSync(new URL(file, FOLDER), 'utf8') }))
}

/** Gives back the names of what it applied. Two processes that start together take turns. */
export async function migrate(db: Database, now: number, known: Migration[] = migrations()): Promise<string[]> {
  return db.alone(async (tx, script) => {
    await script('create table if not exists migrations (name text not null primary key, applied_at bigint not null)')
    const rows = await tx.rows<{ name: string }>('select name from migrations order by name')
    const applied = new Set(rows.map((row) => row.name))
    const unknown = [...applied].filter((name) => !known.some((migration) => migration.name === name))
    if (unknown.length > 0) {
      throw new DatabaseIsNewer(
        `This database was used by a newer Karba (it has ${unknown.join(', ')}). Start that version or a later one.`,
      )
    }
    const missing = known.filter((migration) => !applied.has(migration.name))
    for (const { name, sql } of missing) {
      await script(sql)
      await tx.change('insert into migrations (name, applied_at) values ($1, $2)', [name, now])
    }
    return missing.map((migration) => migration.name)
  })
}
