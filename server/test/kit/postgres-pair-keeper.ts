// The process that a PostgreSQL and its synchronous standby belong to: what one acknowledges, the other has. `kill` ends the primary with -9,
// `promote` makes the standby the primary, and `rebuild` makes the killed one its synchronous standby, from a copy of the running server.
import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { keep } from './postgres-keeping.ts'
import { asOther, endNode, freePort, initialise, type Node, prepareFolder, startNode } from './postgres-node.ts'
import { until } from './waiting.ts'

interface Member extends Node {
  server?: ChildProcess
}

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'karba-postgres-pair-'))
/** A standby that was copied a moment ago still finds the log of that moment. */
const SETTINGS = { wal_keep_size: '512MB' }
let bin = ''
let primary: Member
let standby: Member

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  async start() {
    bin = await prepareFolder(folder)
    primary = await initialise(bin, folder, 'one')
    standby = { data: join(folder, 'two'), port: await freePort() }
    primary.server = await startNode(bin, folder, primary, SETTINGS)
    await rebuild()
  },
  kill: () => endNode(primary.server, 'SIGKILL'),
  async promote() {
    await ask(standby, 'select pg_promote()')
    ;[primary, standby] = [standby, primary]
  },
  rebuild,
}

keep({
  async carryOut(command) {
    await COMMANDS[command]?.()
    // In the order of their making, whichever is primary now.
    const [one, two] = [primary, standby].map(({ port }) => port).sort((a, b) => a - b)
    return `postgres://karba@127.0.0.1:${one},127.0.0.1:${two}/postgres`
  },
  servers: () => [primary?.server, standby?.server],
  remove: () => rm(folder, { recursive: true, force: true }),
})

async function rebuild(): Promise<void> {
  await copyPrimary()
  const from = `host=127.0.0.1 port=${primary.port} user=karba application_name=standby`
  standby.server = await startNode(bin, folder, standby, { ...SETTINGS, primary_conninfo: from })
  // Only now, and not in the copy: when the standby is promoted it has nobody to wait for.
  await ask(primary, "alter system set synchronous_standby_names = 'standby'")
  await ask(primary, 'select pg_reload_conf()')
  await until('synchronous standby', async () => {
    const [state] = await ask<{ sync: string }>(primary, 'select sync_state as sync from pg_stat_replication')
    return state?.sync === 'sync'
  })
}

/** As pg_basebackup would, which the package does not have. */
async function copyPrimary(): Promise<void> {
  await rm(standby.data, { recursive: true, force: true })
  const session = new pg.Client(addressOf(primary))
  await session.connect()
  await session.query("select pg_backup_start('copy', true)")
  // Files that come and go meanwhile may be missed: the log has what was in them.
  await run('cp', ['-a', primary.data, standby.data], asOther).catch(() => {})
  const { rows } = await session.query<{ label: string }>('select labelfile as label from pg_backup_stop(false)')
  await session.end()
  await run('sh', ['-c', 'rm -rf postmaster.* pg_wal/0* pg_replslot/* && touch standby.signal backup_label'], {
    ...asOther,
    cwd: standby.data,
  })
  await writeFile(join(standby.data, 'backup_label'), rows[0]?.label ?? '')
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
