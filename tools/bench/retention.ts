// Creates while the worker removes old histories, events and deliveries, relative to creates on the
// same store without retention: at full speed, and at a steady rate, at which the worker does not
// pause. Both servers are started anew for each run, so that one removes nothing while the other is
// measured.
import { writeEvents } from '../../server/src/actions/events/write-event.ts'
import { NOTHING_ADDED } from '../../server/src/domain/payments/payment-fields.ts'
import type { Runtime } from '../../server/src/service/runtime.ts'
import { findSummaryPlace, moveSummary } from '../../server/src/store/figures/summaries.ts'
import { insertStory } from '../../server/src/store/payments/payment-moves.ts'
import { giveUpDeliveries } from '../../server/src/store/webhooks/delivery-log.ts'
import { newEndpoint } from '../../server/test/kit/webhooks.ts'
import { fillPlace } from './filled-payments.ts'
import { inPlace, median, type Part, progress, running } from './part.ts'
import type { Figure } from './report.ts'
import { load, startKarba } from './servers.ts'
import { prepare, type Settings, type Store } from './stores.ts'

const DAY_MS = 86_400_000
const AGE_MS = 60 * DAY_MS
/** More than a server removes in all rounds. */
const PAYMENTS = 200_000
const STORY_LINES = 3
const AT_ONCE = 500
const ROUNDS = 5
const QUICK_ROUNDS = 2
const WARM_UP = 6_000
const STEADY_PER_SECOND = 100
const STEADY_REQUESTS = 500

/** What is created stays pending: only creates and the removal work. */
const QUIET = { KARBA_SANDBOX_DELAY_MS: '3600000' }
const KEEP = {
  KARBA_KEEP_STORY_DAYS: '10',
  KARBA_KEEP_EVENTS_DAYS: '10',
  KARBA_KEEP_DELIVERIES_DAYS: '10',
}

export const retention: Part = {
  name: 'retention',
  isLong: true,
  measure: ({ store, isQuick, requests, most }) =>
    inPlace(store, (ofPlain) =>
      inPlace(store, async (ofPruned) => {
        const count = Math.min(PAYMENTS, most)
        const [plainKey, prunedKey] = [
          await fill(store, ofPlain, count),
          await fill(store, ofPruned, count),
        ]
        const plain = { place: { ...ofPlain, ...QUIET }, secretKey: plainKey, requests }
        const pruned = { place: { ...ofPruned, ...QUIET, ...KEEP }, secretKey: prunedKey, requests }
        const runs: [Run, Run][] = []
        for (let round = 1; round <= (isQuick ? QUICK_ROUNDS : ROUNDS); round++) {
          progress(`${store.name}: creates while histories are removed, round ${round}`)
          runs.push([
            await runOn(`${store.name}, no retention`, plain),
            await runOn(`${store.name}, retention`, pruned),
          ])
        }
        return figuresOf(store, runs)
      }),
    ),
}

type Run = Awaited<ReturnType<typeof runOn>>

async function runOn(
  name: string,
  { place, secretKey, requests }: { place: Settings; secretKey: string; requests: number },
) {
  return running(startKarba(name, place, secretKey), async (server) => {
    await load(server, 'create', WARM_UP)
    const first = await firstStory(place)
    const full = await load(server, 'create', requests)
    const last = await firstStory(place)
    const slow = await load(server, 'create', STEADY_REQUESTS, { perSecond: STEADY_PER_SECOND })
    if ((await firstStory(place)) === undefined)
      throw new Error('everything was removed before the end of a run')
    return {
      perSecond: full.perSecond,
      p99Ms: full.times.p99Ms,
      steadyP99Ms: slow.times.p99Ms,
      removedPerSecond: ((last ?? 0) - (first ?? 0)) / full.seconds,
    }
  })
}

function figuresOf({ name }: Store, runs: readonly [plain: Run, pruned: Run][]): Figure[] {
  const medianOf = (of: (plain: Run, pruned: Run) => number): number =>
    median(runs.map((run) => of(...run)))
  const figure = (what: string, field: keyof Run, unit: string, aim: Partial<Figure>): Figure => ({
    what: `${name}: ${what} while histories are removed, of without`,
    value: medianOf((plain, pruned) => pruned[field] / plain[field]),
    detail: `${medianOf((plain) => plain[field]).toFixed(1)} and ${medianOf((_, pruned) => pruned[field]).toFixed(1)} ${unit}`,
    ...aim,
  })
  const removed = Math.round(medianOf((_, pruned) => pruned.removedPerSecond))
  const speed = `a second; histories of ${removed} payments removed a second`
  return [
    figure('creates', 'perSecond', speed, { atLeast: 0.9 }),
    figure('p99 of creates', 'p99Ms', 'ms', { atMost: 1.25 }),
    figure(`p99 of creates at ${STEADY_PER_SECOND} a second`, 'steadyP99Ms', 'ms', {}),
  ]
}

/** The number of the oldest payment that has a history. */
const firstStory = (place: Settings): Promise<number | undefined> =>
  prepare(place, async ({ db }) => {
    const [row] = await db.read<{ first: number }>(
      'select number as first from payment_story order by account_id, number limit 1',
    )
    return row?.first
  })

/**
 * Payments of the last months, each with a history, an event and a delivery of the same old day.
 */
async function fill({ name }: Store, place: Settings, count: number): Promise<string> {
  progress(`${name}: writing ${count.toLocaleString('en')} payments with old histories`)
  const { accountId, secretKey } = await fillPlace(place, count)
  await prepare(place, async (runtime) => {
    const { db, clock } = runtime
    const { endpointId } = await newEndpoint(runtime, accountId, 'https://shop.example.com/')
    const at = clock.now() - AGE_MS
    for (let from = 0; from < count; from += AT_ONCE)
      await addHistories(
        runtime,
        { accountId, endpointId, at },
        from,
        Math.min(from + AT_ONCE, count),
      )
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
      accountId,
      number,
      entry: number * STORY_LINES + nth,
      at,
      kind: 'status' as const,
      detail: { is: 'pending', ms: 12, operatorReference: `SIM-${number}` },
    })),
  )
  const moves = numbers.map((number) => {
    const name = `payment-${number}`
    const names = {
      reference: name,
      publicReference: name,
      externalReference: name,
    }
    const payer = {
      operator: 'airtel_ne',
      msisdnWritten: '96123456',
      amountXof: 1_500,
      createdBy: null,
      ...NOTHING_ADDED,
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
