// One import, or one that is taken back, at a time for each connection: a lease that ends with the
// process that took it. The store's clock counts it: a machine whose clock is a day ahead would
// keep the connection for a day.
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { claimSource, holdSource } from '../../store/books/kept-files.ts'
import type { Deps } from '../deps.ts'

/** An import that was cut off leaves the connection to the next one after this time. */
const LEASE_MS = 60_000

interface SoleDeps extends Pick<Deps, 'db'> {
  /**
   * Between slices, with the time that the last one took: resolves when requests do not need the
   * time.
   */
  pauseAfter?(tookMs: number): Promise<void>
}

/**
 * While no other import has the connection. `work` calls `rest` between its slices: it prolongs the
 * lease.
 */
export async function asSoleImport<Outcome>(
  deps: SoleDeps,
  connection: ConnectionKey,
  work: (pauseAfter: (tookMs: number) => Promise<void>) => Promise<Outcome>,
): Promise<Outcome | RefusedAs<'import_under_way'>> {
  const { db } = deps
  const begunAt = await db.time()
  let until = begunAt + LEASE_MS
  if (!(await claimSource(db, connection, begunAt, until))) return { refused: 'import_under_way' }
  const pauseAfter = async (tookMs: number): Promise<void> => {
    await deps.pauseAfter?.(tookMs)
    const now = await db.time()
    if (now < until - LEASE_MS / 2) return
    until = now + LEASE_MS
    await holdSource(db, connection, until)
  }
  try {
    return await work(pauseAfter)
  } finally {
    await holdSource(db, connection, 0)
  }
}
