// Who collects from a number: country and prefix lead to an operator by the table of the domain, by what a setting says
// otherwise, and to somebody else of the country where that operator is not connected (D-09, D-19, D-43).
import { COUNTRIES, type Country, PLANS } from '../domain/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { type HostedMethodName, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import type { HostedMethod } from './hosted-method.ts'
import type { Operator } from './operator.ts'

export interface Operators {
  /** Undefined where nobody is connected under that name. */
  find(environment: Environment, name: string): Operator | undefined
  /** The name of who collects from numbers with this prefix; undefined where nobody of the country is connected. */
  operatorFor(environment: Environment, country: Country, prefix: string): string | undefined
  /** A method whose payer pays on the provider's page. */
  hosted(environment: Environment, method: HostedMethodName): HostedMethod | undefined
  /** What links can be paid with. */
  linkMethods(environment: Environment): readonly LinkMethod[]
  all(): { environment: Environment; operator: Operator }[]
}

/** A prefix that belongs to another operator than the table says. */
export interface PrefixRoute {
  country: Country
  prefix: string
  operator: string
}

/** Where a prefix leads that nobody claims; and the prefix of a sandbox test number. */
const NO_PREFIX = ''

export function operatorRegistry(
  connected: readonly { environment: Environment; operator: Operator }[],
  overrides: readonly PrefixRoute[] = [],
  hosted: readonly { environment: Environment; operator: HostedMethod }[] = [],
): Operators {
  const byName = new Map(
    [...connected, ...hosted].map((each) => [`${each.environment} ${each.operator.name}`, each.operator]),
  )
  const routes = new Map<string, string>()
  for (const environment of ENVIRONMENTS) {
    const names = connected.filter((each) => each.environment === environment).map(({ operator }) => operator.name)
    for (const { country, prefix, operator } of [...TABLE, ...overrides]) {
      const name = orSomebodyElse(country, operator, names)
      if (name !== undefined) routes.set(`${environment} ${country} ${prefix}`, name)
    }
  }
  function canPay(environment: Environment, method: LinkMethod): boolean {
    if (method === 'mobile') return connected.some((each) => each.environment === environment)
    return byName.has(`${environment} ${method}`)
  }

  return {
    find: (environment, name) => byName.get(`${environment} ${name}`),
    operatorFor: (environment, country, prefix) =>
      routes.get(`${environment} ${country} ${prefix}`) ?? routes.get(`${environment} ${country} ${NO_PREFIX}`),
    hosted: (environment, method) =>
      hosted.find((each) => each.environment === environment && each.operator.name === method)?.operator,
    linkMethods: (environment) => LINK_METHODS.filter((method) => canPay(environment, method)),
    all: () => [...connected, ...hosted],
  }
}

export const operatorNames = (country: Country): string[] => Object.keys(PLANS[country].prefixes)

const TABLE: readonly PrefixRoute[] = COUNTRIES.flatMap((country) => [
  { country, prefix: NO_PREFIX, operator: PLANS[country].defaultOperator },
  ...Object.entries(PLANS[country].prefixes).flatMap(([operator, prefixes]) =>
    prefixes.map((prefix) => ({ country, prefix, operator })),
  ),
])

/** A network that is not the payer's says so itself; to refuse in its place would make a rule of a hint (D-09). */
function orSomebodyElse(country: Country, operator: string, connected: readonly string[]): string | undefined {
  const inTurn = [operator, PLANS[country].defaultOperator]
  const first = connected.find((name) => operatorNames(country).includes(name))
  return inTurn.find((name) => connected.includes(name)) ?? first
}
