// The two stores that every store-dependent test runs on: each call gives a fresh, empty one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig } from '../../src/config.ts'
import { freshDatabase } from './shared-postgres.ts'

export interface StorePlace {
  /** The environment variables that lead a Karba process there. */
  env: Record<string, string>
  config: Config
  remove(): Promise<void>
}

export interface StoreKind {
  name: 'SQLite' | 'PostgreSQL'
  makePlace(settings?: Record<string, string>, wishes?: PlaceWishes): Promise<StorePlace>
}

interface PlaceWishes {
  /** The tables may be there already, for a service that would make them first of all. */
  isMigrated?: boolean
}

export const SQLITE: StoreKind = { name: 'SQLite', makePlace: async (settings = {}) => place({ ...settings }) }

export const POSTGRES: StoreKind = {
  name: 'PostgreSQL',
  makePlace: async (settings = {}, { isMigrated = false } = {}) =>
    place({ DATABASE_URL: await freshDatabase({ isMigrated }), ...settings }),
}

export const STORES: readonly StoreKind[] = [SQLITE, POSTGRES]

function place(settings: Record<string, string>): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
  // The simulated network takes so long to decide that a payment is pending for as long as a test looks at it.
  const quiet = { PORT: '0', KARBA_LOG_LEVEL: 'silent', KARBA_SANDBOX_DELAY_MS: '600000' }
  const env = { ...quiet, KARBA_DATA_DIR: folder, ...settings }
  return { env, config: readConfig(env), remove: async () => rmSync(folder, { recursive: true, force: true }) }
}
