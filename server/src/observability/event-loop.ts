// Whether this process is saturated, by the utilization of its event loop. Background work checks it and slows down while HTTP requests
// need the time.
import { performance } from 'node:perf_hooks'

const WINDOW_MS = 100
const BUSY_FROM = 0.9

/** Returns a function that is true while the loop was hardly idle in the last measured window. */
export function watchEventLoop(): () => boolean {
  let since = performance.eventLoopUtilization()
  let isBusy = false
  return () => {
    const { idle, active, utilization } = performance.eventLoopUtilization(since)
    if (idle + active >= WINDOW_MS) {
      isBusy = utilization >= BUSY_FROM
      since = performance.eventLoopUtilization()
    }
    return isBusy
  }
}
