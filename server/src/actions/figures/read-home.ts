// The first page of a merchant's account: collected amounts, results, failure reasons, what needs
// attention.

import type { Clock } from '../../domain/clock-and-random.ts'
import { dayOf, dayText } from '../../domain/countries/business-day.ts'
import { operatorName } from '../../domain/countries/country.ts'
import type { Account } from '../../domain/environment.ts'
import { isMerchantConnection } from '../../domain/merchants/merchant-connection.ts'
import type { SeenHealth } from '../../domain/operators/connection.ts'
import type { ConnectionKey } from '../../domain/operators/connection-key.ts'
import { DAY_MS } from '../../domain/payments/verdict.ts'
import type { MerchantCaller } from '../../domain/people/caller.ts'
import { type MerchantRight, mayInAccount } from '../../domain/people/role.ts'
import type { RefusedAs } from '../../domain/refusals/refusal.ts'
import { failingSince } from '../../domain/webhooks/webhook-event.ts'
import type { Database } from '../../store/engine/database.ts'
import { type Figure, type FigureOutcome, listFigures } from '../../store/figures/summaries.ts'
import { listKeys } from '../../store/keys/api-keys.ts'
import { listHealth, listPauses } from '../../store/operators/connections.ts'
import { listMerchantConnections } from '../../store/operators/merchant-connections.ts'
import { countPending } from '../../store/payments/payment-list.ts'
import { findAccountOfMerchant } from '../../store/people/members.ts'
import { listViewings } from '../../store/people/sessions.ts'
import { listShownEndpoints } from '../../store/webhooks/endpoints.ts'

export async function readHome(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  caller: MerchantCaller,
  { days }: { days: number },
): Promise<Home | RefusedAs<'account_not_found'>> {
  const today = dayOf(clock.now())
  const firstDay = today - days + 1
  const attention = await listAttention({ db, clock }, caller)
  if ('refused' in attention) return attention
  // A link without an attempt is no failed payment.
  const figures = (await listFigures(db, caller.accountId, firstDay)).filter(
    ({ operator }) => operator !== '',
  )
  const pending = await countPending(db, caller.accountId)
  const sumDay = may(caller, 'seeTurnover') ? sumOf : sumWithoutAmount
  return {
    today: { ...sumDay(figures, today), pending },
    days: Array.from({ length: days }, (_, index) => ({
      day: dayText(firstDay + index),
      ...sumDay(figures, firstDay + index),
    })),
    operators: namesOf(figures, ({ operator }) => operator).map((operator) => {
      const own = figures.filter((figure) => figure.operator === operator)
      const counts = { succeeded: count(own, 'succeeded'), failed: count(own, 'failed') }
      return { operator, name: operatorName(operator), ...counts }
    }),
    failures: namesOf(figures, ({ reason }) => reason)
      .map((reason) => {
        const own = figures.filter((figure) => figure.reason === reason)
        return { reason, count: count(own, 'failed') }
      })
      .sort((a, b) => b.count - a.count),
    attention: may(caller, 'seeDevelopers')
      ? attention.rows
      : attention.rows.filter(({ kind }) => !FOR_DEVELOPERS.has(kind)),
  }
}

const FOR_DEVELOPERS: ReadonlySet<Attention['kind']> = new Set([
  'no_endpoint',
  'endpoint_failing',
  'key_ending',
])

/** A key has no role. */
const may = (caller: MerchantCaller, right: MerchantRight): boolean =>
  caller.is === 'merchant_key' || mayInAccount(caller.role, right)

const sumWithoutAmount = (figures: readonly Figure[], day: number): ShownFigures => ({
  ...sumOf(figures, day),
  collected: null,
})

function sumOf(figures: readonly Figure[], day: number): DayFigures {
  const own = figures.filter((figure) => figure.day === day)
  const collected = own.reduce(
    (sum, { outcome, amountXof }) => sum + (outcome === 'succeeded' ? amountXof : 0),
    0,
  )
  return { collected, succeeded: count(own, 'succeeded'), failed: count(own, 'failed') }
}

const count = (figures: readonly Figure[], wanted: FigureOutcome): number =>
  figures.reduce((sum, { outcome, payments }) => sum + (outcome === wanted ? payments : 0), 0)

const namesOf = (figures: readonly Figure[], name: (figure: Figure) => string): string[] =>
  [...new Set(figures.map(name))].filter((each) => each !== '').sort()

const KEY_ENDS_WITHIN_MS = 7 * DAY_MS
/** Health older than this may be out of date. */
const HEALTH_HOLDS_MS = 5 * 60_000
const VIEWING_SHOWN_MS = 7 * DAY_MS
/** All of them are in the log. */
const MOST_VIEWINGS = 3

