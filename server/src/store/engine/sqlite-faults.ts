// What SQLite throws, as the store's own outages where it is one.
import { StoreUnavailable } from './database.ts'

export function withStoreErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asStoreError(error)
  }
}

/** SQLite's primary result codes for outages: busy, no memory, read-only, I/O, full, cannot open. */
const BUSY = 5
const OUTAGES = new Set([BUSY, 7, 8, 10, 13, 14])

/** Whether another process writes. */
export const isLocked = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  const { errcode = 0, code } = error as { errcode?: number; code?: string }
  // A connection that is closed, while the files at the path cannot be opened.
  if (!OUTAGES.has(errcode & 0xff) && code !== 'ERR_INVALID_STATE') return error
  return new StoreUnavailable('SQLite cannot write or read its file', { cause: error })
}
