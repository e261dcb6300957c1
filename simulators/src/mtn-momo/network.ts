// The conformance simulator of MTN MoMo: Collection, Disbursement and the provisioning API of the
// test environment, as the documents of the network and measurements of others describe them.
import {
  aboutNumbers,
  type BookedPayment,
  type Clock,
  type ConformanceNetwork,
  type FaultBoard,
  faultBoard,
  type NetworkDeps,
  type PayerDecision,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import { type WalletStatements, walletStatements } from '../statements.ts'
import {
  type Access,
  type ApiUser,
  credentialsOf,
  giveToken,
  openAccess,
  type Product,
  presetUsers,
  productOf,
  provision,
  resetAccess,
  urlDecoded,
  userOf,
} from './access.ts'
import {
  ALREADY_EXISTS,
  BAD_REQUEST,
  FORBIDDEN,
  GATEWAY_PAGE,
  INTERNAL_ERROR,
  NO_SUCH_ADDRESS,
  NOT_FOUND,
  TOO_MANY,
  UNAVAILABLE,
  WRONG_CALLBACK_HOST,
  WRONG_CURRENCY,
  WRONG_SUBSCRIPTION_KEY,
  WRONG_TOKEN,
} from './answers.ts'
import { type Callbacks, openCallbacks, planCallbacks } from './callbacks.ts'
import { MTN_MOMO_FAULTS, NUMBERS, outcomeOf } from './numbers-and-faults.ts'
import { currencyOf, readOrder } from './orders.ts'
import {
  MTN_SETTLEMENT,
  MTN_TARIFF,
  movementsOf,
  unknownReferences,
  writeStatement,
} from './statement.ts'
import {
  balanceIn,
  countRequest,
  FIRST_BALANCE,
  findOperation,
  isFinal,
  isKept,
  isTaken,
  type Operation,
  type OperationKind,
  ofProduction,
  openWallet,
  paymentsOf,
  refundsOf,
  resetWallet,
  shownOperation,
  statusOf,
  takeOrder,
  type Wallet,
} from './wallet.ts'

export interface MtnMomoNetworkOptions {
  /**
   * `new`, the default, needs X-Target-Environment with the token call of production users, and its
   * gateway refuses some clients. The test environment has a host of its own, and its users need no
   * such header.
   */
  platform?: 'old' | 'new'
  /** A: each callback is sent once. B: until it is answered within two seconds. */
  callbackVersion?: 'A' | 'B'
  /** The callback host of the users that are there from the start; any by default. */
  callbackHost?: string
  /**
   * How the reason of a failure is written: as an object in the network's specification; clients
   * have met both.
   */
  reasonForm?: 'text' | 'object'
  /** The documents forbid a body with the token call; clients that send one work too. */
  refusesTokenBody?: boolean
  /** Whether the wallet is swept to the bank each evening. */
  settlesDaily?: boolean
}

const MOST_READS_A_SECOND = 10

const OPERATIONS: Readonly<Record<Product, readonly string[]>> = {
  collection: ['requesttopay'],
  disbursement: ['refund', 'transfer'],
}

/** The simulated MTN MoMo of one merchant. */
interface World {
  clock: Clock
  faults: FaultBoard
  platform: 'old' | 'new'
  reasonForm: 'text' | 'object'
  access: Access
  wallet: Wallet
  callbacks: Callbacks
  statements: WalletStatements<Operation>
  /** When the status was read within the last second. */
  reads: number[]
}

export function mtnMomoNetwork(
  deps: NetworkDeps,
  options: MtnMomoNetworkOptions = {},
): ConformanceNetwork {
  const world = openWorld(deps, options)
  const { faults, access, wallet, statements } = world
  return {
    name: 'mtn-momo',
    credentials: credentialsOf(world.platform),
    numbers: aboutNumbers(NUMBERS),
    faults,
    handle: (request) => handle(world, request),
    books: () => bookedPayments(world),
    ...statements.ofNetwork,
    decide: (id, decision) => decide(world, id, decision),
    reset: () => {
      statements.reset()
      resetAccess(access)
      resetWallet(wallet)
      faults.allOff()
      world.reads = []
    },
  }
}

function openWorld(deps: NetworkDeps, options: MtnMomoNetworkOptions): World {
  const {
    platform = 'new',
    callbackVersion = 'A',
    reasonForm = 'object',
    refusesTokenBody = false,
  } = options
  const { clock } = deps
  const faults = faultBoard(MTN_MOMO_FAULTS)
  const part = { ...deps, faults }
  const wallet = openWallet({ ...part, balanceXof: () => statements.balanceXof() })
  const statements = walletStatements<Operation>({
    ...deps,
    format: 'mtn-momo-csv',
    firstBalanceXof: FIRST_BALANCE,
    tariff: MTN_TARIFF,
    settlement: options.settlesDaily ? MTN_SETTLEMENT : undefined,
    moved: () => movementsOf(ofProduction(wallet), clock.now()),
    unknownReferences,
    write: writeStatement,
  })
  return {
    clock,
    faults,
    platform,
    reasonForm,
    access: openAccess({
      ...part,
      platform,
      refusesTokenBody,
      users: presetUsers(platform, options.callbackHost),
    }),
    wallet,
    callbacks: openCallbacks({
      ...part,
      version: callbackVersion,
      reasonForm,
      isKept: (operation) => isKept(wallet, operation),
    }),
    statements,
    reads: [],
  }
}

function handle(world: World, request: WireRequest): WireReaction {
  const { faults, platform, access } = world
  const isRefusedClient =
    platform === 'new' && /python-requests/i.test(request.headers['user-agent'] ?? '')
  if (isRefusedClient || faults.strikes('gateway_403_page')) return GATEWAY_PAGE
  const ofKey = productOf(request)
  if (typeof ofKey !== 'string') return ofKey
  const [, first = '', version = '', ...rest] = request.path.split('/')
  if (/^\/v1_0\/apiuser(?:\/|$)/.test(request.path)) return provision(access, request, ofKey)
  if (!Object.hasOwn(OPERATIONS, first)) return NO_SUCH_ADDRESS
  const product = first as Product
  // Each product has its own key.
  if (product !== ofKey) return WRONG_SUBSCRIPTION_KEY
  if (request.path === `/${product}/token/`)
    return request.method === 'POST' ? giveToken(access, request, product) : NO_SUCH_ADDRESS
  if (version !== 'v1_0') return NO_SUCH_ADDRESS
  const user = userOf(access, request, product)
  if (!('id' in user)) return user
  if (faults.strikes('gateway_404')) return NO_SUCH_ADDRESS
  return callProduct(world, request, product, rest, user)
}

function callProduct(
  world: World,
  request: WireRequest,
  product: Product,
  rest: string[],
  user: ApiUser,
): WireReaction {
  const [what = '', id = '', verb = ''] = rest
  const isRead = request.method === 'GET'
  if (OPERATIONS[product].includes(what)) {
    const kind = what as OperationKind
    if (!isRead && id === '') return create(world, kind, request, user)
    return isRead && id !== '' && verb === '' ? read(world, kind, id, user) : NO_SUCH_ADDRESS
  }
  if (isRead && what === 'account' && id === 'balance' && rest.length <= 3)
    return balance(world, verb, user)
  if (isRead && what === 'accountholder') return accountHolder(rest.slice(1), user.environment)
  return NO_SUCH_ADDRESS
}

function create(
  world: World,
  kind: OperationKind,
  request: WireRequest,
  user: ApiUser,
): WireReaction {
  const { faults, wallet, callbacks } = world
  if (kind !== 'requesttopay' && faults.strikes('refunds_forbidden')) return FORBIDDEN
  const order = readOrder(kind, request, user)
  if (!('amount' in order)) return order
  countRequest(wallet, order.id)
  if (isTaken(wallet, kind, order.id)) return ALREADY_EXISTS
  if (kind === 'requesttopay' && faults.strikes('callback_host_refused')) return WRONG_CALLBACK_HOST
  if (kind === 'requesttopay' && faults.strikes('unavailable_503')) return UNAVAILABLE
  if (kind === 'requesttopay' && faults.strikes('cut_before_taking')) return { cut: true }
  // In the field, an ampersand in a text was accepted, and the payment was never seen again.
  const isLost = /&/.test(`${order.payerMessage}${order.payeeNote}`)
  if (isLost || (kind === 'requesttopay' && faults.strikes('lost_after_202'))) return ACCEPTED
  planCallbacks(callbacks, takeOrder(wallet, kind, order, user))
  return answerToTaken(world, kind)
}

function answerToTaken({ faults }: World, kind: OperationKind): WireReaction {
  if (kind !== 'requesttopay')
    return faults.strikes('refund_cut_after_taking') ? { cut: true } : ACCEPTED
  if (faults.strikes('cut_after_taking')) return { cut: true }
  if (faults.strikes('silent_after_taking')) return { silent: true }
  if (faults.strikes('error_500_after_taking')) return INTERNAL_ERROR
  if (faults.strikes('refuses_token_after_taking')) return WRONG_TOKEN
  return faults.strikes('callback_before_answer') ? { ...ACCEPTED, afterMs: 1_500 } : ACCEPTED
}

function read(world: World, kind: OperationKind, id: string, user: ApiUser): WireReaction {
  const { clock, faults, reasonForm, wallet, reads } = world
  const now = clock.now()
  while (reads.length > 0 && now - (reads[0] as number) >= 1_000) reads.shift()
  if (reads.length >= MOST_READS_A_SECOND || faults.strikes('too_many_reads')) return TOO_MANY
  reads.push(now)
  if (faults.strikes('status_500')) return INTERNAL_ERROR
  const operation = findOperation(wallet, kind, id.toLowerCase(), user)
  if (operation === undefined || now < operation.hiddenUntil) return NOT_FOUND
  return { code: 200, body: shownOperation(operation, { now, faults, reasonForm }) }
}

function balance({ wallet }: World, currency: string, user: ApiUser): WireReaction {
  const own = currencyOf(user.environment)
  if (currency !== '' && currency !== own) return WRONG_CURRENCY
  return {
    code: 200,
    body: { availableBalance: String(balanceIn(wallet, user.environment)), currency: own },
  }
}

function bookedPayments({ clock, wallet }: World): BookedPayment[] {
  const now = clock.now()
  return paymentsOf(wallet).map((payment) => ({
    id: payment.id,
    clientReference: payment.externalId ?? '',
    msisdn: payment.party.partyId,
    amountXof: payment.amount,
    status: statusOf(payment, now),
    debits: statusOf(payment, now) === 'SUCCESSFUL' ? 1 : 0,
    refunds: refundsOf(wallet, payment.id),
    requests: wallet.requests.get(payment.id) ?? 0,
  }))
}

function decide(world: World, id: string, decision: PayerDecision): boolean {
  const { clock, wallet, callbacks } = world
  const payment = paymentsOf(wallet).find((each) => each.id === id.toLowerCase())
  const now = clock.now()
  if (payment === undefined || isFinal(statusOf(payment, now))) return false
  payment.reason = REASON_OF[decision]
  payment.decidedAt =
    decision === 'ignore' ? Math.max(now, payment.requestedAt + APPROVED_WITHIN_MS) : now
  planCallbacks(callbacks, payment)
  return true
}

const ACCEPTED: Extract<WireReaction, { code: number }> = { code: 202 }
const APPROVED_WITHIN_MS = 5 * 60_000

const REASON_OF: Readonly<Record<PayerDecision, string | undefined>> = {
  approve: undefined,
  decline: 'APPROVAL_REJECTED',
  ignore: 'COULD_NOT_PERFORM_TRANSACTION',
  no_funds: 'NOT_ENOUGH_FUNDS',
}

const ID_TYPES = ['msisdn', 'email', 'party_code', 'alias', 'id']

/** `[type, id, question]` follows `accountholder/`. The test environment knows every account. */
function accountHolder(
  [type = '', id = '', question = '']: readonly string[],
  environment: string,
): WireReaction {
  // The documents write the type in lower case, public clients also in upper case.
  if (!ID_TYPES.includes(type.toLowerCase()) || id === '') return BAD_REQUEST
  if (question !== 'active') return NO_SUCH_ADDRESS
  const isKnown =
    environment === 'sandbox' || outcomeOf(urlDecoded(id), environment).reason !== 'PAYER_NOT_FOUND'
  return { code: 200, body: { result: isKnown } }
}
