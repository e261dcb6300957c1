// npm run cluster: three PostgreSQL nodes under Patroni with etcd on this machine, from Debian's
// packages (patroni, etcd-server, postgresql) with the settings of deploy/cluster/patroni.yml.
// Prints DATABASE_URL, and takes commands on standard input, each answered by one line. The end of
// the input, Ctrl-C or SIGTERM takes everything down.
//
// As root, the nodes run as `nobody`, each in a network namespace, so that its network can be cut.
// Without the right to make namespaces, all nodes are on 127.0.0.1 with ports of their own.
// KEEP_CLUSTER=1 keeps their files and logs.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { chown, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { canMakeNetworkNamespaces } from '../../scripts/network-namespaces.ts'
import { freePort } from '../../server/test/kit/process.ts'

const SETTINGS = fileURLToPath(new URL('../../deploy/cluster/patroni.yml', import.meta.url))
const POSTGRES = '/usr/lib/postgresql'
const UNPRIVILEGED_ID = 65_534
const IS_ROOT = process.getuid?.() === 0
const CAN_CUT = canMakeNetworkNamespaces()
const LONGEST_START_MS = 120_000
const LONGEST_END_MS = 10_000

interface Node {
  name: string
  host: string
  ports: {
    sql: number
    rest: number
    client: number
    peer: number
  }
  folder: string
  /** Its network namespace and the name of its cable to the bridge. */
  space?: { name: string; cable: string }
  etcd?: ChildProcess
  patroni?: ChildProcess
}

const run = promisify(execFile)
const ip = (...args: string[]) => run('ip', args)
const secret = (): string => randomBytes(12).toString('hex')
const passwords = {
  karba: secret(),
  postgres: secret(),
  replicator: secret(),
  rewind: secret(),
  rest: secret(),
}
const id = randomBytes(3).toString('hex')
const bridge = `kb${id}`
const folder = await mkdtemp(join(tmpdir(), 'karba-cluster-'))
const nodes: Node[] = []

