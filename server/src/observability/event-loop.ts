// Whether this process has time to spare, from how long its event loop was idle. What can wait asks here before it takes time from
// those who wait for an answer; as soon as there is time again, it goes on at full width.
import { performance } from 'node:perf_hooks'

const OVER_MS = 100
const BUSY_FROM = 0.9

/** True while there has been hardly any idle time lately. */
export function watchEventLoop(): () => boolean {
  let since = performance.eventLoopUtilization()
  let isBusy = false
  return () => {
    const { idle, active, utilization } = performance.eventLoopUtilization(since)
    if (idle + active >= OVER_MS) {
      isBusy = utilization >= BUSY_FROM
      since = performance.eventLoopUtilization()
    }
    return isBusy
  }
}
