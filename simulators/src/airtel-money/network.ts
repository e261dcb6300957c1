// The simulated Airtel Money, both versions of its API. facts.md of the connector lists what its
// documents leave open.
import { NIGER } from '../countries.ts'
import {
  aboutNumbers,
  type ConformanceNetwork,
  datedAt,
  faultBoard,
  GATEWAY_PAGE,
  type NetworkDeps,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import { type WalletStatements, walletStatements } from '../statements.ts'
import { type Application, messageSigning, type Padding, refuseHeaders, tokens } from './access.ts'
import { balanceOf, MISSING_PARAMS, NO_ROUTE, TOO_MANY, UNAVAILABLE } from './answers.ts'
import type { CallbacksDeps } from './callbacks.ts'
import { AIRTEL_FAULT_TABLE, BEHAVIOURS } from './numbers-and-faults.ts'
import { answerEnquiry, decide, type PaymentsDeps, refund, take } from './payments.ts'
import {
  AIRTEL_SETTLEMENT,
  AIRTEL_TARIFF,
  answerSummary,
  movementsOf,
  unknownReferences,
  writeStatement,
} from './statement.ts'
import { bookOf, type WalletPayment, wallet } from './wallet.ts'

export interface AirtelNetworkOptions extends Partial<Application> {
  /**
   * The callback address of the application, as the portal has it; without one there are no
   * callbacks.
   */
  callbackUrl?: string
  /** Whether callback authentication is on; it is by default. */
  hashesCallbacks?: boolean
  /** The header that carries the hash; the body by default. */
  callbackHashHeader?: string
  /**
   * Whether an unsigned payment or refund is refused. A signature that is sent is always verified.
   */
  requiresSigning?: boolean
  padding?: Padding
  /** Whether the wallet is swept to the bank each evening. */
  settlesDaily?: boolean
}

/** @internal */
export const AIRTEL_CREDENTIALS = {
  clientId: 'simulated-airtel-client',
  clientSecret: 'simulated-airtel-secret',
  callbackKey: 'simulated-airtel-callback-key',
} as const

const FIRST_BALANCE = 37_600
const CLOCK_OFF_MS = 600_000

/** The simulated Airtel Money of one merchant. */
interface World extends PaymentsDeps {
  access: ReturnType<typeof tokens>
  statements: WalletStatements<WalletPayment>
}

export function airtelMoneyNetwork(
  deps: NetworkDeps,
  options: AirtelNetworkOptions = {},
): ConformanceNetwork {
  const world = openWorld(deps, options)
  const { application, faults, wallet, access, statements } = world
  const { country, currency } = application
  return {
    name: 'airtel-money',
    credentials: { ...AIRTEL_CREDENTIALS, country, currency },
    numbers: aboutNumbers(BEHAVIOURS),
    faults,
    handle: (request) => handle(world, request),
    books: () => wallet.all().map((payment) => bookOf(payment, wallet.ending(payment))),
    ...statements.ofNetwork,
    decide: (id, decision) => decide(world, id, decision),
    reset: () => {
      statements.reset()
      wallet.clear()
      access.clear()
      faults.allOff()
    },
  }
}

function openWorld(deps: NetworkDeps, options: AirtelNetworkOptions): World {
  const { country = NIGER.alpha2, currency = 'XOF', msisdnLength = 8 } = options
  const part = { ...deps, faults: faultBoard(AIRTEL_FAULT_TABLE) }
  const access = tokens(part, AIRTEL_CREDENTIALS)
  const books = wallet(deps.clock)
  const callbacks: CallbacksDeps = {
    ...part,
    settings: {
      url: options.callbackUrl,
      key: options.hashesCallbacks === false ? undefined : AIRTEL_CREDENTIALS.callbackKey,
      hashHeader: options.callbackHashHeader?.toLowerCase(),
      currency,
    },
    isCurrent: (payment, change) =>
      books.find(payment.id) === payment && payment.changes.includes(change),
  }
  return {
    ...part,
    application: { country, currency, msisdnLength },
    wallet: books,
    signing: messageSigning(part, options.padding ?? 'pkcs1', options.requiresSigning ?? false),
    callbacks,
    access,
    statements: walletStatements<WalletPayment>({
      ...deps,
      format: 'airtel-money-csv',
      firstBalanceXof: FIRST_BALANCE,
      tariff: AIRTEL_TARIFF,
      hasFeeLines: true,
      settlement: options.settlesDaily ? AIRTEL_SETTLEMENT : undefined,
      moved: () => movementsOf(books),
      unknownReferences,
      write: (lines, period) => writeStatement(lines, period, currency),
    }),
  }
}

function answer(world: World, is: RouteName, request: WireRequest, name: string): WireReaction {
  const { application, faults, signing, statements } = world
  const { currency } = application
  switch (is) {
    case 'payment':
      return take(world, request)
    case 'refund':
      return refund(world, request)
    // It needs a token only: the samples have no other header.
    case 'enquiry':
      return answerEnquiry(world, name)
    case 'balance':
      return (
        refuseHeaders(request, application) ??
        balanceOf(statements.balanceXof(), currency, !faults.strikes('balance_success_is_false'))
      )
    case 'summary':
      return (
        refuseHeaders(request, application) ??
        answerSummary(statements.lines(), request.query, currency) ??
        MISSING_PARAMS
      )
    case 'key':
      return refuseHeaders(withCountryCode(request), application) ?? signing.publicKey()
  }
}

function route(world: World, request: WireRequest): WireReaction {
  const { method, path } = request
  if (method === 'POST' && path === '/auth/oauth2/token') return world.access.give(request)
  const known = ROUTES.find((each) => each.method === method && each.path.test(path))
  if (known === undefined) return NO_ROUTE
  return (
    world.access.refuse(request) ??
    answer(world, known.is, request, known.path.exec(path)?.[1] ?? '')
  )
}

function handle(world: World, request: WireRequest): WireReaction {
  const { clock, faults } = world
  if (faults.strikes('unavailable')) return UNAVAILABLE
  if (faults.strikes('too_many_calls')) return TOO_MANY
  if (faults.strikes('address_not_allowed')) return GATEWAY_PAGE
  const reaction = route(world, request)
  return faults.isOn('clock_is_off') ? datedAt(reaction, clock.now() + CLOCK_OFF_MS) : reaction
}

/** The documents end the address of payments with a slash; clients exist that leave it out. */
const ROUTES = [
  { is: 'payment', method: 'POST', path: /^\/merchant\/v[12]\/payments\/?$/ },
  { is: 'refund', method: 'POST', path: /^\/standard\/v[12]\/payments\/refund$/ },
  { is: 'enquiry', method: 'GET', path: /^\/standard\/v1\/payments\/([^/]+)$/ },
  { is: 'balance', method: 'GET', path: /^\/standard\/v1\/users\/balance$/ },
  { is: 'summary', method: 'GET', path: /^\/merchant\/v1\/transactions\/?$/ },
  { is: 'key', method: 'GET', path: /^\/v1\/rsa\/encryption-keys$/ },
] as const

type RouteName = (typeof ROUTES)[number]['is']

/**
 * One sample of the documents calls the country's header X-Country-Code when it fetches the key.
 */
const withCountryCode = ({ headers }: WireRequest): Pick<WireRequest, 'headers'> => ({
  headers: { ...headers, 'x-country': headers['x-country'] ?? headers['x-country-code'] },
})
