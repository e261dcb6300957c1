// Whether requests saturate this process: its event loop is hardly idle, and many requests begin.
// Background work checks it and slows down while they need the time.
import { performance } from 'node:perf_hooks'

/** The window. Short, because background work slows down only after it. */
const WINDOW_MS = 25
/** Not more: while a thread or the disk works for requests, the loop may be idle. */
const BUSY_FROM = 0.5
/** In a window: with fewer, it is background work that keeps the loop busy. */
const MANY_REQUESTS = 5
/**
 * After a saturated window: a single idle one between two bursts must not start two whole batches.
 */
const STAYS_BUSY_MS = 200

/**
 * Returns whether requests saturated the process in one of the last windows. `begun` counts all
 * requests.
 */
export function watchEventLoop(begun: () => number): () => boolean {
  let since = performance.eventLoopUtilization()
  let before = begun()
  let busyUntil = 0
  return () => {
    const now = performance.now()
    const { idle, active, utilization } = performance.eventLoopUtilization(since)
    if (idle + active >= WINDOW_MS) {
      if (utilization >= BUSY_FROM && begun() - before >= MANY_REQUESTS)
        busyUntil = now + STAYS_BUSY_MS
      before = begun()
      since = performance.eventLoopUtilization()
    }
    return now < busyUntil
  }
}
