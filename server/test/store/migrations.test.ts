// How a database is brought to its shape, on both engines: each migration once, never where a newer Karba has applied one that this one must
// know, and none whose text has changed since.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { isStartRefusal, openRuntime, type Runtime } from '../../src/service/runtime.ts'
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
import { insertAccount, insertMerchant } from '../../src/store/merchants/accounts.ts'
import { STORES, type StorePlace } from '../kit/stores.ts'

const FUTURE: Migration = { name: '9999_future', sql: 'create table future (x text);\n-- The end.\n' }
const SHA_256 = /^[0-9a-f]{64}$/

const changed = (sql: string): Migration[] => [...migrations(), { ...FUTURE, sql }]

it('a migration that says what it works beside names one that was there before it', () => {
  const all = migrations()
  for (const [at, { name, sql }] of all.entries()) {
    const needs = /^-- Works beside servers that know (.*)$/m.exec(sql)
    if (needs === null) continue
    assert.equal(needs.index, 0, `${name} says it in its first line`)
    assert.ok(
      all.slice(0, at).some((earlier) => needs[1] === `${earlier.name}.`),
      `${name}: ${needs[0]}`,
    )
  }
})

for (const store of STORES) {
  describe(`migrations on ${store.name}`, () => {
    let place: StorePlace
    let runtime: Runtime

    beforeEach(async () => {
      place = await store.makePlace()
      runtime = await openRuntime(place.config)
    })
    afterEach(async () => {
      await runtime.close()
      await place.remove()
    })

    const checksums = async (): Promise<Record<string, string | null>> => {
      const sql = 'select name, checksum from migrations order by name'
      const rows = await runtime.db.rows<{ name: string; checksum: string | null }>(sql)
      return Object.fromEntries(rows.map(({ name, checksum }) => [name, checksum]))
    }

    it('are left to a start of the server: a command of a newer version changes nothing under an older one', async () => {
      const before = await checksums()
      const newer = (sql: string): Promise<void> => migrateIfEmpty(runtime.db, 0, changed(sql))
      await assert.rejects(newer(FUTURE.sql), DatabaseIsOlder)
      await assert.rejects(newer(FUTURE.sql), /lacks 9999_future\).* once no older server is running\.$/)
      const beside = `-- Works beside servers that know 0009_late_money.\n${FUTURE.sql}`
      await assert.rejects(newer(beside), /, while servers that know 0009_late_money go on\.$/)
      assert.deepEqual(await checksums(), before)
      await migrateIfEmpty(runtime.db, 0)
      await assert.rejects(migrateIfEmpty(runtime.db, 0, migrations().slice(0, 1)), DatabaseIsNewer)
    })

    /** As a start of the service would, with connections of its own. */
    async function startAgain(): Promise<void> {
      await runtime.close()
      runtime = await openRuntime(place.config)
    }

    it('are applied once each, with a checksum', async () => {
      assert.deepEqual(await migrate(runtime.db, 0), [])
      const kept = await checksums()
      assert.deepEqual(
        Object.keys(kept),
        migrations().map(({ name }) => name),
      )
      for (const checksum of Object.values(kept)) assert.match(checksum ?? '', SHA_256)
      assert.equal(new Set(Object.values(kept)).size, migrations().length)
    })

    it('of a newer Karba let an older one start that knows what they need, and no other', async () => {
      const names = migrations().map(({ name }) => name)
      const [last, before] = [names.at(-1), names.at(-2)] as [string, string]
      const beside = { ...FUTURE, sql: `-- Works beside servers that know ${last}.\n${FUTURE.sql}` }
      await migrate(runtime.db, 0, [...migrations(), beside])
      assert.deepEqual(await migrate(runtime.db, 0), [])
      await migrateIfEmpty(runtime.db, 0)
      assert.equal(await schemaFits(runtime.db), true)
      const tooOld = migrations().filter(({ name }) => name !== last)
      await assert.rejects(migrate(runtime.db, 0, tooOld), DatabaseIsNewer)
      assert.equal(await schemaFits(runtime.db, tooOld), false)
      assert.equal(await schemaFits(runtime.db, [...migrations(), beside, { name: '9999_next', sql: '' }]), false)
      const evenOlder = migrations().filter(({ name }) => name !== last && name !== before)
      await assert.rejects(migrateIfEmpty(runtime.db, 0, evenOlder), DatabaseIsNewer)
    })

    it('0021 finds the makers of keys in the audit log', async () => {
      const old = await store.makePlace()
      const before = migrations().filter(({ name }) => name < '0021')
      const { db, close } = await openRuntime(old.config, { migrations: before })
      await insertMerchant(db, 'mer_1', 'Shop', 0)
      const account = { accountId: 'acc_1', merchantId: 'mer_1', environment: 'live', status: 'validated' } as const
      await insertAccount(db, { ...account, createdAt: 0 })
      for (const id of ['made', 'rolled', 'shell', 'pair']) {
        await db.change(
          "insert into api_keys (account_id, key_id, kind, key_hash, shown_as, created_at) values ('acc_1', $1, 'secret', $1, '', 0)",
          [`key_${id}`],
        )
      }
      const LOG: [actor: string, action: string, subject: string, detail: object][] = [
        ['developer per_dev', 'keys.make', 'key_made', {}],
        ['owner per_own', 'keys.roll', 'key_made', { to: 'key_rolled', keep_old_ms: 0 }],
        ['shell root@host', 'keys.make', 'key_shell', {}],
        ['owner per_own', 'keys.revoke', 'key_pair', { keys: ['key_pair'] }],
      ]
      for (const [entry, [actor, action, subject, detail]] of LOG.entries()) {
        await db.change(
          "insert into audit_log (entry, at, actor, action, subject, detail, account_id) values ($1, 0, $2, $3, $4, $5, 'acc_1')",
          [entry, actor, action, subject, JSON.stringify(detail)],
        )
      }
      await migrate(db, 0)
      const rows = await db.rows<{ id: string; by: string | null }>(
        'select key_id as id, made_by as "by" from api_keys',
      )
      assert.deepEqual(Object.fromEntries(rows.map(({ id, by }) => [id, by])), {
        key_made: 'per_dev',
        key_rolled: 'per_own',
        key_shell: null,
        key_pair: null,
      })
      await close()
      await old.remove()
    })

    it('of a newer Karba stop the start', async () => {
      assert.deepEqual(await migrate(runtime.db, 0, [...migrations(), FUTURE]), ['9999_future'])
      await assert.rejects(migrate(runtime.db, 0), DatabaseIsNewer)
      assert.equal(await schemaFits(runtime.db), false)
    })

    const CHANGES: [about: string, sql: string][] = [
      ['one character', 'create table future (y text);\n-- The end.\n'],
      ['a comment', 'create table future (x text);\n-- An end.\n'],
      ['a space', 'create table future (x  text);\n-- The end.\n'],
      ['an empty line', 'create table future (x text);\n\n-- The end.\n'],
    ]
    for (const [about, sql] of CHANGES) {
      it(`that differ by ${about} from what was applied stop the start`, async () => {
        await migrate(runtime.db, 0, [...migrations(), FUTURE])
        const before = await checksums()
        const next = { name: '9999_later', sql: 'create table later (x text)' }
        await assert.rejects(migrate(runtime.db, 0, [...changed(sql), next]), (error: Error) => {
          assert.ok(error instanceof MigrationChanged && isStartRefusal(error))
          assert.match(
            error.message,
            /^The migration 9999_future was changed .*: restore 9999_future\.sql .* new file\.$/,
          )
          return true
        })
        assert.deepEqual(await checksums(), before, 'nothing is applied on top of it')
        assert.deepEqual(await migrate(runtime.db, 0, [...migrations(), FUTURE]), [], 'as it was, it starts')
      })
    }

    it('are the same however a checkout ends lines', async () => {
      await migrate(runtime.db, 0, [...migrations(), FUTURE])
      assert.deepEqual(await migrate(runtime.db, 0, changed(FUTURE.sql.replaceAll('\n', '\r\n'))), [])
    })

    it('applied before checksums were kept get theirs at the next start, and are held to it', async () => {
      const made = await checksums()
      await runtime.db.alone(async (_tx, script) => {
        for (const column of ['checksum', 'needs']) await script(`alter table migrations drop column ${column}`)
      })
      await startAgain()
      assert.deepEqual(await checksums(), made)

      // And one that an older Karba has applied in between.
      await runtime.db.change("update migrations set checksum = null where name = '0001_accounts'")
      await startAgain()
      assert.deepEqual(await checksums(), made)
      const [first, ...others] = migrations() as [Migration, ...Migration[]]
      const other = { ...first, sql: `${first.sql}-- More.\n` }
      await assert.rejects(migrate(runtime.db, 0, [other, ...others]), MigrationChanged)
    })
  })
}
