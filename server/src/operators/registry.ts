// Which operator collects from a number: the domain's table maps country and prefix to an operator, a setting may override it, and where
// that operator is not connected another one of the country takes its place (D-09, D-19, D-43).
import { COUNTRIES, type Country, PLANS } from '../domain/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { type HostedMethodName, LINK_METHODS, type LinkMethod } from '../domain/payment-link.ts'
import type { HostedMethod } from './hosted-method.ts'
import type { Operator } from './operator.ts'

export interface Operators {
  /** Undefined where no operator of that name is connected. */
  find(environment: Environment, name: string): Operator | undefined
  /** The name of the operator for numbers with this prefix; undefined where no operator of the country is connected. */
  operatorFor(environment: Environment, country: Country, prefix: string): string | undefined
  /** A method whose payer pays on the provider's page. */
  hosted(environment: Environment, method: HostedMethodName): HostedMethod | undefined
  /** The methods that payment links can be paid with. */
  linkMethods(environment: Environment): readonly LinkMethod[]
  all(): { environment: Environment; operator: Operator }[]
}

/** The operator of one prefix. */
export interface PrefixRoute {
  country: Country
  prefix: string
  operator: string
}

/** The key of a country's default route: for prefixes without an operator, and for sandbox test numbers, which have no prefix. */
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
      const name = connectedOperatorFor(country, operator, names)
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

/**
 * The operator itself, else the country's default, else the first connected one of the country. The prefix is only a hint: a network whose
 * customer the payer is not refuses the payment itself, so we do not (D-09).
 */
function connectedOperatorFor(country: Country, operator: string, connected: readonly string[]): string | undefined {
  const preferred = [operator, PLANS[country].defaultOperator]
  const first = connected.find((name) => operatorNames(country).includes(name))
  return preferred.find((name) => connected.includes(name)) ?? first
}
