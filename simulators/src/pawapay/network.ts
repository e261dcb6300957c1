// A conformance simulator of pawaPay's Merchant API v2, for Benin: its paths, its checks, its codes
// and its signed callbacks, written from its documents. Where callbacks go is set in pawaPay's
// dashboard; here by an option.
import {
  type BookedPayment,
  type ConformanceNetwork,
  datedAt,
  faultBoard,
  GATEWAY_PAGE,
  type NetworkDeps,
  type PartDeps,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import { type WalletStatements, walletStatements } from '../statements.ts'
import {
  type AccountSettings,
  activeConfiguration,
  availability,
  predictProvider,
  walletBalances,
} from './account.ts'
import { callbackSender, type Encoding, isSigned, type RequestKey } from './callbacks.ts'
import {
  type DepositOrder,
  isRefusal,
  isUuid,
  parseBody,
  type Refusal,
  refusal,
  refused,
} from './checks.ts'
import { decide, requestDeposit, showDeposit } from './deposits.ts'
import {
  type Deposit,
  depositStatus,
  isOn,
  refundedXof,
  refundsOf,
  strikes,
  type World,
  walletBalance,
} from './ledger.ts'
import { FAULTS, NUMBERS } from './numbers-and-faults.ts'
import { requestRefund, showRefund } from './refunds.ts'
import {
  BEHIND_MS,
  downloadStatement,
  movementsOf,
  PAWAPAY_SETTLEMENT,
  PAWAPAY_TARIFF,
  requestStatement,
  type StatementRequests,
  showStatement,
  unknownReferences,
  writeStatement,
} from './statement.ts'

export interface PawapayNetworkOptions {
  /** Where callbacks go; none are sent without. */
  callbackUrls?: { DEPOSIT?: string; REFUND?: string }
  /** On by default. */
  signsCallbacks?: boolean
  encoding?: Encoding
  /** With one, requests that move money must be signed with it, for this host. */
  requestKey?: RequestKey & { authority: string }
  walletXof?: number
  /** Whether the wallet is settled to the bank each evening. */
  settlesDaily?: boolean
}

const API_TOKEN = 'simulated-pawapay-token'
const SLOW_MS = 10 * 60_000

/** The simulated pawaPay of one merchant: what answers requests, around the books. */
interface Gateway {
  world: World
  settings: AccountSettings
  /** Undefined where requests need no signature. */
  requestKey: PawapayNetworkOptions['requestKey']
  requests: StatementRequests
  statements: WalletStatements<DepositOrder>
}

export function pawapayNetwork(
  deps: NetworkDeps,
  options: PawapayNetworkOptions = {},
): ConformanceNetwork {
  const gateway = openGateway(deps, options)
  const { world, requests, statements } = gateway
  const { faults, deposits, refunds } = world
  return {
    name: 'pawapay',
    credentials: { apiToken: API_TOKEN },
    numbers: NUMBERS,
    faults,
    handle: (request) => handle(gateway, request),
    books: () => [...deposits.values()].map((deposit) => bookedPayment(world, deposit)),
    ...statements.ofNetwork,
    decide: (id, decision) => decide(world, id, decision),
    reset: () => {
      statements.reset()
      requests.requested.clear()
      // No callback is sent about removed deposits.
      for (const deposit of deposits.values()) deposit.plan++
      for (const book of [deposits, refunds, world.requests]) book.clear()
      faults.allOff()
    },
  }
}

function openGateway(deps: NetworkDeps, options: PawapayNetworkOptions): Gateway {
  const { signsCallbacks = true, encoding = 'der', requestKey, walletXof = 1_000_000 } = options
  const faults = faultBoard(FAULTS)
  const settings: AccountSettings = {
    callbackUrls: { ...options.callbackUrls },
    signsCallbacks,
    signedRequestsOnly: requestKey !== undefined,
  }
  const now = (): number => ownTime({ ...deps, faults })
  const world: World = {
    ...deps,
    faults,
    callbacks: callbackSender({ ...deps, faults, settings, encoding, now }),
    balanceXof: () => statements.balanceXof(),
    deposits: new Map(),
    refunds: new Map(),
    requests: new Map(),
  }
  const statements = walletStatements<DepositOrder>({
    ...deps,
    format: 'pawapay-csv',
    firstBalanceXof: walletXof,
    tariff: PAWAPAY_TARIFF,
    hasFeeLines: true,
    settlement: options.settlesDaily ? PAWAPAY_SETTLEMENT : undefined,
    behindMs: BEHIND_MS,
    moved: () => movementsOf(world),
    unknownReferences,
    write: writeStatement,
  })
  const requests: StatementRequests = {
    world,
    requested: new Map(),
    write: (period) => statements.statement(period).bytes,
  }
  return { world, settings, requestKey, requests, statements }
}

/** By pawaPay's own clock. */
const ownTime = ({ clock, faults }: PartDeps): number =>
  clock.now() - (faults.isOn('clock_is_slow') ? SLOW_MS : 0)

function handle(gateway: Gateway, request: WireRequest): WireReaction {
  const { world } = gateway
  if (strikes(world, 'gateway_refuses')) return GATEWAY_PAGE
  const reaction = route(gateway, request)
  return isOn(world, 'clock_is_slow') ? datedAt(reaction, ownTime(world)) : reaction
}

function route(gateway: Gateway, request: WireRequest): WireReaction {
  const { world, settings, requests } = gateway
  const { method, path, query, headers } = request
  const file = downloadStatement(requests, request)
  if (file !== undefined) return file
  // pawaPay's own sample asks for the keys without a token.
  const stranger = path === '/v2/public-key/http' ? undefined : tokenRefusal(world, request)
  if (stranger !== undefined) return refused(stranger)
  switch (`${method} ${path}`) {
    case 'POST /v2/deposits':
      return movesMoney(gateway, request, (fields) => requestDeposit(world, fields))
    case 'POST /v2/refunds':
      return movesMoney(gateway, request, (fields) => requestRefund(world, fields))
    case 'POST /v2/statements':
      return parsed(request, (fields) => requestStatement(requests, fields, originOf(headers.host)))
    case 'GET /v2/active-conf':
      if (strikes(world, 'active_conf_unavailable')) return UNAVAILABLE
      return { code: 200, body: activeConfiguration(world.faults, settings, query) }
    case 'GET /v2/availability':
      return { code: 200, body: availability(world.faults, query) }
    case 'GET /v2/wallet-balances':
      return { code: 200, body: walletBalances(walletBalance(world), query) }
    case 'GET /v2/public-key/http':
      return { code: 200, body: world.callbacks.keys() }
    case 'POST /v2/predict-provider':
      return parsed(request, (fields) => {
        const prediction = predictProvider(fields)
        return isRefusal(prediction) ? refused(prediction) : { code: 200, body: prediction }
      })
    default:
      return routeById(gateway, request)
  }
}

function routeById({ world, requests }: Gateway, { method, path }: WireRequest): WireReaction {
  const [, kind = '', given = ''] =
    /^\/v2\/(deposits|refunds|statements)\/([^/]+)$/.exec(path) ?? []
  if (method !== 'GET' || kind === '') return { code: 404, body: '' }
  if (!isUuid(given))
    return refused(refusal('INVALID_PARAMETER', 'The ID in the path is not a UUID of version 4.'))
  if (strikes(world, 'status_unavailable')) return UNAVAILABLE
  if (strikes(world, 'too_many_requests')) return { code: 429, body: '' }
  const id = given.toLowerCase()
  if (kind === 'statements') return showStatement(requests, id)
  return (kind === 'deposits' ? showDeposit : showRefund)(world, id)
}

function tokenRefusal(world: World, { headers }: WireRequest): Refusal | undefined {
  const { authorization } = headers
  if (authorization === undefined)
    return refusal('NO_AUTHENTICATION', 'There is no API token in the request.')
  if (authorization === `Bearer ${API_TOKEN}` && !strikes(world, 'token_refused')) return undefined
  return refusal('AUTHENTICATION_ERROR', 'The API token in the request is invalid.')
}

function movesMoney(
  { world, requestKey }: Gateway,
  request: WireRequest,
  act: (fields: Record<string, unknown>) => WireReaction,
): WireReaction {
  if (strikes(world, 'unavailable')) return UNAVAILABLE
  if (
    requestKey !== undefined &&
    !isSigned(request, requestKey, requestKey.authority, world.clock.now())
  )
    return refused(
      refusal('HTTP_SIGNATURE_ERROR', 'The signature of the request cannot be verified.'),
    )
  return parsed(request, act)
}

function bookedPayment(world: World, deposit: Deposit): BookedPayment {
  const { depositId, clientReferenceId = '', phoneNumber } = deposit.order
  const status = depositStatus(deposit, world.clock.now())
  const { done } = refundedXof(refundsOf(world, depositId), world.clock.now())
  return {
    id: depositId,
    clientReference: clientReferenceId,
    msisdn: phoneNumber,
    amountXof: deposit.amountXof,
    status,
    debits: status === 'COMPLETED' ? 1 : 0,
    refunds: Math.floor(done / deposit.amountXof),
    requests: world.requests.get(depositId) ?? 0,
  }
}

const UNAVAILABLE: WireReaction = {
  code: 503,
  headers: { 'content-type': 'text/plain' },
  body: 'Service Unavailable',
}

/** Where files are when a request does not name the host that it came to. */
const originOf = (host: string | undefined): string =>
  host === undefined ? 'https://requested.pawapay.test' : `http://${host}`

function parsed(
  request: WireRequest,
  act: (fields: Record<string, unknown>) => WireReaction,
): WireReaction {
  const body = parseBody(request.headers['content-type'], request.body)
  return isRefusal(body) ? refused(body) : act(body.fields)
}
