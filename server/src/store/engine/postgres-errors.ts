// What an error of PostgreSQL or its driver means: an outage, a lost connection, a lock, and
// whether anything may be recorded.
import pg from 'pg'
import { StoreContended, StoreUnavailable } from './database.ts'

/**
 * Connection errors, and the server's: stopping, starting, out of disk or connections, read-only, a
 * timeout.
 */
export function isOutage(error: unknown): boolean {
  const { code, message, name } = error as { code?: string; message?: string; name?: string }
  // The driver's own errors have neither code nor name. Ours have a name, and may mention a
  // connection.
  if (code === undefined) return name === 'Error' && /connection|timeout/i.test(message ?? '')
  return /^(08|53|57014|57P|58|25006|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)/.test(code)
}

/** The connection itself, and not the server that answers on it. */
export const isLost = (error: unknown): boolean =>
  isOutage(error) && !(error instanceof pg.DatabaseError)

const DISK_FULL = '53100'

const outageSentence = (error: unknown): string =>
  (error as { code?: string }).code === DISK_FULL
    ? 'PostgreSQL cannot write: the disk of its server is full. Make room and try again'
    : 'PostgreSQL cannot answer now'

export function asStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (isOutage(error)) return new StoreUnavailable(outageSentence(error), { cause: error })
  return isContended(error)
    ? new StoreContended('another transaction holds a lock that is needed', { cause: error })
    : error
}

/**
 * A lock wait timed out, or transactions conflicted. Nothing was recorded; other items may succeed
 * alone.
 */
const isContended = (error: unknown): boolean =>
  /^(55P03|40P01|40001)$/.test((error as { code?: string }).code ?? '')

/**
 * Nothing was recorded for sure: no connection was there, or the server itself refused the
 * statement. Any other failure may have come after the commit. So may errors that end the
 * connection (57P), and those of a pooler that has lost the server (08).
 */
export const wasRefused = (error: unknown): boolean =>
  error instanceof StoreUnavailable ||
  (error instanceof pg.DatabaseError && !/^(08|57P)/.test(error.code ?? ''))
