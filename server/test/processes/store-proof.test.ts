// A store that could lose what it acknowledged is found at the start: PostgreSQL with fsync or full_page_writes off, SQLite where it cannot
// keep a write-ahead log.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { SettingRefused } from '../../src/config.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { makePostgres, type PostgresServer } from '../kit/postgres.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

describe('PostgreSQL that would lose commits in a power cut', () => {
  let postgres: PostgresServer
  const places: StorePlace[] = []
  before(async () => {
    postgres = await makePostgres()
  })
  after(async () => {
    for (const place of places) await place.remove()
    await postgres.stop()
  })

  async function start(mode: string): Promise<string[]> {
    const place = await SQLITE.makePlace({ DATABASE_URL: postgres.url, KARBA_MODE: mode })
    places.push(place)
    // Every process of a database has its master key.
    const config = { ...place.config, masterKey: 'a'.repeat(64) }
    const warned: string[] = []
    const watch = { committed: () => {}, warn: (sentence: string) => void warned.push(sentence) }
    const runtime = await openRuntime(config, { watch })
    await runtime.close()
    return warned
  }

  async function set(setting: string, value: 'on' | 'off'): Promise<void> {
    await ask(`alter system set ${setting} = ${value}`)
    await ask('select pg_reload_conf()')
    await until(`${setting} ${value}`, async () => (await ask(`show ${setting}`))[0]?.[setting] === value)
  }

  /** On a session of its own: the server reads its settings again when it can. */
  async function ask(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(postgres.url)
    await client.connect()
    const { rows } = await client.query(sql)
    await client.end()
    return rows
  }

  it('as it should be, is used without a word', async () => {
    assert.deepEqual(await start('production'), [])
  })

  for (const setting of ['fsync', 'full_page_writes']) {
    it(`with ${setting} off, is refused in production and warned about in development`, async () => {
      const said = new RegExp(`^The PostgreSQL of DATABASE_URL .*: set ${setting} to on .*\\.$`)
      await set(setting, 'off')
      await assert.rejects(start('production'), (error: Error) => {
        assert.ok(error instanceof SettingRefused)
        assert.match(error.message, said)
        return true
      })
      const warned = await start('development')
      assert.equal(warned.length, 1)
      assert.match(warned[0] as string, said)
      await set(setting, 'on')
      assert.deepEqual(await start('production'), [])
    })
  }
})

describe('SQLite that cannot keep a write-ahead log', () => {
  const NO_WAL = /cannot keep a write-ahead log/

  it('in memory, is refused with the setting’s name', async () => {
    const place = await SQLITE.makePlace({ DATABASE_URL: 'sqlite::memory:' })
    await assert.rejects(openRuntime(place.config), (error: Error) => {
      assert.ok(error instanceof SettingRefused)
      assert.match(error.message, NO_WAL)
      return true
    })
    await place.remove()
  })

  it('on a file system without shared memory, is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
    const open = (): unknown =>
      openSqlite(`file:${join(folder, 'karba.db')}?vfs=unix-none`, { committed: () => {} }, async () => {})
    assert.throws(open, NO_WAL)
    rmSync(folder, { recursive: true })
  })
})
