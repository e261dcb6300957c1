// What the pages show of the countries: their names, their clocks, and how their numbers begin.

import {
  byCountry,
  COUNTRIES,
  citiesAt,
  eachCountry,
  factsOf,
  type LanguageName,
  readMsisdn,
} from '../../server/src/dashboard-api/contract.ts'

/** By their codes. */
export const countryNames = (language: LanguageName): Readonly<Record<string, string>> =>
  byCountry((country) => factsOf(country).names[language])

/** How far their clocks are ahead of UTC, in minutes, and UTC itself. */
export const CLOCKS: readonly number[] = [
  ...new Set([...eachCountry(({ clock }) => clock.utcOffsetMinutes), 0]),
]

/** What people call these clocks. */
export const clockNames = (language: LanguageName): Readonly<Record<string, string>> =>
  Object.fromEntries(CLOCKS.map((ahead) => [ahead, clockName(ahead, language)]))

function clockName(utcOffsetMinutes: number, language: LanguageName): string {
  const cities = citiesAt(utcOffsetMinutes, language)
  if (utcOffsetMinutes !== 0) return cities
  return cities === '' ? 'UTC' : `${cities} (UTC)`
}

/** Undefined for a number of no country, such as a test number. */
export function callingCodeOf(msisdn: string): string | undefined {
  const country = COUNTRIES.find((each) => readMsisdn(`+${msisdn}`, each, 'live') !== undefined)
  return country && factsOf(country).callingCode
}
