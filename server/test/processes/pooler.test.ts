// A real PgBouncer between Karba and PostgreSQL, in each of its modes.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '../../src/config.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { freshDatabase } from '../kit/postgres.ts'
import { freePort } from '../kit/process.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
const isMissing = !existsSync(PGBOUNCER) && process.env.CI === undefined
const UNPRIVILEGED_ID = 65_534

describe(
  'a pooler in front of PostgreSQL',
  isMissing ? { skip: 'run `apt-get install pgbouncer`' } : {},
  () => {
    const started: { folder: string; child: ChildProcess }[] = []
    after(async () => {
      for (const { folder, child } of started) {
        child.kill('SIGKILL')
        await rm(folder, { recursive: true })
      }
    })

    /** Returns the database's address through a PgBouncer with these settings. */
    async function throughPooler(settings: string): Promise<{ url: string; dataDir: string }> {
      const { hostname, port, pathname } = new URL(await freshDatabase({ isMigrated: false }))
      const folder = await mkdtemp(join(tmpdir(), 'karba-pooler-'))
      const listens = await freePort()
      const file = join(folder, 'pgbouncer.ini')
      const lines = `listen_addr = 127.0.0.1\nlisten_port = ${listens}\nunix_socket_dir =\nauth_type = any\n${settings}`
      await writeFile(
        file,
        `[databases]\n* = host=${hostname} port=${port} user=karba\n[pgbouncer]\n${lines}\n`,
      )
      await chmod(folder, 0o755)
      // PgBouncer refuses to run as root.
      const asOther = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}
      const child = spawn(PGBOUNCER, [file], { ...asOther, stdio: ['ignore', 'ignore', 'pipe'] })
      started.push({ folder, child })
      let last = ''
      for await (const line of createInterface({ input: child.stderr })) {
        last = line
        if (!line.includes('process up')) continue
        child.stderr.resume()
        return { url: `postgres://karba@127.0.0.1:${listens}${pathname}`, dataDir: folder }
      }
      throw new Error(`PgBouncer ended: ${last}`)
    }

    const open = async (place: { url: string; dataDir: string }) => {
      const dataDir = await mkdtemp(join(place.dataDir, 'data-'))
      return openRuntime(readConfig({ DATABASE_URL: place.url, KARBA_DATA_DIR: dataDir }))
    }

    it('PgBouncer in session mode: Karba sets up its store there', async () => {
      const runtime = await open(await throughPooler('pool_mode = session'))
      assert.deepEqual(await runtime.db.read('show statement_timeout'), [
        { statement_timeout: '8s' },
      ])
      await runtime.close()
    })

    for (const mode of [
      'transaction',
      'statement',
      'transaction\nserver_round_robin = 1',
    ] as const) {
      it(`PgBouncer in ${mode.replace('\n', ', ')} mode: the start is refused and names the setting`, async () => {
        const place = await throughPooler(`pool_mode = ${mode}`)
        await openSessions(place.url, 3)
        await assert.rejects(open(place), {
          name: 'SettingRefused',
          message: /set pool_mode = session/,
        })
      })
    }
  },
)

/** Makes the pooler open this many sessions of the server, which it then gives out in turns. */
async function openSessions(url: string, count: number): Promise<void> {
  const clients = Array.from({ length: count }, () => new pg.Client(url))
  await Promise.all(
    clients.map(async (client) => {
      await client.connect()
      await client.query('select pg_sleep(0.2)')
    }),
  )
  for (const client of clients) await client.end().catch(() => once(client, 'end'))
}
