// The metrics that /metrics serves. Dashboards and alerts depend on their names: do not change one
// lightly.
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { Clock } from '../domain/clock-and-random.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'

export type Metrics = ReturnType<typeof makeMetrics>

interface OperatorReading {
  environment: string
  connection: string
  state: string
  /** Since when, in milliseconds. */
  since: number
  isMisconfigured: boolean
  waiting: number
  underWay: number
}

const LATENCY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

const UP: Readonly<Record<string, number>> = { working: 1, slow: 0.5, down: 0 }

type Described = { name: string; help: string }
export type WatchedRoute = { method: string; route: string; histogram: Described }

let shared: Registry | undefined

/** Metrics of the process are registered once, however many services it opens. */
function processRegistry(): Registry {
  if (shared !== undefined) return shared
  shared = new Registry()
  collectDefaultMetrics({ register: shared })
  return shared
}

const labelNames = ['environment', 'connection'] as const

export function makeMetrics(watched: readonly WatchedRoute[]) {
  const registry = new Registry()
  const processWide = processRegistry()
  const registers = [registry]
  const countAnswer = answerCounter(registry, {
    name: 'karba_http_requests_total',
    help: 'Answers given, by route and status code.',
  })
  const observers = watched.map(({ method, route, histogram }) => ({
    method,
    route,
    observe: plainHistogram(registry, histogram, LATENCY_BUCKETS),
  }))
  const observeGroup = plainHistogram(
    registry,
    {
      name: 'karba_store_commit_group_size',
      help: 'Writes that shared one commit; its count is the number of commits.',
    },
    GROUP_BUCKETS,
  )
  const counter = (label: string, name: string, help: string) => {
    const counted = new Counter({ name, help, labelNames: [label], registers })
    return (value: string): void => counted.inc({ [label]: value })
  }
  const requestsDropped = new Counter({
    name: 'karba_request_log_dropped_total',
    help: 'Requests that were left out of the log for merchants’ developers, because there were too many.',
    registers,
  })
  return {
    contentType: registry.contentType,
    /** The answer to a scrape. */
    text: async () => `${await processWide.metrics()}\n${await registry.metrics()}`,
    answered(route: string, method: string, code: number, seconds: number): void {
      countAnswer(method, route, code)
      if (code !== 200) return
      for (const each of observers)
        if (each.route === route && each.method === method) each.observe(seconds)
    },
    committed: observeGroup,
    outcomeRecorded: counter(
      'status',
      'karba_payments_settled_total',
      'Payments brought to an outcome by this process.',
    ),
    attempted: counter(
      'outcome',
      'karba_webhook_attempts_total',
      'Attempts to deliver an event, by what came of them.',
    ),
    connectionRefused: counter(
      'because',
      'karba_connections_refused_total',
      'Connections ended because a limit was reached, by which one.',
    ),
    /** Requests that do not fit into the log that developers see. */
    requestsDropped: (count: number): void => requestsDropped.inc(count),
    /** Read at every scrape, like the next two: the number of requests in flight. */
    watchRequests(read: () => number): void {
      new Gauge({
        name: 'karba_http_requests_under_way',
        help: 'Requests that are being answered, without those that wait for an outcome or follow a stream.',
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    /** For how long the oldest payment of each operator has been due. */
    watchOldestDue(
      read: () => Promise<{ environment: string; connection: string; oldestMs: number }[]>,
    ): void {
      new Gauge({
        name: 'karba_payments_oldest_due_seconds',
        help: 'How long the oldest due payment has been waiting for a call, by connection; 0 when none is due.',
        labelNames,
        registers,
        async collect() {
          for (const { environment, connection, oldestMs } of await read())
            this.set({ environment, connection }, oldestMs / 1_000)
        },
      })
    },
    watchOperators: (read: () => OperatorReading[]): void => watchOperators(registers, read),
  }
}

function watchOperators(registers: Registry[], read: () => OperatorReading[]): void {
  const gauge = (name: string, help: string, value: (each: OperatorReading) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const each of read())
          this.set({ environment: each.environment, connection: each.connection }, value(each))
      },
    })
  gauge(
    'karba_operator_up',
    '1 working, 0.5 slow, 0 down or refused for its configuration.',
    (each) => (each.isMisconfigured ? 0 : (UP[each.state] as number)),
  )
  gauge(
    'karba_operator_misconfigured',
    '1 while the network refuses the connection for its credentials or settings.',
    ({ isMisconfigured }) => (isMisconfigured ? 1 : 0),
  )
  gauge(
    'karba_operator_since_seconds',
    'Unix time since which karba_operator_up has its value.',
    ({ since }) => since / 1_000,
  )
  gauge('karba_operator_waiting', 'Payments that wait for a call.', ({ waiting }) => waiting)
  gauge('karba_operator_calls', 'Calls under way.', ({ underWay }) => underWay)
}

/**
 * Returns a function that counts an answer. In plain numbers, shown to prom-client when they are
 * read: its own counters and histograms look up labels by name at each call, which cost 2 µs an
 * answer.
 */
function answerCounter(
  registry: Registry,
  described: Described,
): (method: string, route: string, code: number) => void {
  const counts = new Map<string, Map<string, Map<number, number>>>()
  new Counter({
    ...described,
    labelNames: ['method', 'route', 'code'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, methods] of counts)
        for (const [method, codes] of methods)
          for (const [code, count] of codes) this.inc({ method, route, code }, count)
    },
  })
  return (method, route, code) => {
    const codes = inside(inside(counts, route), method)
    codes.set(code, (codes.get(code) ?? 0) + 1)
  }
}

const inside = <Key, Inner>(outer: Map<string, Map<Key, Inner>>, key: string): Map<Key, Inner> =>
  getOrMake(outer, key, () => new Map())

/** A histogram without labels. Returns a function that observes a value. */
function plainHistogram(
  registry: Registry,
  { name, help }: Described,
  buckets: readonly number[],
): (value: number) => void {
  /**
   * How many were at most that bucket and above the one before; the last place is for those above
   * all.
   */
  const counts = new Array<number>(buckets.length + 1).fill(0)
  let sum = 0
  async function get() {
    let below = 0
    const values: { metricName: string; labels: object; value: number }[] = buckets.map(
      (le, at) => {
        below += counts[at] as number
        return { metricName: `${name}_bucket`, labels: { le }, value: below }
      },
    )
    const count = below + (counts.at(-1) as number)
    values.push({ metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count })
    values.push({ metricName: `${name}_sum`, labels: {}, value: sum })
    values.push({ metricName: `${name}_count`, labels: {}, value: count })
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
  // All that a registry asks of a metric.
  registry.registerMetric({ name, help, type: 'histogram', get } as unknown as Metric)
  return (value) => {
    let at = 0
    while (at < buckets.length && value > (buckets[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    sum += value
  }
}

/** Reads at most once in `ms`; callers in between share the last reading, even one in progress. */
export function keptFor<Reading>(
  clock: Pick<Clock, 'now'>,
  ms: number,
  read: () => Promise<Reading>,
): () => Promise<Reading> {
  let reading: Promise<Reading> | undefined
  let readAt = 0
  return () => {
    const now = clock.now()
    // A clock that is set back must not keep a reading for longer.
    if (reading === undefined || Math.abs(now - readAt) >= ms) {
      readAt = now
      reading = read()
    }
    return reading
  }
}
