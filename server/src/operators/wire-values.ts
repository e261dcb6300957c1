// Reads values from what a network sent. No field is trusted to have a form: one of another form reads as undefined.
import { timingSafeEqual } from 'node:crypto'

export type JsonObject = Readonly<Record<string, unknown>>

/** Undefined for anything but a JSON object: for a page of a gateway, say. */
export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : []

/** Text that is not empty, or a number as text: networks' samples show both for the same field. */
export function asText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** Whole francs from 1000, "1000", "1000.0000" or "37,600.00"; undefined for a fraction of a franc. */
export function wholeFrancs(value: unknown): number | undefined {
  const whole = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.0*)?$/.exec(asText(value) ?? '')?.[1]
  const francs = Number(whole?.replaceAll(',', '') ?? Number.NaN)
  return Number.isSafeInteger(francs) ? francs : undefined
}

/** The body of a callback. */
export function parseObject(body: Buffer | string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(body.toString('utf8')))
  } catch {
    return undefined
  }
}

/** Compares a signature in constant time. */
export const isSameSignature = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected)

/** Numbers of Benin had 8 digits before November 2024, when 01 was put before them. */
export const beninNumber = (msisdn: string, digits: 8 | 10): string =>
  digits === 8 ? msisdn.replace(/^22901(?=\d{8}$)/, '229') : msisdn
