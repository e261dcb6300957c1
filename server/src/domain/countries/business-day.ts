// Days as merchants count them, by the clock of the books (D-215): the same all year round.
import { BOOKS_CLOCK } from './country.ts'

const AHEAD_MS = BOOKS_CLOCK.utcOffsetMinutes * 60_000
const DAY_MS = 86_400_000

/** Days since 1970. */
export const dayOf = (at: number): number => Math.floor((at + AHEAD_MS) / DAY_MS)

export const startOfDay = (day: number): number => day * DAY_MS - AHEAD_MS

export const firstOfMonth = (day: number): number => day + 1 - new Date(day * DAY_MS).getUTCDate()

/** `2026-03` */
export const monthOf = (at: number): string => dayText(dayOf(at)).slice(0, 7)

/** `addMonths('2026-11', 2)` is `2027-01`. */
export function addMonths(month: string, count: number): string {
  const [year, nth] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, nth - 1 + count)).toISOString().slice(0, 7)
}

/** From its first moment to that of the next month. */
export const monthSpan = (month: string): { from: number; to: number } => ({
  from: Date.parse(`${month}-01T00:00:00Z`) - AHEAD_MS,
  to: Date.parse(`${addMonths(month, 1)}-01T00:00:00Z`) - AHEAD_MS,
})

/** Both inclusive. */
export function daysOfMonth(month: string): { firstDay: number; lastDay: number } {
  const { from, to } = monthSpan(month)
  return { firstDay: dayOf(from), lastDay: dayOf(to) - 1 }
}

/** `2026-03-31` */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** `31/03/2026`: what a spreadsheet in French reads as a day. */
export const localDayText = (day: number): string => dayText(day).split('-').reverse().join('/')

/** A date whose UTC fields are the local day and time. */
export const localDate = (at: number): Date => new Date(at + AHEAD_MS)

/** `31/03/2026 14:05:09` */
export const localTimeText = (at: number): string =>
  `${localDayText(dayOf(at))} ${localDate(at).toISOString().slice(11, 19)}`

/** How the zone is written behind a time: `+01:00`. */
export const ZONE_TEXT = `+${localDate(0).toISOString().slice(11, 16)}`

/** `2026-03-31T14:05:09+01:00` */
export const zonedTimeText = (at: number): string =>
  `${localDate(at).toISOString().slice(0, 19)}${ZONE_TEXT}`
