// Creates while the worker removes old histories, events and deliveries, relative to creates on the same store without
// retention: at full speed, and at a steady rate, at which the worker does not pause. The measured server is started
// anew for each run, so that it removes nothing while the other one is measured.
import { writeEvents } from '../server/src/actions/webhooks/write-event.ts'
import type { Runtime } from '../server/src/service/runtime.ts'
import { findSummaryPlace, moveSummary } from '../server/src/store/figures/summaries.ts'
import { insertStory } from '../server/src/store/payments/payment-moves.ts'
import { giveUpDeliveries } from '../server/src/store/webhooks/delivery-log.ts'
import { newEndpoint } from '../server/test/kit/webhooks.ts'
import { fillPlace } from './filled-payments.ts'
import { inPlace, median, type Part, progress, running } from './part.ts'
import { prepare } from './prepared-store.ts'
import type { Figure } from './report.ts'
import { load, type Measured, startKarba } from './servers.ts'
import type { Settings, Store } from './stores.ts'

const DAY_MS = 86_400_000
const AGE_MS = 60 * DAY_MS
/** A server removes about 60,000 a second while no request waits, and a few thousand under load. */
const PAYMENTS = 600_000
const STORY_LINES = 3
const AT_ONCE = 500
const ROUNDS = 5
const QUICK_ROUNDS = 2
const WARM_UP = 3_000
const STEADY_PER_SECOND = 100
const STEADY_REQUESTS = 500

/** What is created stays pending: only creates and the removal work. */
const QUIET = { KARBA_SANDBOX_DELAY_MS: '3600000' }
const KEEP = { KARBA_KEEP_STORY_DAYS: '10', KARBA_KEEP_EVENTS_DAYS: '10', KARBA_KEEP_DELIVERIES_DAYS: '10' }

export const retention: Part = {
  name: 'retention',
  isLong: true,
  measure: ({ store, isQuick, requests, most }) =>
    inPlace(store, (ofPlain) =>
      inPlace(store, async (ofPruned) => {
        const count = Math.min(PAYMENTS, most)
        const keys = [await fill(store, ofPlain, Math.min(count, 20_000)), await fill(store, ofPruned, count)] as const
        const plain = startKarba(`${store.name}, no retention`, { ...ofPlain, ...QUIET }, keys[0])
        return running(plain, (baseline) =>
          measure(store, isQuick ? QUICK_ROUNDS : ROUNDS, requests, baseline, ofPruned, () =>
            startKarba(`${store.name}, retention`, { ...ofPruned, ...QUIET, ...KEEP }, keys[1]),
          ),
        )
      }),
    ),
}

async function measure(
  store: Store,
  rounds: number,
  requests: number,
  baseline: Measured,
  place: Settings,
  startPruning: () => Promise<Measured>,
): Promise<Figure[]> {
  const ratios: Record<'speed' | 'p99' | 'steady', number[]> = { speed: [], p99: [], steady: [] }
  const removedPerSecond: number[] = []
  await load(baseline, 'create', WARM_UP)
  for (let round = 1; round <= rounds; round++) {
    progress(`${store.name}: creates while histories are removed, round ${round} of ${rounds}`)
    const before = { full: await load(baseline, 'create', requests), steady: await steady(baseline) }
    await running(startPruning(), async (pruning) => {
      await load(pruning, 'create', WARM_UP)
      const first = await firstStory(place)
      const full = await load(pruning, 'create', requests)
      const last = await firstStory(place)
      const slow = await steady(pruning)
      if ((await firstStory(place)) === undefined) throw new Error('everything was removed before the end of a run')
      ratios.speed.push(full.perSecond / before.full.perSecond)
      ratios.p99.push(full.times.p99Ms / before.full.times.p99Ms)
      ratios.steady.push(slow.times.p99Ms / before.steady.times.p99Ms)
      removedPerSecond.push(((last ?? 0) - (first ?? 0)) / full.seconds)
    })
  }
  const what = (text: string): string => `${store.name}: ${text} while histories are removed, of without`
  const detail = `histories of ${Math.round(median(removedPerSecond))} payments removed a second at full speed`
  return [
    { what: what('creates'), value: median(ratios.speed), detail, atLeast: 0.9 },
    { what: what('p99 of creates'), value: median(ratios.p99), atMost: 1.25 },
    { what: what(`p99 of creates at ${STEADY_PER_SECOND} a second`), value: median(ratios.steady) },
  ]
}

const steady = (server: Measured) =>
  load(server, 'create', STEADY_REQUESTS, { perSecond: STEADY_PER_SECOND, connections: 16 })

/** The number of the oldest payment that has a history. */
const firstStory = (place: Settings): Promise<number | undefined> =>
  prepare(place, async ({ db }) => {
    const [row] = await db.rows<{ first: number }>(
      'select number as first from payment_story order by account_id, number limit 1',
    )
    return row?.first
  })

/** Payments of the last months, each with a history, an event and a delivery of the same old day. */
async function fill({ name }: Store, place: Settings, count: number): Promise<string> {
  progress(`${name}: writing ${count.toLocaleString('en')} payments with old histories`)
  const secretKey = await fillPlace(place, count)
  await prepare(place, async (runtime) => {
    const { db, clock } = runtime
    const [row] = await db.rows<{ accountId: string }>('select account_id as "accountId" from payments limit 1')
    const accountId = (row as { accountId: string }).accountId
    const { endpointId } = await newEndpoint(runtime, accountId, 'https://shop.example.com/')
    const at = clock.now() - AGE_MS
    for (let from = 0; from < count; from += AT_ONCE)
      await addHistories(runtime, { accountId, endpointId, at }, from, Math.min(from + AT_ONCE, count))
    await db.transaction(async (tx) => {
      const place = await findSummaryPlace(tx, accountId)
      await moveSummary(tx, place, { ...place, lastSequence: count, indexedNumber: count - 1 })
    })
  })
  return secretKey
}

async function addHistories(
  { db, random }: Runtime,
  { accountId, endpointId, at }: { accountId: string; endpointId: string; at: number },
  from: number,
  to: number,
): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, nth) => from + nth)
  const lines = numbers.flatMap((number) =>
    Array.from({ length: STORY_LINES }, (_, nth) => ({
      ...{ accountId, number, entry: number * STORY_LINES + nth, at, kind: 'status' as const },
      detail: { is: 'pending', ms: 12, operatorReference: `SIM-${number}` },
    })),
  )
  const moves = numbers.map((number) => {
    const name = `payment-${number}`
    const names = { reference: name, publicReference: name, externalReference: name, clientReference: null }
    const payer = {
      operator: 'airtel_ne',
      msisdnWritten: '96123456',
      amountXof: 1_500,
      createdBy: null,
      metadata: null,
    }
    const payment = { accountId, number, environment: 'sandbox' as const, ...names, ...payer }
    return { payment, move: { to: 'succeeded' as const, validatedAt: at } }
  })
  await db.transaction(async (tx) => {
    await insertStory(tx, lines)
    await writeEvents(tx, random, moves, at)
    await giveUpDeliveries(tx, accountId, endpointId, at)
  })
}
