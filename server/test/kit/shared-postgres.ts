// The PostgreSQL that all test files of a run share, each with databases of its own. It is started when a test first asks for it: most
// files never do, and it takes seconds. The process of the run starts it, because that outlives every file; files ask it over HTTP.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { migrate } from '../../src/store/engine/migrate.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { createDatabase, makePostgres, type PostgresServer } from './postgres.ts'

/** Where to ask, for the processes of the test files. */
const ASK_AT = 'TEST_POSTGRES_AT'
const PATIENCE_MS = 150_000

/** The database with every migration and nothing else. A service gets a copy of it: 33 ms of CPU instead of 175. */
const MIGRATED = 'migrated'

export interface PostgresOnDemand {
  stop(): Promise<void>
}

/** In the process of the run. */
export async function openPostgresOnDemand(): Promise<PostgresOnDemand> {
  let started: Promise<PostgresServer> | undefined
  const door = createServer(async (_request, answer) => {
    started ??= startPrepared()
    try {
      answer.end((await started).url)
    } catch (error) {
      answer.writeHead(500).end((error as Error).message)
    }
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  door.unref()
  process.env[ASK_AT] = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  return {
    stop: async () => {
      door.close()
      await (await started?.catch(() => undefined))?.stop()
    },
  }
}

async function startPrepared(): Promise<PostgresServer> {
  const server = await makePostgres()
  // Every test makes databases that live for seconds, and autovacuum would look at each of hundreds once a minute.
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query('alter system set autovacuum = off')
  await client.query('select pg_reload_conf()')
  await client.end()
  const url = await server.createDatabase(MIGRATED)
  const db = openPostgres({
    url,
    poolSize: 1,
    watch: { committed: () => {} },
    now: () => Date.now(),
    pause: async () => {},
  })
  await migrate(db, Date.now())
  await db.close()
  return server
}

let address: Promise<string> | undefined

/** In the process of a test file: the address of the server. */
export function sharedPostgres(): Promise<string> {
  address ??= ask()
  return address
}

/** A fresh database of the test file's own, empty or migrated; its address. */
export async function freshDatabase({ isMigrated }: { isMigrated: boolean }): Promise<string> {
  const name = `t${randomBytes(6).toString('hex')}`
  return createDatabase(await sharedPostgres(), name, isMigrated ? MIGRATED : undefined)
}

async function ask(): Promise<string> {
  const askAt = process.env[ASK_AT]
  if (askAt === undefined) throw new Error('no PostgreSQL: run tests with --test-global-setup, as `npm test` does')
  const answer = await fetch(askAt, { signal: AbortSignal.timeout(PATIENCE_MS) })
  const said = await answer.text()
  if (!answer.ok) throw new Error(said)
  return said
}
