// Which operator collects from a number: by environment and by the name that the number's prefix hints at (D-09, D-19).
import { type Country, PLANS } from '../domain/country.ts'
import type { Environment } from '../domain/environment.ts'
import type { Operator } from './operator.ts'

export interface Operators {
  /** Undefined where nobody is connected under that name. */
  find(environment: Environment, name: string): Operator | undefined
  /** Whether anybody can collect in a country. */
  serves(environment: Environment, country: Country): boolean
  all(): { environment: Environment; operator: Operator }[]
}

export function operatorRegistry(connected: readonly { environment: Environment; operator: Operator }[]): Operators {
  const byName = new Map(connected.map((each) => [`${each.environment} ${each.operator.name}`, each.operator]))
  const find = (environment: Environment, name: string): Operator | undefined => byName.get(`${environment} ${name}`)
  return {
    find,
    serves: (environment, country) => operatorNames(country).some((name) => find(environment, name) !== undefined),
    all: () => [...connected],
  }
}

export const operatorNames = (country: Country): string[] => Object.keys(PLANS[country].prefixes)
