// Reads and writes JSON as the contract requires: an unreadable body has no fields, times are ISO
// 8601 in UTC.
import { isUtf8 } from 'node:buffer'
import { dayOf, dayText } from '../domain/countries/business-day.ts'
import type { PAGE_LIMIT } from '../domain/lists/page.ts'

/**
 * JSON.parse keeps the last of duplicate keys and makes `__proto__` a plain field, as D-06 asks.
 */
export const parseObject = (raw: unknown): Record<string, unknown> => readObject(raw) ?? {}

export const isJsonObject = (raw: unknown): boolean => readObject(raw) !== undefined

function readObject(raw: unknown): Record<string, unknown> | undefined {
  // Bytes that are not UTF-8 would be silently replaced, and could not be returned as received.
  if (!Buffer.isBuffer(raw) || !isUtf8(raw)) return undefined
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The fields of a body under the names that the code uses, unchecked. */
export function readFields<Name extends string>(
  raw: unknown,
  names: Readonly<Record<Name, string>>,
) {
  const body = parseObject(raw)
  const fields = {} as Record<Name, unknown>
  for (const name in names) fields[name] = body[names[name]]
  return fields
}

/**
 * Whether any text holds NUL, which PostgreSQL cannot store. Not recursive: bodies may nest deeply.
 */
export function holdsNul(fields: object): boolean {
  const left: unknown[] = [fields]
  while (left.length > 0) {
    const value = left.pop()
    if (
      typeof value === 'string'
        ? value.includes('\0')
        : isObject(value) && Object.keys(value).some((key) => key.includes('\0'))
    )
      return true
    if (isObject(value)) left.push(...Object.values(value))
  }
  return false
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const isoTime = (ms: number): string => new Date(ms).toISOString()

/** A time that is not set is left out of the JSON, not null (D-13). */
export const optionalTime = (ms: number | null): string | undefined =>
  ms === null ? undefined : isoTime(ms)

/** A time with its zone, as merchants may write it. */
export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
export const ISO_DAY = /^\d{4}-\d\d-\d\d$/

/** A day such as `2026-11-15`, as days since 1970; undefined for another text. */
export function dayIn(text: unknown): number | undefined {
  const at = typeof text === 'string' && ISO_DAY.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse reads 31 February as 3 March.
  return Number.isNaN(at) || dayText(dayOf(at)) !== text ? undefined : dayOf(at)
}

/** The `limit` of a list; undefined when it is not a whole number up to the most. */
export function limitIn(
  { limit }: Record<string, unknown>,
  { usual, most }: typeof PAGE_LIMIT,
): number | undefined {
  if (limit === undefined) return usual
  return typeof limit === 'string' && /^[1-9]\d{0,3}$/.test(limit) && Number(limit) <= most
    ? Number(limit)
    : undefined
}
