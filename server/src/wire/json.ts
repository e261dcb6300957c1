// Reads and writes JSON as the contract requires: an unreadable body has no fields, times are ISO 8601 in UTC.
import { isUtf8 } from 'node:buffer'
import { dayOf } from '../domain/business-day.ts'

/** JSON.parse keeps the last of duplicate keys and makes `__proto__` a plain field, as D-06 asks. */
export function parseObject(raw: unknown): Record<string, unknown> {
  // Bytes that are not UTF-8 would be silently replaced, and could not be returned as received.
  if (!Buffer.isBuffer(raw) || !isUtf8(raw)) return {}
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** The fields of a body under the names that the code uses, unchecked. */
export function readFields<Name extends string>(raw: unknown, names: Readonly<Record<Name, string>>) {
  const body = parseObject(raw)
  const fields = {} as Record<Name, unknown>
  for (const name in names) fields[name] = body[names[name]]
  return fields
}

/** Whether any text holds NUL, which PostgreSQL cannot store. Not recursive: bodies may nest deeply. */
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

let lastTime = { ms: 0, iso: '1970-01-01T00:00:00.000Z' }

/** Caches the last time: rows recorded together share one, and formatting it is a tenth of the cost of an event. */
export function isoTime(ms: number): string {
  if (ms !== lastTime.ms) lastTime = { ms, iso: new Date(ms).toISOString() }
  return lastTime.iso
}

/** A time that is not set is left out of the JSON, not null (D-13). */
export const optionalTime = (ms: number | null): string | undefined => (ms === null ? undefined : isoTime(ms))

/** A time with its zone, as merchants may write it. */
export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
export const ISO_DAY = /^\d{4}-\d\d-\d\d$/

/** A day such as `2026-11-15`, as days since 1970; undefined for another text. */
export function dayIn(text: unknown): number | undefined {
  const at = typeof text === 'string' && ISO_DAY.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : dayOf(at)
}
