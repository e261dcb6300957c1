// Full disks (promise 8), SQLite files that are removed under a server, and stores that could lose
// acknowledged writes.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openService } from '../../src/service/compose.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { openSqlite } from '../../src/store/engine/sqlite.ts'
import { makePostgres, type PostgresServer } from '../kit/postgres.ts'
import { type RunningServer, spawnKarba, startProcess } from '../kit/process.ts'
import { type Answer, get, openTestService, order, post, type TestService } from '../kit/service.ts'
import {
  assertReadable,
  type Load,
  makePlaceWithAccount,
  moreAcknowledged,
  startLoad,
} from '../kit/several-processes.ts'
import { SQLITE, type StorePlace } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

// Each fault is the system’s own; a machine that cannot produce it skips it.
describe('promise 8: full disk', () => {
  const WORKS_AGAIN =
    'answers creates with 503, is not ready, records nothing, answers reads, and recovers when there is room'
  const MOST_CREATES = 5_000
  const BLOCK = Buffer.alloc(4_096)

  interface Disk {
    folder: string
    /** From here on no file of the store can grow. */
    fill(): void
    makeRoom(): void
    remove(): void
  }

  interface Fault {
    name: string
    /** Undefined where the machine or the user cannot produce it. */
    makeDisk(): Disk | undefined
  }

  const succeeds = (command: string, args: string[]): boolean =>
    spawnSync(command, args).status === 0
  const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'karba-disk-'))

  /** Needs the right to mount: root, as in most containers. */
  function mountDisk(megabytes: number): Disk | undefined {
    const folder = makeFolder()
    const mounted = succeeds('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${megabytes}m`,
      'karba-test',
      folder,
    ])
    if (!mounted) {
      rmSync(folder, { recursive: true })
      return undefined
    }
    const ballast = join(folder, 'ballast')
    return {
      folder,
      fill() {
        const file = openSync(ballast, 'w')
        assert.throws(
          () => {
            for (;;) writeSync(file, BLOCK)
          },
          { code: 'ENOSPC' },
        )
        closeSync(file)
      },
      makeRoom: () => rmSync(ballast),
      remove() {
        assert.ok(succeeds('umount', [folder]))
        rmSync(folder, { recursive: true })
      },
    }
  }

  const FAULTS: readonly Fault[] = [
    { name: 'a disk that is full', makeDisk: () => mountDisk(4) },
    {
      // Linux lets any process limit the size of its files, and lift the limit again.
      name: 'files that may not grow',
      makeDisk() {
        const limit = (bytes: number | 'unlimited'): boolean =>
          succeeds('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`])
        if (!limit('unlimited')) return undefined
        const folder = makeFolder()
        return {
          folder,
          fill: () => assert.ok(limit(statSync(join(folder, 'karba.db-wal')).size)),
          makeRoom: () => assert.ok(limit('unlimited')),
          remove: () => rmSync(folder, { recursive: true }),
        }
      },
    },
  ]

  /** A statement's import and a rotation of the master key, as commands. */
  async function assertCommandsNameDisk(
    folder: string,
    env: Record<string, string>,
    disk: Disk,
  ): Promise<void> {
    const file = join(folder, 'statement.csv')
    const lines = Array.from(
      { length: 2_000 },
      (_, at) => `2026-11-18 10:00:00,${1_000 + at},REF${at}`,
    )
    writeFileSync(file, ['Date,Montant,Reference', ...lines, ''].join('\n'))
    assert.equal((await spawnKarba(['statement', 'columns', 'live/airtel_ne', file], env)).code, 0)
    const commands = [
      ['statement', 'import', 'live/airtel_ne', file],
      ['master-key', 'rotate'],
    ]
    disk.fill()
    for (const command of commands) {
      const { code, stderr } = await spawnKarba(command, env)
      assert.deepEqual(
        [code, /^karba: [^\n]*disk[^\n]* full[^\n]*\n$/.test(stderr)],
        [1, true],
        `${command}: ${stderr}`,
      )
    }
    disk.makeRoom()
    for (const command of commands) {
      const { code, stderr } = await spawnKarba(command, env)
      assert.equal(code, 0, `${command}: ${stderr}`)
    }
  }

  const small = mountDisk(8)
  if (small !== undefined) {
    it('commands on SQLite with a full disk name the disk, and work when there is room', async () => {
      const folder = makeFolder()
      const place = await SQLITE.makePlace({
        DATABASE_URL: `sqlite:${join(small.folder, 'karba.db')}`,
      })
      try {
        assert.equal((await spawnKarba(['merchant', 'create', '--name', 'Awa'], place.env)).code, 0)
        await assertCommandsNameDisk(folder, place.env, small)
      } finally {
        await place.remove()
        small.remove()
        rmSync(folder, { recursive: true })
      }
    })
  }

  for (const { name, makeDisk } of FAULTS) {
    const disk = makeDisk()
    if (disk === undefined) continue

    describe(`a service on SQLite with ${name}`, () => {
      it(WORKS_AGAIN, async (t) => {
        const service = await openTestService(undefined, { KARBA_DATA_DIR: disk.folder })
        try {
          await fillAndMakeRoom(t, service, disk)
        } finally {
          await service.remove()
          disk.remove()
        }
      })
    })
  }

  const tables = mountDisk(32)
  if (tables !== undefined) {
    describe('a service on PostgreSQL with a full disk', () => {
      it(WORKS_AGAIN, async (t) => {
        const postgres = await makePostgres()
        const folder = join(tables.folder, 'tables')
        mkdirSync(folder)
        // As root, PostgreSQL runs as nobody.
        if (process.getuid?.() === 0) chownSync(folder, 65_534, 65_534)
        const url = await postgres.createDatabase('small_disk')
        await inPostgres(
          postgres.url,
          `create tablespace small_disk location '${folder}'`,
          'alter database small_disk set tablespace small_disk',
        )
        const service = await openTestService(SQLITE, { DATABASE_URL: url })
        const { place } = service
        try {
          await fillAndMakeRoom(t, service, tables).finally(() => service.close())
          await assertCommandsNameDisk(place.config.dataDir, place.env, tables)
        } finally {
          await place.remove()
          await postgres.stop()
          tables.remove()
        }
      })
    })
  }

  async function inPostgres(url: string, ...statements: string[]): Promise<void> {
    const client = new pg.Client(url)
    await client.connect()
    for (const sql of statements) await client.query(sql)
    await client.end()
  }

  async function fillAndMakeRoom(t: TestContext, service: TestService, disk: Disk): Promise<void> {
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const acknowledged = new Map<string, unknown>()
    const refused: Record<string, unknown>[] = []
    const create = async (body = order()): Promise<Answer> => {
      const answer = await post(service, secretKey, body)
      if (answer.code === 200)
        acknowledged.set(body.transaction_id as string, answer.body.reference)
      else refused.push(body)
      return answer
    }
    const assertAllReadable = async (): Promise<void> => {
      for (const [transactionId, reference] of acknowledged) {
        const { code, body } = await get(service, secretKey, transactionId)
        assert.deepEqual([code, body.reference], [200, reference])
      }
    }
    const readiness = async (): Promise<{ code: number; failing: string[] }> => {
      const answer = await service.app.inject({ method: 'GET', url: '/readyz' })
      return { code: answer.statusCode, failing: answer.json().failing ?? [] }
    }

    for (let n = 0; n < 20; n++) assert.equal((await create()).code, 200)
    disk.fill()
    // The rest of the last block may hold a few more.
    for (let n = 0; n < MOST_CREATES && refused.length === 0; n++) await create()
    const together = await Promise.all(Array.from({ length: 50 }, () => create()))
    const last = await create()
    for (const { code, body, headers } of [...together, last]) {
      if (code === 200) continue
      assert.deepEqual([code, body], [503, { message: 'Service Unavailable' }])
      assert.ok(headers['retry-after'])
    }
    assert.ok(refused.length > 0)
    // Also when no create has come for a while: a load balancer sends none.
    for (const end = performance.now() + 3_500; performance.now() < end; await pause(1_100)) {
      const notReady = async () => {
        const { code, failing } = await readiness()
        return code === 503 && failing
      }
      const failing = await until('word of /readyz', notReady, 1_500)
      assert.ok(failing.includes('write'), `${failing}`)
    }
    await assertAllReadable()
    for (const body of refused) {
      assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 404)
    }

    disk.makeRoom()
    await until(
      'a /readyz that can write again',
      async () => !(await readiness()).failing.includes('write'),
    )
    const again = refused.splice(0)
    for (const { code } of await Promise.all(again.map((body) => create(body))))
      assert.equal(code, 200)
    await assertAllReadable()
    const sql = 'select external_reference as name, reference from payments'
    const rows = await service.db.read<{ name: string; reference: string }>(sql)
    assert.deepEqual(new Map(rows.map(({ name, reference }) => [name, reference])), acknowledged)
    t.diagnostic(`${again.length} creates refused with 503, ${acknowledged.size} payments checked`)
  }
})

