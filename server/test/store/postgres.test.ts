// PostgreSQL only: silent connections, lost answers to inserts, frozen transactions, locked tables.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { openRuntime } from '../../src/service/runtime.ts'
import {
  type Database,
  type Insertion,
  StoreContended,
  StoreOutcomeUnknown,
  StoreUnavailable,
  type Transaction,
} from '../../src/store/engine/database.ts'
import { openPostgres } from '../../src/store/engine/postgres.ts'
import { takeFeedSequences } from '../../src/store/webhooks/events.ts'
import {
  type BreakableWay,
  freshDatabase,
  makePostgres,
  openBreakableWay,
  type PostgresServer,
} from '../kit/postgres.ts'
import { type Answer, get, openTestService, order, post } from '../kit/service.ts'
import { sharedWithAccount } from '../kit/shared.ts'
import { POSTGRES } from '../kit/stores.ts'
import { tried, tries } from '../kit/tries.ts'
import { until } from '../kit/waiting.ts'

const THINGS: Insertion = {
  table: 'things',
  identity: 'own',
  sortedBy: ['name'],
  columns: { own: 'text', name: 'text' },
}

// After one connection times out, the pool does not wait for its other connections.
describe('PostgreSQL: silent connections', () => {
  const POOL = 8
  const SILENT_AFTER_MS = 1_000

  /** One statement for each connection of the pool, so that all exist and are idle afterwards. */
  const useAll = (db: Database): Promise<unknown> =>
    Promise.all(
      Array.from({ length: POOL / 2 }, () => [
        db.read('select pg_sleep(0.2)'),
        db.transaction((tx) => tx.read('select pg_sleep(0.2)')),
      ]).flat(),
    )

  it('after one silent connection timed out, the next statement and transaction use new connections', async (t) => {
    const way = await openBreakableWay(await freshDatabase({ isMigrated: false }))
    const db = openPostgres({
      url: way.url,
      poolSize: POOL,
      silentAfterMs: SILENT_AFTER_MS,
      watch: { committed: () => {} },
      now: () => Date.now(),
      pause: async () => {},
    })
    t.after(async () => {
      way.close()
      await db.close()
    })
    await useAll(db)
    for (let round = 0; round < 2; round++) {
      way.silence()
      const silenced = db.transaction((tx) => tx.read('select 1'))
      await assert.rejects(silenced, StoreUnavailable)
      for (let nth = 0; nth < POOL; nth++) {
        assert.equal((await db.read('select 1 as one')).length, 1)
        assert.equal((await db.transaction((tx) => tx.read('select 1 as one'))).length, 1)
      }
      await useAll(db)
    }
  })
})

// No later refusal may report an insert as not recorded when its first attempt was.
describe('PostgreSQL: lost answers to inserts', () => {
  const SILENT_AFTER_MS = 500

  /**
   * Counts attempts by a sequence, which no rollback undoes. The first attempt waits for the test;
   * the given number of later attempts is refused as by a lock.
   */
  const TABLES = `
  create table things (own text not null unique, name text not null unique);
  create sequence attempts;
  create table plan (refused_until bigint);
  create function meet_fault() returns trigger language plpgsql as $$
    declare attempt bigint := nextval('attempts');
    begin
      if attempt = 1 then perform pg_advisory_xact_lock(1);
      elsif attempt <= (select refused_until from plan)
        then raise exception 'locked' using errcode = '55P03';
      end if;
      return null;
    end $$;
  create trigger meet_fault before insert on things execute function meet_fault()`

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
      url: way.url,
      poolSize: 4,
      silentAfterMs: SILENT_AFTER_MS,
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

  /** Inserts rows of these names. The server records them, and its answer is lost. */
  async function insertUnheard(
    names: string[],
    refusedUntil: number,
  ): Promise<PromiseSettledResult<boolean>[]> {
    await db.ping()
    await admin.query(`delete from plan; select setval('attempts', 1, false)`)
    await admin.query('insert into plan values ($1)', [refusedUntil])
    await admin.query('select pg_advisory_lock(1)')
    const inserted = Promise.allSettled(
      names.map((name) => db.insert(THINGS, { own: `own ${name}`, name })),
    )
    await until('first attempt', async () => {
      const { rows } = await admin.query(
        `select 1 from pg_locks where locktype = 'advisory' and not granted`,
      )
      return rows.length > 0
    })
    way.silence()
    await admin.query('select pg_advisory_unlock(1)')
    return inserted
  }

  const recorded = async (names: string[]): Promise<number> =>
    (await admin.query('select 1 from things where name = any($1)', [names])).rowCount ?? 0

  for (const names of [['alone'], ['first of two', 'second of two']]) {
    it(`an insert with a lost answer is found as recorded although a lock refused later attempts: ${names.join(' and ')}`, async () => {
      for (const each of await insertUnheard(names, 3))
        assert.deepEqual(each, { status: 'fulfilled', value: true })
      assert.equal(await recorded(names), names.length)
    })
  }

  it('an insert with a lost answer has an unknown outcome when locks refuse all later attempts', async () => {
    const names = ['unsure', 'unsure too']
    for (const each of await insertUnheard(names, Number.MAX_SAFE_INTEGER)) {
      assert.ok(
        each.status === 'rejected' && each.reason instanceof StoreOutcomeUnknown,
        JSON.stringify(each),
      )
    }
    assert.equal(await recorded(names), 2)
  })

  it('an insert whose first attempt a lock refuses is contended: nothing was recorded', async () => {
    await admin.query(`delete from plan; insert into plan values (2); select setval('attempts', 1)`)
    await assert.rejects(db.insert(THINGS, { own: 'own refused', name: 'refused' }), StoreContended)
    assert.equal(await recorded(['refused']), 0)
    assert.equal(await db.insert(THINGS, { own: 'own refused', name: 'refused' }), true)
  })
})

