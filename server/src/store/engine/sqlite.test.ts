// The SQLite engine: commits are on disk before they are acknowledged or readable, faults of the
// disk, groups, and transactions that SQLite ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import {
  type Database,
  type Insertion,
  StoreOutcomeUnknown,
  StoreUnavailable,
  together,
} from './database.ts'
import { openSqlite } from './sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
after(() => rmSync(folder, { recursive: true }))

function heldCalls() {
  const ends: ((error: Error | null) => void)[] = []
  return {
    sync: (_descriptor: number, done: (error: Error | null) => void) => void ends.push(done),
    began: () => ends.length,
    end: (nth: number, error: Error | null = null) => ends[nth]?.(error),
  }
}

// Puts read-only descriptors of a file in the place of those that are open, and the other way
// round: each write fails with an I/O error.
function makeReadOnly(file: string): () => void {
  const replaced = readdirSync('/proc/self/fd').filter((each) => linkOf(each) === file)
  const reopen = (flags: string): void => {
    for (const each of replaced.map(Number)) {
      closeSync(each)
      // The system gives the lowest number that is free.
      const lower: number[] = []
      for (let opened = openSync(file, flags); opened !== each; opened = openSync(file, flags))
        lower.push(opened)
      for (const other of lower) closeSync(other)
    }
  }
  reopen('r')
  return () => reopen('r+')
}

function linkOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // The one that the list itself was read with.
    return undefined
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  promise.then(settle, settle)
  await turn()
  return settled
}

const BY_TEXT = { sqlite: 'select text from notes where text = :text', postgres: '' }

describe('SQLite durability', () => {
  const open = (name: string, calls: ReturnType<typeof heldCalls>) =>
    openSqlite(join(folder, name), { committed: () => {} }, async () => {}, calls.sync)

  async function withTable(name: string) {
    const calls = heldCalls()
    const db = open(name, calls)
    const made = db.change('create table notes (text text)')
    while (calls.began() === 0) await turn()
    calls.end(0)
    await made
    return { calls, db }
  }

  it('SQLite: neither a write nor a read of it is answered before the sync', async () => {
    const { calls, db } = await withTable('waits.db')
    const written = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const read = db.read('select text from notes')
    const found = db.find(BY_TEXT, { text: 'a' })
    assert.equal(await isSettled(written), false)
    assert.equal(await isSettled(read), false)
    assert.equal(await isSettled(found), false)
    calls.end(1)
    assert.equal(await written, 1)
    assert.deepEqual(await read, [{ text: 'a' }])
    assert.deepEqual(await found, { text: 'a' })
    await db.close()
  })

  it('SQLite: writes that arrive during a sync share one commit', async () => {
    const { calls, db } = await withTable('shares.db')
    const first = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const others = ['b', 'c', 'd'].map((text) =>
      db.change('insert into notes values (:text)', { text }),
    )
    await turn()
    assert.equal(calls.began(), 2)
    calls.end(1)
    await first
    while (calls.began() === 2) await turn()
    calls.end(2)
    assert.deepEqual(await Promise.all(others), [1, 1, 1])
    await db.close()
  })

  it('SQLite: after a failed sync the outcome is unknown, and the store works again once all commits are in the database file', async () => {
    const { calls, db } = await withTable('fails.db')
    const written = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const read = db.read('select text from notes')
    calls.end(1, new Error('the disk is broken'))
    await assert.rejects(written, StoreOutcomeUnknown)
    await assert.rejects(read, StoreUnavailable)
    const next = db.change(`insert into notes values ('b')`)
    while (calls.began() === 2) await turn()
    calls.end(2)
    assert.equal(await next, 1)
    assert.deepEqual(await db.read('select text from notes order by text'), [
      { text: 'a' },
      { text: 'b' },
    ])
    await db.close()
  })

  it('SQLite: a commit that could not be synced is not readable before it is in the database file', async () => {
    let calls = 0
    let isBroken = false
    const sync = (_descriptor: number, done: (error: Error | null) => void): void => {
      calls++
      setImmediate(done, isBroken ? new Error('the disk is broken') : null)
    }
    const db = openSqlite(join(folder, 'refused.db'), { committed: () => {} }, async () => {}, sync)
    const list = () => db.read('select text from notes')
    const find = () => db.find(BY_TEXT, { text: 'a' })
    await db.change('create table notes (text text)')
    isBroken = true
    await assert.rejects(db.change(`insert into notes values ('a')`), StoreOutcomeUnknown)
    await assert.rejects(list(), StoreUnavailable)
    await assert.rejects(find(), StoreUnavailable)
    isBroken = false
    calls = 0
    assert.deepEqual(await Promise.all([list(), find(), list()]), [
      [{ text: 'a' }],
      { text: 'a' },
      [{ text: 'a' }],
    ])
    assert.equal(calls, 1, 'they share one sync')
    assert.deepEqual(await list(), [{ text: 'a' }])
    assert.equal(calls, 1, 'and the disk is trusted again')
    await db.close()
  })

  it('SQLite: after any other failure of a commit the outcome is unknown, and the next commit works', async () => {
    const broken = new Error('an unexpected error')
    let committed = (): void => {}
    const db = openSqlite(
      join(folder, 'unforeseen.db'),
      { committed: () => committed() },
      async () => {},
    )
    await db.change('create table notes (text text)')
    committed = () => {
      committed = () => {}
      throw broken
    }
    await assert.rejects(db.change(`insert into notes values ('a')`), (error: Error) => {
      assert.ok(error instanceof StoreOutcomeUnknown)
      assert.equal(error.cause, broken)
      return true
    })
    assert.equal(await db.change(`insert into notes values ('b')`), 1)
    await db.close()
  })

  it('SQLite: a commit that cannot be written is refused, and nothing is recorded', async () => {
    const file = join(folder, 'unwritten.db')
    const db = openSqlite(file, { committed: () => {} }, async () => {})
    await db.change('create table notes (text text)')
    const makeWritable = makeReadOnly(`${file}-wal`)
    await assert.rejects(db.change(`insert into notes values ('a')`), StoreUnavailable)
    makeWritable()
    assert.equal(await db.change(`insert into notes values ('b')`), 1)
    assert.deepEqual(await db.read('select text from notes'), [{ text: 'b' }])
    await db.close()
  })

  it('SQLite: the outcome of a commit that fails after it was written is unknown, and the WAL is left before the next', async () => {
    const file = join(folder, 'written.db')
    const db = openSqlite(file, { committed: () => {} }, async () => {})
    await db.change('create table notes (text text)')
    let makeWritable = (): void => {}
    const written = db.transaction(async (tx) => {
      // More pages than one part of the log's index has room for: the next part is made in the
      // commit.
      await tx.change('insert into notes values (zeroblob(17000000))')
      makeWritable = makeReadOnly(`${file}-shm`)
    })
    await assert.rejects(written, (error: Error) => {
      assert.ok(error instanceof StoreOutcomeUnknown, error.stack)
      assert.match((error.cause as Error).message, /disk I\/O error/)
      return true
    })
    await assert.rejects(db.change(`insert into notes values ('b')`), StoreUnavailable)
    makeWritable()
    assert.equal(await db.change(`insert into notes values ('c')`), 1)
    assert.deepEqual(await db.read('select text from notes'), [{ text: 'c' }])
    await db.close()
  })
})

