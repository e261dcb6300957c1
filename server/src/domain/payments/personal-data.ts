// A payer's number and name in texts, and the placeholders that replace them when they are erased.
// Pure.

import { COUNTRIES, type Country, factsOf } from '../countries/country.ts'
import { SUBSCRIBER_DIGITS } from '../countries/country-facts.ts'
import { readMsisdn } from '../countries/msisdn.ts'

export interface Payer {
  country: Country
  /** E.164 without the plus sign, or a sandbox test number. */
  msisdn: string
}

/** A local number needs the country. Undefined when no payment could have this number. */
export function readPayer(written: string, country?: Country): Payer | undefined {
  const countries =
    country === undefined ? COUNTRIES.filter((each) => namesCountry(written, each)) : [country]
  // A sandbox test number is read in either country.
  for (const each of countries.length === 0 ? COUNTRIES.slice(0, 1) : countries) {
    const subscriber = readMsisdn(written, each, 'sandbox')
    const isComplete = country !== undefined || countries.length > 0 || subscriber?.prefix === ''
    if (subscriber !== undefined && isComplete) return { country: each, msisdn: subscriber.msisdn }
  }
  return undefined
}

const namesCountry = (written: string, country: Country): boolean =>
  new RegExp(`^\\s*(?:\\+|00)[\\s.-]*${factsOf(country).callingCode}`).test(written)

/** The masked number: enough for a person to recognise their own. */
export const maskedNumber = (msisdn: string): string => `******${msisdn.slice(-2)}`
export const ERASED_NAME = '[erased]'

const SEPARATOR = '[ .\\-\\u00a0\\u202f]?'

/**
 * Replaces the number in a text, however it is written; longer runs of digits are not the number.
 */
export function numberEraser({ country, msisdn }: Payer): (text: string) => string {
  const { callingCode, numbers } = factsOf(country)
  const isWhole = msisdn.startsWith(callingCode)
  const subscriber = isWhole ? msisdn.slice(-SUBSCRIBER_DIGITS) : msisdn
  const trunk = numbers.trunk === '' ? '' : `(?:${[...numbers.trunk, ''].join(SEPARATOR)})?`
  const before = isWhole ? `(?:(?:\\+|00)?${SEPARATOR}${callingCode}${SEPARATOR})?${trunk}` : ''
  const pattern = new RegExp(`(?<!\\d)${before}${[...subscriber].join(SEPARATOR)}(?!\\d)`, 'g')
  return (text) => text.replace(pattern, maskedNumber(msisdn))
}

/** Replaces a name where it occurs as whole words. */
export function nameEraser(name: string): (text: string) => string {
  const escaped = name.trim().replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  if (escaped === '') return (text) => text
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'giu')
  return (text) => text.replace(pattern, ERASED_NAME)
}

/**
 * Erases in every text of a JSON value, and touches no number: an amount may have the same digits.
 */
export function eraseInJson(json: string, erase: (text: string) => string): string {
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? erase(value) : value)),
  )
}