// A commit that no standby has is never reported as done: a fail-over would lose it.
describe('PostgreSQL: synchronous standby that is gone', () => {
  let server: PostgresServer
  let admin: pg.Client
  let probe: pg.Client
  let db: Database

  before(async () => {
    server = await makePostgres()
    const url = await server.createDatabase('alone')
    admin = new pg.Client(url)
    await admin.connect()
    await admin.query('create table things (own text not null unique, name text not null unique)')
    await admin.query('create table probes (x bigint)')
    probe = new pg.Client(url)
    await probe.connect()
    let time = 0
    db = openPostgres({
      url,
      poolSize: 4,
      silentAfterMs: 500,
      watch: { committed: () => {} },
      now: () => time,
      pause: async () => {
        time += 4_000
      },
    })
  })
  after(async () => {
    await db?.close()
    await probe?.end()
    await admin?.end()
    await server?.stop()
  })

  async function setStandby(name: string): Promise<void> {
    await admin.query(`alter system set synchronous_standby_names = '${name}'`)
    await admin.query('select pg_reload_conf()')
    // Another process of PostgreSQL decides whether commits wait. It reads the setting at a time of
    // its own.
    await until('setting', async () => (await commitWaits()) === (name !== ''))
  }

  async function commitWaits(): Promise<boolean> {
    let [isDone, hasWaited] = [false, false]
    const commit = probe.query('insert into probes values (1)').then(() => {
      isDone = true
    })
    await until('commit', async () => {
      hasWaited = await endedWait('cancelled')
      return isDone || hasWaited
    })
    await commit
    return hasWaited
  }

  /** How a session in its wait for the standby ends. */
  const ENDS = { cancelled: 'pg_cancel_backend', ended: 'pg_terminate_backend' }

  async function endedWait(end: keyof typeof ENDS): Promise<boolean> {
    const sql = `select ${ENDS[end]}(pid) from pg_stat_activity where wait_event = 'SyncRep'`
    return ((await admin.query(sql)).rowCount ?? 0) > 0
  }

  const endWaits = (end: keyof typeof ENDS): Promise<unknown> =>
    until('wait for the standby', () => endedWait(end))

  for (const end of ['cancelled', 'ended'] as const) {
    it(`an insert whose wait for the standby was ${end} is not reported as recorded until a standby has it`, async () => {
      await db.ping()
      await setStandby('gone')
      const own = `own ${end}`
      const inserted = assert.rejects(db.insert(THINGS, { own, name: end }), StoreOutcomeUnknown)
      await endWaits(end)
      await until('row that is only here', async () => {
        const { rows } = await admin.query('select 1 from things where own = $1', [own])
        return rows.length > 0
      })
      await inserted
      await setStandby('')
      assert.equal(await db.insert(THINGS, { own: `${own} again`, name: end }), false)
    })

    it(`a transaction whose wait for the standby was ${end} has an unknown outcome`, async () => {
      await db.ping()
      await setStandby('gone')
      const sql = 'insert into things (own, name) values (:own, :own)'
      const changed = assert.rejects(
        db.transaction((tx) => tx.change(sql, { own: `changed ${end}` })),
        StoreOutcomeUnknown,
      )
      await endWaits(end)
      await changed
      await setStandby('')
      assert.equal(
        (await db.read('select 1 from things where own = :own', { own: `changed ${end}` })).length,
        1,
      )
    })
  }
})