const NOTES: Insertion = {
  table: 'notes',
  columns: { text: 'text', length: 'bigint' },
  identity: 'text',
  sortedBy: ['text'],
}
const INSERT = 'insert into notes (text, length) values (:text, :length) on conflict do nothing'
const upTo = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

describe('SQLite groups', () => {
  async function withNotes(name: string): Promise<Database> {
    const db = openSqlite(join(folder, name), { committed: () => {} }, async () => {})
    await db.change('create table notes (text text primary key, length bigint check (length > 0))')
    return db
  }
  const insert = (db: Database, text: string): Promise<boolean> =>
    db.insert(NOTES, { text, length: text.length })

  it('SQLite groups: of several inserts with the same key exactly one wins, next to transactions', async () => {
    const db = await withNotes('first.db')
    for (let round = 0; round < 10; round++) {
      const texts = upTo(60, `round-${round}-`)
      const moved = db.transaction(async (tx) => {
        await tx.change(INSERT, { text: `moved-${round}`, length: 1 })
        return tx.change('update notes set length = length + 1 where text = :text', {
          text: `moved-${round}`,
        })
      })
      const inserted = await Promise.all([...texts, ...texts].map((text) => insert(db, text)))
      assert.equal(inserted.filter((isNew) => isNew).length, 60)
      assert.equal(await moved, 1)
      const found = await Promise.all(texts.map((text) => db.find(BY_TEXT, { text })))
      assert.equal(found.filter((each) => each === undefined).length, 0)
    }
    await db.close()
  })

  it('SQLite groups: a write that the store refuses fails alone', async () => {
    const db = await withNotes('one.db')
    const texts = [...upTo(20, 'a'), '', ...upTo(20, 'b')]
    const inserted = await Promise.allSettled(texts.map((text) => insert(db, text)))
    const refused = inserted.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
    assert.deepEqual(refused, [20])
    await db.close()
  })

  it('SQLite groups: each kind of statement gets its own answer', async () => {
    const db = await withNotes('kinds.db')
    await Promise.all(upTo(3, 'first-').map((text) => insert(db, text)))
    const inserted = upTo(30, 'kind-').map((text) => insert(db, text))
    const changed = db.change('update notes set length = length + 1 where text = :text', {
      text: 'first-1',
    })
    const returned = db.write(
      'update notes set length = 100 where text = :text returning text, length',
      { text: 'first-2' },
    )
    const none = db.write('update notes set length = 101 where text = :text returning text', {
      text: 'missing',
    })
    assert.deepEqual(await Promise.all(inserted), Array(30).fill(true))
    assert.equal(await changed, 1)
    assert.deepEqual(await returned, [{ text: 'first-2', length: 100 }])
    assert.deepEqual(await none, [])
    await db.close()
  })

  it('SQLite reads: a statement that writes is refused, and changes nothing', async () => {
    const db = await withNotes('read-only.db')
    await insert(db, 'kept')
    await assert.rejects(db.read('delete from notes returning text'), ({ cause }: Error) =>
      /attempt to write a readonly database/.test(String(cause)),
    )
    assert.deepEqual(await db.read('select text from notes'), [{ text: 'kept' }])
    await db.close()
  })

  it('SQLite groups: single writes commit before transactions that waited as long, and few transactions share a commit', async () => {
    const groups: number[] = []
    const db = openSqlite(
      join(folder, 'few.db'),
      { committed: (size) => void groups.push(size) },
      async () => {},
    )
    await db.change('create table notes (text text primary key, length bigint)')
    const ended: string[] = []
    const transactions = upTo(5, 't').map(async (name) => {
      const rows = upTo(200, name).map((text) => ({ text, length: 1 }))
      await db.transaction((tx) => tx.changeEach({ sqlite: INSERT, postgres: '' }, rows))
      ended.push(name)
    })
    const single = insert(db, 'single').then(() => ended.push('single'))
    await Promise.all([...transactions, single])
    assert.deepEqual(ended, ['single', 't0', 't1', 't2', 't3', 't4'])
    assert.deepEqual(groups, [1, 3, 2, 1])
    await db.close()
  })
})

