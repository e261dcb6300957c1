// Numbers, sizes, days and times as people in West Africa write them, by the clock of the books.
// Not by Intl, whose spaces change from one browser to the next.
import {
  dayOf,
  dayText,
  grouped,
  type LanguageName,
  localDate,
  writeAmount,
  ZONE_TEXT,
} from '../../server/src/dashboard-api/contract.ts'
import { callingCodeOf } from './countries.ts'

const DAY_MS = 86_400_000
const SPACE = '\u00a0'

let language: LanguageName = 'fr'

/** Called with each table of texts that the pages show. */
export function setLanguage(shown: LanguageName): void {
  language = shown
}

export const formatCount = (value: number): string => grouped(Math.round(value), language)
export const formatAmount = (francs: number): string => writeAmount(francs, language)

/** Money in has a plus, money out a minus. */
export const formatSignedAmount = (francs: number): string =>
  `${signOf(francs)}${formatAmount(Math.abs(francs))}`

function signOf(francs: number): string {
  if (francs > 0) return '+'
  return francs < 0 ? '\u2212' : ''
}

const decimal = (value: number): string =>
  value.toFixed(1).replace('.', language === 'fr' ? ',' : '.')

/** Those that are not empty. A line never ends with the dot. */
export const dotted = (...parts: readonly (string | null | undefined | false)[]): string =>
  parts.filter(Boolean).join(` ·${SPACE}`)

function unitOf(value: number): { size: number; unit: string } {
  if (value >= 1e9) return { size: 1e9, unit: language === 'fr' ? 'Md' : 'bn' }
  return value >= 1e6 ? { size: 1e6, unit: 'M' } : { size: 1e3, unit: 'k' }
}

/** For the axis of a chart: 4 Md, 1,2 M or 350 k. */
export function formatShortCount(value: number): string {
  if (value < 10_000) return formatCount(value)
  const { size, unit } = unitOf(value)
  const rounded =
    value / size >= 10 ? formatCount(value / size) : decimal(value / size).replace(/[.,]0$/, '')
  return `${rounded}${SPACE}${unit}`
}

export function formatPercent(share: number): string {
  const rounded =
    share >= 0.9995 || share === 0 ? String(Math.round(share * 100)) : decimal(share * 100)
  return language === 'fr' ? `${rounded}${SPACE}%` : `${rounded}%`
}

/** `+12 %` or `−3,5 %`. */
export const formatChange = (share: number): string =>
  `${share < 0 ? '−' : '+'}${formatPercent(Math.abs(share))}`

export function formatBytes(size: number): string {
  const unit = language === 'fr' ? 'o' : 'B'
  return size >= 1_000_000
    ? `${decimal(size / 1_000_000)}${SPACE}M${unit}`
    : `${Math.max(1, Math.round(size / 1_000))}${SPACE}k${unit}`
}

const MONTHS: Readonly<Record<LanguageName, readonly string[]>> = {
  fr: 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' '),
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
}

const MONTH_NAMES: Readonly<Record<LanguageName, readonly string[]>> = {
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(
    ' ',
  ),
  en: 'January February March April May June July August September October November December'.split(
    ' ',
  ),
}

/** A month as the server names it, 2026-11. */
export function formatMonth(named: string): string {
  const [year, number] = named.split('-')
  return `${MONTH_NAMES[language][Number(number) - 1]} ${year}`
}

const two = (value: number): string => String(value).padStart(2, '0')

export const formatTime = (at: number): string =>
  `${two(localDate(at).getUTCHours())}:${two(localDate(at).getUTCMinutes())}`
export const formatTimeWithSeconds = (at: number): string =>
  `${formatTime(at)}:${two(localDate(at).getUTCSeconds())}`

/** The year is written only when it is not this one. */
export function formatDay(at: number): string {
  const date = localDate(at)
  const year =
    date.getUTCFullYear() === localDate(Date.now()).getUTCFullYear()
      ? ''
      : ` ${date.getUTCFullYear()}`
  const number = language === 'fr' && date.getUTCDate() === 1 ? '1er' : date.getUTCDate()
  return `${number}${SPACE}${MONTHS[language][date.getUTCMonth()]}${year}`
}

export const formatDayAndTime = (at: number): string => `${formatDay(at)}, ${formatTime(at)}`

export const isSameDay = (one: number, other: number): boolean => dayOf(one) === dayOf(other)

/** The day of a moment as the server names it: 2026-11-15. */
export const dayName = (at: number): string => dayText(dayOf(at))
/** A day as the server names it, 2026-11-15, at its noon. */
export const noonOf = (named: string): number => Date.parse(`${named}T12:00:00${ZONE_TEXT}`)
/** The first moment of a named day, and of the day after it: what a filter by date sends. */
export const startOf = (named: string): number => Date.parse(`${named}T00:00:00${ZONE_TEXT}`)
export const endOf = (named: string): number => startOf(named) + DAY_MS

/** A number as people read it out: +227 90 12 34 56. */
export function formatPhone(msisdn: string): string {
  const digits = msisdn.replace(/\D/g, '')
  const code = callingCodeOf(digits)
  const rest = digits.slice(code?.length ?? 0)
  // With an odd number of digits the first group has three, so that no group has one.
  const first = rest.length % 2 === 0 ? 2 : 3
  const pairs = rest.slice(0, first) + rest.slice(first).replace(/\d{2}/g, `${SPACE}$&`)
  return code === undefined ? pairs : `+${code}${SPACE}${pairs}`
}
