// Follows one account: counts the events of its feed and its ledger entries into the figures of
// their days, and makes payments searchable by payer. A slice and the place that it ends at are one
// commit: a crash or a second process counts nothing twice.

import type { Clock } from '../../domain/clock-and-random.ts'
import { dayOf } from '../../domain/countries/business-day.ts'
import { daySumsOf } from '../../domain/ledger/ledger.ts'
import type { ServiceItself } from '../../domain/people/caller.ts'
import { lookUp } from '../../domain/texts/free-text.ts'
import { addDaySums, listEntriesAfter } from '../../store/books/entries.ts'
import type { Database } from '../../store/engine/database.ts'
import {
  addFigures,
  type Figure,
  type FigureOutcome,
  type FollowedEvent,
  listFollowedEvents,
  moveSummary,
  type SummaryPlace,
} from '../../store/figures/summaries.ts'
import {
  type IndexedPayment,
  indexPayments,
  listUnindexed,
  type SearchedPayment,
} from '../../store/payments/payment-search.ts'

/** Some milliseconds of the one writer's time. */
const SLICE = 250

/**
 * A payment may be recorded after one with a higher number, by as much as a process keeps its block
 * of numbers (store/service/service-facts.ts) and as clocks differ. After twice that no lower
 * number can come.
 */
export const SETTLED_AFTER_MS = 120_000

/**
 * Where the slice ended: the same place when there was nothing to do, or another process did it.
 */
export const summariseAccount = (
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  _caller: ServiceItself,
  from: SummaryPlace,
): Promise<SummaryPlace> =>
  db.transaction(async (tx) => {
    const { accountId } = from
    const events = await listFollowedEvents(tx, accountId, from.lastSequence, SLICE)
    const settled = settledOf(
      await listUnindexed(tx, accountId, from.indexedNumber, SLICE),
      clock.now(),
    )
    const entries = await listEntriesAfter(tx, accountId, from.summedEntry, SLICE)
    if (events.length + settled.length + entries.length === 0) return from
    const to = {
      accountId,
      lastSequence: events.at(-1)?.sequence ?? from.lastSequence,
      indexedNumber: settled.at(-1)?.number ?? from.indexedNumber,
      summedEntry: entries.at(-1)?.entry ?? from.summedEntry,
    }
    if (!(await moveSummary(tx, from, to))) return from
    await addFigures(tx, accountId, figuresOf(events))
    await addDaySums(tx, accountId, daySumsOf(entries))
    await indexPayments(
      tx,
      accountId,
      settled,
      events.filter(isIndexedAgain(from)) as SearchedPayment[],
    )
    return to
  })

/**
 * Once it is paid, a link has the number of its latest payer, and a payment that is indexed the
 * operator's reference.
 */
const isIndexedAgain =
  ({ indexedNumber }: SummaryPlace) =>
  ({ event, number, attemptReference }: FollowedEvent): boolean =>
    attemptReference !== null || (event === 'payment.succeeded' && number <= indexedNumber)

function settledOf(payments: readonly IndexedPayment[], now: number): readonly IndexedPayment[] {
  const young = payments.findIndex(({ createdAt }) => createdAt > now - SETTLED_AFTER_MS)
  return young === -1 ? payments : payments.slice(0, young)
}

const OUTCOMES: Readonly<Record<string, FigureOutcome>> = {
  'payment.succeeded': 'succeeded',
  'payment.failed': 'failed',
  'payment.refunded': 'refunded',
}

function figuresOf(events: readonly FollowedEvent[]): Figure[] {
  const figures = new Map<string, Figure>()
  for (const { event, createdAt, amountXof, operator, failureReason } of events) {
    const outcome = lookUp(OUTCOMES, event)
    if (outcome === undefined || amountXof === null) continue
    const reason = outcome === 'failed' ? (failureReason ?? '') : ''
    const figure = {
      day: dayOf(createdAt),
      operator: operator ?? '',
      outcome,
      reason,
      payments: 0,
      amountXof: 0,
    }
    const key = `${figure.day} ${figure.operator} ${outcome} ${reason}`
    const sum = figures.get(key) ?? figure
    sum.payments++
    sum.amountXof += amountXof
    figures.set(key, sum)
  }
  return [...figures.values()]
}