async function makeNodes(): Promise<void> {
  // Others may not be allowed to read the checkout.
  await copyFile(SETTINGS, join(folder, 'patroni.yml'))
  if (IS_ROOT) await chown(folder, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  const network = `10.213.${randomInt(1, 255)}`
  if (CAN_CUT) {
    await ip('link', 'add', bridge, 'type', 'bridge')
    await ip('addr', 'add', `${network}.254/24`, 'dev', bridge)
    await ip('link', 'set', bridge, 'up')
  }
  for (let at = 1; at <= 3; at++) {
    const name = `node${at}`
    const own = join(folder, name)
    await mkdir(own, { mode: 0o700 })
    if (IS_ROOT) await chown(own, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
    nodes.push(
      CAN_CUT ? await makeSpace(name, own, `${network}.${at}`) : await onLoopback(name, own),
    )
  }
}

async function makeSpace(name: string, own: string, host: string): Promise<Node> {
  const space = { name: `karba-${id}-${name}`, cable: `kb${id}${name.at(-1)}` }
  const inside = (...args: string[]) => ip('-n', space.name, ...args)
  await ip('netns', 'add', space.name)
  await ip('link', 'add', space.cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space.name)
  await ip('link', 'set', space.cable, 'master', bridge, 'up')
  await inside('addr', 'add', `${host}/24`, 'dev', 'eth0')
  await inside('link', 'set', 'eth0', 'up')
  await inside('link', 'set', 'lo', 'up')
  return {
    name,
    host,
    folder: own,
    space,
    ports: { sql: 5432, rest: 8008, client: 2379, peer: 2380 },
  }
}

async function onLoopback(name: string, own: string): Promise<Node> {
  const [sql, rest, client, peer] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  return { name, host: '127.0.0.1', folder: own, ports: { sql, rest, client, peer } }
}

/** In the node's namespace, as `nobody`, with its output in a file of the node's folder. */
function launch(
  { space, folder: cwd }: Node,
  command: string[],
  env: Record<string, string>,
): ChildProcess {
  const user = [`--reuid=${UNPRIVILEGED_ID}`, `--regid=${UNPRIVILEGED_ID}`, '--clear-groups', '--']
  const inside = space === undefined ? [] : ['ip', 'netns', 'exec', space.name]
  const before = [...inside, ...(IS_ROOT ? ['setpriv', ...user] : [])]
  const [program, ...args] = [...before, ...command] as [string, ...string[]]
  const log = openSync(join(cwd, `${command[0]}.log`), 'a')
  const child = spawn(program, args, {
    cwd,
    env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
    stdio: ['ignore', log, log],
    // Ctrl-C in a terminal must not reach it.
    detached: true,
  })
  closeSync(log)
  return child
}

const isRunning = (child: ChildProcess | undefined): boolean =>
  child !== undefined && child.exitCode === null && child.signalCode === null

function startEtcd(node: Node): void {
  if (isRunning(node.etcd)) return
  const { name, host, ports } = node
  const [client, peer] = [`http://${host}:${ports.client}`, `http://${host}:${ports.peer}`]
  node.etcd = launch(node, ['etcd'], {
    ETCD_NAME: name,
    ETCD_DATA_DIR: join(node.folder, 'etcd'),
    ETCD_LISTEN_CLIENT_URLS: client,
    ETCD_ADVERTISE_CLIENT_URLS: client,
    ETCD_LISTEN_PEER_URLS: peer,
    ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
    ETCD_INITIAL_CLUSTER: nodes
      .map((each) => `${each.name}=http://${each.host}:${each.ports.peer}`)
      .join(),
    ETCD_INITIAL_CLUSTER_TOKEN: 'karba',
    ETCD_ENABLE_V2: 'true',
    ETCD_HEARTBEAT_INTERVAL: '250',
    ETCD_ELECTION_TIMEOUT: '2500',
    ETCD_LOG_LEVEL: 'warn',
    ETCD_LOGGER: 'zap',
  })
}

function startPatroni(node: Node): void {
  if (isRunning(node.patroni)) return
  const { name, host, ports } = node
  const version = readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a))[0]
  node.patroni = launch(node, ['patroni', join(folder, 'patroni.yml')], {
    PATRONI_NAME: name,
    // With etcd's API 2 Patroni 3.0.2 compares before it overwrites the leader's lock; with API 3
    // it does not.
    PATRONI_ETCD_HOSTS: nodes.map((each) => `'${each.host}:${each.ports.client}'`).join(),
    PATRONI_RESTAPI_LISTEN: `${host}:${ports.rest}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${host}:${ports.rest}`,
    PATRONI_RESTAPI_USERNAME: 'patroni',
    PATRONI_RESTAPI_PASSWORD: passwords.rest,
    PATRONI_POSTGRESQL_LISTEN: `${host}:${ports.sql}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host}:${ports.sql}`,
    PATRONI_POSTGRESQL_DATA_DIR: join(node.folder, 'data'),
    PATRONI_POSTGRESQL_BIN_DIR: join(POSTGRES, version as string, 'bin'),
    PATRONI_POSTGRESQL_PGPASS: join(node.folder, 'pgpass'),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_SUPERUSER_PASSWORD: passwords.postgres,
    PATRONI_REPLICATION_USERNAME: 'replicator',
    PATRONI_REPLICATION_PASSWORD: passwords.replicator,
    PATRONI_REWIND_USERNAME: 'rewind',
    PATRONI_REWIND_PASSWORD: passwords.rewind,
    DATABASE_PASSWORD: passwords.karba,
  })
}

/** Every process with its parent. */
function processes(): { pid: number; parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parent] =
          readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
        return [{ pid: Number(name), parent: Number(parent) }]
      } catch {
        return []
      }
    })
}

/** PostgreSQL's first process: its parent need not be Patroni. */
function postmasterOf({ folder: own }: Node): number | undefined {
  try {
    const data = join(own, 'data')
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined
  } catch {
    return undefined
  }
}

