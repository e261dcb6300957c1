// Before the whole test run (node --test --test-global-setup): a PostgreSQL for whichever test asks first, and a place
// where compiled code is kept, since every file is a process that would compile the service again.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresOnDemand, type PostgresOnDemand } from './postgres.ts'

let postgres: PostgresOnDemand | undefined

export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  postgres = await openPostgresOnDemand()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
