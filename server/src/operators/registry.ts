// Which connection collects from a number: the domain's table maps country and prefix to an
// operator, a setting may override it, and where that operator is not connected another one of the
// country takes its place (D-09, D-19, D-43). Of several connections to an operator the first that
// takes payments now is used. An account's own connections come before the installation's (D-155).

import { COUNTRIES, type Country, OPERATORS, operatorNames } from '../domain/countries/country.ts'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import {
  type HostedMethodName,
  isHosted,
  LINK_METHODS,
  type LinkMethod,
} from '../domain/methods/methods.ts'
import type { RefusedRoute } from '../domain/operators/connection.ts'
import type { ConnectionKey } from '../domain/operators/connection-key.ts'
import type { OperatorAnswer, RefundAnswer } from '../domain/payments/operator-report.ts'
import { maskCardNumbers } from '../domain/texts/free-text.ts'
import type { ConfigurationRefusals } from './configuration-refusals.ts'
import type { NetworkStatements } from './connector.ts'
import type { HostedMethod, Operator } from './operator.ts'

/** The payer's operator, and the connection that prompts them. */
export type Route = { operator: string; connection: string }

export type PromptedOperator = {
  country: Country
  operator: string
  connection: string | undefined
}

export type Operators = ReturnType<typeof operatorRegistry>

export interface Connected {
  environment: Environment
  operator: Operator
  /** For a network with a payment page of its own. */
  hosted?: HostedMethod | undefined
  /** The operators whose customers it prompts, and the methods of its page. */
  prompts: readonly string[]
  pages: readonly HostedMethodName[]
  /** It cannot give back a part of a payment. */
  refundsWholeOnly?: true | undefined
  /** For a network that gives statements by its API. */
  statements?: NetworkStatements | undefined
  /** The account whose connection it is; undefined for a connection of the installation. */
  accountId?: string
  /** Its merchant has suspended it: it takes no new payments. */
  isSuspended?: boolean
}

export type OwnedConnection = Connected & { accountId: string }

export type PrefixRoute = { country: Country; prefix: string; operator: string }

/** Routes that the network refuses for our configuration. */
export type Refusals = Pick<ConfigurationRefusals, 'takes' | 'isClosed'>
const NONE_REFUSED: Refusals = { takes: () => true, isClosed: () => false }

/**
 * The key of a country's default route: for prefixes without an operator, and for sandbox test
 * numbers.
 */
const NO_PREFIX = ''

/** The connections of the installation and of merchants, and where each of them leads. */
function knownConnections(given: readonly Connected[], overrides: readonly PrefixRoute[]) {
  const installation = given.map(masking)
  const table = routingTable(installation, overrides)
  let owned: readonly Connected[] = []
  let byName = namesOf(installation)
  /** The tables of accounts with connections of their own, made at their first use. */
  const ownTables = new Map<string, RoutingTable>()
  let ofAccounts = new Map<string, readonly Connected[]>()
  return {
    named: ({ environment, connection }: ConnectionKey): Connected | undefined =>
      byName.get(keyOf(environment, connection)),
    tableOf(accountId: string): RoutingTable {
      const own = ofAccounts.get(accountId)
      return own === undefined
        ? table
        : getOrMake(ownTables, accountId, () =>
            routingTable([...own, ...without(installation, own)], overrides),
          )
    },
    all: (): readonly Connected[] => [...installation, ...owned],
    /** The connections of merchants, instead of those before. */
    setOwned(next: readonly OwnedConnection[]): void {
      owned = next.map(masking)
      byName = namesOf([...installation, ...owned])
      ofAccounts = Map.groupBy(owned, ({ accountId }) => accountId as string)
      ownTables.clear()
    },
  }
}

type KnownConnections = ReturnType<typeof knownConnections>