/** These processes and their descendants, parents first. */
function treesOf(roots: readonly (number | undefined)[]): number[] {
  const all = processes()
  const found = roots.filter(
    (pid): pid is number => pid !== undefined && all.some((each) => each.pid === pid),
  )
  for (const pid of found)
    found.push(...all.filter((each) => each.parent === pid).map((each) => each.pid))
  return found.filter((pid, at) => found.indexOf(pid) === at)
}

const pidOf = (child: ChildProcess | undefined): number | undefined =>
  isRunning(child) ? child?.pid : undefined

const everythingOf = (node: Node): number[] =>
  treesOf([pidOf(node.patroni), postmasterOf(node), pidOf(node.etcd)])

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Until none is left: a process may start another while we look. */
async function killAll(pidsNow: () => readonly number[]): Promise<void> {
  const deadline = performance.now() + LONGEST_END_MS
  for (let pids = pidsNow(); pids.length > 0; pids = pidsNow()) {
    signal(pids, 'SIGKILL')
    if (performance.now() > deadline) throw new Error(`processes ${pids.join()} do not end`)
    await pause(50)
  }
}

/** What Patroni reports about its node; PostgreSQL's standbys only as the leader sees them. */
interface Report {
  name: string
  isLeader: boolean
  state: string
  role: string
  timeline?: number
  replication?: { application_name: string; state: string; sync_state: string }[]
}

