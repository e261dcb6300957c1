// A conformance simulator of FedaPay, written from its documents, the tests of its own clients and
// field reports: transactions, prompts without a redirection, the hosted page, customers,
// currencies, balances and signed webhooks.
import {
  type ConformanceNetwork,
  datedAt,
  faultBoard,
  GATEWAY_PAGE,
  type NetworkDeps,
  parseObject,
  type WireReaction,
  type WireRequest,
} from '../network.ts'
import { type WalletStatements, walletStatements } from '../statements.ts'
import {
  endPage,
  type FeesPaidBy,
  html,
  NO_SUCH_PATH,
  PAGE_PATH,
  payPage,
  refused,
  returnAddress,
  tariffOf,
  wireTransaction,
} from './answers.ts'
import {
  bookedPayments,
  customerBook,
  decide,
  findByToken,
  isOpen,
  type Ledger,
  liveTransactions,
  openLedger,
  resetLedger,
  type Transaction,
} from './ledger.ts'

import { FEDAPAY_FAULTS, NUMBERS } from './numbers-and-faults.ts'
import { distortions, isOn, route, type World } from './routes.ts'
import { FEDAPAY_SETTLEMENT, movementsOf, unknownReferences, writeStatement } from './statement.ts'
import { type Endpoint, newEndpoint, type WebhookEvent, webhookSender } from './webhooks.ts'

export interface FedapaySimulatorOptions {
  /** Where webhooks go: in the dashboard of the real one. More can be made by POST /v1/webhooks. */
  webhookUrl?: string
  /** Which events that webhook wants; by default those about an outcome. */
  webhookEvents?: readonly string[]
  /**
   * The modes that are activated on the account; by default those of Benin, Niger and the sandbox.
   */
  modes?: readonly string[]
  /** The account's setting; payers pay the fees by default. */
  feesPaidBy?: FeesPaidBy
  /** Whether the merchant requests a payout to the bank each evening. */
  settlesDaily?: boolean
}

const CREDENTIALS = {
  secretKey: 'sk_sandbox_simulated-secret-key',
  publicKey: 'pk_sandbox_simulated-public-key',
  webhookSecret: 'wh_sandbox_simulated-webhook-secret',
} as const

const OUTCOMES = [
  'approved',
  'declined',
  'canceled',
  'expired',
  'refunded',
  'transferred',
  'updated',
]
const ACTIVATED = ['mtn_open', 'moov', 'sbin', 'airtel_ne', 'momo_test']
const BEHIND_MS = 600_000
/** Where the hosted page is when a request does not name the host that it came to. */
const PAGE_ORIGIN = 'https://process.fedapay.test'

export function fedapayNetwork(
  deps: NetworkDeps,
  options: FedapaySimulatorOptions = {},
): ConformanceNetwork {
  const world = openWorld(deps, options)
  const { clock, ledger, customers, endpoints, faults, statements } = world
  registerWebhook(world, options)
  return {
    name: 'fedapay',
    credentials: CREDENTIALS,
    numbers: NUMBERS,
    faults,
    handle: (request) => {
      const reaction = react(world, request)
      return isOn(world, 'clock_behind') ? datedAt(reaction, clock.now() - BEHIND_MS) : reaction
    },
    books: () => bookedPayments(ledger),
    ...statements.ofNetwork,
    decide: (id, decision) => decide(ledger, id, decision),
    reset: () => {
      statements.reset()
      resetLedger(ledger)
      customers.reset()
      faults.allOff()
      endpoints.clear()
      registerWebhook(world, options)
    },
  }
}

function openWorld(deps: NetworkDeps, options: FedapaySimulatorOptions): World {
  const { clock } = deps
  const { modes = ACTIVATED, feesPaidBy = 'payer' } = options
  const faults = faultBoard(FEDAPAY_FAULTS)
  const endpoints = new Map<number, Endpoint>()
  const send = webhookSender(deps, faults, endpoints)
  const ledger = openLedger({
    ...deps,
    faults,
    announce: (event, transaction) => send(eventAbout(world, event, transaction)),
  })
  const world: World = {
    clock,
    ledger,
    customers: customerBook(() => clock.now()),
    endpoints,
    faults,
    modes,
    feesPaidBy,
    statements: statementsOf(deps, options, ledger, feesPaidBy),
    webhookSecret: CREDENTIALS.webhookSecret,
  }
  return world
}

