// Dates and times as people's files write them. The order of day and month comes from the source's
// mapping: nothing in the text tells 03/04/2026 from 04/03/2026.
import { plainText } from '../texts/free-text.ts'
import type { ColumnMapping } from './statement.ts'

/** Longer than any date with a time and a zone. */
const LONGEST_TIME = 60
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const TIME = String.raw`(?:(?:T| |, | à )(?<hour>\d{1,2})(?:[:hH](?<minute>\d{2}))(?::(?<second>\d{2})(?:[.,]\d{1,9})?)?(?: ?(?<half>[AaPp])\.?[Mm]\.?)?)?`
const ZONE = String.raw` ?(?:(?<utc>Z|UTC|GMT)|(?<zone>[+-]\d{2}:?(?:\d{2})?))?`
const MONTH = String.raw`(?<name>\p{L}{3,9})\.?`
const form = (date: string): RegExp => new RegExp(`^${date}${TIME}${ZONE}$`, 'u')

const YEAR_FIRST = form(
  String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})`,
)
const YEAR_LAST = form(
  String.raw`(?<one>\d{1,2})(?<mark>[-/.])(?<two>\d{1,2})\k<mark>(?<year>\d{4}|\d{2})`,
)
const DAY_AND_NAME = form(String.raw`(?<day>\d{1,2})(?:er)?[- /]${MONTH}[- /](?<year>\d{4}|\d{2})`)
const NAME_AND_DAY = form(String.raw`${MONTH} (?<day>\d{1,2}),? (?<year>\d{4})`)

/** The days since 1900 that spreadsheets store, with the time as a fraction. */
const SERIAL = /^\d{5}(?:[.,]\d+)?$/
const SERIAL_OF_1970 = 25_569

const MONTHS = new Map(
  [
    ['jan', 'janv', 'janvier', 'january'],
    ['feb', 'fev', 'fevr', 'fevrier', 'february'],
    ['mar', 'mars', 'march'],
    ['apr', 'avr', 'avril', 'april'],
    ['may', 'mai'],
    ['jun', 'juin', 'june'],
    ['jul', 'juil', 'juillet', 'july'],
    ['aug', 'aou', 'aout', 'august'],
    ['sep', 'sept', 'septembre', 'september'],
    ['oct', 'octobre', 'october'],
    ['nov', 'novembre', 'november'],
    ['dec', 'decembre', 'december'],
  ].flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
)

type Parts = Readonly<Record<string, string | undefined>>

/**
 * Milliseconds since 1970; a date alone is its midnight at the source. Undefined for everything
 * else.
 */
export function readWrittenTime(
  written: string,
  { dateOrder, utcOffsetMinutes }: Pick<ColumnMapping, 'dateOrder' | 'utcOffsetMinutes'>,
): number | undefined {
  if (written.length > LONGEST_TIME) return undefined
  const text = written.replace(/\s+/g, ' ').trim()
  if (SERIAL.test(text)) return serialTime(text, utcOffsetMinutes)
  const parts = partsOf(text, dateOrder)
  const day = parts && dayMs(parts)
  const time = parts && timeMs(parts)
  const offset = parts && offsetOf(parts, utcOffsetMinutes)
  if (day === undefined || time === undefined || offset === undefined) return undefined
  return day + time - offset * MINUTE_MS
}

const HOUR = new RegExp(`^${TIME.replace('(?:T| |, | à )', '')}$`, 'u')
/** The fraction of a day that spreadsheets store. */
const FRACTION = /^0?[.,]\d+$|^0$/

/** A date and its hour from two columns. A date that has its own hour keeps it. */
export function readDateAndTime(
  date: string,
  time: string,
  source: Pick<ColumnMapping, 'dateOrder' | 'utcOffsetMinutes'>,
): number | undefined {
  const at = readWrittenTime(date, source)
  if (at === undefined || time === '' || hasHour(date)) return at
  const ms = hourMs(time.replace(/\s+/g, ' ').trim())
  if (ms !== undefined) return at + ms
  // Some columns of hours repeat the date.
  const whole = readWrittenTime(time, source)
  return whole !== undefined && whole >= at && whole < at + DAY_MS ? whole : undefined
}

/** Of a date that can be read. */
const hasHour = (date: string): boolean =>
  SERIAL.test(date) ? /[.,]\d*[1-9]/.test(date) : /\d[:hH]\d/.test(date)

function hourMs(text: string): number | undefined {
  if (text.length > LONGEST_TIME) return undefined
  if (FRACTION.test(text)) return Math.round(Number(text.replace(',', '.')) * 86_400) * 1_000
  const parts = HOUR.exec(text)?.groups
  return parts?.hour === undefined ? undefined : timeMs(parts)
}

function serialTime(text: string, utcOffsetMinutes: number): number | undefined {
  // A second is the least that spreadsheets show, and the fraction of a day is no exact second.
  const seconds = Math.round((Number(text.replace(',', '.')) - SERIAL_OF_1970) * 86_400)
  return yearIsLikely(new Date(seconds * 1_000).getUTCFullYear())
    ? seconds * 1_000 - utcOffsetMinutes * MINUTE_MS
    : undefined
}

function partsOf(text: string, order: ColumnMapping['dateOrder']): Parts | undefined {
  const groups = (
    YEAR_LAST.exec(text) ??
    YEAR_FIRST.exec(text) ??
    DAY_AND_NAME.exec(text) ??
    NAME_AND_DAY.exec(text)
  )?.groups
  if (groups?.one === undefined) return groups
  if (order === 'year_first') return undefined
  const { one, two, year, hour, minute, second, half, utc, zone } = groups
  const [day, month] = order === 'day_first' ? [one, two] : [two, one]
  return { year, month, day, hour, minute, second, half, utc, zone }
}

const yearIsLikely = (year: number): boolean => year >= 2000 && year < 2100

function dayMs({ year = '', month, name = '', day }: Parts): number | undefined {
  const fullYear = year.length === 2 ? 2000 + Number(year) : Number(year)
  const monthNumber = month === undefined ? MONTHS.get(plainText(name)) : Number(month)
  if (monthNumber === undefined || !yearIsLikely(fullYear)) return undefined
  const at = Date.UTC(fullYear, monthNumber - 1, Number(day))
  // 31 February would become a day of March.
  const date = new Date(at)
  return date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === Number(day)
    ? at
    : undefined
}

function timeMs({ hour = '0', minute = '0', second = '0', half }: Parts): number | undefined {
  const written = Number(hour)
  if (half !== undefined && (written < 1 || written > 12)) return undefined
  const hours =
    half === undefined ? written : (written % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const ms = (hours * 3_600 + Number(minute) * 60 + Number(second)) * 1_000
  return hours < 24 && Number(minute) < 60 && Number(second) < 60 ? ms : undefined
}

/** Minutes ahead of UTC: the text's own zone, or the source's. */
function offsetOf({ hour, utc, zone }: Parts, utcOffsetMinutes: number): number | undefined {
  if (utc === undefined && zone === undefined) return utcOffsetMinutes
  if (hour === undefined) return undefined
  if (zone === undefined) return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', ''))]
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
