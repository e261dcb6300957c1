// What SQLite throws, as the store's own outages where it is one.
import { StoreDamaged, StoreUnavailable } from './database.ts'

/** SQLite's primary result codes for outages: busy, no memory, read-only, I/O, full, cannot open. */
const [BUSY, NO_MEMORY, IO] = [5, 7, 10]
const IO_OF_WRITE = 778
const OUTAGES = new Set([BUSY, NO_MEMORY, 8, IO, 13, 14])
/** A page that cannot be right, and a file that is no database. */
const DAMAGED = new Set([11, 26])

const primaryCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff

/** Whether another process writes. */
export const isLocked = (error: unknown): boolean => primaryCode(error) === BUSY

/** What was committed may be on disk all the same, and be there after a crash. */
export const isOfDisk = (error: unknown): boolean => primaryCode(error) === IO

/**
 * A commit that failed so may be found in the log after a crash: all its pages were written, and the log's index was not. Where a page could not be
 * written it cannot, because the page that ends the commit is the last one.
 */
export const mayBeCommitted = (error: unknown): boolean =>
  primaryCode(error) === NO_MEMORY || (isOfDisk(error) && (error as { errcode?: number }).errcode !== IO_OF_WRITE)

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (DAMAGED.has(primaryCode(error))) {
    const sentence = `SQLite finds its file damaged (${(error as Error).message}): stop the server, see what \`karba verify\` names, and put the latest backup in its place with \`karba restore\``
    return new StoreDamaged(sentence, { cause: error })
  }
  // A connection that is closed, while the files at the path cannot be opened.
  const isClosed = (error as { code?: string }).code === 'ERR_INVALID_STATE'
  if (!OUTAGES.has(primaryCode(error)) && !isClosed) return error
  return new StoreUnavailable('SQLite cannot write or read its file', { cause: error })
}
