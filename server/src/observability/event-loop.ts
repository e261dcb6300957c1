// Whether requests saturate this process: its event loop is hardly idle, and many requests begin. Background work
// checks it and slows down while they need the time.
import { performance } from 'node:perf_hooks'

/** The window. Short, because background work slows down only after it. */
const WINDOW_MS = 25
/** Not more: while a thread or the disk works for requests, the loop may be idle. */
const BUSY_FROM = 0.5
/** In a window: with fewer, it is background work that keeps the loop busy. */
const MANY_REQUESTS = 5

/** Returns whether requests saturated the process in the last window. `begun` counts all requests. */
export function watchEventLoop(begun: () => number): () => boolean {
  let since = performance.eventLoopUtilization()
  let before = begun()
  let isBusy = false
  return () => {
    const { idle, active, utilization } = performance.eventLoopUtilization(since)
    if (idle + active >= WINDOW_MS) {
      isBusy = utilization >= BUSY_FROM && begun() - before >= MANY_REQUESTS
      before = begun()
      since = performance.eventLoopUtilization()
    }
    return isBusy
  }
}
