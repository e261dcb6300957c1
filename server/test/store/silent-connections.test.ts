// Connections to PostgreSQL that go silent without closing: one is waited for, and none of the others after it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Database, StoreUnavailable } from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { openBreakableWay } from '../kit/breakable-way.ts'
import { freshDatabase } from '../kit/shared-postgres.ts'

const POOL = 8
const SILENT_AFTER_MS = 1_000

/** As many at once as there are connections, so that all of them are there, and idle afterwards. */
const useAll = (db: Database): Promise<unknown> =>
  Promise.all(
    Array.from({ length: POOL / 2 }, () => [
      db.rows('select pg_sleep(0.2)'),
      db.transaction((tx) => tx.rows('select pg_sleep(0.2)')),
    ]).flat(),
  )

it('after one silent connection has been given up, the next statement and the next transaction get new ones', async (t) => {
  const way = await openBreakableWay(await freshDatabase({ isMigrated: false }))
  const db = openPostgres({
    url: way.url,
    poolSize: POOL,
    watch: { committed: () => {} },
    now: () => Date.now(),
    pause: async () => {},
    silentAfterMs: SILENT_AFTER_MS,
  })
  t.after(async () => {
    way.close()
    await db.close()
  })
  await useAll(db)
  for (let round = 0; round < 2; round++) {
    way.silence()
    await assert.rejects(
      db.transaction((tx) => tx.rows('select 1')),
      StoreUnavailable,
    )
    for (let nth = 0; nth < POOL; nth++) {
      assert.equal((await db.rows('select 1 as one')).length, 1)
      assert.equal((await db.transaction((tx) => tx.rows('select 1 as one'))).length, 1)
    }
    await useAll(db)
  }
})
