// Records the requests of merchants' servers after they were answered: a few rows a second in one statement, from a
// bounded queue. Requests that do not fit are dropped and counted. Refused requests are dropped last, because
// developers look for those.
import type { Clock } from '../domain/clock-and-random.ts'
import type { AnsweredRequest } from '../observability/log.ts'
import type { Database } from '../store/engine/database.ts'
import { insertRequests, type LoggedRequest } from '../store/requests/request-log.ts'

interface RequestRecorderDeps {
  db: Database
  clock: Clock
  /** How many a second are kept; 0 for none. */
  perSecond: number
  dropped(count: number): void
}

const EVERY_MS = 1_000

export function requestRecorder({ db, clock, perSecond, dropped }: RequestRecorderDeps) {
  let waiting: LoggedRequest[] = []
  let refused = 0
  let left = 0
  let isScheduled = false
  let writing: Promise<void> = Promise.resolve()

  function flush(): void {
    isScheduled = false
    const requests = waiting
    waiting = []
    refused = 0
    if (left > 0) dropped(left)
    left = 0
    // When the store is unavailable, these rows are lost, and nothing else is.
    if (requests.length > 0) writing = insertRequests(db, requests).catch(() => dropped(requests.length))
  }

  return {
    /** Cheap: only adds to the queue. */
    answered({ id, method, route, status, ms, caller, paymentReference, refusal }: AnsweredRequest): void {
      if (caller === undefined || perSecond === 0) return
      const isRefused = status >= 400
      // Half as many refusals again are kept beyond that.
      if (waiting.length >= perSecond && !(isRefused && refused < perSecond / 2)) {
        left++
        return
      }
      if (isRefused) refused++
      waiting.push({
        ...{ accountId: caller.accountId, keyId: caller.keyId, requestId: id, method, status, at: clock.now() },
        path: paymentReference === undefined ? route : route.replace('*', paymentReference),
        errorCode: refusal ?? null,
        milliseconds: Math.round(ms),
      })
      if (isScheduled) return
      isScheduled = true
      clock.after(EVERY_MS, flush)
    },
    stop: async () => {
      await writing
      flush()
      await writing
    },
  }
}
