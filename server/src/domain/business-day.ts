// Days as merchants count them. Niamey and Porto-Novo are both one hour ahead of UTC, all year round.

const AHEAD_MS = 3_600_000
const DAY_MS = 86_400_000

/** Days since 1970. */
export const dayOf = (at: number): number => Math.floor((at + AHEAD_MS) / DAY_MS)

export const startOfDay = (day: number): number => day * DAY_MS - AHEAD_MS

/** `2026-03-31` */
export const dayText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** `31/03/2026 14:05:09`: what a spreadsheet in French reads as a time. */
export function localTimeText(at: number): string {
  const [date = '', time = ''] = new Date(at + AHEAD_MS).toISOString().split('T')
  return `${date.split('-').reverse().join('/')} ${time.slice(0, 8)}`
}