/** What each connection can do. */
const abilitiesOf = ({ named, all }: KnownConnections) => ({
  /** Undefined where there is no such connection. */
  find: (key: ConnectionKey): Operator | undefined => named(key)?.operator,
  /** True where there is no such connection now: what it can do is seen when it is there again. */
  refundsInPart: (key: ConnectionKey): boolean => named(key)?.refundsWholeOnly !== true,
  /** Undefined where the network gives no statements by its API. */
  statementsOf: (key: ConnectionKey): NetworkStatements | undefined => named(key)?.statements,
  offeringStatements: (): ConnectionKey[] =>
    all()
      .filter(({ statements }) => statements !== undefined)
      .map(({ environment, operator }) => ({ environment, connection: operator.name })),
  /** The page of one connection, for an attempt that was begun on it. */
  hostedAt: (key: ConnectionKey): HostedMethod | undefined => named(key)?.hosted,
})

/** Whether a connection takes new payments now. */
type Takes = (key: ConnectionKey) => boolean

export function operatorRegistry(
  /** In the order in which they are preferred. */
  given: readonly Connected[],
  overrides: readonly PrefixRoute[] = [],
  takes: Takes = () => true,
  refusals: Refusals = NONE_REFUSED,
) {
  const known = knownConnections(given, overrides)
  return {
    ...abilitiesOf(known),
    ...routesTo(known, takes, refusals),
    all: known.all,
    setOwned: known.setOwned,
  }
}

const routeOf = (
  { environment, operator: { name: connection } }: Connected,
  operator: string,
): RefusedRoute => ({
  environment,
  connection,
  operator,
})

/**
 * Where a new payment goes. A connection of its route is one of:
 *
 *   taking     takes new payments
 *   refused    the network refuses our configuration: takes only probes
 *   paused     people paused it, or its merchant suspended it: takes nothing
 */
interface Routing {
  known: KnownConnections
  takes: Takes
  refusals: Refusals
}

/** What is asked about: the payments of one account in one environment. */
interface Asked {
  environment: Environment
  accountId: string
}

const isTaking =
  ({ takes }: Routing) =>
  ({ environment, operator, isSuspended }: Connected): boolean =>
    isSuspended !== true && takes({ environment, connection: operator.name })

function routesTo(known: KnownConnections, takes: Takes, refusals: Refusals) {
  const routing: Routing = { known, takes, refusals }
  return {
    /**
     * For a new payment to a number with this prefix; undefined where no operator of the country
     * can be reached now.
     */
    operatorFor: (
      environment: Environment,
      country: Country,
      prefix: string,
      accountId: string,
    ): Route | undefined =>
      takingRoute(
        routing,
        routeFor(routing, { environment, accountId }, country, prefix),
        accountId,
      ),
    /**
     * The operator of these numbers, if people paused all its connections; those of a merchant may
     * be suspended.
     */
    pausedFor: (
      environment: Environment,
      country: Country,
      prefix: string,
      accountId: string,
    ): string | undefined => {
      const route = routeFor(routing, { environment, accountId }, country, prefix)
      return route?.connections.some(isTaking(routing)) === false ? route.operator : undefined
    },
    /** The operators of the country whose customers can be prompted now. */
    operatorsIn: (
      environment: Environment,
      country: Country,
      accountId: string,
    ): readonly string[] => connectedIn(routing, { environment, accountId }, country, true),
    /** The operators of the country that are connected, and that people paused. */
    pausedIn: (environment: Environment, country: Country, accountId: string): readonly string[] =>
      connectedIn(routing, { environment, accountId }, country, false),
    /**
     * Every operator that is connected for an account, with the connection that takes its payments
     * now.
     */
    promptedIn: (environment: Environment, accountId: string): readonly PromptedOperator[] =>
      promptedOperators(routing, { environment, accountId }),
    /** A method whose payer pays on the provider's page. */
    hosted: (
      environment: Environment,
      method: LinkMethod,
      accountId: string,
    ): HostedMethod | undefined => hostedMethod(routing, { environment, accountId }, method),
    linkMethods: (environment: Environment, accountId: string): readonly LinkMethod[] =>
      LINK_METHODS.filter((method) => canPay(routing, { environment, accountId }, method)),
  }
}

