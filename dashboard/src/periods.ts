// Periods of days for the list of payments: those that people choose by name, and the period
// before, to compare with.
import { dayName, endOf, noonOf, startOf } from './format.ts'

export const PRESETS = ['today', 'yesterday', 'week', 'month', 'lastMonth'] as const
export type Preset = (typeof PRESETS)[number]

/** Days as 2026-11-15; both are in it. */
export type Period = { from: string; to: string }

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const shifted = (day: string, days: number): string => dayName(noonOf(day) + days * DAY_MS)
const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`
/** 0 for Monday. */
const weekday = (day: string): number => (new Date(noonOf(day)).getUTCDay() + 6) % 7

export function periodOf(preset: Preset, now: number): Period {
  const today = dayName(now)
  const lastOfMonth = shifted(firstOfMonth(today), -1)
  const periods: Record<Preset, Period> = {
    today: { from: today, to: today },
    yesterday: { from: shifted(today, -1), to: shifted(today, -1) },
    week: { from: shifted(today, -weekday(today)), to: today },
    month: { from: firstOfMonth(today), to: today },
    lastMonth: { from: firstOfMonth(lastOfMonth), to: lastOfMonth },
  }
  return periods[preset]
}

/**
 * The moments of the period before: the month before a month, the week before a week, else as many
 * days before. Of a period that is not over, as much as has passed, so that a morning is compared
 * with a morning.
 */
export function momentsBefore(period: Period, now: number): { from: number; to: number } {
  const start = startOf(period.from)
  const end = Math.min(endOf(period.to), Math.ceil(now / MINUTE_MS) * MINUTE_MS)
  const first = startOf(firstDayBefore(period, dayName(now)))
  const isWhole = end === endOf(period.to)
  return { from: first, to: isWhole ? start : Math.min(start, first + Math.max(0, end - start)) }
}

function firstDayBefore({ from, to }: Period, today: string): string {
  const days = Math.round((endOf(to) - startOf(from)) / DAY_MS)
  const isMonth =
    from === firstOfMonth(to) && (to === today || shifted(to, 1) === firstOfMonth(shifted(to, 1)))
  if (days > 1 && isMonth) return firstOfMonth(shifted(from, -1))
  const isWeek = weekday(from) === 0 && (days === 7 || (days > 1 && days < 7 && to === today))
  return shifted(from, isWeek ? -7 : -days)
}
