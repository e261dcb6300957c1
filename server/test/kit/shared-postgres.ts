// The PostgreSQL that all test files of a run share, each with databases of its own. It is started when a test first asks for it: most
// files never do, and it takes seconds. The process of the run starts it, because that outlives every file; files ask it over HTTP.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makePostgres, type PostgresServer } from './postgres.ts'

/** Where to ask, for the processes of the test files. */
const ASK_AT = 'TEST_POSTGRES_AT'
const PATIENCE_MS = 150_000

export interface PostgresOnDemand {
  stop(): Promise<void>
}

/** In the process of the run. */
export async function openPostgresOnDemand(): Promise<PostgresOnDemand> {
  let started: Promise<PostgresServer> | undefined
  const door = createServer(async (_request, answer) => {
    started ??= makePostgres()
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

let address: Promise<string> | undefined

/** In the process of a test file: the address of the server. */
export function sharedPostgres(): Promise<string> {
  address ??= ask()
  return address
}

async function ask(): Promise<string> {
  const askAt = process.env[ASK_AT]
  if (askAt === undefined) throw new Error('no PostgreSQL: run tests with --test-global-setup, as `npm test` does')
  const answer = await fetch(askAt, { signal: AbortSignal.timeout(PATIENCE_MS) })
  const said = await answer.text()
  if (!answer.ok) throw new Error(said)
  return said
}
