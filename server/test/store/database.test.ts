// The contract of a store, on both engines.

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import {
  type Database,
  type Insertion,
  lookUpBy,
  type Values,
} from '../../src/store/engine/database.ts'
import { takeNumbers } from '../../src/store/service/service-facts.ts'
import { column } from '../kit/callers.ts'
import { openTestRuntime, shared } from '../kit/shared.ts'
import { STORES } from '../kit/stores.ts'

const THINGS: Insertion = {
  table: 'things',
  identity: 'own',
  sortedBy: ['name'],
  columns: { own: 'text', name: 'text', size: 'bigint' },
}

const BY_OWN = lookUpBy(['sought'], (sought) => `select own from things where own = ${sought}`)
const BY_NAME_AND_OWN = lookUpBy(
  ['first', 'second'],
  (first, second) => `select own, size from things where name = ${first} and own = ${second}`,
)

/** SQLite's rows have no prototype, so only their values are compared. */
async function plainRows(db: Database, sql: string, values?: Values): Promise<object[]> {
  return (await db.read<object>(sql, values)).map((row) => ({ ...row }))
}

for (const store of STORES) {
  describe(`database contract on ${store.name}`, () => {
    const runtime = shared(() => openTestRuntime(store))
    before(() =>
      runtime.db.alone((_tx, script) =>
        script(
          'create table things (own text not null unique, name text not null unique, size bigint not null)',
        ),
      ),
    )

    it('inserts a row once: the second insert returns false', async () => {
      const { db } = runtime
      assert.equal(await db.insert(THINGS, { own: 'o1', name: 'once', size: 1 }), true)
      assert.equal(await db.insert(THINGS, { own: 'o2', name: 'once', size: 2 }), false)
      assert.deepEqual(
        await plainRows(db, 'select own, size from things where name = :name', { name: 'once' }),
        [{ own: 'o1', size: 1 }],
      )
    })

    it('of many inserts of one row in a batch exactly one wins, and each caller gets its own result', async () => {
      const { db } = runtime
      const tries = Array.from({ length: 300 }, (_, n) =>
        db.insert(THINGS, { own: `w${n}`, name: `wish ${n % 100}`, size: n }),
      )
      const won = (await Promise.all(tries)).flatMap((mine, n) => (mine ? [n % 100] : []))
      assert.deepEqual([won.length, new Set(won).size], [100, 100])
    })

    it('a bad insert fails alone, and the rest of its batch is inserted', async () => {
      const { db } = runtime
      const results = await Promise.allSettled([
        db.insert(THINGS, { own: 'b1', name: 'good before', size: 1 }),
        db.insert(THINGS, { own: 'b2', name: null, size: 2 }),
        db.insert(THINGS, { own: 'b3', name: 'good after', size: 3 }),
      ])
      assert.deepEqual(column(results, 'status'), ['fulfilled', 'rejected', 'fulfilled'])
    })

    it('concurrent look-ups in one batch each get their own row, or undefined', async () => {
      const { db } = runtime
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          db.insert(THINGS, { own: `f${n}`, name: `find ${n}`, size: n }),
        ),
      )
      const found = await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          db.find<{ size: number }>(BY_NAME_AND_OWN, { first: `find ${n}`, second: `f${n}` }),
        ),
      )
      for (const [n, row] of found.entries()) assert.equal(row?.size, n < 50 ? n : undefined)
    })

    it('rolls back only the transaction that fails', async () => {
      const { db } = runtime
      const sql = 'insert into things (own, name, size) values (:own, :name, :size)'
      const [kept, undone] = await Promise.allSettled([
        db.transaction((tx) => tx.change(sql, { own: 't1', name: 'kept', size: 1 })),
        db.transaction(async (tx) => {
          await tx.change(sql, { own: 't2', name: 'undone', size: 2 })
          throw new Error('no')
        }),
        db.transaction((tx) => tx.change(sql, { own: 't3', name: 'kept too', size: 3 })),
      ])
      assert.equal(kept.status, 'fulfilled')
      assert.equal(undone.status, 'rejected')
      assert.deepEqual(
        await plainRows(db, `select own from things where own in ('t1', 't2', 't3') order by own`),
        [{ own: 't1' }, { own: 't3' }],
      )
    })

    it('the next read sees a committed write', async () => {
      const { db } = runtime
      for (let n = 0; n < 50; n++) {
        await db.insert(THINGS, { own: `r${n}`, name: `read ${n}`, size: n })
        assert.ok(await db.find(BY_OWN, { sought: `r${n}` }))
      }
    })

    it('stores integers up to the largest amount and the latest time', async () => {
      const { db } = runtime
      const farthest = 8_640_000_000_000_000
      await db.insert(THINGS, { own: 'far', name: 'farthest', size: farthest })
      assert.deepEqual(
        await plainRows(db, 'select size from things where own = :own', { own: 'far' }),
        [{ size: farthest }],
      )
    })

    it('concurrent allocations never return the same number twice', async () => {
      const starts = await Promise.all(
        Array.from({ length: 40 }, () => takeNumbers(runtime.db, 'test', 10)),
      )
      assert.deepEqual(new Set(starts), new Set(Array.from({ length: 40 }, (_, n) => n * 10)))
    })
  })
}
