// Readers for the arguments and options of commands: times, durations, lists, pages, and values
// that a setting's reader checks. A value that is not valid is a usage error.
import { InvalidArgumentError, Option } from 'commander'
import { integer } from '../config.ts'
import { dayOf } from '../domain/countries/business-day.ts'
import { PAGE_LIMIT, type Page, type PageInput } from '../domain/lists/page.ts'
import { LONGEST_OVERLAP_MS } from '../domain/people/api-key.ts'
import type { Refused } from '../domain/refusals/refusal.ts'
import type { Query } from '../wire/queries.ts'
import { granted, type KarbaCommand } from './cli.ts'

/** A setting's reader, for an option: the error that it throws becomes a usage error. */
export function argument<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text)
    } catch (error) {
      throw new InvalidArgumentError(`It ${(error as Error).message}.`)
    }
  }
}

export function listOf<T>(read: (item: string) => T): (text: string) => T[] {
  return (text) => {
    const items = text.split(',').map((item) => item.trim())
    return items.filter((item) => item !== '').map(read)
  }
}

/** The zone is required: without it, the time would depend on the machine. */
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/
const DAY = /^\d{4}-\d\d-\d\d$/

function readMs(text: string, form: RegExp, wanted: string): number {
  const ms = form.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) throw new InvalidArgumentError(`Write it as ${wanted}.`)
  return ms
}

export const time = (text: string): number => readMs(text, ISO_TIME, '2026-11-15T09:30:00Z')

/** Days since 1970. */
export const day = (text: string): number => dayOf(readMs(text, DAY, '2026-11-15'))

export function overlap(text: string): number {
  const ms = spanMs(text === '0' ? '0s' : text)
  if (!(ms <= LONGEST_OVERLAP_MS))
    throw new InvalidArgumentError('Write it as 30m or 24h, at most 72h.')
  return ms
}

export type Moment = (now: number) => number

export function moment(text: string): Moment {
  const ago = spanMs(text)
  if (!Number.isNaN(ago)) return (now) => Math.max(0, now - ago)
  const at = readMs(text, ISO_TIME, '24h or 7d ago, or as 2026-11-15T09:30:00Z')
  return () => at
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

function spanMs(text: string): number {
  const parts = /^(\d{1,9})([smhd])$/.exec(text)
  return parts === null ? Number.NaN : Number(parts[1]) * (UNITS_MS[parts[2] as string] as number)
}

/** A filter of a list of the merchant API, as an option. Commands take times of their own forms. */
export function filterOption<Table extends Query>(table: Table, name: keyof Table & string) {
  const parameter: Query[string] = table[name] as Table[typeof name]
  const about = parameter.about.charAt(0).toLowerCase() + parameter.about.slice(1, -1)
  if (parameter.is === 'time')
    return new Option(`--${name} <time>`, `${about}: 24h, 7d, 2026-11-15T09:30:00Z`).argParser(
      moment,
    )
  const option = new Option(`--${name} <${name}>`, about)
  return parameter.is === 'choice' ? option.choices(parameter.of) : option
}

export type PageOptions = { limit?: number; after?: string; json?: boolean }

/** For lists that may be long: one page by default. */
export const withPages = (command: KarbaCommand): KarbaCommand =>
  command
    .option('--limit <number>', `how many, up to ${PAGE_LIMIT.most}`, readLimit, PAGE_LIMIT.usual)
    .option('--after <cursor>', AFTER)

/** For short lists: all rows by default. */
export const withOptionalPages = (command: KarbaCommand): KarbaCommand =>
  command
    .option('--limit <number>', `how many, up to ${PAGE_LIMIT.most}; all by default`, readLimit)
    .option('--after <cursor>', AFTER)

const readLimit = argument(integer(1, PAGE_LIMIT.most))
const AFTER = 'continue after this cursor, which the previous page printed'

export async function readPages<Row>(
  read: (page: PageInput) => Promise<Page<Row> | Refused>,
  { limit, after }: PageOptions,
  name?: string,
): Promise<Page<Row>> {
  const rows: Row[] = []
  let next = after
  do {
    const wanted = Math.min(PAGE_LIMIT.most, (limit ?? Number.POSITIVE_INFINITY) - rows.length)
    const page: Page<Row> = granted(await read({ after: next, limit: wanted }), name)
    rows.push(...page.rows)
    next = page.next
  } while (next !== undefined && (limit === undefined || rows.length < limit))
  return { rows, next }
}

export const PAYMENT_NAMES =
  'any reference of the payment: its own, its public one, its transaction_id, or that of its link'
