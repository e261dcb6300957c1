// karba backup, restore and verify: a copy made under load has all payments acknowledged before it,
// is restored only into its own installation, and verify exits with 1 on an inconsistent store.

import assert from 'node:assert/strict'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { openService } from '../../src/service/compose.ts'
import { openRuntime } from '../../src/service/runtime.ts'
import { runKarba } from '../kit/karba.ts'
import { insertPending } from '../kit/pending-payments.ts'
import { get, newMerchant } from '../kit/service.ts'
import { IN_FLIGHT, moreAcknowledged, startLoad } from '../kit/several-processes.ts'
import { POSTGRES, SQLITE } from '../kit/stores.ts'

/** Several steps of a copy. */
const BEFORE = 2_000
const MOST_COPIES = 10

describe('backup, restore and verify on SQLite', async () => {
  /** transaction_ids from before the copy and from after it. */
  let early: string[]
  let late: string[]
  const place = await SQLITE.makePlace()
  const file = join(place.config.dataDir, 'karba.db')
  const copy = join(place.config.dataDir, 'copy.db')
  const runtime = await openRuntime(place.config)
  const account = (await newMerchant(runtime)).accounts.sandbox
  await insertPending(runtime, account.accountId, BEFORE, { dueAt: 2 ** 45 })
  await runtime.close()
  after(() => place.remove())

  const karba = (...args: string[]) => runKarba(args, place.env)
  const idsIn = (database: string): Set<string> => {
    const connection = new DatabaseSync(database)
    const rows = connection.prepare('select external_reference as id from payments').all() as {
      id: string
    }[]
    connection.close()
    return new Set(rows.map(({ id }) => id))
  }

  it('backup: a copy under load has all acknowledged payments, and the server continues', async (t) => {
    const server = await openService(place.config)
    const load = startLoad(await server.listen(), account.secretKey)
    await moreAcknowledged(load, 200)
    // A copy may end before the load gets a turn: only a copy with enough payments during it shows
    // that the server continues.
    let during = 0
    for (let copies = 0; during <= IN_FLIGHT && copies < MOST_COPIES; copies++) {
      rmSync(copy, { force: true })
      early = [...load.acknowledged.keys()]
      const { code, stdout, stderr } = await karba('backup', copy)
      during = load.acknowledged.size - early.length
      assert.deepEqual([code, stderr], [0, ''])
      const form =
        /^\S+copy\.db is a complete copy: [\d.]+ MB in [\d.]+ s\.\n.*master\.key too, and keep it apart/
      assert.match(stdout, form)
    }
    await moreAcknowledged(load, 200)
    await load.stop()
    const inCopy = idsIn(copy)
    late = [...load.acknowledged.keys()].filter((id) => !inCopy.has(id))
    const lost = early.filter((id) => !inCopy.has(id))
    assert.deepEqual(lost, [])
    // A payment in flight at the end of the copy may be in it, and acknowledged later.
    assert.ok(
      during > IN_FLIGHT && late.length >= 200 - IN_FLIGHT,
      `${during} during the copy, ${late.length} not in it`,
    )
    assert.deepEqual([[...load.answers.keys()], statSync(copy).mode & 0o777], [[200], 0o600])

    assert.match(
      (await karba('restore', copy)).stderr,
      /^karba: Another Karba is already running on .*\n$/,
    )
    await server.close()
    t.diagnostic(`${during} payments were acknowledged during the copy`)
  })

  it('backup: never overwrites a file, and a failed one leaves no file', async () => {
    const bytes = readFileSync(copy)
    const again = await karba('backup', copy)
    assert.deepEqual([again.code, again.stderr.includes('is not overwritten')], [1, true])
    assert.ok(readFileSync(copy).equals(bytes))
    const nowhere = await karba('backup', join(place.config.dataDir, 'no/such/folder.db'))
    assert.deepEqual(
      [nowhere.code, /^karba: \S+ cannot be written: .*\n$/.test(nowhere.stderr)],
      [1, true],
    )
    const unfinished = readdirSync(place.config.dataDir).filter((name) =>
      name.includes('unfinished'),
    )
    assert.deepEqual(unfinished, [])
  })

  it('backup: a newer karba copies an older store, and warns that doctor will not see it', async () => {
    const older = await SQLITE.makePlace()
    const runtime = await openRuntime(older.config)
    await runtime.db.change("delete from migrations where name <> '0001_initial'")
    await runtime.db.change("update migrations set name = '0000_earlier', needs = name")
    await runtime.close()
    for (const [name, ...json] of [['people'], ['programs', '--json']] as const) {
      const to = join(older.config.dataDir, `for-${name}.db`)
      const { code, stdout, stderr } = await runKarba(['backup', to, ...json], older.env)
      assert.deepEqual([code, existsSync(to), stdout.includes(to)], [0, true, true])
      const shape =
        /^karba: The copy is good, but `karba doctor` will not know of it: [^.]*older version’s\.\n$/
      assert.match(stderr, shape)
    }
    await older.remove()
  })

  const WRONG: [what: string, make: () => string, why: RegExp, env?: Record<string, string>][] = [
    ['a file that is not there', () => `${copy}.none`, /There is no file/],
    ['the store itself', () => file, /is the store itself/],
    [
      'a file that is no database',
      () => written('text', 'not a database '.repeat(400)),
      /cannot be restored: .*database/,
    ],
    ['an empty file', () => written('empty', ''), /is not a store of Karba/],
    ['a copy with a damaged page', () => damaged(), /it is damaged|malformed/],
    [
      'a newer copy',
      () => changed('newer', "insert into migrations values ('9999_new', 0, 'x', null)"),
      /newer Karba/,
    ],
    [
      'another past',
      () => changed('past', "update migrations set checksum = 'x'"),
      /0001_initial is another/,
    ],
    [
      'a copy of another master key',
      () => copy,
      /another master key/,
      { KARBA_MASTER_KEY: 'b'.repeat(64) },
    ],
  ]
  const written = (name: string, text: string | Buffer): string => {
    const path = join(place.config.dataDir, `wrong-${name}.db`)
    writeFileSync(path, text)
    return path
  }
  function damaged(): string {
    const bytes = readFileSync(copy)
    const middle = Math.floor(bytes.length / 8_192) * 4_096
    return written('damaged', bytes.fill(255, middle, middle + 4_096))
  }
  function changed(name: string, sql: string): string {
    const path = written(name, readFileSync(copy))
    const connection = new DatabaseSync(path)
    connection.exec(sql)
    connection.close()
    return path
  }

  for (const [what, make, why, env = {}] of WRONG)
    it(`restore: refuses ${what}`, async () => {
      const from = make()
      const before = readFileSync(file)
      const { code, stderr } = await runKarba(['restore', from], { ...place.env, ...env })
      assert.equal(code, 1)
      assert.match(stderr, why)
      assert.equal(stderr.split('\n').length, 2, 'one sentence')
      assert.ok(readFileSync(file).equals(before))
      const leftOver = readdirSync(place.config.dataDir).filter((name) =>
        /restoring|before-/.test(name),
      )
      assert.deepEqual(leftOver, [])
    })

  it('restore: needs the master key, and creates none', async () => {
    const key = join(place.config.dataDir, 'master.key')
    renameSync(key, `${key}.away`)
    const { code, stderr } = await karba('restore', copy)
    assert.deepEqual([code, /its master key is missing/.test(stderr)], [1, true])
    assert.ok(!existsSync(key))
    renameSync(`${key}.away`, key)
  })

  it('restore: replaces the store with the copy, and keeps the old store', async () => {
    const { code, stdout } = await karba('restore', copy, '--json')
    assert.equal(code, 0)
    const { kept } = JSON.parse(stdout) as { kept: string }
    assert.match(basename(kept), /^karba\.db\.before-\d{4}-\d\d-\d\dT[\d-]+\.\d+Z$/)
    const inKept = idsIn(kept)
    assert.ok([...early, ...late].every((id) => inKept.has(id)))
    const server = await openService(place.config)
    const codeOf = async (id = ''): Promise<number> =>
      (await get(server, account.secretKey, id)).code
    assert.deepEqual([await codeOf(early.at(-1)), await codeOf(late.at(-1))], [200, 404])
    await server.close()
  })

  it('restore: works over a damaged or missing store', async () => {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
    assert.deepEqual(JSON.parse((await karba('restore', copy, '--json')).stdout), {
      restored: copy,
    })
    writeFileSync(file, 'damaged '.repeat(2_000))
    const { kept } = JSON.parse((await karba('restore', copy, '--json')).stdout) as { kept: string }
    assert.equal(readFileSync(kept, 'utf8').slice(0, 7), 'damaged')
    assert.ok(idsIn(file).has(early.at(-1) as string))
  })

  it('verify: exits with 1 on an inconsistency', async () => {
    const clean = await karba('verify')
    assert.deepEqual([clean.code, clean.stderr], [0, ''])
    assert.match(clean.stdout, /payments were read, and no inconsistency was found\.\n$/)
    const connection = new DatabaseSync(file)
    connection.exec(
      `update payments set due_at = null where external_reference = '${early.at(-1)}'`,
    )
    connection.close()
    const found = await karba('verify')
    assert.equal(found.code, 1)
    assert.match(found.stdout, /^Payment \S+ is pending, and no check is scheduled\.\n/)
    const verified = await karba('verify', '--json')
    const { clean: isClean, findings, accounts } = JSON.parse(verified.stdout)
    assert.deepEqual(
      [verified.code, isClean, findings.length, findings[0].kind],
      [1, false, 1, 'pending_not_due'],
    )
    assert.equal(accounts[0].account, account.accountId)
  })
})

it('restore on PostgreSQL: names the tools to use', async () => {
  const place = await POSTGRES.makePlace()
  const restored = await runKarba(['restore', join(place.config.dataDir, 'copy.dump')], place.env)
  assert.deepEqual(
    [restored.code, /^karba: .*createdb .*pg_restore.*\n$/.test(restored.stderr)],
    [1, true],
  )
  await runKarba(['migrate'], place.env)
  const verified = await runKarba(['verify', '--json'], place.env)
  assert.deepEqual([verified.code, JSON.parse(verified.stdout).clean], [0, true])
  await place.remove()
})