const statementsOf = (
  deps: NetworkDeps,
  { settlesDaily }: FedapaySimulatorOptions,
  ledger: Ledger,
  feesPaidBy: FeesPaidBy,
): WalletStatements<Transaction> =>
  walletStatements<Transaction>({
    ...deps,
    format: 'fedapay-csv',
    firstBalanceXof: 0,
    hasBalance: false,
    tariff: tariffOf(feesPaidBy),
    settlement: settlesDaily ? FEDAPAY_SETTLEMENT : undefined,
    moved: () => movementsOf(liveTransactions(ledger), deps.clock.now()),
    unknownReferences,
    write: (lines, totals) =>
      writeStatement(lines, { ...totals, now: deps.clock.now() }, (transaction, at) =>
        wireTransaction(transaction, at, { pageUrl: pageUrlUnder(PAGE_ORIGIN), feesPaidBy }),
      ),
  })

const eventAbout = (world: World, event: string, transaction: Transaction): WebhookEvent => ({
  name: `transaction.${event}`,
  object: 'transaction',
  object_id: transaction.id,
  entity: wireTransaction(transaction, world.clock.now(), {
    pageUrl: pageUrlUnder(PAGE_ORIGIN),
    distorted: distortions(world),
    feesPaidBy: world.feesPaidBy,
  }),
})

function registerWebhook(
  { clock, endpoints, webhookSecret }: World,
  { webhookUrl, webhookEvents }: FedapaySimulatorOptions,
): void {
  if (webhookUrl === undefined) return
  const endpoint = newEndpoint({
    id: 1,
    url: webhookUrl,
    secret: webhookSecret,
    events: webhookEvents ?? OUTCOMES.map((event) => `transaction.${event}`),
    createdAt: clock.now(),
  })
  endpoints.set(endpoint.id, endpoint)
}

function react(world: World, request: WireRequest): WireReaction {
  if (isOn(world, 'unavailable')) return refused(503, 'Service indisponible')
  if (isOn(world, 'gateway_page')) return GATEWAY_PAGE
  if (isOn(world, 'too_many_requests')) return refused(429, 'Trop de requêtes')
  if (request.path.startsWith(`${PAGE_PATH}/`)) return page(world, request)
  const refusal = refusalOfKey(world, request.headers.authorization)
  if (refusal !== undefined) return refusal
  // An empty body is an empty object: the token call has none.
  const json = request.body.trim() === '' ? {} : parseObject(request.body)
  if (json === undefined) return refused(400, 'Le corps de la requête n’est pas du JSON')
  const { host } = request.headers
  return route(world, {
    ...request,
    json,
    pageUrl: pageUrlUnder(host === undefined ? PAGE_ORIGIN : `http://${host}`),
  })
}

function refusalOfKey(world: World, authorization: string | undefined): WireReaction | undefined {
  const [scheme, key] = authorization?.split(' ') ?? []
  const said = isOn(world, 'key_in_errors') ? ` : ${key}` : ''
  if (scheme !== 'Bearer' || isOn(world, 'key_refused'))
    return refused(401, `Erreur d’authentification${said}`)
  if (key === CREDENTIALS.publicKey) return refused(403, 'Opération non autorisée')
  return key === CREDENTIALS.secretKey
    ? undefined
    : refused(401, `Erreur d’authentification${said}`)
}

function page({ clock, ledger }: World, { method, path, body }: WireRequest): WireReaction {
  const transaction = findByToken(ledger, path.slice(PAGE_PATH.length + 1))
  if (transaction === undefined) return html(404, '<p>Lien de paiement introuvable</p>')
  if (method === 'POST') {
    const decision = new URLSearchParams(body).get('decision')
    if (decision !== 'approve' && decision !== 'decline')
      return html(400, '<p>Requête invalide</p>')
    decide(ledger, String(transaction.id), decision)
    const location = returnAddress(transaction, clock.now())
    return location === undefined
      ? html(200, endPage(transaction, clock.now()))
      : { code: 303, headers: { location } }
  }
  if (method !== 'GET') return NO_SUCH_PATH
  return html(
    200,
    isOpen(transaction, clock.now()) ? payPage(transaction) : endPage(transaction, clock.now()),
  )
}

const pageUrlUnder =
  (origin: string) =>
  (token: string): string =>
    `${origin}${PAGE_PATH}/${token}`
