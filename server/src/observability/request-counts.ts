// Counts and times answers in plain numbers, and shows them to prom-client when they are read: its own counters and histograms look labels
// up by name at each call, which cost 2 µs an answer.
import { Counter, type Metric, type Registry } from 'prom-client'

interface Described {
  name: string
  help: string
}

/** Returns a function that counts an answer. */
export function answerCounter(
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

function inside<Key, Inner>(outer: Map<string, Map<Key, Inner>>, key: string): Map<Key, Inner> {
  let inner = outer.get(key)
  if (inner === undefined) {
    inner = new Map()
    outer.set(key, inner)
  }
  return inner
}

/** A histogram without labels. Returns a function that observes a value. */
export function plainHistogram(
  registry: Registry,
  { name, help }: Described,
  buckets: readonly number[],
): (value: number) => void {
  /** How many were at most that bucket and above the one before; the last place is for those above all. */
  const counts = new Array<number>(buckets.length + 1).fill(0)
  let sum = 0
  async function get() {
    let below = 0
    const values: { metricName: string; labels: object; value: number }[] = buckets.map((le, at) => {
      below += counts[at] as number
      return { metricName: `${name}_bucket`, labels: { le }, value: below }
    })
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
