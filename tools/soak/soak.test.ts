// Promise 35: a server as `npm start` starts it, on SQLite, under a mixed load with dead receivers,
// long polls, partial requests and dashboards. Memory, descriptors and file sizes stay flat. The
// quick form checks that the load works; growth shows only after minutes.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../../server/src/config.ts'
import { openRuntime } from '../../server/src/service/runtime.ts'
import { freePort, listenLocally } from '../../server/test/kit/process.ts'
import { seededRandom } from '../../server/test/kit/seeded-random.ts'
import { head, newMerchant, order } from '../../server/test/kit/service.ts'
import { tried, tries } from '../../server/test/kit/tries.ts'
import { until } from '../../server/test/kit/waiting.ts'
import { newEndpoint } from '../../server/test/kit/webhooks.ts'
import { SUCCEEDS_AT_ONCE } from '../../server/test/links/payer.ts'
import { type Measured, SETTLED, startKarba } from '../bench/servers.ts'
import { type Shop, startMixedLoad } from './mixed-load.ts'
import { csvHead, csvLine, levels, type Sample, slope, takeSample } from './samples.ts'
import { soakChart } from './soak-chart.ts'

const WHOLE_SECONDS = 3_600
const SECONDS = tries(4, WHOLE_SECONDS)
/** Shorter runs measure a heap that is still filling, and say nothing about growth. */
const JUDGED_FROM_SECONDS = 1_800
/**
 * SQLite's page caches grow with the file until they are full, which takes about 60,000 payments.
 * The judged run starts with full caches.
 */
const STORED_AT_START = tries(0, 90_000)
const SAMPLE_EVERY_MS = SECONDS >= 300 ? 5_000 : 500
const SEED = 20_261_117
const CHART = fileURLToPath(new URL('../../docs/soak.svg', import.meta.url))
/** Each shop has one endpoint; the first receiver works, the others fail in typical ways. */
const RECEIVERS = ['/ok', '/slow', '/error', '/hang', 'dead'] as const

describe('soak: mixed load with dead receivers, long polls, partial requests and dashboards (promise 35)', () => {
  it('memory, descriptors and file sizes stay flat', {
    skip: process.platform !== 'linux' && 'reads /proc',
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'karba-soak-'))
    const csv = join(folder, 'soak.csv')
    const receiver = await openReceivers()
    const settings = {
      PORT: '0',
      KARBA_DATA_DIR: join(folder, 'data'),
      KARBA_SANDBOX_DELAY_MS: '2000',
    }
    const karba = await startKarba('soak', settings)
    let isDone = false
    try {
      await storePayments(karba, STORED_AT_START)
      const shops = await openShops(karba, settings, receiver.url)
      const [, email, password] = /owner +(\S+) +(\S+)/.exec(karba.printed) as unknown as [
        string,
        string,
        string,
      ]
      const sampled = {
        pid: karba.pid,
        metricsUrl: `http://127.0.0.1:${karba.port}/metrics`,
        databaseFile: join(settings.KARBA_DATA_DIR, 'karba.db'),
      }
      const idle = await takeSample(sampled, 0, 0)
      const load = startMixedLoad({
        port: karba.port,
        shops,
        owner: { email, password },
        random: seededRandom(SEED),
      })
      const samples = [idle]
      writeFileSync(csv, csvHead(idle) + csvLine(idle))
      t.diagnostic(`samples go to ${csv}`)
      const began = performance.now()
      const hasDone = (name: string): boolean => (load.done.get(name) ?? 0) > 0
      // The load picks its activities at random: a few seconds may not be enough for the rarest
      // one.
      const mayEnd = (seconds: number): boolean =>
        seconds >= SECONDS && (ACTIVITIES.every(hasDone) || seconds >= SECONDS + MOST_EXTRA_SECONDS)
      while (!mayEnd((performance.now() - began) / 1_000)) {
        await pause(SAMPLE_EVERY_MS)
        const sample = await takeSample(
          sampled,
          (performance.now() - began) / 1_000,
          load.payments(),
        )
        samples.push(sample)
        appendFileSync(csv, csvLine(sample))
      }
      await load.stop()
      // Before anything can fail: an hour is not run again for its chart.
      const isWhole = SECONDS >= WHOLE_SECONDS
      const title = isWhole
        ? 'One hour of mixed load on SQLite'
        : `${SECONDS} s of mixed load on SQLite`
      writeFileSync(isWhole ? CHART : join(folder, 'soak.svg'), soakChart(samples, title))
      for (const [what, times] of load.done) t.diagnostic(`${times} × ${what}`)
      if (samples.length >= FEWEST_SAMPLES) for (const line of report(samples)) t.diagnostic(line)
      assert.deepEqual([...load.wrongs], [])
      for (const name of ACTIVITIES) assert.ok(hasDone(name), `${name} was done`)
      const isQuiet = async (): Promise<Sample | false> => {
        const sample = await takeSample(sampled, SECONDS, load.payments())
        return sample.descriptors <= idle.descriptors + MOST_KEPT_ALIVE && sample
      }
      const { descriptors } = await until('end of all connections', isQuiet)
      t.diagnostic(`${descriptors} descriptors after the load, ${idle.descriptors} before it`)
      if (SECONDS >= JUDGED_FROM_SECONDS)
        for (const { what, value, atMost } of limitsOf(samples))
          assert.ok(value <= atMost, `${what}: ${value}`)
      tried(load.payments())
      isDone = true
    } finally {
      await karba.stop()
      await receiver.close()
      // The samples of a failed run show why.
      rmSync(isDone && SECONDS < JUDGED_FROM_SECONDS ? folder : join(folder, 'data'), {
        recursive: true,
        force: true,
      })
    }
  })
})

