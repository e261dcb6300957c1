// Inserts into PostgreSQL whose answer is lost: whatever refuses a later attempt, nobody is told that nothing was recorded.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Database, type Insertion, StoreContended, StoreOutcomeUnknown } from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { type BreakableWay, openBreakableWay } from '../kit/breakable-way.ts'
import { freshDatabase } from '../kit/shared-postgres.ts'
import { until } from '../kit/waiting.ts'

const SILENT_AFTER_MS = 500

const THINGS: Insertion = {
  table: 'things',
  identity: 'own',
  sortedBy: ['name'],
  columns: { own: 'text', name: 'text' },
}

/** Counts the attempts by a sequence, which no rollback undoes. The first waits for the test, and so many after it are refused as by a lock. */
const TABLES = `
  create table things (own text not null unique, name text not null unique);
  create sequence attempts;
  create table plan (refused_until bigint);
  create function meet_fault() returns trigger language plpgsql as $$
    declare attempt bigint := nextval('attempts');
    begin
      if attempt = 1 then perform pg_advisory_xact_lock(1);
      elsif attempt <= (select refused_until from plan) then raise exception 'locked' using errcode = '55P03';
      end if;
      return null;
    end $$;
  create trigger meet_fault before insert on things execute function meet_fault()`

describe('an insert into PostgreSQL whose answer is lost', () => {
  let admin: pg.Client
  let way: BreakableWay
  let db: Database
  let time = 0

  before(async () => {
    const url = await freshDatabase({ isMigrated: false })
    admin = new pg.Client(url)
    await admin.connect()
    await admin.query(TABLES)
    way = await openBreakableWay(url)
    db = openPostgres({
      ...{ url: way.url, poolSize: 4, silentAfterMs: SILENT_AFTER_MS },
      watch: { committed: () => {} },
      now: () => time,
      pause: async () => {
        time += 1_000
      },
    })
  })
  after(async () => {
    way.close()
    await db.close()
    await admin.end()
  })

  /** Inserts rows of these names. The server records them, and its answer does not arrive. */
  async function insertUnheard(names: string[], refusedUntil: number): Promise<PromiseSettledResult<boolean>[]> {
    await db.ping()
    await admin.query(`delete from plan; select setval('attempts', 1, false)`)
    await admin.query('insert into plan values ($1)', [refusedUntil])
    await admin.query('select pg_advisory_lock(1)')
    const inserted = Promise.allSettled(names.map((name) => db.insert(THINGS, [`own ${name}`, name])))
    await until('first attempt', async () => {
      const { rows } = await admin.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`)
      return rows.length > 0
    })
    way.silence()
    await admin.query('select pg_advisory_unlock(1)')
    return inserted
  }

  const recorded = async (names: string[]): Promise<number> =>
    (await admin.query('select 1 from things where name = any($1)', [names])).rowCount ?? 0

  for (const names of [['alone'], ['first of two', 'second of two']]) {
    it(`is found to be recorded although a lock refused the next attempts: ${names.join(' and ')}`, async () => {
      assert.deepEqual(
        await insertUnheard(names, 3),
        names.map(() => ({ status: 'fulfilled', value: true })),
      )
      assert.equal(await recorded(names), names.length)
    })
  }

  it('has an unknown outcome when locks refuse all other attempts', async () => {
    const names = ['unsure', 'unsure too']
    for (const each of await insertUnheard(names, Number.MAX_SAFE_INTEGER)) {
      assert.ok(each.status === 'rejected' && each.reason instanceof StoreOutcomeUnknown, JSON.stringify(each))
    }
    assert.equal(await recorded(names), 2)
  })

  it('is refused as contended when a lock refuses the first attempt: nothing was recorded', async () => {
    await admin.query(`delete from plan; insert into plan values (2); select setval('attempts', 1)`)
    await assert.rejects(db.insert(THINGS, ['own refused', 'refused']), StoreContended)
    assert.equal(await recorded(['refused']), 0)
    assert.equal(await db.insert(THINGS, ['own refused', 'refused']), true)
  })
})
