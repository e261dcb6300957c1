// Payments of an account as they succeed, for the screens at its counter. A screen follows the
// account's events from the last one that it has, so that after a lost connection nothing is
// missing and nothing is new twice.
import { dayOf, startOfDay } from '../../domain/countries/business-day.ts'
import type { MerchantPerson } from '../../domain/people/caller.ts'
import {
  type CounterEvent,
  listCounterEvents,
  listNewestCounterEvents,
} from '../../store/payments/counter-rows.ts'
import { feedEnd } from '../../store/webhooks/events.ts'
import type { Deps } from '../deps.ts'
import { EventTail } from '../events/event-tail.ts'

export interface CounterPayment {
  publicReference: string
  amountXof: number
  refundedXof: number
  succeededAt: number
  operator: string | null
  /** The last digits of the payer's number; null for a card or wallet. */
  lastDigits: string | null
}

/** `isWhole`: the whole list of today, instead of what is new. */
export type CounterNews = { sequence: number; isWhole: boolean; payments: CounterPayment[] }

interface Screen {
  sequence: number
  show(news: CounterNews): void
  ended(): void
}

export interface CounterFeed {
  /**
   * Calls `show` until the returned function is called; undefined when the account has too many
   * screens.
   */
  follow(
    caller: MerchantPerson,
    after: number | undefined,
    screen: Omit<Screen, 'sequence'>,
  ): Promise<Leave | undefined>
  eventWritten(): void
  stop(): void
}

type Leave = () => void

/** Under load, five times a second. */
const LOOK_SOON_MS = 200
const LOOK_EVERY_MS = 500
const MOST_OF_ACCOUNT = 50
/** A screen that missed more gets the list again. */
const MOST_MISSED = 500
/**
 * Of the newest events, looked through for today's payments; and how many payments a screen shows.
 */
const NEWEST_EVENTS = 500
export const MOST_SHOWN = 100

const SHOWN = new Set(['payment.succeeded', 'payment.refunded', 'refund.succeeded'])

export function counterFeed({
  db,
  clock,
  failed,
}: Pick<Deps, 'db' | 'clock'> & { failed(error: unknown): void }): CounterFeed {
  const accounts = new Map<string, Set<Screen>>()
  const tail = new EventTail({
    clock,
    isFollowed: () => accounts.size > 0,
    look,
    failed,
    everyMs: LOOK_EVERY_MS,
    soonMs: LOOK_SOON_MS,
  })

  async function look(): Promise<void> {
    const positions = [...accounts].map(([accountId, screens]) => ({
      accountId,
      sequence: Math.min(...[...screens].map(({ sequence }) => sequence)),
    }))
    const events = Map.groupBy(await listCounterEvents(db, positions), (event) => event.accountId)
    // A screen that joined meanwhile may be further behind: the next look reads its events.
    for (const { accountId, sequence } of positions)
      for (const screen of accounts.get(accountId) ?? [])
        if (screen.sequence >= sequence) showNews(screen, events.get(accountId) ?? [])
  }

  function showNews(screen: Screen, events: readonly CounterEvent[]): void {
    const sequence = events.at(-1)?.sequence ?? 0
    if (sequence <= screen.sequence) return
    const news = paymentsOf(events.filter((event) => event.sequence > screen.sequence))
    screen.sequence = sequence
    if (news.length > 0) screen.show({ sequence, isWhole: false, payments: news })
  }

  return {
    async follow({ accountId }, after, { show, ended }) {
      const { lastSequence } = await feedEnd(db, accountId)
      const canGoOn =
        after !== undefined && after <= lastSequence && after >= lastSequence - MOST_MISSED
      const screen: Screen = { sequence: canGoOn ? after : lastSequence, show, ended }
      const today = canGoOn ? undefined : await listToday(db, accountId, clock.now())
      // Counted after the last wait: many that come at once do not pass the limit together.
      const screens = accounts.get(accountId) ?? new Set()
      if (screens.size >= MOST_OF_ACCOUNT) return undefined
      if (today !== undefined) show({ sequence: lastSequence, isWhole: true, payments: today })
      accounts.set(accountId, screens.add(screen))
      tail.followed()
      // This screen may have missed events: it does not wait for the interval.
      tail.eventWritten()
      return () => {
        if (screens.delete(screen) && screens.size === 0) accounts.delete(accountId)
      }
    },
    eventWritten: () => tail.eventWritten(),
    stop() {
      tail.stop()
      for (const screens of accounts.values()) for (const { ended } of [...screens]) ended()
    },
  }
}

async function listToday(
  db: Deps['db'],
  accountId: string,
  now: number,
): Promise<CounterPayment[]> {
  const since = startOfDay(dayOf(now))
  const newest = await listNewestCounterEvents(db, accountId, NEWEST_EVENTS)
  return paymentsOf(newest)
    .filter(({ succeededAt }) => succeededAt >= since)
    .slice(-MOST_SHOWN)
}

/** Each payment once, as it is now, in the order of the events. */
function paymentsOf(events: readonly CounterEvent[]): CounterPayment[] {
  const shown = new Map<string, CounterPayment>()
  for (const {
    event,
    validatedAt,
    publicReference,
    amountXof,
    refundedXof,
    operator,
    numberEnd,
  } of events) {
    if (!SHOWN.has(event) || validatedAt === null) continue
    const lastDigits = numberEnd?.replace(/\D/g, '') ?? ''
    shown.set(publicReference, {
      publicReference,
      amountXof,
      refundedXof,
      succeededAt: validatedAt,
      operator,
      lastDigits: lastDigits === '' ? null : lastDigits,
    })
  }
  return [...shown.values()]
}
