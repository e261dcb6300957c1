// Keeps SQLite's WAL short. A thread copies its pages into the database file while writing goes on; the few that were written meanwhile are
// copied here, between two commits, because SQLite begins the WAL anew only when a commit finds all of it copied.
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

export type ThreadOrder = 'copy' | 'close'
export type ThreadAnswer = 'copied'

/**
 * Pages of 4 KiB. Few enough that no commit waits long for the disk while they are copied: beside 64 writers on a busy machine, the longest turn of
 * the event loop was 74 to 98 ms with 4,000 and 77 to 292 ms with 16,000. Without the thread it was 105 to 219 ms.
 */
const PAGES = 4_000
/** Should the thread fail, SQLite itself copies the pages, within a commit. */
export const PAGES_WITHOUT_THREAD = 16 * PAGES

/** How many commits may pass until the length of the WAL is read again: reading it cost as much as writing two pages. */
const LOOKED_AT_EVERY = 8

export interface Checkpoints {
  /** To be called between two commits. */
  committed(): void
  close(): Promise<void>
}

export function checkpointsOf(file: string, writer: DatabaseSync): Checkpoints {
  const readProgress = writer.prepare('pragma wal_checkpoint(noop)')
  const copyRest = writer.prepare('pragma wal_checkpoint(passive)')
  let thread: Worker | undefined
  let state: 'idle' | 'copying' | 'copied' = 'idle'
  /** How many pages the WAL has when it is copied next. */
  let nextAt = PAGES
  let commits = 0

  function start(): Worker {
    const started = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: withoutCreating(file),
    })
    started.unref()
    started.on('message', () => {
      if (thread === started) state = 'copied'
    })
    started.on('error', () => {
      if (thread !== started) return
      thread = undefined
      tryLater()
    })
    return started
  }

  /** The disk may be full, or a long read may need the pages as they are in the file. */
  function tryLater(): void {
    state = 'idle'
    nextAt += PAGES
  }

  function copy(): void {
    if (state === 'copied') {
      const { log, checkpointed } = copyRest.get() as { log: number; checkpointed: number }
      state = 'idle'
      nextAt = checkpointed === log ? PAGES : nextAt + PAGES
    } else if (
      state === 'idle' &&
      ++commits % LOOKED_AT_EVERY === 0 &&
      (readProgress.get() as { log: number }).log >= nextAt
    ) {
      thread ??= start()
      thread.postMessage('copy' satisfies ThreadOrder)
      state = 'copying'
    }
  }

  return {
    committed() {
      try {
        copy()
      } catch {
        // What was committed is on disk. A fault of the disk will also fail the next commit, which tells whoever waits for it.
        tryLater()
      }
    },
    async close() {
      const running = thread
      if (running === undefined) return
      thread = undefined
      state = 'idle'
      running.ref()
      const ended = new Promise((resolve) => running.once('exit', resolve))
      running.postMessage('close' satisfies ThreadOrder)
      await ended
    },
  }
}

/** A path that another file may have been removed from: opening it must not make an empty one. */
export function withoutCreating(file: string): string {
  const url = pathToFileURL(file)
  url.searchParams.set('mode', 'rw')
  return url.href
}
