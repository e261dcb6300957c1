// Brings the commits of SQLite to disk without stopping the event loop. SQLite's own `synchronous=full` waits for the disk inside the commit,
// and the whole process with it: 0.2 ms for each group on an idle disk, 1.5 on a busy one, ten on some. Here a commit is written at once, the system is asked for the disk in another
// thread, and whoever waits for the commit is answered when that is done.
import { closeSync, fdatasync, openSync } from 'node:fs'

export type Sync = (descriptor: number, done: (error: Error | null) => void) => void

export interface Disk {
  /** Resolves when all that was committed until now is on disk. */
  reached(): Promise<void>
  /** What `reached` last promised, while that is still to come; a commit that nobody may be told about yet. */
  readonly underway: Promise<void> | undefined
  /** After a failed call: whether commits may be lost although later calls succeed, because the system forgets pages it could not write. */
  readonly isDoubtful: boolean
  /** When such a call has failed in another thread. */
  doubt(): void
  /** When all commits were brought into the database file instead. */
  trustAgain(): void
  close(): void
}

/** `log` is the write-ahead log, on which SQLite holds no locks: another descriptor of it may be opened and closed. */
export function diskOf(log: string, sync: Sync = fdatasync): Disk {
  const descriptor = openSync(log, 'r+')
  let running: Promise<void> | undefined
  /** Begins when the running one has ended, and has what was committed meanwhile. */
  let next: Promise<void> | undefined
  let isDoubtful = false

  function start(): Promise<void> {
    const started = new Promise<void>((resolve, reject) => {
      sync(descriptor, (error) => {
        if (running === started) running = undefined
        if (error !== null) isDoubtful = true
        if (isDoubtful) reject(error ?? new Error('an earlier commit could not be brought to disk'))
        else resolve()
      })
    })
    running = started
    return started
  }

  return {
    reached() {
      if (running === undefined) return start()
      next ??= running
        .catch(() => {})
        .then(() => {
          next = undefined
          return start()
        })
      return next
    },
    doubt() {
      isDoubtful = true
    },
    get underway() {
      return next ?? running
    },
    get isDoubtful() {
      return isDoubtful
    },
    trustAgain() {
      isDoubtful = false
    },
    close: () => closeSync(descriptor),
  }
}
