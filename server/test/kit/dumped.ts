// All that a copy of the database would tell: every row of every table, and on SQLite the files as they are.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestService } from './service.ts'

export async function dumped({ db, config }: Pick<TestService, 'db' | 'config'>): Promise<string> {
  const isSqlite = config.databaseUrl.startsWith('sqlite:')
  const tables = await db.rows<{ name: string }>(
    isSqlite
      ? `select name from sqlite_master where type = 'table'`
      : `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  assert.ok(tables.length > 15)
  const rows = await Promise.all(tables.map(({ name }) => db.rows(`select * from ${name}`)))
  const files = isSqlite ? readdirSync(config.dataDir).filter((name) => name !== 'master.key') : []
  const bytes = files.map((name) => readFileSync(join(config.dataDir, name), 'latin1'))
  return [JSON.stringify(rows), ...bytes].join('\n')
}
