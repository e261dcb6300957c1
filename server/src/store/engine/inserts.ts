// Gives groups of inserts to a thread, so that the event loop parses and answers requests meanwhile: inserting is a third of what a create
// costs. Small groups are not worth the way there and back.
import { Worker } from 'node:worker_threads'
import type { Value } from './database.ts'

export type InsertOrder = { sql: string; rows: (readonly Value[])[] } | 'close'
/** For each row whether it was inserted; that nothing was; or that it was, and the disk failed. */
export type InsertAnswer = boolean[] | 'nothing' | 'ready' | Error

/** Fewer are inserted sooner without a thread. */
const LEAST_ROWS = 8

export interface Inserts {
  /** Whether so many rows are worth the thread, and it can take them now. The first time it is only started. */
  takes(count: number): boolean
  /** Commits them in a transaction of their own, and resolves when they are on disk. `nothing` when another process writes, or when the store refuses; throws when what became of them is unknown. */
  insert(sql: string, rows: (readonly Value[])[]): Promise<boolean[] | 'nothing'>
  close(): Promise<void>
}

/** `areFilesOurs`: a thread that opened other files than this process has open is not used. */
export function insertsOf(file: string, areFilesOurs: () => boolean): Inserts {
  let thread: Worker | undefined
  let state: 'none' | 'starting' | 'ready' | 'unusable' = 'none'
  let asked: { resolve(answer: boolean[] | 'nothing'): void; reject(error: Error): void } | undefined

  function start(): void {
    state = 'starting'
    const started = new Worker(new URL('./insert-thread.ts', import.meta.url), { workerData: file })
    thread = started
    started.unref()
    started.on('message', (answer: InsertAnswer) => {
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

  return {
    takes(count) {
      if (count < LEAST_ROWS) return false
      if (state === 'none') start()
      return state === 'ready'
    },
    insert(sql, rows) {
      thread?.ref()
      return new Promise<boolean[] | 'nothing'>((resolve, reject) => {
        asked = { resolve, reject }
        thread?.postMessage({ sql, rows } satisfies InsertOrder)
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
      running.postMessage('close' satisfies InsertOrder)
      await ended
    },
  }
}

/** Where a test stands in for the disk: the thread would go past it. */
export const NO_INSERTS: Inserts = {
  takes: () => false,
  insert: async () => 'nothing',
  close: async () => {},
}