// A clean-up, a sync tool or a manual restore removes or replaces the files. The server saves
// acknowledged payments, acknowledges no more, and ends.
const BETWEEN = 50

describe('a server whose files are removed under load', () => {
  let place: StorePlace
  let secretKey: string
  let server: RunningServer
  let load: Load
  let file: string

  beforeEach(async () => {
    ;({ place, secretKey } = await makePlaceWithAccount(SQLITE, { KARBA_LOG_LEVEL: 'warn' }))
    file = `${place.config.dataDir}/karba.db`
    server = await startProcess(place.env)
    load = startLoad(server.url, secretKey)
    await moreAcknowledged(load, BETWEEN)
  })
  afterEach(async () => {
    await load.stop()
    await server.end('SIGKILL')
    await place.remove()
  })

  async function hasEnded(pattern: RegExp): Promise<void> {
    await until('end of the server', () => server.child.exitCode !== null)
    assert.equal(server.child.exitCode, 1)
    const lines = server.printed().split('\n')
    assert.equal(lines.filter((line) => pattern.test(line)).length, 1, server.printed())
    await load.stop()
  }

  /** In this process, since a start of another costs a second of CPU. */
  async function hasAllAfterStart(): Promise<void> {
    const service = await openService(place.config)
    try {
      await assertReadable(
        await service.app.listen({ host: '127.0.0.1', port: 0 }),
        secretKey,
        load,
      )
    } finally {
      await service.close()
    }
  }

  const REMOVED: [what: string, remove: () => void, said: RegExp][] = [
    ['its write-ahead log', () => rmSync(`${file}-wal`), /karba\.db-wal or .* was removed/],
    ['its shared memory', () => rmSync(`${file}-shm`), /karba\.db-shm was removed/],
    ['its write-ahead log, for an older one', () => putBack(`${file}-wal`), /removed or replaced/],
    ['the database', () => rmSync(file), /karba\.db was removed/],
    ['everything', removeAll, /karba\.db was removed/],
  ]

  function removeAll(): void {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path)
  }

  /** As a backup tool does: another file with the same name. */
  function putBack(path: string): void {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  }

  for (const [what, remove, said] of REMOVED) {
    it(`removed files: without ${what} the server ends, and every acknowledged payment exists after a restart`, async (t) => {
      remove()
      await hasEnded(said)
      await hasAllAfterStart()
      t.diagnostic(`${load.acknowledged.size} acknowledged payments checked`)
    })
  }

  it('removed files: when another database replaces its own, the server ends, and its copy has all payments', async () => {
    putBack(file)
    await hasEnded(/Files of karba\.db were replaced under the server/)
    const rescued = readdirSync(place.config.dataDir).find((name) =>
      name.startsWith('karba.db.rescued-'),
    ) as string
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    renameSync(`${place.config.dataDir}/${rescued}`, file)
    await hasAllAfterStart()
  })
})

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
    await until(
      `${setting} ${value}`,
      async () => (await ask(`show ${setting}`))[0]?.[setting] === value,
    )
  }

  /** In a separate session: the server reloads its settings asynchronously. */
  async function ask(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(postgres.url)
    await client.connect()
    const { rows } = await client.query(sql)
    await client.end()
    return rows
  }

  it('with safe settings gives no warning', async () => {
    assert.deepEqual(await start('production'), [])
  })

  for (const setting of ['fsync', 'full_page_writes']) {
    it(`with ${setting} off is refused in production and warned about in development`, async () => {
      const said = new RegExp(`^The PostgreSQL of DATABASE_URL .*: set ${setting} to on .*\\.$`)
      await set(setting, 'off')
      await assert.rejects(start('production'), { name: 'SettingRefused', message: said })
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

  it('in memory is refused with the setting’s name', async () => {
    const place = await SQLITE.makePlace({ DATABASE_URL: 'sqlite::memory:' })
    await assert.rejects(openRuntime(place.config), { name: 'SettingRefused', message: NO_WAL })
    await place.remove()
  })

  it('on a file system without shared memory is refused', () => {
    const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
    const open = (): unknown =>
      openSqlite(
        `file:${join(folder, 'karba.db')}?vfs=unix-none`,
        { committed: () => {} },
        async () => {},
      )
    assert.throws(open, NO_WAL)
    rmSync(folder, { recursive: true })
  })
})
