// Relative to a bare Fastify with bodies of the same size: creates and reads with KARBA_ROLE=api,
// the same with role `all` while it settles, and the first answer of new connections at a busy
// server. Also the memory of role `api`.
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadResult } from './load.ts'
import {
  type Bench,
  compare,
  inPlace,
  type Part,
  perSecond,
  progress,
  running,
  speedOf,
} from './part.ts'
import type { Figure } from './report.ts'
import { SETTLED_PREFIX } from './requests.ts'
import { cpuOfThreads, settledBetween } from './resources.ts'
import { AT_ONCE, load, type Measured, SETTLED, startKarba, warmUp, warmUpAll } from './servers.ts'
import type { Settings } from './stores.ts'

const KINDS = ['create', 'read'] as const
type Kind = (typeof KINDS)[number]
const BARE = { create: 'a bare POST', read: 'a bare GET' } as const

const CPU_AIMS = {
  SQLite: { create: 3, read: 2 },
  PostgreSQL: { create: 3.7, read: 2.2 },
} as const

/**
 * Processor time first: unlike the throughput, it does not depend on what else the machine does.
 */
export const roleApi: Part = {
  name: 'api',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(
        startKarba(`${store.name}, role api`, { ...place, KARBA_ROLE: 'api' }),
        async (karba) => {
          await warmUp(karba)
          const cpu: Figure[] = []
          const throughput: Figure[] = []
          for (const kind of KINDS) {
            progress(`${karba.name}: ${kind} against ${BARE[kind]}`)
            const { ratioOf, last } = await compare(
              rounds,
              () => loadWithCpu(bare, kind, requests),
              () => loadWithCpu(karba, kind, requests),
            )
            const of = `role api, of ${BARE[kind]}`
            cpu.push({
              what: `${store.name}: processor time of a ${kind}, ${of}`,
              value: ratioOf(({ cpuUs }) => cpuUs),
              detail: `${Math.round(last.cpuUs)} µs, user and system time of all threads`,
              atMost: CPU_AIMS[store.name][kind],
            })
            throughput.push({
              what: `${store.name}: ${kind}s a second, ${of}`,
              value: ratioOf(perSecond),
              detail: speedOf(last),
            })
          }
          return [...cpu, ...throughput]
        },
      ),
    ),
}

/** Of the server, for each answered request. PostgreSQL's own processes are not in it. */
async function loadWithCpu(server: Measured, kind: Kind, requests: number) {
  const before = cpuOfThreads(server.pid)
  const result = await load(server, kind, requests)
  return { ...result, cpuUs: ((cpuOfThreads(server.pid) - before) * 1e6) / result.answered }
}

/** Payments created before a run, per request, so that the process settles during the whole run. */
const LEAD = { create: 0.3, read: 1.5 } as const

const ALL_AIMS = {
  SQLite: { create: { atLeast: 0.35 }, read: { atLeast: 0.6 } },
  PostgreSQL: { create: {}, read: {} },
}

/**
 * The baseline is measured when nothing is left to settle: on two cores, settling would slow it
 * down too.
 */
export const roleAll: Part = {
  name: 'all',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        const figures: Figure[] = []
        for (const kind of KINDS) {
          progress(`${karba.name}: ${kind} against ${BARE[kind]} while payments are being settled`)
          let meanwhile = ''
          const measured = async (): Promise<LoadResult> => {
            const { result, settled, until } = await whileSettling(karba, place, kind, requests)
            meanwhile = `${Math.round(settled / result.seconds)} settled a second during ${Math.round(100 * until)} % of it`
            return result
          }
          // The payments that are read here have succeeded.
          const baseline = () => load(bare, kind, requests, { prefix: SETTLED_PREFIX })
          const { ratioOf, last } = await compare(rounds, baseline, measured)
          const what = `${store.name}: ${kind}, role all, while settling, of ${BARE[kind]}`
          const detail = `${speedOf(last)}, ${meanwhile}`
          figures.push({ what, value: ratioOf(perSecond), detail, ...ALL_AIMS[store.name][kind] })
        }
        return figures
      }),
    ),
}

async function whileSettling(karba: Measured, place: Settings, kind: Kind, requests: number) {
  const order = { msisdn: AT_ONCE }
  const before = await karba.counter(SETTLED)
  const lead = requests * LEAD[kind]
  await load(karba, 'create', lead, order)
  const result = await load(karba, kind, requests, kind === 'create' ? order : {})
  const { startedAt, seconds } = result
  const { count: settled, last } = await settledBetween(
    place,
    startedAt,
    startedAt + seconds * 1_000,
  )
  if (settled === 0) throw new Error(`nothing was settled during the ${kind}s`)
  await karba.hasCounted(SETTLED, before + lead + (kind === 'create' ? requests : 0))
  return { result, settled, until: (last - startedAt) / (seconds * 1_000) }
}

/** New connections opened at once while 64 others create at full speed. */
const BURST = 500

export const newConnections: Part = {
  name: 'connections',
  measure: ({ store, bare, rounds, requests }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(`${store.name}, role all`, place), async (karba) => {
        await warmUpAll(karba)
        progress(`${karba.name}: ${BURST} new connections at a busy server`)
        let bareP99Ms = 0
        const ofBare = async (): Promise<LoadResult> => {
          const result = await load(bare, 'create', requests, { burst: BURST })
          bareP99Ms = result.burst.p99Ms
          return result
        }
        const { ratioOf, last } = await compare(rounds, ofBare, () => burstAt(karba, requests))
        const { burst } = last
        const what = `${store.name}: p99 to the first answer of ${BURST} new connections, role all, of bare`
        const detail = `${burst.p99Ms.toFixed(0)} and ${bareP99Ms.toFixed(0)} ms, during ${Math.round(last.perSecond)} creates a second on 64 connections`
        return [{ what, value: ratioOf(({ burst: { p99Ms } }) => p99Ms), detail, atMost: 6 }]
      }),
    ),
}

async function burstAt(karba: Measured, requests: number): Promise<LoadResult> {
  const before = await karba.counter(SETTLED)
  const result = await load(karba, 'create', requests, { msisdn: AT_ONCE, burst: BURST })
  await karba.hasCounted(SETTLED, before + result.answered)
  return result
}

const MANY_CREATES = 1_000_000
const IDLE_MS = 1_000

export const memory: Part = {
  name: 'memory',
  measure: ({ store, isQuick }: Bench) =>
    inPlace(store, (place) =>
      running(startKarba(store.name, { ...place, KARBA_ROLE: 'api' }), async (karba) => {
        await pause(IDLE_MS)
        const what = `${store.name}: memory when idle, MB`
        const figures: Figure[] = [{ what, value: await karba.residentMb(), atMost: 150 }]
        if (isQuick) return figures
        for (let part = 0; part < 10; part++) {
          progress(`${store.name}: creating a million payments, ${part * 10} %`)
          await load(karba, 'create', MANY_CREATES / 10)
        }
        const whatThen = `${store.name}: memory after a million creates, MB`
        return [...figures, { what: whatThen, value: await karba.residentMb(), atMost: 300 }]
      }),
    ),
}
