// A payer's number as people write it, normalised to one form, and the prefix that hints at its
// operator (D-09, D-20). Refuses only what cannot be a number of the request's country: prefixes
// are hints, never a reason to refuse.
import { COUNTRIES, type Country, PLANS } from './country.ts'
import type { Environment } from './environment.ts'

/**
 * E.164 without the plus sign, and two digits that hint at its operator. A test number has no
 * prefix.
 */
type Subscriber = { msisdn: string; prefix: string }

/** Longer than any way of writing a number. A longer text is refused without parsing it. */
export const LONGEST_MSISDN = 40
/** Ten digits in Benin. */
const LONGEST_NATIONAL = 10
const SEPARATORS = /[ .\-\u00a0\u202f]/g
/** The ten numbers with fixed outcomes, and the hundred that name a scenario (D-20). */
const TEST_NUMBER = /^(4041000000\d|404100001\d\d)$/
const NIGER_NATIONAL = /^[789]\d{7}$/
const BENIN_NATIONAL = /^01\d{8}$/
/** Eight digits from 0 on are a new number cut short: completing them would debit a stranger. */
const BENIN_BEFORE_2024 = /^[1-9]\d{7}$/

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
  const eightDigits = eightDigitsOf(national, country)
  if (eightDigits === undefined) return undefined
  const trunk = country === 'BJ' ? '01' : ''
  return {
    msisdn: PLANS[country].callingCode + trunk + eightDigits,
    prefix: eightDigits.slice(0, 2),
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
  return COUNTRIES.find((country) => digits.startsWith(PLANS[country].callingCode))
}

export const isTestNumber = (digits: string): boolean => TEST_NUMBER.test(digits)

/** After `+` or `00` the country code must follow; without them it may be left out. */
function nationalPart(compact: string, country: Country): string | undefined {
  const { callingCode } = PLANS[country]
  const prefix = ['+', '00'].find((each) => compact.startsWith(each)) ?? ''
  const digits = compact.slice(prefix.length)
  if (prefix !== '')
    return digits.startsWith(callingCode) ? digits.slice(callingCode.length) : undefined
  return digits.length > LONGEST_NATIONAL && digits.startsWith(callingCode)
    ? digits.slice(callingCode.length)
    : digits
}

function eightDigitsOf(national: string, country: Country): string | undefined {
  if (country === 'BJ' && BENIN_NATIONAL.test(national)) return national.slice(2)
  return (country === 'NE' ? NIGER_NATIONAL : BENIN_BEFORE_2024).test(national)
    ? national
    : undefined
}