async function listAttention(
  { db, clock }: { db: Database; clock: Pick<Clock, 'now'> },
  caller: MerchantCaller,
): Promise<{ rows: Attention[] } | RefusedAs<'account_not_found'>> {
  const account = await findAccountOfMerchant(db, caller.accountId)
  if (account === undefined) return { refused: 'account_not_found' }
  const now = clock.now()
  const rows: Attention[] = []
  if (account.status === 'unvalidated') rows.push({ kind: 'account_not_validated' })
  if (account.status === 'suspended')
    rows.push({ kind: 'account_suspended', reason: account.reason })
  const endpoints = await listShownEndpoints(db, account)
  if (endpoints.length === 0) rows.push({ kind: 'no_endpoint' })
  for (const endpoint of endpoints) {
    const { url, status, lastStatusCode } = endpoint
    const since = failingSince(endpoint, now)
    if (since !== null && status !== 'off')
      rows.push({ kind: 'endpoint_failing', url, since, lastStatusCode })
  }
  for (const { name, shownAs, expiresAt: at } of await listKeys(db, account.accountId)) {
    if (at !== null && at > now && at <= now + KEY_ENDS_WITHIN_MS)
      rows.push({ kind: 'key_ending', key: name ?? shownAs, at })
  }
  rows.push(...(await stoppedNetworks(db, account, now)))
  for (const { by, reason, beganAt: at } of await listViewings(
    db,
    account.merchantId,
    MOST_VIEWINGS,
  )) {
    if (at > now - VIEWING_SHOWN_MS) rows.push({ kind: 'viewed_by_service', by, reason, at })
  }
  return { rows }
}

/**
 * Of the installation, and of the account itself: other merchants' connections are not its
 * business.
 */
async function stoppedNetworks(db: Database, account: Account, now: number): Promise<Attention[]> {
  const own = new Map(
    (await listMerchantConnections(db, account)).map(({ connectionId, label }) => [
      connectionId,
      label,
    ]),
  )
  const concerns = ({ environment, connection }: ConnectionKey): boolean =>
    environment === account.environment &&
    (!isMerchantConnection(connection) || own.has(connection))
  const named = ({ connection, since }: Pick<SeenHealth, 'connection' | 'since'>) => ({
    operator: connection,
    name: own.get(connection) ?? operatorName(connection),
    since,
  })
  const paused = (await listPauses(db)).filter(concerns)
  // A paused connection gets no calls that could show its health.
  const isPaused = ({ connection }: SeenHealth): boolean =>
    paused.some((each) => each.connection === connection)
  const seen = (await listHealth(db)).filter(
    (each) => concerns(each) && !isPaused(each) && each.seenAt > now - HEALTH_HOLDS_MS,
  )
  const refusing = seen.filter(
    ({ misconfigured, connection }) => misconfigured === 1 && own.has(connection),
  )
  const down = seen.filter((each) => each.state === 'down' && !refusing.includes(each))
  return [
    ...down.map((each) => ({ kind: 'operator_down' as const, ...named(each) })),
    ...refusing.map((each) => ({ kind: 'operator_refuses' as const, ...named(each) })),
    ...paused.map((each) => ({
      kind: 'operator_paused' as const,
      ...named(each),
      reason: each.reason,
    })),
  ]
}

export type DayFigures = { collected: number; succeeded: number; failed: number }

/** `collected` is null for people who may not see turnover. */
export type ShownFigures = Omit<DayFigures, 'collected'> & { collected: number | null }

export interface Home {
  today: ShownFigures & { pending: number }
  days: (ShownFigures & { day: string })[]
  operators: {
    operator: string
    name: string
    succeeded: number
    failed: number
  }[]
  failures: { reason: string; count: number }[]
  attention: Attention[]
}

export type Attention =
  | {
      kind: 'endpoint_failing'
      url: string
      since: number
      lastStatusCode: number | null
    }
  | { kind: 'key_ending'; key: string; at: number }
  | {
      kind: 'operator_down'
      operator: string
      name: string
      since: number
    }
  /** An own connection whose network refuses its credentials. */
  | {
      kind: 'operator_refuses'
      operator: string
      name: string
      since: number
    }
  | {
      kind: 'operator_paused'
      operator: string
      name: string
      since: number
      reason: string
    }
  | { kind: 'account_not_validated' }
  | { kind: 'account_suspended'; reason: string | null }
  | { kind: 'no_endpoint' }
  | {
      kind: 'viewed_by_service'
      by: string
      reason: string
      at: number
    }
