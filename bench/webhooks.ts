// The throughput of webhook deliveries, relative to undici posting the same bodies and doing nothing else, and how a receiver that hangs
// affects the others. Deliveries are queued beforehand, so that only delivering is measured.
import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, progress } from './compare.ts'
import { type Bench, inPlace, type Part, running } from './part.ts'
import type { ReceiverStats } from './receiver.ts'
import type { Figure } from './report.ts'
import { startKarba, startReceiver } from './servers.ts'
import { DATA, makeShops, prepare, queueMany, queueToEight } from './shops.ts'
import type { Settings } from './stores.ts'

const run = promisify(execFile)
const BARE_SENDER = fileURLToPath(new URL('bare-sender.ts', import.meta.url))

const DELIVERIES = 12_000
/** Concurrent posts, as many as eight endpoint queues have. */
const UNDER_WAY = 64
const HANGING_QUEUE = 10_000
const PACE_MS = 15

const AIMS = { SQLite: { atLeast: 0.5 }, PostgreSQL: {} } as const

export const webhooks: Part = {
  name: 'webhooks',
  measure: async (bench) => [await measureDeliveries(bench), await measureHanging(bench)],
}

/** Deliveries a second to eight endpoints, relative to undici alone. */
async function measureDeliveries({ store, rounds }: Bench): Promise<Figure> {
  const receiver = await startReceiver()
  try {
    const ratios: number[] = []
    let speed = 0
    for (let round = 1; round <= rounds; round++) {
      progress(`${store.name}: webhooks against undici alone, round ${round} of ${rounds}`)
      await inPlace(store, async (place) => {
        await prepare(place, (runtime) => queueToEight(runtime, receiver.url, DELIVERIES))
        const before = await speedOfUndici(receiver)
        speed = await speedOfKarba(receiver, place)
        ratios.push(speed / ((before + (await speedOfUndici(receiver))) / 2))
      })
    }
    const what = `${store.name}: webhooks delivered, of undici alone`
    return { what, value: median(ratios), detail: `${Math.round(speed)} a second to 8 endpoints`, ...AIMS[store.name] }
  } finally {
    await receiver.stop()
  }
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

async function speedOfUndici(receiver: Receiver): Promise<number> {
  const body = JSON.stringify({ id: `evt_${'x'.repeat(24)}`, event: 'payment.succeeded', data: DATA })
  await run(process.execPath, [BARE_SENDER, JSON.stringify([receiver.url, body, DELIVERIES, UNDER_WAY])])
  return speedOf(await receiver.stats())
}

const speedOfKarba = (receiver: Receiver, place: Settings): Promise<number> =>
  running(startKarba('webhooks', { ...place, KARBA_ROLE: 'worker' }, 'none'), async () => {
    await receiver.hasReceived(DELIVERIES)
    return speedOf(await receiver.stats())
  })

const speedOf = ({ count, seconds }: ReceiverStats): number => count / seconds

/** The latency of events to 99 endpoints beside one that hangs with ten thousand queued, relative to the latency without it. */
async function measureHanging({ store, isQuick }: Bench): Promise<Figure> {
  const payments = isQuick ? 300 : 600
  const receiver = await startReceiver()
  try {
    const calm = await inPlace(store, (place) => lateness(store.name, receiver, place, { payments, hangs: false }))
    const beside = await inPlace(store, (place) => lateness(store.name, receiver, place, { payments, hangs: true }))
    return {
      what: `${store.name}: p99 of 99 endpoints beside one that hangs, of without`,
      value: beside.p99Ms / calm.p99Ms,
      detail: `p99 ${beside.p99Ms} and ${calm.p99Ms} ms, p50 ${beside.p50Ms} and ${calm.p50Ms} ms from event to arrival`,
      atMost: 2,
    }
  } finally {
    await receiver.stop()
  }
}

async function lateness(
  store: string,
  receiver: Receiver,
  settings: Settings,
  { payments, hangs }: { payments: number; hangs: boolean },
): Promise<ReceiverStats> {
  progress(`${store}: webhooks to 100 endpoints${hangs ? ', one of which hangs' : ''}`)
  const keys = await prepare(settings, async (runtime) => {
    const urlOf = (shop: number, nth: number) => (hangs && shop + nth === 0 ? receiver.hangingUrl : receiver.url)
    const shops = await makeShops(runtime, 20, 5, urlOf)
    const [{ accountId, endpointIds }] = shops as [(typeof shops)[number]]
    if (hangs) await queueMany(runtime, accountId, endpointIds[0] as string, HANGING_QUEUE)
    return shops.map(({ secretKey }) => secretKey)
  })
  return running(startKarba('webhooks', settings, 'none'), async (karba) => {
    for (let nth = 0; nth < payments; nth++) {
      void create(karba.port, keys[nth % keys.length] as string, nth)
      await pause(PACE_MS)
    }
    await receiver.hasReceived(payments * 5 - (hangs ? payments / keys.length : 0))
    return receiver.stats()
  })
}

/** Succeeds in the operator's first answer, so that its event follows at once. */
async function create(port: number, secretKey: string, nth: number): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${secretKey}`,
    'svc-target-environment': 'sandbox',
    'svc-payment-type': 'mobile',
  }
  const order = { amount: 1500, country: 'NE', currency: 'XOF', msisdn: '40410000100', customer_name: 'Awa Diallo' }
  const body = JSON.stringify({ ...order, transaction_id: `order-${nth}` })
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/payments`, { method: 'POST', headers, body })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
}