// No transaction is open for ever, and every acknowledged write is on disk.
describe('PostgreSQL: frozen sessions', () => {
  async function takeFeedSequence(tx: Transaction, accountId: string): Promise<number | undefined> {
    const [feed] = await takeFeedSequences(tx, new Map([[accountId, 1]]))
    return feed?.lastSequence
  }

  const service = sharedWithAccount(() => openTestService(POSTGRES))

  it('a process frozen inside a transaction delays others for only a few seconds', async () => {
    const { accountId } = service
    const { promise: waking, resolve: wake } = Promise.withResolvers<void>()
    const { promise: holding, resolve: hold } = Promise.withResolvers<void>()
    const frozen = service.db.transaction(async (tx) => {
      await takeFeedSequence(tx, accountId)
      hold()
      // Frozen here, with the account's feed locked.
      await waking
      await takeFeedSequence(tx, accountId)
    })
    await holding
    assert.equal(await service.db.transaction((tx) => takeFeedSequence(tx, accountId)), 1)
    wake()
    await assert.rejects(frozen, StoreUnavailable)
    assert.equal(await service.db.transaction((tx) => takeFeedSequence(tx, accountId)), 2)
  })

  it('commits wait for fsync with any setting of the database', async (t) => {
    await service.db.change(
      `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
    )
    const again = await openRuntime(service.config)
    t.after(() => again.close())
    const [row] = await again.db.transaction((tx) =>
      tx.read<{ setting: string }>(
        `select setting from pg_settings where name = 'synchronous_commit'`,
      ),
    )
    assert.equal(row?.setting, 'on')
  })
})

// A lock as ALTER TABLE or VACUUM FULL takes: 503 before clients time out, nothing recorded,
// /readyz reports it, and the service recovers (promise 2).
describe('PostgreSQL: locked table', () => {
  const HELD_MS = tries(12_000, 60_000)
  /**
   * The timeouts add up to ten seconds; the rest is for a busy machine. Without the timeouts it
   * took 42 seconds.
   */
  const ANSWERED_WITHIN_MS = 20_000

  it('locked table: creates and reads get 503 in time, nothing is recorded, and /readyz fails and recovers', async (t) => {
    const service = await openTestService(POSTGRES)
    t.after(() => service.remove())
    const { secretKey } = (await service.merchant()).accounts.sandbox
    const { body: known } = await post(service, secretKey, order())
    const ready = async (): Promise<string[]> =>
      (await service.app.inject({ method: 'GET', url: '/readyz' })).json().failing ?? []
    assert.deepEqual(await ready(), [])

    const refused: string[] = []
    const waits: number[] = []
    async function answered(asking: Promise<Answer>): Promise<void> {
      const begun = performance.now()
      const { code, headers } = await asking
      waits.push(performance.now() - begun)
      assert.deepEqual([code, headers['retry-after']], [503, '1'])
    }
    function ask(): Promise<void>[] {
      const orders = [
        order(),
        order(),
        order(),
        order({ order_reference: `cart-${refused.length}` }),
      ]
      refused.push(...orders.map(({ transaction_id: name }) => name as string))
      const creates = orders.map((body) => answered(post(service, secretKey, body)))
      return [...creates, answered(get(service, secretKey, known.reference as string))]
    }

    const locker = new pg.Client(service.config.databaseUrl)
    await locker.connect()
    t.after(() => locker.end())
    await locker.query('begin')
    await locker.query('lock table payments in access exclusive mode')
    const asked = Array.from({ length: 20 }, ask).flat()
    const heldUntil = performance.now() + HELD_MS
    for (; performance.now() < heldUntil; await pause(250)) asked.push(...ask())
    await until('word of /readyz that it cannot write', async () =>
      (await ready()).includes('write'),
    )
    await Promise.all(asked)
    await locker.query('rollback')

    await until('a /readyz without complaint', async () => (await ready()).length === 0)
    for (const name of refused) assert.equal((await get(service, secretKey, name)).code, 404)
    assert.equal((await post(service, secretKey, order())).code, 200)
    const longest = Math.max(...waits)
    assert.ok(longest < ANSWERED_WITHIN_MS, `${longest} ms`)
    tried(asked.length)
    t.diagnostic(
      `${asked.length} requests behind the lock, the longest waited ${Math.round(longest)} ms`,
    )
  })
})
