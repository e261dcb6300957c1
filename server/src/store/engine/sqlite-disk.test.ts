// Commits are on disk before anybody is told of them, and what happens when the disk fails.
import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { StoreOutcomeUnknown, StoreUnavailable } from './database.ts'
import { openSqlite } from './sqlite.ts'
import { diskOf } from './sqlite-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'karba-test-'))
after(() => rmSync(folder, { recursive: true }))

/** Calls that end when the test says so. */
function heldCalls() {
  const ends: ((error: Error | null) => void)[] = []
  return {
    sync: (_descriptor: number, done: (error: Error | null) => void) => void ends.push(done),
    began: () => ends.length,
    end: (nth: number, error: Error | null = null) => ends[nth]?.(error),
  }
}

/** Puts read-only descriptors of a file in the place of those that are open, and the other way round: each write fails with an I/O error. */
function makeReadOnly(file: string): () => void {
  const replaced = readdirSync('/proc/self/fd').filter((each) => linkOf(each) === file)
  const reopen = (flags: string): void => {
    for (const each of replaced.map(Number)) {
      closeSync(each)
      // The system gives the lowest number that is free.
      const lower: number[] = []
      for (let opened = openSync(file, flags); opened !== each; opened = openSync(file, flags)) lower.push(opened)
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
  const pending = Symbol()
  await turn()
  return (
    (await Promise.race([
      promise.then(
        () => {},
        () => {},
      ),
      Promise.resolve(pending),
    ])) !== pending
  )
}

describe('the disk that commits are brought to', () => {
  const log = join(folder, 'log')
  writeFileSync(log, '')

  it('is asked again for what was committed while it worked, once for all of it', async () => {
    const calls = heldCalls()
    const disk = diskOf(log, calls.sync)
    const first = disk.reached()
    const [second, third] = [disk.reached(), disk.reached()]
    assert.equal(calls.began(), 1)
    calls.end(0)
    await first
    assert.equal(await isSettled(second), false)
    assert.equal(calls.began(), 2)
    calls.end(1)
    await Promise.all([second, third])
    assert.equal(disk.underway, undefined)
    disk.close()
  })

  it('is trusted no more after it failed, until it is told to be', async () => {
    const calls = heldCalls()
    const disk = diskOf(log, calls.sync)
    const first = disk.reached()
    const second = disk.reached()
    calls.end(0, new Error('the disk is broken'))
    await assert.rejects(first)
    await turn()
    calls.end(1)
    await assert.rejects(second, /an earlier commit/)
    assert.equal(disk.isDoubtful, true)
    disk.trustAgain()
    const third = disk.reached()
    calls.end(2)
    await third
    disk.close()
  })
})

describe('SQLite, while the disk works', () => {
  const open = (name: string, calls: ReturnType<typeof heldCalls>) =>
    openSqlite(join(folder, name), { committed: () => {} }, async () => {}, { sync: calls.sync })

  async function withTable(name: string) {
    const calls = heldCalls()
    const db = open(name, calls)
    const made = db.change('create table notes (text text)')
    while (calls.began() === 0) await turn()
    calls.end(0)
    await made
    return { calls, db }
  }

  it('answers neither a write nor a read of it before the disk has it', async () => {
    const { calls, db } = await withTable('waits.db')
    const written = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const read = db.rows('select text from notes')
    const found = db.find('select text from notes where text = $1', ['a'])
    assert.equal(await isSettled(written), false)
    assert.equal(await isSettled(read), false)
    assert.equal(await isSettled(found), false)
    calls.end(1)
    assert.equal(await written, 1)
    assert.deepEqual(await read, [{ text: 'a' }])
    assert.deepEqual(await found, { text: 'a' })
    await db.close()
  })

  it('puts what comes in meanwhile into one commit', async () => {
    const { calls, db } = await withTable('shares.db')
    const first = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const others = ['b', 'c', 'd'].map((text) => db.change('insert into notes values ($1)', [text]))
    await turn()
    assert.equal(calls.began(), 2)
    calls.end(1)
    await first
    while (calls.began() === 2) await turn()
    calls.end(2)
    assert.deepEqual(await Promise.all(others), [1, 1, 1])
    await db.close()
  })

  it('says that it does not know when the disk fails, and goes on once all is in the database file', async () => {
    const { calls, db } = await withTable('fails.db')
    const written = db.change(`insert into notes values ('a')`)
    while (calls.began() === 1) await turn()
    const read = db.rows('select text from notes')
    calls.end(1, new Error('the disk is broken'))
    await assert.rejects(written, StoreOutcomeUnknown)
    await assert.rejects(read, StoreUnavailable)
    const next = db.change(`insert into notes values ('b')`)
    while (calls.began() === 2) await turn()
    calls.end(2)
    assert.equal(await next, 1)
    assert.deepEqual(await db.rows('select text from notes order by text'), [{ text: 'a' }, { text: 'b' }])
    await db.close()
  })

  it('shows nothing that the disk has refused before it is in the database file', async () => {
    let calls = 0
    let isBroken = false
    const sync = (_descriptor: number, done: (error: Error | null) => void): void => {
      calls++
      setImmediate(done, isBroken ? new Error('the disk is broken') : null)
    }
    const db = openSqlite(join(folder, 'refused.db'), { committed: () => {} }, async () => {}, { sync })
    const list = () => db.rows('select text from notes')
    const find = () => db.find('select text from notes where text = $1', ['a'])
    await db.change('create table notes (text text)')
    isBroken = true
    await assert.rejects(db.change(`insert into notes values ('a')`), StoreOutcomeUnknown)
    await assert.rejects(list(), StoreUnavailable)
    await assert.rejects(find(), StoreUnavailable)
    isBroken = false
    calls = 0
    assert.deepEqual(await Promise.all([list(), find(), list()]), [[{ text: 'a' }], { text: 'a' }, [{ text: 'a' }]])
    assert.equal(calls, 1, 'they share the way to the disk')
    assert.deepEqual(await list(), [{ text: 'a' }])
    assert.equal(calls, 1, 'and the disk is trusted again')
    await db.close()
  })

  it('says that it does not know when anything else fails after a commit, and goes on with the next', async () => {
    const broken = new Error('nobody foresaw this')
    let committed = (): void => {}
    const db = openSqlite(join(folder, 'unforeseen.db'), { committed: () => committed() }, async () => {})
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

  it('says that nothing was recorded when a commit cannot be written', async () => {
    const file = join(folder, 'unwritten.db')
    const db = openSqlite(file, { committed: () => {} }, async () => {})
    await db.change('create table notes (text text)')
    const makeWritable = makeReadOnly(`${file}-wal`)
    await assert.rejects(db.change(`insert into notes values ('a')`), StoreUnavailable)
    makeWritable()
    assert.equal(await db.change(`insert into notes values ('b')`), 1)
    assert.deepEqual(await db.rows('select text from notes'), [{ text: 'b' }])
    await db.close()
  })

  it('does not know what became of a commit that fails once it is written, and leaves the log before the next', async () => {
    const file = join(folder, 'written.db')
    const db = openSqlite(file, { committed: () => {} }, async () => {})
    await db.change('create table notes (text text)')
    let makeWritable = (): void => {}
    const written = db.transaction(async (tx) => {
      // More pages than one part of the log's index has room for: the next part is made in the commit.
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
    assert.deepEqual(await db.rows('select text from notes'), [{ text: 'c' }])
    await db.close()
  })
})
