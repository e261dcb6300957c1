// The thread that inserts: what it takes, what it answers when it cannot, and that the store answers the same with it as without.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import type { Insertion } from './database.ts'
import { insertsOf } from './inserts.ts'
import { openSqlite } from './sqlite.ts'
import { openWriter } from './sqlite-connections.ts'

const folder = mkdtempSync(join(tmpdir(), 'karba-inserts-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const TABLE = 'create table notes (text text primary key, length bigint check (length > 0))'
const INSERT = 'insert into notes (text, length) values ($1, $2) on conflict do nothing'
const row = (text: string): [string, number] => [text, text.length]
const upTo = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

async function withThread(name: string, areFilesOurs = () => true) {
  const file = join(folder, name)
  const { writer } = openWriter(file)
  writer.exec(TABLE)
  const inserts = insertsOf(file, areFilesOurs)
  const stored = () => (writer.prepare('select count(*) as count from notes').get() as { count: number }).count
  return {
    ...{ writer, inserts, stored },
    isReady: async () => {
      while (!inserts.takes(1_000)) await turn()
    },
    end: async () => {
      await inserts.close()
      writer.close()
    },
  }
}

describe('the thread that inserts', () => {
  it('takes no small groups, and large ones once it is there', async () => {
    const { inserts, isReady, end } = await withThread('takes.db')
    assert.equal(inserts.takes(1_000), false)
    await isReady()
    assert.equal(inserts.takes(2), false)
    await end()
    assert.equal(inserts.takes(1_000), false)
  })

  it('says of each row whether it was new', async () => {
    const { inserts, isReady, stored, end } = await withThread('each.db')
    await isReady()
    assert.deepEqual(await inserts.insert(INSERT, [row('a'), row('b'), row('a')]), [true, true, false])
    assert.deepEqual(await inserts.insert(INSERT, [row('b'), row('c')]), [false, true])
    assert.equal(stored(), 3)
    await end()
  })

  it('does nothing while another connection writes, and does not wait for it', async () => {
    const { writer, inserts, isReady, stored, end } = await withThread('busy.db')
    await isReady()
    writer.exec('begin immediate')
    assert.equal(await inserts.insert(INSERT, [row('a')]), 'nothing')
    writer.exec('commit')
    assert.equal(stored(), 0)
    assert.deepEqual(await inserts.insert(INSERT, [row('a')]), [true])
    await end()
  })

  it('does nothing when the store refuses a row: whoever asked finds out which', async () => {
    const { inserts, isReady, stored, end } = await withThread('refused.db')
    await isReady()
    assert.equal(await inserts.insert(INSERT, [row('a'), row(''), row('b')]), 'nothing')
    assert.equal(stored(), 0)
    await end()
  })

  it('that ends while it works leaves nobody waiting, and is not used again', async () => {
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const { inserts, isReady, end } = await withThread('ends.db')
    await isReady()
    const inserting = inserts.insert(INSERT, [row('a')])
    await (await started).terminate()
    // It may have been quicker than its end.
    const [outcome] = await Promise.allSettled([inserting])
    if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, [true])
    else assert.match(outcome.reason.message, /the thread has ended/)
    assert.equal(inserts.takes(1_000), false)
    await end()
  })

  it('is not used when it may have opened other files', async () => {
    let asked = 0
    const { inserts, end } = await withThread('other.db', () => ++asked < 0)
    inserts.takes(1_000)
    while (asked === 0) await turn()
    assert.equal(inserts.takes(1_000), false)
    await end()
  })
})

const NOTES: Insertion = {
  table: 'notes',
  columns: { text: 'text', length: 'bigint' },
  identity: 'text',
  sortedBy: ['text'],
}

describe('SQLite, with many inserts at once', () => {
  /** Returns once the thread is there: it does the next large groups. */
  async function open(name: string) {
    const db = openSqlite(join(folder, name), { committed: () => {} }, async () => {})
    await db.change(TABLE)
    const ready = new Promise((resolve) => {
      process.once('worker', (thread: Worker) => thread.once('message', resolve))
    })
    await Promise.all(upTo(50, 'first-').map((text) => db.insert(NOTES, row(text))))
    assert.equal(await ready, 'ready')
    return db
  }

  it('tells exactly one of several with the same name that it was first, beside transactions', async () => {
    const db = await open('first.db')
    for (let round = 0; round < 10; round++) {
      const texts = upTo(60, `round-${round}-`)
      const moved = db.transaction(async (tx) => {
        await tx.change(INSERT, row(`moved-${round}`))
        return tx.change('update notes set length = length + 1 where text = $1', [`moved-${round}`])
      })
      const inserted = await Promise.all([...texts, ...texts].map((text) => db.insert(NOTES, row(text))))
      assert.equal(inserted.filter((isNew) => isNew).length, 60)
      assert.equal(await moved, 1)
      const found = await Promise.all(texts.map((text) => db.find('select text from notes where text = $1', [text])))
      assert.equal(found.filter((each) => each === undefined).length, 0)
    }
    await db.close()
  })

  it('refuses the one that the store refuses, and takes the others', async () => {
    const db = await open('one.db')
    const texts = [...upTo(20, 'a'), '', ...upTo(20, 'b')]
    const inserted = await Promise.allSettled(texts.map((text) => db.insert(NOTES, row(text))))
    assert.deepEqual(
      inserted.map(({ status }) => status).filter((status) => status === 'rejected'),
      ['rejected'],
    )
    assert.equal(inserted[20]?.status, 'rejected')
    await db.close()
  })

  it('tells nobody that it found one before whoever inserted it is told', async () => {
    const db = await open('told.db')
    for (let round = 0; round < 20; round++) {
      const name = `told-${round}-0`
      const inserted = upTo(50, `told-${round}-`).map((text) => db.insert(NOTES, row(text)))
      let isTold = false
      void inserted[0]?.then(() => {
        isTold = true
      })
      for (let found: unknown; found === undefined; ) {
        found = await db.find('select text from notes where text = $1', [name])
        if (found !== undefined) assert.equal(isTold, true)
        else await turn()
      }
      await Promise.all(inserted)
    }
    await db.close()
  })
})
