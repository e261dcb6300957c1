// When a statement of a day or a month is ready, and for whom.
import type { StatementSums } from './account-statement.ts'
import { dayOf, firstOfMonth } from './business-day.ts'

export const STATEMENT_PERIODS = ['day', 'month'] as const

export type StatementPeriodName = (typeof STATEMENT_PERIODS)[number]

/** Both days inclusive. */
export interface ReadyPeriod {
  period: StatementPeriodName
  firstDay: number
  lastDay: number
}

/** 06:00 in Niamey and Porto-Novo: by then the last payments of the day before have their outcome. */
const READY_AFTER_MS = 6 * 3_600_000

/** A service that was stopped for longer announces only the last days. */
const DAYS_BACK = 3

/** The day whose morning has come. */
export const morningOf = (now: number): number => dayOf(now - READY_AFTER_MS)

/** The oldest first; a month after its last day. */
export function periodsReady(now: number): ReadyPeriod[] {
  const days = Array.from({ length: DAYS_BACK }, (_, back) => morningOf(now) - DAYS_BACK + back)
  return days.flatMap((day) => [
    periodOf('day', day),
    ...(firstOfMonth(day + 1) === day + 1 ? [periodOf('month', firstOfMonth(day))] : []),
  ])
}

export function periodOf(period: StatementPeriodName, firstDay: number): ReadyPeriod {
  // The 31st day after the first of a month is in the next one, or is its first day.
  return { period, firstDay, lastDay: period === 'day' ? firstDay : firstOfMonth(firstDay + 31) - 1 }
}

export interface ConnectionSums extends StatementSums {
  connection: string
}

/** Which statements a person gets by email. */
export interface StatementMails {
  daily: boolean
  monthly: boolean
}
