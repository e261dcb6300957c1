// Transactions that SQLite ends by itself in the middle, as it does when the disk is full or a page cannot be read: nothing of them stays.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { NOTE_TOGETHER } from '../../../test/kit/noting-thread.ts'
import { type Database, StoreUnavailable } from './database.ts'
import { openSqlite } from './sqlite.ts'
import { threadWrites } from './thread-writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'karba-transaction-'))
const file = join(folder, 'notes.db')
const THREAD = new URL('../../../test/kit/noting-thread.ts', import.meta.url)

/** `raise(rollback)` ends the transaction as a full disk does. */
const TABLES = [
  'create table notes (text text primary key, length bigint)',
  `create trigger fault before insert on notes when new.text = 'bad' begin select raise(rollback, 'the disk is full'); end`,
]
const INSERT = 'insert into notes (text, length) values ($1, 1)'

describe('a transaction that SQLite ends in the middle', () => {
  let db: Database

  before(async () => {
    db = openSqlite(file, { committed: () => {} }, async () => {})
    for (const sql of TABLES) await db.change(sql)
  })
  after(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  const noted = async (): Promise<number> => (await db.rows('select text from notes')).length

  it('leaves nothing of the steps that were begun together, nor of the writes that shared its commit', async () => {
    const beside = assert.rejects(db.change(INSERT, ['beside']), /the disk is full/)
    await assert.rejects(
      db.perform(NOTE_TOGETHER, 3, () => ['before', 'bad', 'after']),
      /the disk is full/,
    )
    await beside
    assert.equal(await noted(), 0)
  })

  it('is refused although it goes on as if nothing had happened', async () => {
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.change(INSERT, ['bad']).catch(() => {})
        await tx.change(INSERT, ['after']).catch(() => {})
      }),
      StoreUnavailable,
    )
    assert.equal(await noted(), 0)
  })

  it('leaves nothing in the thread either, so that it may be done again', async () => {
    const thread = threadWrites(THREAD, file, () => true)
    const ready = new Promise((resolve) => {
      process.once('worker', (worker: Worker) => worker.once('message', resolve))
    })
    thread.takes(1_000)
    assert.equal(await ready, 'ready')
    const named = { name: NOTE_TOGETHER.name, given: ['before', 'bad', 'after'] }
    assert.equal(
      await thread.write({ statements: [{ sql: INSERT, wants: 'changes', sets: [['beside']] }], named }),
      'nothing',
    )
    assert.equal(await noted(), 0)
    await thread.close()
  })
})
