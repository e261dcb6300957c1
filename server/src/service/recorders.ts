// What a process records of its own work for pages: the figures of the console, and the requests of
// merchants' servers.
import type { Clock, Random } from '../domain/clock-and-random.ts'
import {
  bucketOf,
  emptyMinute,
  MINUTE_MS,
  MINUTES,
  type MinuteCounts,
  sumHour,
} from '../domain/limits/minute-figures.ts'
import { base32 } from '../domain/payments/reference.ts'
import type { AnsweredRequest } from '../observability/log.ts'
import type { Database } from '../store/engine/database.ts'
import { listOtherMinutes, removeMinutes, writeMinute } from '../store/figures/minute-figures.ts'
import { insertRequests, type LoggedRequest } from '../store/requests/request-log.ts'

// The console's figures: counted in memory, written to the store three times a minute while there
// are any, and read over all processes (ADR-0016).

const FIGURES_EVERY_MS = 20_000

export type FiguresRecorder = ReturnType<typeof figuresRecorder>

export function figuresRecorder({
  db,
  clock,
  random,
}: {
  db: Database
  clock: Clock
  random: Random
}) {
  const process = base32(random.bytes(10), 16)
  let waiting = new Set<MinuteCounts>()
  let isScheduled = false
  let writing: Promise<void> = Promise.resolve()

  const ring = minuteFigures(clock, (minute) => {
    waiting.add(minute)
    if (isScheduled) return
    isScheduled = true
    clock.after(FIGURES_EVERY_MS, flush)
  })

  function flush(): void {
    isScheduled = false
    const minutes = waiting
    waiting = new Set()
    // When the store is unavailable, a chart misses part of a minute.
    if (minutes.size > 0) writing = writing.then(() => write(minutes)).catch(() => {})
  }

  const firstMinute = (): number => Math.floor(clock.now() / MINUTE_MS) - MINUTES + 1

  async function write(minutes: ReadonlySet<MinuteCounts>): Promise<void> {
    for (const minute of minutes) await writeMinute(db, process, minute)
    await removeMinutes(db, firstMinute())
  }

  const { created, settled, backlog } = ring
  return {
    created,
    settled,
    backlog,
    /** Of all processes; those of other processes as last written. */
    async read() {
      const others = await listOtherMinutes(db, process, firstMinute())
      return sumHour([...ring.counted(), ...others], firstMinute() + MINUTES - 1)
    },
    /** Writes the remaining counts. */
    async stop() {
      flush()
      await writing
    },
  }
}

/** This process's counts of the last hour, in a ring of minutes. Calls `changed` at every count. */
function minuteFigures(clock: Pick<Clock, 'now'>, changed: (minute: MinuteCounts) => void) {
  const ring = new Array<MinuteCounts | undefined>(MINUTES).fill(undefined)

  function now(): MinuteCounts {
    const minute = Math.floor(clock.now() / MINUTE_MS)
    const held = ring[minute % MINUTES]
    if (held?.minute === minute) return held
    const fresh = emptyMinute(minute)
    ring[minute % MINUTES] = fresh
    return fresh
  }

  return {
    created(seconds: number): void {
      const minute = now()
      minute.created++
      const bucket = bucketOf(seconds)
      minute.latencies[bucket] = (minute.latencies[bucket] as number) + 1
      changed(minute)
    },
    settled(status: string, operator: string): void {
      if (status !== 'succeeded' && status !== 'failed') return
      const minute = now()
      const outcomes = minute.operators[operator] ?? { succeeded: 0, failed: 0 }
      minute.operators[operator] = outcomes
      outcomes[status]++
      minute[status === 'succeeded' ? 'settled' : 'failed']++
      changed(minute)
    },
    backlog(count: number): void {
      const minute = now()
      if (minute.webhookBacklog === count) return
      minute.webhookBacklog = count
      changed(minute)
    },
    /** Those of the last hour in which anything was counted. */
    counted: () => ring.filter((held) => held !== undefined),
  }
}

// Records the requests of merchants' servers after they were answered: a few rows a second in one
// statement, from a bounded queue. Requests that do not fit are dropped and counted. Refused
// requests are dropped last, because developers look for those.

interface RequestRecorderDeps {
  db: Database
  clock: Clock
  /** How many a second are kept; 0 for none. */
  perSecond: number
  dropped(count: number): void
}

const REQUESTS_EVERY_MS = 1_000

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
    if (requests.length > 0)
      writing = insertRequests(db, requests).catch(() => dropped(requests.length))
  }

  return {
    /** Cheap: only adds to the queue. */
    answered({
      id,
      method,
      route,
      status,
      ms,
      caller,
      paymentReference,
      refusal,
    }: AnsweredRequest): void {
      if (caller === undefined || perSecond === 0) return
      const isRefused = status >= 400
      // Half as many refusals again are kept beyond that.
      if (waiting.length >= perSecond && !(isRefused && refused < perSecond / 2)) {
        left++
        return
      }
      if (isRefused) refused++
      waiting.push({
        accountId: caller.accountId,
        keyId: caller.keyId,
        requestId: id,
        method,
        status,
        at: clock.now(),
        path: paymentReference === undefined ? route : route.replace('*', paymentReference),
        errorCode: refusal ?? null,
        milliseconds: Math.round(ms),
      })
      if (isScheduled) return
      isScheduled = true
      clock.after(REQUESTS_EVERY_MS, flush)
    },
    stop: async () => {
      await writing
      flush()
      await writing
    },
  }
}