describe('SQLite transactions that SQLite ends in the middle', async () => {
  const db = openSqlite(join(folder, 'ended.db'), { committed: () => {} }, async () => {})
  await db.change('create table notes (text text primary key, length bigint)')
  // `raise(rollback)` ends the transaction as a full disk does.
  await db.change(
    `create trigger fault before insert on notes when new.text = 'bad' begin select raise(rollback, 'the disk is full'); end`,
  )
  after(() => db.close())

  const noted = async (): Promise<number> => (await db.read('select text from notes')).length

  it('SQLite transactions: a transaction that SQLite ends records none of its steps, and none of the writes that shared its commit', async () => {
    const other = assert.rejects(
      db.change(INSERT, { text: 'other', length: 1 }),
      /the disk is full/,
    )
    const failed = db.transaction((tx) =>
      together(
        ['before', 'bad', 'after'],
        async (text) => void (await tx.change(INSERT, { text, length: 1 })),
      ),
    )
    await assert.rejects(failed, /the disk is full/)
    await other
    assert.equal(await noted(), 0)
  })

  it('SQLite transactions: a transaction that SQLite ended is refused although its steps continue', async () => {
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.change(INSERT, { text: 'bad', length: 1 }).catch(() => {})
        await tx.change(INSERT, { text: 'after', length: 1 }).catch(() => {})
      }),
      StoreUnavailable,
    )
    assert.equal(await noted(), 0)
  })
})

it('SQLite thread: a close during a call keeps its process alive until the thread has ended', async () => {
  const module = new URL('./sqlite-thread.ts', import.meta.url).href
  const script = `
    const { openThread } = await import(${JSON.stringify(module)})
    const thread = openThread(${JSON.stringify(join(folder, 'closed-early.db'))}, 50)
    await Promise.all([thread.run('select 1 as one'), thread.close()])`
  await openSqlite(join(folder, 'closed-early.db'), { committed: () => {} }, async () => {}).close()
  const process = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
  // Node ends with 13 when nothing is left that could settle an await.
  assert.deepEqual(await once(process, 'exit'), [0])
})
