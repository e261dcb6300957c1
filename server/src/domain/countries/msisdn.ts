// A payer's number as people write it, normalised to one form, and the prefix that hints at its
// operator (D-09, D-20). Refuses only what cannot be a number of the request's country: prefixes
// are hints, never a reason to refuse.

import type { Environment } from '../environment.ts'
import { COUNTRIES, type Country, eachCountry, factsOf } from './country.ts'
import { SUBSCRIBER_DIGITS } from './country-facts.ts'

/**
 * E.164 without the plus sign, and two digits that hint at its operator. A test number has no
 * prefix.
 */
type Subscriber = { msisdn: string; prefix: string }

/** Longer than any way of writing a number. A longer text is refused without parsing it. */
export const LONGEST_MSISDN = 40
const LONGEST_NATIONAL = Math.max(...eachCountry(({ numbers }) => numbers.digits))
const SEPARATORS = /[ .\-\u00a0\u202f]/g
/** The ten numbers with fixed outcomes, and the hundred that name a scenario (D-20). */
const TEST_NUMBER = /^(4041000000\d|404100001\d\d)$/

export function readMsisdn(
  written: unknown,
  country: Country,
  environment: Environment,
): Subscriber | undefined {
  if (typeof written !== 'string' || written.length > LONGEST_MSISDN) return undefined
  const compact = written.replace(SEPARATORS, '')
  const national = nationalPart(compact, country)
  if (national === undefined) return undefined
  // Clients that put the country code before every number put it before these too (D-61).
  if (environment === 'sandbox' && isTestNumber(national)) return { msisdn: national, prefix: '' }
  const { callingCode, numbers } = factsOf(country)
  const subscriber = subscriberOf(national, country)
  if (subscriber === undefined) return undefined
  return {
    msisdn: callingCode + numbers.trunk + subscriber,
    prefix: subscriber.slice(0, 2),
  }
}

/**
 * Whose calling code the number begins with, after `+` or `00` or because it is too long to be a
 * local one.
 */
export function countryNamedIn(written: string): Country | undefined {
  const compact = written.trim().replace(SEPARATORS, '')
  const digits = compact.replace(/^(?:\+|00)/, '')
  if (digits === compact && digits.length <= LONGEST_NATIONAL) return undefined
  return COUNTRIES.find((country) => digits.startsWith(factsOf(country).callingCode))
}

export const isTestNumber = (digits: string): boolean => TEST_NUMBER.test(digits)

/** After `+` or `00` the country code must follow; without them it may be left out. */
function nationalPart(compact: string, country: Country): string | undefined {
  const { callingCode } = factsOf(country)
  const prefix = ['+', '00'].find((each) => compact.startsWith(each)) ?? ''
  const digits = compact.slice(prefix.length)
  if (prefix !== '')
    return digits.startsWith(callingCode) ? digits.slice(callingCode.length) : undefined
  return digits.length > LONGEST_NATIONAL && digits.startsWith(callingCode)
    ? digits.slice(callingCode.length)
    : digits
}

function subscriberOf(national: string, country: Country): string | undefined {
  for (const form of factsOf(country).numbers.forms) {
    const [, subscriber] = form.exec(national) ?? []
    if (subscriber !== undefined) return subscriber
  }
  return undefined
}

/**
 * As a network wants it that may still know the numbers of before they became longer. `digits`:
 * after the calling code.
 */
export function withDigits(msisdn: string, digits: number): string {
  const country = COUNTRIES.find((each) => isComplete(msisdn, each))
  if (country === undefined || digits > SUBSCRIBER_DIGITS) return msisdn
  return factsOf(country).callingCode + msisdn.slice(-SUBSCRIBER_DIGITS)
}

/** In the form that payments have: calling code, trunk and the subscriber's digits. */
function isComplete(msisdn: string, country: Country): boolean {
  const { callingCode, numbers } = factsOf(country)
  return (
    msisdn.startsWith(callingCode + numbers.trunk) &&
    msisdn.length === callingCode.length + numbers.digits
  )
}
