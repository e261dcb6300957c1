// A real PostgreSQL for tests and measurements. It belongs to a process of its own (postgres-keeper.ts), which ends it when the
// process that asked for it ends, in whatever way that happens: no test can leave one behind.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { KeeperAnswer } from './postgres-keeping.ts'
import { within } from './waiting.ts'

const KEEPER = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))

/** Making the files of a new server takes two seconds on a quiet machine. */
const PATIENCE_MS = 120_000

export interface PostgresServer {
  /** A fresh, empty database; its address. */
  createDatabase(name: string): Promise<string>
  /** kill -9, as a fault. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  url: string
}

export async function makePostgres(): Promise<PostgresServer> {
  const keeper = forkKeeper(KEEPER)
  const url = await keeper.command('start')
  return {
    url,
    kill: async () => void (await keeper.command('kill')),
    start: async () => void (await keeper.command('start')),
    createDatabase: (name) => createDatabase(url, name),
    stop: keeper.stop,
  }
}

interface Keeper {
  /** Gives back the address to connect to. */
  command(name: string): Promise<string>
  stop(): Promise<void>
}

export function forkKeeper(file: string): Keeper {
  // Detached: Ctrl-C in a terminal reaches every process of the group, and the keeper has to outlive it for a moment.
  const keeper = fork(file, { execArgv: [], detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(keeper, 'exit')
  // Neither holds up the end of the process that asked.
  keeper.unref()
  keeper.channel?.unref()
  return {
    async command(name) {
      const gone = ended.then((): KeeperAnswer => ({ failed: 'its process ended' }))
      const answer = once(keeper, 'message').then(([message]) => message as KeeperAnswer)
      keeper.channel?.ref()
      keeper.send(name)
      const said = await within(`PostgreSQL after "${name}"`, Promise.race([answer, gone]), PATIENCE_MS).finally(() =>
        keeper.channel?.unref(),
      )
      if ('failed' in said) throw new Error(`PostgreSQL cannot ${name}: ${said.failed}`)
      return said.url
    },
    async stop() {
      keeper.ref()
      keeper.disconnect()
      await within('end of PostgreSQL', ended, PATIENCE_MS)
    },
  }
}

/** In the server at `url`, as a copy of another if one is named; the address of the new one. */
export async function createDatabase(url: string, name: string, copyOf?: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const from = copyOf === undefined ? '' : ` template ${client.escapeIdentifier(copyOf)}`
  await client.query(`create database ${client.escapeIdentifier(name)}${from}`)
  await client.end()
  return url.replace(/postgres$/, name)
}
