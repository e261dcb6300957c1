// A thread for the tests of the engine, and the transaction that it knows.
import { isMainThread } from 'node:worker_threads'
import type { NamedWork } from '../../src/store/engine/database.ts'
import { serveWrites } from '../../src/store/engine/serve-writes.ts'

/** Notes texts, and says how many were new and who did it. */
export const NOTE_ALL: NamedWork<string[], { new: number; by: 'the event loop' | 'a thread' }> = {
  name: 'note all',
  async work(tx, texts) {
    const changed = []
    for (const text of texts) {
      changed.push(
        await tx.change('insert into notes (text, length) values ($1, $2) on conflict do nothing', [text, text.length]),
      )
    }
    return { new: changed.filter((count) => count > 0).length, by: isMainThread ? 'the event loop' : 'a thread' }
  },
}

if (!isMainThread) serveWrites([NOTE_ALL])
