// Real PostgreSQL for tests and measurements: a server, a pair with a standby, the server that all
// test files of a run share, and a proxy that a test can silence. Each server belongs to its own
// process (postgres-keeper.ts), which stops it when the test process ends for any reason.

import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../../src/store/engine/migrate.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import type { KeeperAnswer } from './postgres-keeper.ts'
import { listenLocally } from './process.ts'
import { within } from './waiting.ts'

const KEEPER = fileURLToPath(new URL('postgres-keeper.ts', import.meta.url))

/** Creating a new server's files takes two seconds on a quiet machine. */
const PATIENCE_MS = 120_000

export type PostgresServer = Awaited<ReturnType<typeof makePostgres>>

/** `bin` has other binaries than those of the npm package, which lacks pg_dump. */
export async function makePostgres(bin?: string) {
  const keeper = forkKeeper('single', bin)
  const url = await keeper.command('start')
  return {
    url,
    /** kill -9, as a fault. */
    kill: async () => void (await keeper.command('kill')),
    start: async () => void (await keeper.command('start')),
    /** A fresh, empty database; its address. */
    createDatabase: (name: string) => createDatabase(url, name),
    stop: keeper.stop,
  }
}

function forkKeeper(servers: 'single' | 'pair', bin?: string) {
  // Detached: Ctrl-C in a terminal reaches every process of the group, and the keeper must outlive
  // it for a moment.
  const keeper = fork(KEEPER, bin === undefined ? [servers] : [servers, bin], {
    execArgv: [],
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(keeper, 'exit')
  // Neither keeps the parent process alive.
  keeper.unref()
  keeper.channel?.unref()
  return {
    /** Returns the address to connect to. */
    async command(name: string): Promise<string> {
      const gone = ended.then((): KeeperAnswer => ({ failed: 'its process ended' }))
      const answer = once(keeper, 'message').then(([message]) => message as KeeperAnswer)
      keeper.channel?.ref()
      keeper.send(name)
      const said = await within(
        `PostgreSQL after "${name}"`,
        Promise.race([answer, gone]),
        PATIENCE_MS,
      ).finally(() => keeper.channel?.unref())
      if ('failed' in said) throw new Error(`PostgreSQL cannot ${name}: ${said.failed}`)
      return said.url
    },
    async stop(): Promise<void> {
      keeper.ref()
      keeper.disconnect()
      await within('end of PostgreSQL', ended, PATIENCE_MS)
    },
  }
}

/** In the server at `url`, as a copy of another if one is named; the address of the new one. */
async function createDatabase(url: string, name: string, copyOf?: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  const from = copyOf === undefined ? '' : ` template ${client.escapeIdentifier(copyOf)}`
  await client.query(`create database ${client.escapeIdentifier(name)}${from}`)
  await client.end()
  return url.replace(/postgres$/, name)
}

export async function makePostgresPair() {
  const keeper = forkKeeper('pair')
  return {
    /** With both hosts. */
    url: await keeper.command('start'),
    killPrimary: () => keeper.command('kill'),
    /** Promotes the standby. */
    promote: () => keeper.command('promote'),
    /** The killed server becomes the synchronous standby of the other. */
    rebuild: () => keeper.command('rebuild'),
    stop: keeper.stop,
  }
}

// The server that all test files of a run share, each with its own databases. The process of the
// run starts it at the first request over HTTP: a start takes seconds, and most files never need
// it.

/** The address of the process of the run. */
const ASK_AT = 'TEST_POSTGRES_AT'
/** More than the start of a server may take. */
const ASKING_MS = 150_000

/**
 * The database with every migration and nothing else. A service gets a copy of it: 33 ms of CPU
 * instead of 175.
 */
const MIGRATED = 'migrated'

/** In the process of the run. */
export async function openPostgresOnDemand(): Promise<{ stop(): Promise<void> }> {
  let started: Promise<PostgresServer> | undefined
  const server = createHttpServer(async (_request, answer) => {
    started ??= startPrepared()
    try {
      answer.end((await started).url)
    } catch (error) {
      answer.writeHead(500).end((error as Error).message)
    }
  })
  process.env[ASK_AT] = `http://127.0.0.1:${await listenLocally(server)}`
  server.unref()
  return {
    stop: async () => {
      server.close()
      await (await started?.catch(() => undefined))?.stop()
    },
  }
}

async function startPrepared(): Promise<PostgresServer> {
  const server = await makePostgres()
  // Every test makes databases that exist for seconds, and autovacuum would visit each of hundreds
  // once a minute.
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

/** In the process of a test file: a fresh database for it alone, empty or migrated; its address. */
export async function freshDatabase({ isMigrated }: { isMigrated: boolean }): Promise<string> {
  address ??= ask()
  const name = `t${randomBytes(6).toString('hex')}`
  return createDatabase(await address, name, isMigrated ? MIGRATED : undefined)
}

async function ask(): Promise<string> {
  const askAt = process.env[ASK_AT]
  if (askAt === undefined)
    throw new Error('no PostgreSQL: run tests with --test-global-setup, as `npm test` does')
  const answer = await fetch(askAt, { signal: AbortSignal.timeout(ASKING_MS) })
  const said = await answer.text()
  if (!answer.ok) throw new Error(said)
  return said
}

export type BreakableWay = Awaited<ReturnType<typeof openBreakableWay>>

/** A proxy to a database that can fail. New connections work. */
export async function openBreakableWay(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const pairs = new Set<[Socket, Socket]>()
  const silent: Socket[] = []
  let cutting: string | undefined
  let cuts = 0
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      for (const socket of pair) socket.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    near.pipe(far)
    // The reply may be split over two chunks.
    let last = Buffer.alloc(0)
    far
      .pipe(
        new Transform({
          transform(bytes: Buffer, _encoding, done) {
            last = Buffer.concat([last.subarray(-10), bytes])
            if (cutting === undefined || !last.includes(cutting)) return done(null, bytes)
            cutting = undefined
            cuts++
            end()
          },
        }),
      )
      .pipe(near)
  })
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String(await listenLocally(server))
  return {
    url: through.href,
    /** Ends the connection when PostgreSQL's reply to the next such statement passes. */
    cutNext: (statement: 'INSERT' | 'COMMIT'): void => {
      cutting = statement
    },
    cuts: () => cuts,
    /**
     * Drops the bytes of the open connections for ever, as a firewall that loses a connection's
     * state does.
     */
    silence(): void {
      // Those of the last time: a server's keep-alive would close them too. Otherwise it would run
      // out of connections after some rounds.
      for (const socket of silent.splice(0)) socket.destroy()
      for (const [near, far] of pairs) {
        near.unpipe()
        far.unpipe()
        for (const socket of [near, far]) {
          socket.removeAllListeners('close').pause()
          silent.push(socket)
        }
      }
      pairs.clear()
    },
    close(): void {
      server.close()
      for (const socket of [...silent, ...[...pairs].flat()]) socket.destroy()
    },
  }
}
