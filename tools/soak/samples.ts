// A server's resources, sampled from outside: memory, descriptors, file sizes and queues; and
// whether a column of samples is flat.
import { readdirSync, readFileSync, statSync } from 'node:fs'

export interface Sample {
  seconds: number
  payments: number
  rssMb: number
  /** Resident memory without mapped files: heaps, stacks, SQLite's page caches. */
  anonymousMb: number
  heapUsedMb: number
  heapTotalMb: number
  /** Buffers and other memory that V8 counts outside of its heap. */
  externalMb: number
  descriptors: number
  databaseMb: number
  walMb: number
  /**
   * Requests being answered, calls waiting for an operator, and the age of the oldest payment that
   * is due.
   */
  requests: number
  operatorQueue: number
  oldestDueSeconds: number
  cpuSeconds: number
}

export type Column = keyof Sample

const MIB = 1024 ** 2

export interface Sampled {
  pid: number
  metricsUrl: string
  databaseFile: string
}

export async function takeSample(
  { pid, metricsUrl, databaseFile }: Sampled,
  seconds: number,
  payments: number,
): Promise<Sample> {
  const metrics = await (await fetch(metricsUrl)).text()
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const ofProcess = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  const values = (name: string): number[] =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? ([\\d.e+-]+)$`, 'gm'))].map(
      ([, value]) => Number(value),
    )
  const sum = (name: string): number => values(name).reduce((total, value) => total + value, 0)
  return {
    seconds,
    payments,
    rssMb: ofProcess('VmRSS'),
    anonymousMb: ofProcess('RssAnon'),
    heapUsedMb: sum('nodejs_heap_size_used_bytes') / MIB,
    heapTotalMb: sum('nodejs_heap_size_total_bytes') / MIB,
    externalMb: sum('nodejs_external_memory_bytes') / MIB,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    databaseMb: sizeMb(databaseFile),
    walMb: sizeMb(`${databaseFile}-wal`),
    requests: sum('karba_http_requests_under_way'),
    operatorQueue: sum('karba_operator_waiting'),
    oldestDueSeconds: Math.max(0, ...values('karba_payments_oldest_due_seconds')),
    cpuSeconds: sum('process_cpu_seconds_total'),
  }
}

const sizeMb = (file: string): number =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MIB

export const csvHead = (sample: Sample): string => `${Object.keys(sample).join(',')}\n`
export const csvLine = (sample: Sample): string =>
  `${Object.values(sample)
    .map((value) => Math.round(value * 100) / 100)
    .join(',')}\n`

/**
 * The median, or the lowest, of each of this many equal parts of the samples: `lowest` for a heap,
 * which is a saw-tooth above the live memory.
 */
export function levels(
  samples: readonly Sample[],
  read: (sample: Sample) => number,
  parts: number,
  of: 'middle' | 'lowest',
): [minute: number, level: number][] {
  return Array.from({ length: parts }, (_, nth) => {
    const part = samples.slice(
      Math.floor((nth * samples.length) / parts),
      Math.floor(((nth + 1) * samples.length) / parts),
    )
    const sorted = part.map(read).sort((a, b) => a - b)
    const level = (of === 'lowest' ? sorted[0] : sorted[Math.floor(sorted.length / 2)]) as number
    return [((part[0] as Sample).seconds + (part.at(-1) as Sample).seconds) / 120, level]
  })
}

/**
 * Growth a minute: the median slope between any two points (Theil and Sen), which a few outliers do
 * not move.
 */
export function slope(points: readonly [number, number][]): number {
  const slopes = points
    .flatMap(([x, y], at) =>
      points.slice(at + 1).map(([later, level]) => (level - y) / (later - x)),
    )
    .sort((a, b) => a - b)
  return slopes[Math.floor(slopes.length / 2)] ?? 0
}
