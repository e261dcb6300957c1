// Statements that are fetched from networks: which days are due, when a failed one is tried again,
// and why one failed.
import { dayOf, startOfDay } from '../countries/business-day.ts'
import type { ConnectionKey } from '../operators/connection-key.ts'
import { maskCardNumbers } from '../texts/free-text.ts'

/** A period of time; `to` is not part of it. */
export interface FetchPeriod {
  from: number
  to: number
}

/** Why a statement was not fetched; each has its sentence (wire/statement-faults.ts). */
export const FETCH_FAULTS = [
  /** No answer, or one that says that the network is overloaded or down. */
  'not_reached',
  'credentials_refused',
  'request_refused',
  /** The network could not make it, or has not made it in time. */
  'not_made',
  'answer_not_valid',
  /** The network names a download address that we do not call. */
  'address_refused',
  /** It broke off, or the link has expired. */
  'download_failed',
  /** A file that cannot be imported: `why` is its fault as JSON. */
  'statement_refused',
] as const

export type FetchFault = (typeof FETCH_FAULTS)[number]

export interface FetchFailure {
  is: 'failed'
  fault: FetchFault
  /** Details for people, without secrets and payers' numbers. */
  why: string
  /** The statement that was asked for cannot be used any more: the next try asks for another. */
  isRequestGone?: true
}

export const fetchFailure = (fault: FetchFault, why: string): FetchFailure => ({
  is: 'failed',
  fault,
  why: maskCardNumbers(why).slice(0, LONGEST_WHY),
})

const LONGEST_WHY = 200

export class StatementBrokeOff extends Error {
  override readonly name = 'StatementBrokeOff'
  readonly failure: FetchFailure

  constructor(failure: FetchFailure) {
    super(`the statement was not fetched: ${failure.why}`)
    this.failure = failure
  }
}

export interface StatementFetch extends ConnectionKey {
  day: number
  state: 'waiting' | 'fetched' | 'failed'
  requestId: string | null
  requestedAt: number | null
  failures: number
  claimedUntil: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** 02:00 by the clock of the books: networks' data is up to an hour behind. */
const READY_AFTER_MS = 2 * HOUR_MS

/** Days that were missed are fetched up to this age. */
const CATCH_UP_DAYS = 14

/** A failing day of this age is a task for a person. */
const OVERDUE_DAYS = 2

/** Networks give at most a month at once. */
export const MOST_FETCHED_DAYS = 31

/** Reading a statement ends within this time, which is shorter than the claim of its day. */
export const READ_WITHIN_MS = 8 * MINUTE_MS

export const readyAt = (day: number): number => startOfDay(day + 1) + READY_AFTER_MS

/** The newest day whose statement is complete. */
export const lastReadyDay = (now: number): number => dayOf(now - READY_AFTER_MS) - 1

/**
 * The days to fetch, the oldest first. A connection that was never fetched begins with the last
 * day.
 */
export function daysToFetch(now: number, firstDay: number | undefined): number[] {
  const last = lastReadyDay(now)
  const first = Math.max(Math.min(firstDay ?? last, last), last - CATCH_UP_DAYS + 1)
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

/** Days before this one that are not fetched are overdue. */
export const overdueBefore = (now: number): number => lastReadyDay(now) - OVERDUE_DAYS + 1

export interface FetchedDays {
  firstDay: number
  lastDay: number
  /** The days before that the network's files repeat. */
  repeatedDays: number
}

/** A payment at midnight may be dated by its beginning or by its end. */
const NEAR_MIDNIGHT_MS = 15 * MINUTE_MS

/** Whether no line is of the days that were asked for: the file of another day was mixed up. */
export const isOfOtherDays = (
  { firstDay, lastDay, repeatedDays }: FetchedDays,
  { firstAt, lastAt }: { firstAt: number; lastAt: number },
): boolean =>
  lastAt < startOfDay(firstDay - repeatedDays) - NEAR_MIDNIGHT_MS ||
  firstAt >= startOfDay(lastDay + 1) + NEAR_MIDNIGHT_MS

/** About three days in all. */
const RETRIED_AFTER_MS = [
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  ...[1, 3, 6, 12, 24, 24].map((hours) => hours * HOUR_MS),
]

/** How long after a failure the next try is; undefined after the last. */
export const retriedAfter = (failures: number): number | undefined => RETRIED_AFTER_MS[failures - 1]

const FIRST_LOOK_MS = 5_000
const LONGEST_LOOK_MS = 10 * MINUTE_MS

/** A statement that is not made after this time is asked for again. */
const MADE_WITHIN_MS = 6 * HOUR_MS

/** When a requested statement is looked at again; undefined when it is given up. */
export function lookedAtAgainAfter(requestedAt: number, now: number): number | undefined {
  const age = now - requestedAt
  return age >= MADE_WITHIN_MS
    ? undefined
    : Math.min(Math.max(FIRST_LOOK_MS, age / 2), LONGEST_LOOK_MS)
}
