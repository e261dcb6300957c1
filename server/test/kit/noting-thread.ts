// A thread for the tests of the engine, and the transactions that it knows.
import { isMainThread } from 'node:worker_threads'
import type { NamedWork } from '../../src/store/engine/database.ts'
import { serveWrites } from '../../src/store/engine/serve-writes.ts'
import { together } from '../../src/store/engine/together.ts'

const NOTE = 'insert into notes (text, length) values ($1, $2) on conflict do nothing'

/** Notes texts, and says how many were new and who did it. */
export const NOTE_ALL: NamedWork<string[], { new: number; by: 'the event loop' | 'a thread' }> = {
  name: 'note all',
  async work(tx, texts) {
    const changed = []
    for (const text of texts) changed.push(await tx.change(NOTE, [text, text.length]))
    return { new: changed.filter((count) => count > 0).length, by: isMainThread ? 'the event loop' : 'a thread' }
  },
}

/** Notes texts by steps that do not wait for each other, and says how many they were. */
export const NOTE_TOGETHER: NamedWork<string[], number> = {
  name: 'note together',
  async work(tx, texts) {
    await together(texts, async (text) => void (await tx.change(NOTE, [text, text.length])))
    return texts.length
  },
}

if (!isMainThread) serveWrites([NOTE_ALL, NOTE_TOGETHER])
