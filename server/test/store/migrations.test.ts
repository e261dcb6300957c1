// Migrations on both engines: each is applied once, and never under a newer version or after its
// text changed. Servers of two versions share a database.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { openService, type Service } from '../../src/service/compose.ts'
import { isStartRefusal, type Runtime } from '../../src/service/runtime.ts'
import { type SqlTexts, textOf } from '../../src/store/engine/database.ts'
import {
  DatabaseIsNewer,
  DatabaseIsOlder,
  type Migration,
  MigrationChanged,
  migrate,
  migrateIfEmpty,
  migrations,
  schemaFits,
} from '../../src/store/engine/migrate.ts'
import { column } from '../kit/callers.ts'
import { get, newMerchant, order, post } from '../kit/service.ts'
import { openTestRuntime } from '../kit/shared.ts'
import { POSTGRES, SQLITE, STORES } from '../kit/stores.ts'
import { until } from '../kit/waiting.ts'

const FUTURE = { name: '9999_future', sql: 'create table future (x text);\n-- The end.\n' }
const SHA_256 = /^[0-9a-f]{64}$/

const changed = (sql: string): Migration[] => [...migrations(), { ...FUTURE, sql }]

it('migrations: a migration’s compatibility line names an earlier migration', () => {
  const all = migrations()
  const lineOf = (sql: string): RegExpExecArray | null =>
    /^-- Works with servers that know (.*)$/m.exec(sql)
  for (const [at, { name, sql }] of all.entries()) {
    const [needs, ofPostgres] = [lineOf(textOf(sql, 'sqlite')), lineOf(textOf(sql, 'postgres'))]
    assert.equal(needs?.[0], ofPostgres?.[0], `${name} says the same in both texts`)
    if (needs === null) continue
    assert.equal(needs.index, 0, `${name} says it in its first line`)
    assert.ok(
      all.slice(0, at).some((earlier) => needs[1] === `${earlier.name}.`),
      `${name}: ${needs[0]}`,
    )
  }
})

it('migrations: a file for one store has one for the other', () => {
  const files = readdirSync(new URL('../../migrations/', import.meta.url))
  const namesOf = (ending: string): string[] =>
    files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length))
  assert.deepEqual(namesOf('.sqlite.sql').sort(), namesOf('.postgres.sql').sort())
  const known = new Set(column(migrations(), 'name'))
  for (const name of namesOf('.sqlite.sql'))
    assert.ok(known.has(name) && !files.includes(`${name}.sql`), name)
})

for (const store of STORES) {
  describe(`migrations on ${store.name}`, () => {
    let runtime: Runtime & { remove(): Promise<void> }
    beforeEach(async () => {
      runtime = await openTestRuntime(store)
    })
    afterEach(() => runtime.remove())

    const checksums = async (): Promise<Record<string, string>> => {
      const sql = 'select name, checksum from migrations order by name'
      const rows = await runtime.db.read<{ name: string; checksum: string }>(sql)
      return Object.fromEntries(rows.map(({ name, checksum }) => [name, checksum]))
    }

    it('only a server start migrates: a command of a newer version changes nothing under an older server', async () => {
      const before = await checksums()
      const newer = (sql: string): Promise<boolean> => migrateIfEmpty(runtime.db, 0, changed(sql))
      await assert.rejects(newer(FUTURE.sql), DatabaseIsOlder)
      await assert.rejects(
        newer(FUTURE.sql),
        /lacks 9999_future\).* once no older server is running\.$/,
      )
      const compatible = `-- Works with servers that know 0001_initial.\n${FUTURE.sql}`
      await assert.rejects(newer(compatible), /, while servers that know 0001_initial go on\.$/)
      assert.deepEqual(await checksums(), before)
      await migrateIfEmpty(runtime.db, 0)
      await assert.rejects(migrateIfEmpty(runtime.db, 0, migrations().slice(0, 1)), DatabaseIsNewer)
      await assert.rejects(migrateIfEmpty(runtime.db, 0, [FUTURE]), {
        name: 'DatabaseOfOtherBuild',
      })
    })

    it('each is applied once, with a checksum', async () => {
      assert.deepEqual(await migrate(runtime.db, 0), [])
      const kept = await checksums()
      assert.deepEqual(Object.keys(kept), column(migrations(), 'name'))
      for (const checksum of Object.values(kept)) assert.match(checksum, SHA_256)
      assert.equal(new Set(Object.values(kept)).size, migrations().length)
    })

    it('an older Karba starts on a newer schema only if it knows the migrations that the schema needs', async () => {
      const last = migrations().at(-1)?.name
      const compatible = {
        ...FUTURE,
        sql: `-- Works with servers that know ${last}.\n${FUTURE.sql}`,
      }
      await migrate(runtime.db, 0, [...migrations(), compatible])
      assert.deepEqual(await migrate(runtime.db, 0), [])
      await migrateIfEmpty(runtime.db, 0)
      assert.equal(await schemaFits(runtime.db), true)
      assert.equal(
        await schemaFits(runtime.db, [...migrations(), compatible, { name: '9999_next', sql: '' }]),
        false,
      )
      const tooOld = migrations().slice(0, 1)
      await assert.rejects(migrate(runtime.db, 0, tooOld), DatabaseIsNewer)
      await assert.rejects(migrateIfEmpty(runtime.db, 0, tooOld), DatabaseIsNewer)
      assert.equal(await schemaFits(runtime.db, tooOld), false)
    })

    it('one in two texts runs that of its engine, and a change of either text stops the start', async () => {
      const sqlite = 'create table future (x text primary key) without rowid;'
      const postgres = 'create table future (x text) with (fillfactor = 90);'
      const inTwo = (sql: SqlTexts): Migration[] => [...migrations(), { name: '9999_future', sql }]
      assert.deepEqual(await migrate(runtime.db, 0, inTwo({ sqlite, postgres })), ['9999_future'])
      assert.deepEqual(await migrate(runtime.db, 0, inTwo({ sqlite, postgres })), [])
      const sentence =
        /: restore 9999_future\.sqlite\.sql and 9999_future\.postgres\.sql in server\/migrations as it was/
      for (const sql of [
        { sqlite: `${sqlite}\n`, postgres },
        { sqlite, postgres: `${postgres}\n` },
      ]) {
        await assert.rejects(migrate(runtime.db, 0, inTwo(sql)), sentence)
      }
    })

    it('an unknown newer migration stops the start', async () => {
      assert.deepEqual(await migrate(runtime.db, 0, [...migrations(), FUTURE]), ['9999_future'])
      await assert.rejects(migrate(runtime.db, 0), DatabaseIsNewer)
      assert.equal(await schemaFits(runtime.db), false)
    })

    it('any difference from the applied migrations stops the start, except the line endings of a checkout', async () => {
      await migrate(runtime.db, 0, [...migrations(), FUTURE])
      const before = await checksums()
      const next = { name: '9999_later', sql: 'create table later (x text)' }
      const sentence =
        /^The migration 9999_future was changed .*: restore 9999_future\.sql .* new file\.$/
      for (const sql of [
        FUTURE.sql.replace('x text', 'y text'),
        FUTURE.sql.replace('The', 'An'),
        FUTURE.sql.replace('x text', 'x  text'),
        FUTURE.sql.replace('--', '\n--'),
      ]) {
        await assert.rejects(migrate(runtime.db, 0, [...changed(sql), next]), (error: Error) => {
          assert.ok(error instanceof MigrationChanged && isStartRefusal(error))
          assert.match(error.message, sentence)
          return true
        })
        assert.deepEqual(await checksums(), before, 'nothing is applied on top of it')
      }
      assert.deepEqual(
        await migrate(runtime.db, 0, [...migrations(), FUTURE]),
        [],
        'as it was, it starts',
      )
      assert.deepEqual(
        await migrate(runtime.db, 0, changed(FUTURE.sql.replaceAll('\n', '\r\n'))),
        [],
      )
    })
  })
}

