// Promise 8, quick form: the disk of the store takes no more. Creates get 503 and leave nothing behind, reads go on, /readyz says so, and with
// room again everything works without a restart. Each fault is the system's own; a machine that cannot make one skips it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { makePostgres } from '../kit/postgres.ts'
import { asOther } from '../kit/postgres-node.ts'
import { type Answer, get, openTestService, order, post, type TestService } from '../kit/service.ts'
import { SQLITE } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const WORKS_AGAIN =
  'answers 503, is not ready, records nothing of it, goes on reading, and works again when there is room'
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
  /** Undefined where the machine or the user cannot make it. */
  makeDisk(): Disk | undefined
}

const succeeds = (command: string, args: string[]): boolean => spawnSync(command, args).status === 0
const makeFolder = (): string => mkdtempSync(join(tmpdir(), 'karba-disk-'))

/** Takes the right to mount: root, as in most containers. */
function mountDisk(megabytes: number): Disk | undefined {
  const folder = makeFolder()
  const mounted = succeeds('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'karba-test', folder])
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
    // Linux lets anyone limit the files of their own process, and lift the limit again.
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

for (const { name, makeDisk } of FAULTS) {
  const disk = makeDisk()
  if (disk === undefined) continue

  describe(`a service on SQLite and ${name}`, () => {
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
  describe('a service on PostgreSQL and a disk that is full', () => {
    it(WORKS_AGAIN, async (t) => {
      const postgres = await makePostgres()
      const folder = join(tables.folder, 'tables')
      mkdirSync(folder)
      if (asOther.uid !== undefined) chownSync(folder, asOther.uid, asOther.gid)
      const url = await postgres.createDatabase('small_disk')
      await inPostgres(
        postgres.url,
        `create tablespace small_disk location '${folder}'`,
        'alter database small_disk set tablespace small_disk',
      )
      const service = await openTestService(SQLITE, { DATABASE_URL: url })
      try {
        await fillAndMakeRoom(t, service, tables)
      } finally {
        await service.remove()
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
    if (answer.code === 200) acknowledged.set(body.transaction_id as string, answer.body.reference)
    else refused.push(body)
    return answer
  }
  const assertAllReadable = async (): Promise<void> => {
    for (const [transactionId, reference] of acknowledged) {
      const { code, body } = await get(service, secretKey, transactionId)
      assert.deepEqual([code, body.reference], [200, reference])
    }
  }
  const readiness = async (): Promise<{ code: number; failing?: string[] }> => {
    const answer = await service.app.inject({ method: 'GET', url: '/readyz' })
    return { code: answer.statusCode, failing: answer.json().failing }
  }

  for (let n = 0; n < 20; n++) assert.equal((await create()).code, 200)
  disk.fill()
  // What is left in the last block may hold a few more.
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
    const { code, failing } = await until(
      'word of /readyz',
      async () => {
        const seen = await readiness()
        return seen.code === 503 && seen
      },
      1_500,
    )
    assert.ok(code === 503 && failing?.includes('write'), `${failing}`)
  }
  await assertAllReadable()
  for (const body of refused) {
    assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 404)
  }

  disk.makeRoom()
  await until('a /readyz that can write again', async () => !(await readiness()).failing?.includes('write'))
  const again = refused.splice(0)
  assert.deepEqual(
    (await Promise.all(again.map((body) => create(body)))).map(({ code }) => code),
    again.map(() => 200),
  )
  await assertAllReadable()
  const rows = await service.db.rows<{ external_reference: string; reference: string }>(
    'select external_reference, reference from payments',
  )
  assert.deepEqual(new Map(rows.map((row) => [row.external_reference, row.reference])), acknowledged)
  t.diagnostic(`${again.length} creates refused with 503, ${acknowledged.size} payments checked`)
}
