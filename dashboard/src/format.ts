// Amounts, counts and times as people in Niger and Benin write them: West Africa Time, U+00A0 between thousands, F CFA.
// Not by Intl, whose spaces change from one browser to the next.
import type { LanguageName } from '../../server/src/dashboard-api/shapes.ts'

/** The same all year in both countries. */
const WEST_AFRICA_MS = 3_600_000
const DAY_MS = 86_400_000
const SPACE = '\u00a0'

const MONTHS: Readonly<Record<LanguageName, readonly string[]>> = {
  fr: 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' '),
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
}

export const count = (value: number): string => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, SPACE)
export const amount = (francs: number): string => `${count(francs)}${SPACE}F${SPACE}CFA`

/** What came has a plus, what left a minus. */
export const signedAmount = (francs: number): string =>
  `${francs > 0 ? '+' : francs < 0 ? '\u2212' : ''}${amount(Math.abs(francs))}`

const UNITS: readonly [size: number, least: number, unit: Readonly<Record<LanguageName, string>>][] = [
  [1_000_000_000, 1_000_000_000, { fr: `${SPACE}Md`, en: `${SPACE}bn` }],
  [1_000_000, 1_000_000, { fr: `${SPACE}M`, en: `${SPACE}M` }],
  [1_000, 10_000, { fr: `${SPACE}k`, en: `${SPACE}k` }],
  [1, 0, { fr: '', en: '' }],
]

/** For the axis of a chart: 4 Md, 1,2 M or 350 k. */
export function shortCount(value: number, language: LanguageName): string {
  const [size, , units] = UNITS.find(([, least]) => value >= least) ?? [1, 0, { fr: '', en: '' }]
  const unit = units[language]
  const rounded = value / size >= 10 || size === 1 ? count(value / size) : (value / size).toFixed(1)
  return (language === 'fr' ? rounded.replace('.', ',') : rounded).replace(/[.,]0$/, '') + unit
}

export function percent(share: number, language: LanguageName): string {
  const rounded = share >= 0.9995 || share === 0 ? String(Math.round(share * 100)) : (share * 100).toFixed(1)
  return language === 'fr' ? `${rounded.replace('.', ',')}${SPACE}%` : `${rounded}%`
}

/** `+12 %` or `−3,5 %`. */
export const change = (share: number, language: LanguageName): string =>
  `${share < 0 ? '−' : '+'}${percent(Math.abs(share), language)}`

export function bytes(size: number, language: LanguageName): string {
  const unit = language === 'fr' ? 'o' : 'B'
  return size >= 1_000_000
    ? `${(size / 1_000_000).toFixed(1).replace('.', language === 'fr' ? ',' : '.')}${SPACE}M${unit}`
    : `${Math.max(1, Math.round(size / 1_000))}${SPACE}k${unit}`
}

const MONTH_NAMES: Readonly<Record<LanguageName, readonly string[]>> = {
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  en: 'January February March April May June July August September October November December'.split(' '),
}

/** A month as the server names it, 2026-11. */
export function month(named: string, language: LanguageName): string {
  const [year, number] = named.split('-')
  return `${MONTH_NAMES[language][Number(number) - 1]} ${year}`
}

const local = (at: number): Date => new Date(at + WEST_AFRICA_MS)
const two = (value: number): string => String(value).padStart(2, '0')

export const time = (at: number): string => `${two(local(at).getUTCHours())}:${two(local(at).getUTCMinutes())}`
export const timeWithSeconds = (at: number): string => `${time(at)}:${two(local(at).getUTCSeconds())}`

/** The year is written only when it is not this one. */
export function day(at: number, language: LanguageName): string {
  const date = local(at)
  const year = date.getUTCFullYear() === local(Date.now()).getUTCFullYear() ? '' : ` ${date.getUTCFullYear()}`
  return `${date.getUTCDate()}${SPACE}${MONTHS[language][date.getUTCMonth()]}${year}`
}

export const dayAndTime = (at: number, language: LanguageName): string => `${day(at, language)}, ${time(at)}`

export const isSameDay = (one: number, other: number): boolean =>
  Math.floor((one + WEST_AFRICA_MS) / DAY_MS) === Math.floor((other + WEST_AFRICA_MS) / DAY_MS)

/** The day of a moment as the server names it: 2026-11-15. */
export const dayName = (at: number): string => local(at).toISOString().slice(0, 10)
/** A day as the server names it, 2026-11-15, at its noon. */
export const noonOf = (named: string): number => Date.parse(`${named}T12:00:00+01:00`)
/** The first moment of a named day, and of the day after it: what a filter by date sends. */
export const startOf = (named: string): number => Date.parse(`${named}T00:00:00+01:00`)
export const endOf = (named: string): number => startOf(named) + DAY_MS

/** A number as people read it out: +227 90 12 34 56. */
/** Where a line is too short, it ends between two groups of digits. */
export const breakable = (text: string): string => text.replaceAll(SPACE, ' ')

export function phone(msisdn: string): string {
  const digits = msisdn.replace(/\D/g, '')
  const country = /^(227|229)\d{8,}$/.exec(digits)?.[1]
  const rest = country === undefined ? digits : digits.slice(3)
  // With an odd number of digits the first group has three, so that no group has one.
  const first = rest.length % 2 === 0 ? 2 : 3
  const pairs = rest.slice(0, first) + rest.slice(first).replace(/\d{2}/g, `${SPACE}$&`)
  return country === undefined ? pairs : `+${country}${SPACE}${pairs}`
}