function routeFor(
  { known }: Routing,
  { environment, accountId }: Asked,
  country: Country,
  prefix: string,
): OperatorRoute | undefined {
  const { routes } = known.tableOf(accountId)
  return (
    routes.get(`${environment} ${country} ${prefix}`) ??
    routes.get(`${environment} ${country} ${NO_PREFIX}`)
  )
}

/**
 * One whose connections are all paused is not replaced by another operator: that one does not know
 * these customers.
 */
function takingRoute(
  routing: Routing,
  route: OperatorRoute | undefined,
  accountId: string,
): Route | undefined {
  const takesNow = isTaking(routing)
  const taking = route?.connections.find(
    (each) => takesNow(each) && routing.refusals.takes(routeOf(each, route.operator), accountId),
  )
  return route && taking && { operator: route.operator, connection: taking.operator.name }
}

/**
 * The operators of the country that are connected, and all or none of whose connections people
 * paused.
 */
const connectedIn = (
  routing: Routing,
  { environment, accountId }: Asked,
  country: Country,
  areTaking: boolean,
): string[] =>
  operatorNames(country).filter((name) => {
    const { prompting } = routing.known.tableOf(accountId)
    const connections = prompting.get(keyOf(environment, name)) ?? []
    return connections.length > 0 && connections.some(isTaking(routing)) === areTaking
  })

function promptedOperators(
  routing: Routing,
  { environment, accountId }: Asked,
): PromptedOperator[] {
  const { prompting } = routing.known.tableOf(accountId)
  const takesNow = isTaking(routing)
  const connectionOf = (operator: string): string | undefined =>
    prompting
      .get(keyOf(environment, operator))
      ?.find((each) => takesNow(each) && !routing.refusals.isClosed(routeOf(each, operator)))
      ?.operator.name
  return COUNTRIES.flatMap((country) =>
    operatorNames(country)
      .filter((operator) => prompting.has(keyOf(environment, operator)))
      .map((operator) => ({ country, operator, connection: connectionOf(operator) })),
  )
}

const hostedMethod = (
  routing: Routing,
  { environment, accountId }: Asked,
  method: LinkMethod,
): HostedMethod | undefined =>
  routing.known.tableOf(accountId).paging.get(keyOf(environment, method))?.find(isTaking(routing))
    ?.hosted

function canPay(routing: Routing, asked: Asked, method: LinkMethod): boolean {
  if (isHosted(method)) return hostedMethod(routing, asked, method) !== undefined
  const { connected } = routing.known.tableOf(asked.accountId)
  const takesNow = isTaking(routing)
  return connected.some(
    (each) => each.environment === asked.environment && each.prompts.length > 0 && takesNow(each),
  )
}

type OperatorRoute = { operator: string; connections: readonly Connected[] }

interface RoutingTable {
  connected: readonly Connected[]
  /** The connections that serve each operator, and each method of a page. */
  prompting: ReadonlyMap<string, readonly Connected[]>
  paging: ReadonlyMap<string, readonly Connected[]>
  routes: ReadonlyMap<string, OperatorRoute>
}

function routingTable(
  connected: readonly Connected[],
  overrides: readonly PrefixRoute[],
): RoutingTable {
  const serving = (which: 'prompts' | 'pages'): Map<string, Connected[]> => {
    const pairs = connected.flatMap((each) =>
      each[which].map((name) => [keyOf(each.environment, name), each] as const),
    )
    const grouped = Map.groupBy(pairs, ([key]) => key)
    return new Map([...grouped].map(([key, listed]) => [key, listed.map(([, each]) => each)]))
  }
  const [prompting, paging] = [serving('prompts'), serving('pages')]
  const routes = new Map<string, OperatorRoute>()
  for (const environment of ENVIRONMENTS) {
    const names = connected
      .filter((each) => each.environment === environment)
      .flatMap(({ prompts }) => prompts)
    for (const { country, prefix, operator } of [...TABLE, ...overrides]) {
      const name = connectedOperatorFor(country, operator, names)
      if (name === undefined) continue
      const connections = prompting.get(keyOf(environment, name)) ?? []
      routes.set(`${environment} ${country} ${prefix}`, { operator: name, connections })
    }
  }
  return { connected, prompting, paging, routes }
}

