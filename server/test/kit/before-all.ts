// Before the whole test run (node --test --test-global-setup): one PostgreSQL, in which test files make databases of their own, and
// a place where compiled code is kept, since every file is a process that would compile the service again.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePostgres, type PostgresServer } from './postgres.ts'

let postgres: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')
  postgres = await makePostgres()
  process.env.TEST_POSTGRES_URL = postgres.url
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
