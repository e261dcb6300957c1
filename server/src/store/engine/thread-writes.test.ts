// The thread that writes: what it takes, what it answers when it cannot, and that the store answers the same with it as without.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { NOTE_ALL } from '../../../test/kit/noting-thread.ts'
import type { Insertion } from './database.ts'
import { openSqlite } from './sqlite.ts'
import { openWriter } from './sqlite-connections.ts'
import { threadWrites } from './thread-writes.ts'

const folder = mkdtempSync(join(tmpdir(), 'karba-thread-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const THREAD = new URL('../../../test/kit/noting-thread.ts', import.meta.url)
const TABLE = 'create table notes (text text primary key, length bigint check (length > 0))'
const INSERT = 'insert into notes (text, length) values ($1, $2) on conflict do nothing'
const row = (text: string): [string, number] => [text, text.length]
const upTo = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

async function withThread(name: string, areFilesOurs = () => true) {
  const file = join(folder, name)
  const { writer } = openWriter(file)
  writer.exec(TABLE)
  const thread = threadWrites(THREAD, file, areFilesOurs)
  const stored = () => (writer.prepare('select count(*) as count from notes').get() as { count: number }).count
  return {
    ...{ writer, thread, stored },
    insert: (rows: [string, number][]) => thread.write({ statements: [{ sql: INSERT, wants: 'changes', sets: rows }] }),
    isReady: async () => {
      while (!thread.takes(1_000)) await turn()
    },
    end: async () => {
      await thread.close()
      writer.close()
    },
  }
}

describe('the thread that writes', () => {
  it('takes no small groups, and large ones once it is there', async () => {
    const { thread, isReady, end } = await withThread('takes.db')
    assert.equal(thread.takes(1_000), false)
    await isReady()
    assert.equal(thread.takes(2), false)
    await end()
    assert.equal(thread.takes(1_000), false)
  })

  it('says of each row whether it was new', async () => {
    const { insert, isReady, stored, end } = await withThread('each.db')
    await isReady()
    assert.deepEqual(await insert([row('a'), row('b'), row('a')]), { answers: [1, 1, 0], result: undefined })
    assert.deepEqual(await insert([row('b'), row('c')]), { answers: [0, 1], result: undefined })
    assert.equal(stored(), 3)
    await end()
  })

  it('does nothing while another connection writes, and does not wait for it', async () => {
    const { writer, insert, isReady, stored, end } = await withThread('busy.db')
    await isReady()
    writer.exec('begin immediate')
    assert.equal(await insert([row('a')]), 'nothing')
    writer.exec('commit')
    assert.equal(stored(), 0)
    assert.deepEqual(await insert([row('a')]), { answers: [1], result: undefined })
    await end()
  })

  it('does nothing when the store refuses a row: whoever asked finds out which', async () => {
    const { insert, isReady, stored, end } = await withThread('refused.db')
    await isReady()
    assert.equal(await insert([row('a'), row(''), row('b')]), 'nothing')
    assert.equal(stored(), 0)
    await end()
  })

  it('that ends while it works leaves nobody waiting, and is not used again', async () => {
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const { thread, insert, isReady, end } = await withThread('ends.db')
    await isReady()
    const inserting = insert([row('a')])
    await (await started).terminate()
    // It may have been quicker than its end.
    const [outcome] = await Promise.allSettled([inserting])
    if (outcome.status === 'fulfilled') assert.deepEqual(outcome.value, { answers: [1], result: undefined })
    else assert.match(outcome.reason.message, /the thread has ended/)
    assert.equal(thread.takes(1_000), false)
    await end()
  })

  it('is not used when it may have opened other files', async () => {
    let asked = 0
    const { thread, end } = await withThread('other.db', () => ++asked < 0)
    thread.takes(1_000)
    while (asked === 0) await turn()
    assert.equal(thread.takes(1_000), false)
    await end()
  })
})

/** Node refuses it at once, as it does when the system has no room for another thread. */
const NO_START = new URL('https://karba.invalid/thread.ts')

const NOTES: Insertion = {
  table: 'notes',
  columns: { text: 'text', length: 'bigint' },
  identity: 'text',
  sortedBy: ['text'],
}

describe('SQLite, with many writes at once', () => {
  /** Returns once the thread is there: it does the next large groups. */
  async function open(name: string) {
    const db = openSqlite(join(folder, name), { committed: () => {} }, async () => {}, { thread: THREAD })
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

  it('writes without a thread where none can be started', async () => {
    const db = openSqlite(join(folder, 'none.db'), { committed: () => {} }, async () => {}, { thread: NO_START })
    await db.change(TABLE)
    for (const prefix of ['a', 'b']) {
      const inserted = await Promise.all(upTo(50, prefix).map((text) => db.insert(NOTES, row(text))))
      assert.deepEqual(inserted, Array(50).fill(true))
    }
    await db.close()
  })

  it('answers each kind of statement beside the others', async () => {
    const db = await open('kinds.db')
    const inserted = upTo(30, 'kind-').map((text) => db.insert(NOTES, row(text)))
    const changed = db.change('update notes set length = length + 1 where text = $1', ['first-1'])
    const returned = db.rows('update notes set length = 100 where text = $1 returning text, length', ['first-2'])
    const claimed = db.claim('update notes set length = 101 where text = $1 returning text', ['nobody'])
    const lengthen = 'update notes set length = $2 where text = $1'
    const each = db.claimEach({ sql: lengthen, table: 'notes', key: ['text'], columns: 'length' }, [
      ['first-3', 102],
      ['nobody', 103],
      ['first-4', 104],
    ])
    assert.deepEqual(await Promise.all(inserted), Array(30).fill(true))
    assert.equal(await changed, 1)
    assert.deepEqual(await returned, [{ text: 'first-2', length: 100 }])
    assert.deepEqual(await claimed, [])
    assert.deepEqual(await each, [[{ length: 102 }], [], [{ length: 104 }]])
    await db.close()
  })

  it('does a large named transaction in the thread and a small one here, with the same result', async () => {
    const db = await open('named.db')
    const note = (texts: string[]) => db.perform(NOTE_ALL, texts.length, () => texts)
    assert.deepEqual(await note(['a', 'b', 'a']), { new: 2, by: 'the event loop' })
    const many = upTo(20, 'many-')
    assert.deepEqual(await note(many), { new: 20, by: 'a thread' })
    assert.deepEqual(await note([...many, 'c']), { new: 1, by: 'a thread' })
    assert.equal((await db.rows('select text from notes where text = $1', ['c'])).length, 1)
    await db.close()
  })

  it('asks for what a named transaction is given when its turn has come', async () => {
    const db = await open('turn.db')
    const order: string[] = []
    const first = db.transaction(async (tx) => {
      await tx.change(INSERT, row('first'))
      order.push('first')
    })
    const second = db.perform(NOTE_ALL, 20, () => {
      order.push('given')
      return upTo(20, 'turn-')
    })
    const third = db.perform(NOTE_ALL, 20, () => {
      order.push('given again')
      return upTo(20, 'turn-')
    })
    await first
    assert.deepEqual(
      [await second, await third],
      [
        { new: 20, by: 'a thread' },
        { new: 0, by: 'a thread' },
      ],
    )
    assert.equal(order.indexOf('given') < order.indexOf('given again'), true)
    await db.close()
  })

  it('gives the thread the next before it tells of the last: it does not wait for us', async () => {
    const db = await open('next.db')
    const order: string[] = []
    const note = async (prefix: string): Promise<void> => {
      await db.perform(NOTE_ALL, 20, () => {
        order.push(`${prefix} given`)
        return upTo(20, prefix)
      })
      order.push(`${prefix} told`)
    }
    await Promise.all([note('a'), note('b'), note('c')])
    assert.deepEqual(order, ['a given', 'b given', 'a told', 'c given', 'b told', 'c told'])
    await db.close()
  })

  it('tells of what is on disk, though the thread ends with the next', async () => {
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const db = await open('ends-with-next.db')
    const thread = await started
    const first = db.perform(NOTE_ALL, 20, () => upTo(20, 'kept-'))
    const next = db.perform(NOTE_ALL, 20, () => {
      void thread.terminate()
      return upTo(20, 'unsure-')
    })
    // It may have been quicker than its end.
    const [, ofNext] = await Promise.allSettled([first, next])
    assert.deepEqual(await first, { new: 20, by: 'a thread' })
    if (ofNext.status === 'rejected') assert.match(ofNext.reason.message, /the thread may have recorded it/)
    assert.equal((await db.rows(`select text from notes where text like 'kept-%'`)).length, 20)
    assert.deepEqual(await db.perform(NOTE_ALL, 20, () => upTo(20, 'later-')), { new: 20, by: 'the event loop' })
    await db.close()
  })

  it('refuses a named transaction that the store refuses as a whole, with the reason', async () => {
    const db = await open('whole.db')
    await assert.rejects(
      db.perform(NOTE_ALL, 20, () => [...upTo(19, 'whole-'), '']),
      /CHECK constraint failed/,
    )
    assert.equal((await db.rows(`select text from notes where text like 'whole-%'`)).length, 0)
    assert.deepEqual(await db.perform(NOTE_ALL, 20, () => upTo(20, 'whole-')), { new: 20, by: 'a thread' })
    await db.close()
  })

  it('does a named transaction here while another process writes, and when that has ended', async () => {
    const db = await open('other-writer.db')
    const { writer } = openWriter(join(folder, 'other-writer.db'))
    writer.exec('begin immediate')
    const noting = db.perform(NOTE_ALL, 20, () => upTo(20, 'beside-'))
    await turn()
    writer.exec('commit')
    assert.deepEqual((await noting).new, 20)
    writer.close()
    await db.close()
  })
})
