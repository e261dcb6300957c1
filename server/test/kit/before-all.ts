// Before the whole test run (node --test --test-global-setup): a PostgreSQL for the first test that
// needs it, a migrated SQLite file to copy, and a cache of compiled code, since every test file is
// a process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresOnDemand } from './postgres.ts'
import { makeMigratedFile } from './stores.ts'

let postgres: Awaited<ReturnType<typeof openPostgresOnDemand>> | undefined
let folder: string | undefined

export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  folder = mkdtempSync(join(tmpdir(), 'karba-migrated-'))
  await makeMigratedFile(join(folder, 'karba.db'))
  postgres = await openPostgresOnDemand()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
