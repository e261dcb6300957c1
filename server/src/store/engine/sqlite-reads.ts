// Reads of SQLite, on a connection of their own. What was read is told only when it is on disk.
import { batch } from './batch.ts'
import { StoreUnavailable, type Value } from './database.ts'
import type { Prepared } from './sqlite-connections.ts'
import type { Disk } from './sqlite-disk.ts'

/** Batches of look-ups that may wait for the disk at once. */
const MOST_LOOK_UPS = 16

/** Past this many waiting look-ups a new one is refused. */
const MOST_WAITING = 10_000

/** Of the store as it is now: its connections are replaced when its files are. */
interface Readable {
  read(sql: string): Prepared
  /** Turns what SQLite throws into the store's own errors. */
  reading<T>(work: () => T): T
  disk(): Disk
  isClosed(): boolean
  /** Resolves when all that was committed is on disk, also after the disk has refused the log. */
  bringToDisk(): Promise<void>
}

interface Reads {
  all(sql: string, values: readonly Value[]): Promise<object[]>
  /** At most one row. */
  find(sql: string, keys: readonly Value[]): Promise<object | undefined>
}

export function readsOf({ read, reading, disk, isClosed, bringToDisk }: Readable): Reads {
  let healing: Promise<void> | undefined

  /** What the disk has refused can be read all the same, and may be gone after a power cut. Reads that wait for it share one try. */
  function untilTrusted(): Promise<void> {
    healing ??= tryToHeal().finally(() => {
      healing = undefined
    })
    return healing
  }

  async function tryToHeal(): Promise<void> {
    try {
      await bringToDisk()
    } catch (error) {
      throw new StoreUnavailable('the disk failed, and what was committed is not on it yet', { cause: error })
    }
  }

  /** What was read may be from a commit that is not on disk yet, and is told to nobody before. */
  async function onceOnDisk<T>(found: T): Promise<T> {
    await disk().underway?.catch((error: unknown) => {
      throw new StoreUnavailable('what was read could not be brought to disk', { cause: error })
    })
    return found
  }

  /** Look-ups that wait at the same time share one read transaction: its locks cost two system calls, the look-up itself less. */
  const lookUp = batch(
    async (asked: { sql: string; keys: readonly Value[] }[]) => {
      if (disk().isDoubtful) await untilTrusted()
      const found = reading(() => {
        if (isClosed()) throw new StoreUnavailable('the store is closed')
        read('begin').run()
        try {
          return asked.map(({ sql, keys }) => read(sql).get(keys))
        } finally {
          read('commit').run()
        }
      })
      return disk().underway === undefined ? found : onceOnDisk(found)
    },
    { flushes: MOST_LOOK_UPS, batchSize: 1_000, maxWaiting: MOST_WAITING },
  )

  const all = (sql: string, values: readonly Value[]): Promise<object[]> =>
    onceOnDisk(reading(() => read(sql).all(values)))

  return {
    all: (sql, values) => (disk().isDoubtful ? untilTrusted().then(() => all(sql, values)) : all(sql, values)),
    find: (sql, keys) => lookUp({ sql, keys }),
  }
}