const namesOf = (connected: readonly Connected[]): Map<string, Connected> =>
  new Map(connected.map((each) => [keyOf(each.environment, each.operator.name), each]))

/**
 * The installation's connections for an account: without the operators and methods that the account
 * has a connection of its own for. While its own takes nothing, its payments are refused: they must
 * not end up in a shared wallet.
 */
function without(installation: readonly Connected[], own: readonly Connected[]): Connected[] {
  return installation.map((each) => {
    const rivals = own.filter(({ environment }) => environment === each.environment)
    return {
      ...each,
      prompts: each.prompts.filter((name) => !rivals.some(({ prompts }) => prompts.includes(name))),
      pages: each.pages.filter((name) => !rivals.some(({ pages }) => pages.includes(name))),
    }
  })
}

/**
 * Texts from networks are kept in the payment's history, shown to people and logged. They may hold
 * a card number typed by a payer, so each text is masked here. The network's references stay as
 * they are: refunds are made by them.
 */
const masking = ({ operator, hosted, ...rest }: Connected): Connected => ({
  ...rest,
  operator: derived(operator, maskedVerbs(operator)),
  hosted:
    hosted &&
    derived(hosted, {
      ...maskedVerbs(hosted),
      cancel: async (reference, networkId) => masked(await hosted.cancel(reference, networkId)),
    }),
})

const maskedVerbs = (
  operator: Operator,
): Pick<Operator, 'request' | 'status' | 'refund' | 'refundStatus'> => ({
  request: async (collection) => masked(await operator.request(collection)),
  status: async (reference, networkId) => masked(await operator.status(reference, networkId)),
  refund: async (reversal) => masked(await operator.refund(reversal)),
  refundStatus: async (reversal) => masked(await operator.refundStatus(reversal)),
})

const derived = <Kind extends Operator>(operator: Kind, verbs: Partial<Kind>): Kind =>
  Object.assign(Object.create(operator), verbs)

const TEXTS = ['code', 'why', 'reported'] as const

/**
 * A sentence of ours about a refund by hand holds the network's reference. Nearly all answers stay
 * the same object.
 */
function masked<Answer extends OperatorAnswer | RefundAnswer>(answer: Answer): Answer {
  if (answer.is === 'by_hand') return answer
  const texts = answer as Partial<Record<(typeof TEXTS)[number], string>>
  const shown = (name: (typeof TEXTS)[number]): string => maskCardNumbers(texts[name] ?? '')
  const changed = TEXTS.filter((name) => shown(name) !== (texts[name] ?? ''))
  return changed.length === 0
    ? answer
    : { ...answer, ...Object.fromEntries(changed.map((name) => [name, shown(name)])) }
}

const keyOf = (environment: Environment, name: string): string => `${environment} ${name}`

const TABLE: readonly PrefixRoute[] = [
  ...COUNTRIES.map((country) => ({
    country,
    prefix: NO_PREFIX,
    operator: operatorNames(country)[0],
  })),
  ...OPERATORS.flatMap(({ country, operator, prefixes }) =>
    prefixes.map((prefix) => ({ country, prefix, operator })),
  ),
]

/**
 * The operator itself, else the country's default, else the first connected one of the country. The
 * prefix is only a hint: a network whose customer the payer is not refuses the payment itself, so
 * we do not (D-09).
 */
function connectedOperatorFor(
  country: Country,
  operator: string,
  connected: readonly string[],
): string | undefined {
  const known = operatorNames(country)
  const preferred = [operator, known[0]]
  const first = connected.find((name) => known.includes(name))
  return preferred.find((name) => connected.includes(name)) ?? first
}
