// Starts one PostgreSQL for the whole test run (node --test --test-global-setup). Test files make databases of their own.
import { makePostgres, type PostgresServer } from './postgres.ts'

let postgres: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  postgres = await makePostgres()
  process.env.TEST_POSTGRES_URL = postgres.url
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
}