const MOST_EXTRA_SECONDS = 60

/** Reusable connections to operators and receivers. */
const MOST_KEPT_ALIVE = 20

const ACTIVITIES = [
  'create',
  'read',
  'long poll',
  'refund',
  'lists',
  'link',
  'half request',
  'bad request',
  'dashboard read',
]

type Reading = (sample: Sample) => number

/**
 * V8's heap is a saw-tooth of minutes, between the live memory and several times as much: it is
 * judged by its lowest points, and the rest without it.
 */
const outsideHeap: Reading = ({ rssMb, heapTotalMb }) => rssMb - heapTotalMb
const PARTS = 6
const FEWEST_SAMPLES = 4 * PARTS

const secondHalf = (samples: readonly Sample[]): readonly Sample[] =>
  samples.slice(Math.floor(samples.length / 2))
const firstHalf = (samples: readonly Sample[]): readonly Sample[] =>
  samples.slice(0, Math.floor(samples.length / 2))
const highest = (samples: readonly Sample[], read: Reading): number =>
  Math.max(...samples.map(read))

const growth = (
  samples: readonly Sample[],
  read: Reading,
  of: 'middle' | 'lowest' = 'middle',
): number => slope(levels(secondHalf(samples), read, PARTS, of))

function bytesPerPayment(samples: readonly Sample[]): number {
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample]
  return ((last.databaseMb - first.databaseMb) * 1024 ** 2) / (last.payments - first.payments)
}

interface Limit {
  what: string
  value: number
  atMost: number
}

/**
 * The limits of flat. Payments stay in the database: it is judged by its bytes for each of them.
 */
function limitsOf(samples: readonly Sample[]): Limit[] {
  const [first, second] = [firstHalf(samples), secondHalf(samples)]
  const compared = (what: string, read: Reading, factor: number): Limit => ({
    what: `${what}, highest of the second half`,
    value: highest(second, read),
    atMost: factor * highest(first, read),
  })
  return [
    {
      what: 'live V8 heap, MB a minute',
      value: growth(samples, (each) => each.heapUsedMb, 'lowest'),
      atMost: 0.2,
    },
    {
      what: 'memory outside of V8’s heap, MB a minute',
      value: growth(samples, outsideHeap),
      atMost: 0.5,
    },
    {
      what: 'buffers, MB a minute',
      value: growth(samples, ({ externalMb }) => externalMb),
      atMost: 0.2,
    },
    compared('resident memory, MB', ({ rssMb }) => rssMb, 1.1),
    compared('descriptors', ({ descriptors }) => descriptors, 1.25),
    compared('write-ahead log, MB', ({ walMb }) => walMb, 1.25),
    {
      what: 'database, bytes a payment',
      value: bytesPerPayment(second),
      atMost: 1.25 * bytesPerPayment(first),
    },
  ]
}

function report(samples: readonly Sample[]): string[] {
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample]
  const cpu = (100 * (last.cpuSeconds - first.cpuSeconds)) / last.seconds
  return [
    `${last.payments} payments in ${last.seconds.toFixed(0)} s, ${cpu.toFixed(0)} % of a core, ${last.databaseMb.toFixed(0)} MB of database`,
    ...limitsOf(samples).map(
      ({ what, value, atMost }) => `${what}: ${value.toFixed(2)}, at most ${atMost.toFixed(2)}`,
    ),
    `longest queue ${highest(samples, ({ operatorQueue }) => operatorQueue)}, oldest due ${highest(samples, ({ oldestDueSeconds }) => oldestDueSeconds).toFixed(1)} s`,
  ]
}

/** Creates payments that succeed at once, and reads each of them, so that both caches fill. */
async function storePayments(
  { port, secretKey, hasCounted }: Measured,
  count: number,
): Promise<void> {
  const headers = head(secretKey)
  const url = `http://127.0.0.1:${port}/api/v1/payments`
  let left = count
  const createAndRead = async (): Promise<void> => {
    while (left-- > 0) {
      const body = JSON.stringify(order({ msisdn: SUCCEEDS_AT_ONCE }))
      const created = await fetch(url, { method: 'POST', headers, body })
      assert.equal(created.status, 200, await created.clone().text())
      const { reference } = (await created.json()) as { reference: string }
      const read = await fetch(`${url}/${reference}`, { headers })
      assert.equal(read.status, 200, await read.text())
    }
  }
  await Promise.all(Array.from({ length: 16 }, createAndRead))
  await hasCounted(SETTLED, count)
}

/** The demo merchant, and others until each receiver has one. */
async function openShops(
  karba: Measured,
  settings: Record<string, string>,
  receiverUrl: string,
): Promise<[Shop, ...Shop[]]> {
  const runtime = await openRuntime(readConfig(settings))
  try {
    const demo = {
      accountId: /acc_\w+/.exec(karba.printed)?.[0] as string,
      secretKey: karba.secretKey,
    }
    const shops: [Shop, ...Shop[]] = [demo]
    while (shops.length < RECEIVERS.length)
      shops.push((await newMerchant(runtime)).accounts.sandbox)
    for (const [nth, { accountId }] of shops.entries()) {
      const path = RECEIVERS[nth] as string
      const url = path === 'dead' ? `http://127.0.0.1:${await freePort()}/` : receiverUrl + path
      await newEndpoint(runtime, accountId, url)
    }
    return shops
  } finally {
    await runtime.close()
  }
}

async function openReceivers() {
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/hang') return
    if (request.url === '/slow') return void setTimeout(() => response.end(), 1_000)
    response.writeHead(request.url === '/ok' ? 200 : 500).end()
  })
  return {
    url: `http://127.0.0.1:${await listenLocally(server)}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
