// Gives groups of statements and large transactions to a thread, so that the event loop parses and answers requests meanwhile: inserting is
// a third of what a create costs, recording outcomes half of what settling does. Small ones are not worth the way there and back.
import { Worker } from 'node:worker_threads'
import type { Statement, StatementAnswer } from './sqlite-writes.ts'

/** For one commit. */
export interface WriteOrder {
  statements: Statement[]
  named?: { name: string; given: unknown }
}
export interface WrittenOrder {
  /** Of each set of values of each statement. */
  answers: StatementAnswer[]
  /** Of what is named. */
  result: unknown
}
/** What came of it; that nothing was done; or that it was, and the disk failed. */
export type WriteAnswer = WrittenOrder | 'nothing' | 'ready' | Error

/** Fewer statements or items are written sooner without a thread. */
const LEAST_ITEMS = 8
export const isForThread = (items: number): boolean => items >= LEAST_ITEMS

export interface ThreadWrites {
  /** Whether so many are worth the thread, and it can take them now. The first time it is only started. */
  takes(count: number): boolean
  /**
   * Commits it in a transaction of its own, and resolves when that is on disk.
   * `nothing` when another process writes, or when the store refuses; throws when what became of it is unknown.
   */
  write(order: WriteOrder): Promise<WrittenOrder | 'nothing'>
  close(): Promise<void>
}

/** `entry`: the thread's file, which calls serveWrites. `areFilesOurs`: a thread that opened other files than this process has open is not used. */
export function threadWrites(entry: URL, file: string, areFilesOurs: () => boolean): ThreadWrites {
  let thread: Worker | undefined
  let state: 'none' | 'starting' | 'ready' | 'unusable' = 'none'
  let asked: { resolve(answer: WrittenOrder | 'nothing'): void; reject(error: Error): void } | undefined

  function start(): void {
    state = 'starting'
    const started = new Worker(entry, { workerData: file })
    thread = started
    started.unref()
    started.on('message', (answer: WriteAnswer) => {
      if (answer instanceof Error) asked?.reject(answer)
      else if (answer !== 'ready') asked?.resolve(answer)
      else if (state === 'starting') state = areFilesOurs() ? 'ready' : 'unusable'
    })
    const ended = (why: Error): void => {
      state = 'unusable'
      thread = undefined
      asked?.reject(why)
    }
    started.on('error', ended)
    // In whatever way it ends, nobody waits for it any longer.
    started.on('exit', () => ended(new Error('the thread has ended')))
  }

  /** The system may have no room for another thread: everything is written without one then. */
  function tryToStart(): void {
    try {
      start()
    } catch {
      state = 'unusable'
    }
  }

  return {
    takes(count) {
      if (!isForThread(count)) return false
      if (state === 'none') tryToStart()
      return state === 'ready'
    },
    write(order) {
      thread?.ref()
      return new Promise<WrittenOrder | 'nothing'>((resolve, reject) => {
        asked = { resolve, reject }
        thread?.postMessage(order)
      }).finally(() => {
        asked = undefined
        thread?.unref()
      })
    },
    async close() {
      state = 'unusable'
      const running = thread
      if (running === undefined) return
      thread = undefined
      running.ref()
      const ended = new Promise((resolve) => running.once('exit', resolve))
      running.postMessage('close')
      await ended
    },
  }
}

/** For a store that is only copied or looked at, and where a test stands in for the disk, which the thread would go past. */
export const NO_THREAD: ThreadWrites = {
  takes: () => false,
  write: async () => 'nothing',
  close: async () => {},
}
