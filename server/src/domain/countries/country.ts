// Look-ups in the facts of the countries: their numbers, clocks and operators, and what people call
// an operator or a connection.

import { methodName } from '../methods/methods.ts'
import { lookUp } from '../texts/free-text.ts'
import type { Language } from '../texts/language.ts'
import { LISTED } from './countries.ts'
import type { Brand, CountryFacts, OperatorFacts } from './country-facts.ts'

export type Country = (typeof LISTED)[number]['code']

export const COUNTRIES = LISTED.map(({ code }) => code) as [Country, ...Country[]]

/** Books, statements and pages count days by one clock, that of the first country (D-215). */
export const BOOKS_CLOCK: CountryFacts['clock'] = LISTED[0].clock

const FACTS: Readonly<Record<string, CountryFacts>> = Object.fromEntries(
  LISTED.map((facts) => [facts.code, facts]),
)

export const factsOf = (country: Country): CountryFacts => FACTS[country] as CountryFacts

export const isCountry = (value: unknown): value is Country =>
  typeof value === 'string' && Object.hasOwn(FACTS, value)

export const countryName = (country: Country, language: Language): string =>
  factsOf(country).names[language]

/** What a sentence makes of every country, in their order. */
export const eachCountry = <Made>(make: (facts: CountryFacts) => Made): Made[] => LISTED.map(make)

const AND: Readonly<Record<Language, string>> = { fr: ' et ', en: ' and ' }

/** `Niamey and Porto-Novo`: the cities whose clock is this far ahead of UTC. */
export const citiesAt = (utcOffsetMinutes: number, language: Language): string =>
  LISTED.filter(({ clock }) => clock.utcOffsetMinutes === utcOffsetMinutes)
    .map(({ clock }) => clock.city)
    .join(AND[language])

/** A value for each country. */
export const byCountry = <Value>(make: (country: Country) => Value): Record<Country, Value> =>
  Object.fromEntries(COUNTRIES.map((country) => [country, make(country)])) as Record<Country, Value>

export interface KnownOperator extends OperatorFacts {
  operator: string
  country: Country
}

export const OPERATORS: readonly KnownOperator[] = LISTED.flatMap(({ code, operators }) =>
  Object.entries<OperatorFacts>(operators).map(([operator, facts]) => ({
    operator,
    country: code,
    ...facts,
  })),
)

const BY_NAME: Readonly<Record<string, KnownOperator>> = Object.fromEntries(
  OPERATORS.map((known) => [known.operator, known]),
)

export const findOperator = (operator: string): KnownOperator | undefined =>
  lookUp(BY_NAME, operator)

/** The country whose customers an operator has; undefined for a name that is no operator. */
export const countryOfOperator = (operator: string): Country | undefined =>
  findOperator(operator)?.country

/** The first takes the numbers whose prefix is in no list. */
export const operatorNames = (country: Country): [string, ...string[]] =>
  Object.keys(factsOf(country).operators) as [string, ...string[]]

export const shownOperator = (operator: string): Brand | undefined => findOperator(operator)

/**
 * Where the country is not next to it: an operator with one name in several countries has its
 * country in its name. The plain name of an operator that is not in the table.
 */
export function operatorName(operator: string, language: Language = 'fr'): string {
  const known = findOperator(operator)
  if (known === undefined) return methodName(operator, language) ?? operator
  const isAlone = OPERATORS.every(
    ({ name, country }) => name !== known.name || country === known.country,
  )
  return isAlone ? known.name : `${known.name} ${countryName(known.country, language)}`
}

// What people call a connection to a network: by their own label, else by its network and country.

export interface NamedConnection {
  connection: string
  /** Of a merchant's own connection; null for one of the installation. */
  connectionLabel: string | null
}

/**
 * Networks by the beginning of the names that installations give to connections, and of connectors'
 * names: `niger-telecoms` of niger_telecoms_ne.
 */
const NETWORKS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    OPERATORS.map(({ operator, name }) => [operator.split('_').slice(0, -1).join('-'), name]),
  ),
  fedapay: 'FedaPay',
  pawapay: 'pawaPay',
}
const NAMED = new RegExp(
  `^(${Object.keys(NETWORKS).join('|')})(?:-momo|-money|-cash)?(?:-([a-z0-9-]+))?$`,
)
const COUNTRY_WORDS: Readonly<Record<string, Country>> = Object.fromEntries(
  LISTED.flatMap(({ code, names }) => [
    [code.toLowerCase(), code],
    [names.en.toLowerCase(), code],
  ]),
)

/** `pawapay-benin-2` is “pawaPay 2 (Bénin)”; undefined for a name that begins with no network. */
function inWords(connection: string, language: Language): string | undefined {
  const [, network = '', rest = ''] = NAMED.exec(connection) ?? []
  const name = lookUp(NETWORKS, network)
  if (name === undefined) return undefined
  const countries: string[] = []
  const others: string[] = []
  for (const word of rest.split('-').filter(Boolean)) {
    const country = lookUp(COUNTRY_WORDS, word)
    if (country === undefined) others.push(word)
    else countries.push(countryName(country, language))
  }
  const where = countries.length === 0 ? [] : [`(${countries.join(', ')})`]
  return [name, ...others, ...where].join(' ')
}

/**
 * An installation may give a connection any name. One that begins with no network is shown as it
 * is.
 */
export function connectionName(
  { connection, connectionLabel }: NamedConnection,
  language: Language,
): string {
  if (connectionLabel !== null) return connectionLabel
  const operator = findOperator(connection)
  // Connections for methods of a provider's page have the method's name.
  if (operator === undefined)
    return inWords(connection, language) ?? operatorName(connection, language)
  return `${operator.name} (${countryName(operator.country, language)})`
}