// The older version is this one; the newer one has one more migration.
describe('servers of two versions', () => {
  const OLDER = migrations()
  const EXPANDS: Migration = {
    name: '9998_expands',
    sql: `-- Works with servers that know ${OLDER.at(-1)?.name}.
    alter table payments add column added_later text;
    create table added_later (x text);`,
  }
  const CONTRACTS: Migration = {
    name: '9999_contracts',
    sql: 'alter table payments drop column added_later;',
  }
  const NEWER = [...OLDER, EXPANDS]

  const failing = async ({ app }: Service): Promise<string[]> => {
    const answer = await app.inject({ method: 'GET', url: '/readyz' })
    return answer.json().failing ?? []
  }

  /** Each server creates a payment that the other reads. */
  async function workTogether(one: Service, other: Service, secretKey: string): Promise<void> {
    for (const [writer, reader] of [
      [one, other],
      [other, one],
    ] as const) {
      const body = order()
      assert.equal((await post(writer, secretKey, body)).code, 200)
      assert.equal((await get(reader, secretKey, body.transaction_id as string)).code, 200)
    }
  }

  it('on PostgreSQL older and newer servers run concurrently until a migration needs the newer version', async (t) => {
    const place = await POSTGRES.makePlace()
    const open: Service[] = []
    t.after(async () => {
      for (const service of open) await service.close()
      await place.remove()
    })
    async function start(known: Migration[]): Promise<Service> {
      const service = await openService(place.config, { migrations: known })
      open.push(service)
      return service
    }
    const older = await start(OLDER)
    const { secretKey } = (await newMerchant(older)).accounts.sandbox
    assert.equal((await post(older, secretKey, order())).code, 200)
    const newer = await start(NEWER)
    await workTogether(older, newer, secretKey)
    assert.deepEqual([await failing(older), await failing(newer)], [[], []])
    const startedLater = await start(OLDER)
    await workTogether(startedLater, newer, secretKey)
    await start([...NEWER, CONTRACTS])
    await until('older server that is not ready', async () =>
      (await failing(older)).includes('schema'),
    )
    await assert.rejects(start(OLDER), { name: 'DatabaseIsNewer', message: /9999_contracts/ })
  })

  it('on SQLite a newer server can be rolled back: the older one starts on the migrated store', async () => {
    const place = await SQLITE.makePlace()
    let secretKey = ''
    const body = order()
    for (const known of [OLDER, NEWER, OLDER]) {
      const service = await openService(place.config, { migrations: known })
      if (secretKey === '') secretKey = (await newMerchant(service)).accounts.sandbox.secretKey
      assert.equal((await post(service, secretKey, known === NEWER ? body : order())).code, 200)
      if (known === NEWER) assert.deepEqual(await failing(service), [])
      await service.close()
    }
    const service = await openService(place.config, { migrations: [...NEWER, CONTRACTS] })
    assert.equal((await get(service, secretKey, body.transaction_id as string)).code, 200)
    await service.close()
    await assert.rejects(openService(place.config), { name: 'DatabaseIsNewer' })
    await place.remove()
  })
})