async function ask(
  node: Node,
  path: string,
  body?: object,
): Promise<{ status: number; text: string }> {
  const authorization = `Basic ${Buffer.from(`patroni:${passwords.rest}`).toString('base64')}`
  const answer = await fetch(`http://${node.host}:${node.ports.rest}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(body === undefined ? 2_000 : 60_000),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Of the nodes that answer: each knows only itself for sure, the cluster's view may be old. */
async function reports(): Promise<Report[]> {
  const all = nodes.map(async (node): Promise<Report> => {
    const { status, text } = await ask(node, '/primary')
    const { role, state, timeline, replication } = JSON.parse(text)
    return { name: node.name, isLeader: status === 200, role, state, timeline, replication }
  })
  return (await Promise.allSettled(all)).flatMap((each) =>
    each.status === 'fulfilled' ? [each.value] : [],
  )
}

async function leader(): Promise<Report> {
  const [first, ...more] = (await reports()).filter(({ isLeader }) => isLeader)
  if (first === undefined || more.length > 0)
    throw new Error(first === undefined ? 'no leader' : 'two leaders')
  return first
}

/** One leader that holds the lock in etcd, and that two nodes follow as synchronous standbys. */
async function isWhole(): Promise<boolean> {
  const { name, replication = [] } = await leader().catch((): Partial<Report> => ({}))
  const follow = replication.filter(
    ({ state, sync_state }) => state === 'streaming' && sync_state === 'sync',
  )
  return follow.length === 2 && (await lockOwner(name as string)) === name
}

/** As the node's own etcd knows it; undefined while it does not answer, or none has the lock. */
async function lockOwner(name: string): Promise<string | undefined> {
  const { host, ports } = nodeOf(name)
  const key = `http://${host}:${ports.client}/v2/keys/service/karba/leader?quorum=true`
  const answer = await fetch(key, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  return answer?.ok === true
    ? ((await answer.json()) as { node: { value: string } }).node.value
    : undefined
}

function nodeOf(name: string): Node {
  const node = nodes.find((each) => each.name === name)
  if (node === undefined) throw new Error(`no node ${name}`)
  return node
}

const spaceOf = ({ space }: Node): { name: string; cable: string } => {
  if (space === undefined)
    throw new Error('this user may not make network namespaces, so no network can be cut')
  return space
}

const COMMANDS: Readonly<Record<string, (node: Node) => Promise<unknown>>> = {
  status: async () => JSON.stringify(await reports()),
  leader: async () => (await leader()).name,
  'sync-standby': async () =>
    (await leader()).replication?.find(({ sync_state }) => sync_state === 'sync')
      ?.application_name ?? 'none',
  /** Waits for one leader with the lock that two nodes follow. */
  async whole() {
    const deadline = performance.now() + LONGEST_START_MS
    while (!(await isWhole())) {
      if (performance.now() > deadline)
        throw new Error(`the cluster stays ${JSON.stringify(await reports())}`)
      await pause(250)
    }
  },
  /** Starts the node's processes that do not run. */
  async start(node) {
    startEtcd(node)
    startPatroni(node)
  },
  kill: (node) => killAll(() => everythingOf(node)),
  'kill-postgres': async (node) => signal(treesOf([postmasterOf(node)]), 'SIGKILL'),
  'kill-etcd': (node) => killAll(() => treesOf([pidOf(node.etcd)])),
  freeze: async (node) => signal(everythingOf(node), 'SIGSTOP'),
  wake: async (node) => signal(everythingOf(node), 'SIGCONT'),
  /** From everything; connections stay open and silent. */
  cut: (node) => ip('link', 'set', spaceOf(node).cable, 'down'),
  /** From the other nodes, but not from clients. */
  async 'cut-from-nodes'(node) {
    for (const other of nodes) {
      if (other !== node)
        await ip('-n', spaceOf(node).name, 'route', 'add', 'blackhole', `${other.host}/32`)
    }
  },
  async mend(node) {
    const { name, cable } = spaceOf(node)
    await ip('link', 'set', cable, 'up')
    for (const { host } of nodes)
      await ip('-n', name, 'route', 'del', 'blackhole', `${host}/32`).catch(() => {})
  },
  async switchover() {
    const { name } = await leader()
    return (await ask(nodeOf(name), '/switchover', { leader: name })).text
  },
}

async function answerTo(line: string): Promise<string> {
  const [verb = '', name = 'node1'] = line.trim().split(/\s+/)
  const command = Object.hasOwn(COMMANDS, verb) ? COMMANDS[verb] : undefined
  if (command === undefined) return `failed: the commands are ${Object.keys(COMMANDS).join(', ')}`
  try {
    const said = await command(nodeOf(name))
    return typeof said === 'string' ? `ok ${said}` : 'ok'
  } catch (error) {
    return `failed: ${(error as Error).message.replaceAll('\n', ' ')}`
  }
}

let isEnding = false
async function takeDown(status: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  for (const node of nodes) signal(everythingOf(node), 'SIGKILL')
  for (const node of nodes) {
    await killAll(() => everythingOf(node)).catch((error: Error) =>
      process.stderr.write(`${error.message}\n`),
    )
    if (node.space !== undefined) await ip('netns', 'del', node.space.name).catch(() => {})
  }
  if (CAN_CUT) await ip('link', 'del', bridge).catch(() => {})
  if (process.env.KEEP_CLUSTER === undefined) await rm(folder, { recursive: true, force: true })
  process.exit(status)
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => void takeDown(0))

try {
  const missing = ['/usr/bin/patroni', '/usr/bin/etcd', POSTGRES].filter(
    (path) => !existsSync(path),
  )
  if (missing.length > 0)
    throw new Error('run `apt-get install patroni python3-etcd etcd-server postgresql`')
  await makeNodes()
  for (const node of nodes) await COMMANDS.start?.(node)
  await COMMANDS.whole?.(nodes[0] as Node)
} catch (error) {
  process.stderr.write(`The cluster did not start: ${(error as Error).message}\n`)
  await takeDown(1)
}
const hosts = nodes.map(({ host, ports }) => `${host}:${ports.sql}`).join()
process.stdout.write(`DATABASE_URL=postgres://karba:${passwords.karba}@${hosts}/karba\n`)
const lines = createInterface({ input: process.stdin })
for await (const line of lines) process.stdout.write(`${await answerTo(line)}\n`)
await takeDown(0)
