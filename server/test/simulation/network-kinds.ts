// The properties of each real network in a simulated world: its connector, its conformance
// simulator, and the operators it can prompt. They read the wire format without the connector, so
// that the checks do not depend on it.
import { z } from 'zod'
import { airtelMoneyNetwork } from '../../../simulators/src/airtel-money/network.ts'
import { BEHAVIOURS } from '../../../simulators/src/airtel-money/numbers-and-faults.ts'
import { fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import { mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import type {
  BookedPayment,
  ConformanceNetwork,
  NetworkDeps,
  WireCallback,
} from '../../../simulators/src/network.ts'
import { pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import type { Country } from '../../src/domain/countries/country.ts'
import { referenceOfUuid } from '../../src/domain/payments/reference.ts'
import type { Connector } from '../../src/operators/connector.ts'
import { airtelMoney } from '../../src/operators/connectors/airtel-money/connector.ts'
import { fedapayConnector } from '../../src/operators/connectors/fedapay/connector.ts'
import { mtnMomo } from '../../src/operators/connectors/mtn-momo/connector.ts'
import { pawapay } from '../../src/operators/connectors/pawapay/connector.ts'
import type { Call } from '../../src/operators/http-call.ts'
import type { SeededRandom } from '../kit/seeded-random.ts'

export interface Phone {
  country: Country
  /** In a merchant's notation. */
  msisdn: string
}

/** A call that can move money, and our reference of it. */
export interface MoneyCall {
  kind: 'request' | 'refund'
  reference: string
}

export interface NetworkKind {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the options' type is the connector's own business
  connector: Connector<any>
  /** The numbers of each operator that it can prompt; those that succeed are repeated. */
  phones: Readonly<Record<string, readonly Phone[]>>
  /** One variant of the network, with the matching options of the connector. */
  open(
    deps: NetworkDeps,
    callbackUrl: string,
    random: SeededRandom,
  ): { network: ConformanceNetwork; options: object }
  /** Faults after which the money's state is hardest to know: half of all that are switched on. */
  worst: readonly string[]
  /**
   * Answers after which the connector repeats the request, though the network may have accepted it:
   * it reads the status of a duplicate.
   */
  repeatsAfter: readonly number[]
  /** Whether the body of an answer refused a request or a refund, so that nothing was accepted. */
  rejects?(answer: { code: number; body?: object | string }): boolean
  referenceOf(booked: BookedPayment): string
  /** Whether the payer was prompted, by the books: from then on another request may debit again. */
  isTaken(booked: BookedPayment): boolean
  moneyCallOf(call: Call, network: ConformanceNetwork): MoneyCall | undefined
  /**
   * Whether a call makes the network store something for a payment before the call that can move
   * its money.
   */
  prepares?(call: Call): boolean
  /**
   * Our reference in a look-up: of a payment, or of a refund where the network has look-ups of
   * refunds.
   */
  askedAbout(call: Call, network: ConformanceNetwork): string | undefined
  /** The same look-up for an unknown reference: its answer is used while look-ups lag. */
  aboutNothing(call: Call): Call
  /** Whether a look-up's answer means that there is no such payment. */
  denies(answer: { code: number; body?: object | string }): boolean
  calledBackAbout(callback: WireCallback): string | undefined
  /** Statuses of the books for a pending payment, and for a failed one. */
  waiting: readonly string[]
  failed: readonly string[]
  /**
   * Failures after which the service checks again by itself: it must find money that moves later
   * without a callback.
   */
  rechecked: readonly string[]
}

/** Of no request: a random UUID as our own references make them. */
export const UNUSED_UUID = '00000000-0000-4000-8000-000000000000'

export const times = (count: number, phones: readonly Phone[]): Phone[] =>
  Array.from({ length: count }, () => phones).flat()

export const phonesOf = (country: Country, numbers: readonly string[]): Phone[] =>
  numbers.map((msisdn) => ({ country, msisdn }))

export function fieldsOf(body: string | object | undefined): Record<string, unknown> {
  if (typeof body === 'object') return body as Record<string, unknown>
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export const fieldsIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const MTN_NUMBERS = Array.from(
  { length: 24 },
  (_, at) => `+22901970000${String(at + 1).padStart(2, '0')}`,
)

export const MTN_MOMO: NetworkKind = {
  name: 'mtn-momo',
  connector: mtnMomo,
  phones: {
    mtn_bj: [
      ...times(20, phonesOf('BJ', ['+2290197112233', '0196123456'])),
      ...phonesOf('BJ', MTN_NUMBERS),
    ],
  },
  open: (deps, _callbackUrl, random) => {
    const platform = random.pick(['old', 'new'] as const)
    const [callbackVersion, reasonForm] = [
      random.pick(['A', 'B'] as const),
      random.pick(['text', 'object'] as const),
    ]
    const refusesTokenBody = random.percent(50)
    const network = mtnMomoNetwork(deps, {
      platform,
      callbackVersion,
      reasonForm,
      refusesTokenBody,
    })
    const { credentials } = network
    const disbursement = {
      subscriptionKey: credentials.disbursementSubscriptionKey,
      apiUser: credentials.disbursementApiUser,
      apiKey: credentials.disbursementApiKey,
    }
    const options = mtnMomo.options(z.string()).parse({
      platform,
      subscriptionKey: credentials.subscriptionKey,
      apiUser: credentials.apiUser,
      apiKey: credentials.apiKey,
      msisdnDigits: random.pick([10, 8]),
      // Without the second product staff make its refunds.
      ...(random.percent(80) && { disbursement }),
    })
    return { network, options }
  },
  worst: [
    'paid_after_failure',
    'hidden_for_a_minute',
    'hidden_for_twenty_minutes',
    'lost_after_202',
    'cut_after_taking',
    'silent_after_taking',
    'refuses_token_after_taking',
    'error_500_after_taking',
    'refund_cut_after_taking',
  ],
  repeatsAfter: [401, 503],
  referenceOf: ({ clientReference }) => clientReference,
  isTaken: () => true,
  moneyCallOf: ({ method, path, headers }) => {
    const reference = referenceOfUuid(headers['x-reference-id'] ?? '')
    if (method !== 'POST' || reference === undefined) return undefined
    return { kind: path.endsWith('/refund') ? 'refund' : 'request', reference }
  },
  askedAbout: ({ method, path }) =>
    method === 'GET' ? referenceOfUuid(path.split('/').at(-1) ?? '') : undefined,
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/[^/]+$/, UNUSED_UUID) }),
  denies: ({ code, body }) => code === 404 && fieldsOf(body).code === 'RESOURCE_NOT_FOUND',
  calledBackAbout: ({ url }) => url.split('/').at(-1),
  waiting: ['CREATED', 'PENDING'],
  failed: ['FAILED'],
  rechecked: [],
}

export const AIRTEL_MONEY: NetworkKind = {
  name: 'airtel-money',
  connector: airtelMoney,
  phones: {
    airtel_ne: [
      ...times(20, phonesOf('NE', ['96123456', '+22797112233'])),
      ...phonesOf('NE', Object.keys(BEHAVIOURS)),
    ],
  },
  open: (deps, callbackUrl, random) => {
    const version = random.pick([1, 1, 2] as const)
    const hashesCallbacks = random.percent(70)
    const callbackHashHeader = random.percent(20) ? { callbackHashHeader: 'X-Signature-Hash' } : {}
    const requiresSigning = version === 2
    const network = airtelMoneyNetwork(deps, {
      callbackUrl,
      hashesCallbacks,
      requiresSigning,
      ...callbackHashHeader,
    })
    const { clientId, clientSecret, callbackKey } = network.credentials
    const hashed = hashesCallbacks ? { callbackKey, ...callbackHashHeader } : {}
    return {
      network,
      options: airtelMoney
        .options(z.string())
        .parse({ version, clientId, clientSecret, ...hashed }),
    }
  },
  worst: [
    'fails_then_succeeds',
    'not_found_for_a_minute',
    'forgets_payments',
    'enquiry_has_no_data',
    'answer_is_cut',
    'asks_itself_twice',
    'answers_something_wrong',
    'refund_is_cut',
    'refund_times_out',
  ],
  repeatsAfter: [],
  referenceOf: ({ id }) => id,
  isTaken: () => true,
  moneyCallOf: ({ method, path, body }) => {
    const { transaction } = fieldsOf(body)
    if (method !== 'POST' || path.startsWith('/auth/')) return undefined
    const { id, airtel_money_id: airtelMoneyId } = fieldsIn(transaction)
    // A refund has no reference but that of the payment.
    return path.endsWith('/refund')
      ? { kind: 'refund', reference: textOf(airtelMoneyId) }
      : { kind: 'request', reference: textOf(id) }
  },
  askedAbout: ({ method, path }) =>
    method === 'GET' ? /^\/standard\/v1\/payments\/(\w+)$/.exec(path)?.[1] : undefined,
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/\w+$/, '0'.repeat(24)) }),
  denies: ({ body }) => {
    const { status, data } = fieldsOf(body)
    const { result_code: code, success } = fieldsIn(status)
    return code === 'ESB000045' || (data === undefined && success === true)
  },
  calledBackAbout: ({ body }) => textOf(fieldsIn(fieldsOf(body).transaction).id),
  waiting: ['TIP', 'TA', 'TI'],
  failed: ['TF', 'TE'],
  rechecked: [],
}

/**
 * FedaPay with its prompts. The tests of its connector cover its hosted page: in every world links
 * are paid by card and wallet on the simulated provider's page.
 */
const FEDAPAY_NUMBERS = Array.from({ length: 9 }, (_, at) => `+229016600000${at + 1}`)

export const FEDAPAY: NetworkKind = {
  name: 'fedapay',
  connector: fedapayConnector,
  phones: {
    mtn_bj: [
      ...times(6, phonesOf('BJ', ['+2290166000001', '0196123456'])),
      ...phonesOf('BJ', FEDAPAY_NUMBERS),
    ],
    moov_bj: phonesOf('BJ', ['+2290164000001', '0195112233']),
    celtiis_bj: phonesOf('BJ', ['+2290140112233']),
    airtel_ne: phonesOf('NE', ['96123456', '+22797112233']),
  },
  open: (deps, webhookUrl, random) => {
    const network = fedapayNetwork(deps, { webhookUrl })
    const { secretKey, webhookSecret } = network.credentials
    const options = { secretKey, ...(random.percent(80) && { webhookSecret }) }
    return { network, options: fedapayConnector.options(z.string()).parse(options) }
  },
  worst: [
    'paid_after_expiry',
    'not_found',
    'not_found_for_a_while',
    'create_cut',
    'prompt_cut',
    'prompt_cut_before',
    'prompt_silent',
    'prompt_timeout_body',
    'webhooks_never_come',
  ],
  repeatsAfter: [],
  referenceOf: ({ clientReference }) => clientReference,
  // A transaction alone sends no prompt.
  isTaken: ({ msisdn }) => msisdn !== '',
  moneyCallOf: ({ method, path, body }, network) => {
    const { token } = fieldsOf(body)
    if (method !== 'POST' || path.startsWith('/v1/transactions') || typeof token !== 'string')
      return undefined
    return { kind: 'request', reference: referenceOfToken(token, network) }
  },
  prepares: ({ method, path }) => method === 'POST' && path === '/v1/transactions',
  askedAbout: ({ method, path }, network) => {
    const [, byReference, byId] =
      /^\/v1\/transactions\/(?:merchant\/(\w+)|(\d+))\?/.exec(path) ?? []
    if (method !== 'GET') return undefined
    return byReference ?? network.books().find(({ id }) => id === byId)?.clientReference
  },
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/\/\w+(?=\?)/, '/999') }),
  denies: ({ code, body }) => code === 404 && fieldsOf(body).message === 'Transaction introuvable',
  calledBackAbout: ({ body }) => textOf(fieldsIn(fieldsOf(body).entity).merchant_reference),
  waiting: ['pending'],
  failed: ['declined', 'canceled', 'expired'],
  rechecked: ['declined', 'canceled'],
}

/** The token names the transaction: it is the subject of this JSON web token. */
function referenceOfToken(token: string, network: ConformanceNetwork): string {
  const claims = fieldsOf(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  return network.books().find(({ id }) => id === String(claims.sub))?.clientReference ?? ''
}

const PAWAPAY_ENDINGS = '019 029 039 049 069 129 789 089 099 119 139 149 159 169 179'.split(' ')
const PAWAPAY_NUMBERS = PAWAPAY_ENDINGS.map((ending) => `+2290151345${ending}`)

export const PAWAPAY: NetworkKind = {
  name: 'pawapay',
  connector: pawapay,
  phones: {
    mtn_bj: [
      ...times(10, phonesOf('BJ', ['+2290151345789', '0196123456'])),
      ...phonesOf('BJ', PAWAPAY_NUMBERS),
    ],
    moov_bj: [
      ...times(3, phonesOf('BJ', ['+2290195345789', '0195112233'])),
      ...phonesOf('BJ', ['+2290195345679', '+2290195345639']),
    ],
  },
  open: (deps, callbackUrl, random) => {
    const signsCallbacks = random.percent(60)
    const encoding = random.pick(['der', 'ieee-p1363'] as const)
    const callbackUrls = { DEPOSIT: callbackUrl, REFUND: callbackUrl }
    const network = pawapayNetwork(deps, { callbackUrls, signsCallbacks, encoding })
    const options = pawapay.options(z.string()).parse({
      apiToken: network.credentials.apiToken,
      callbacks: signsCallbacks ? 'signed' : 'unsigned',
      msisdnDigits: random.pick([10, 8]),
    })
    return { network, options }
  },
  worst: [
    'failed_then_completed',
    'not_found_at_first',
    'accepted_and_forgotten',
    'cut_after_registering',
    'never_answers',
    'unknown_error_after_registering',
    'refunded_elsewhere',
    'long_reconciliation',
  ],
  repeatsAfter: [429, 503],
  rejects: ({ body }) => fieldsOf(body).status === 'REJECTED',
  referenceOf: ({ id }) => referenceOfUuid(id) ?? id,
  isTaken: () => true,
  moneyCallOf: ({ method, path, body }) => {
    const { depositId, refundId } = fieldsOf(body)
    if (method !== 'POST') return undefined
    const [kind, id] = path.endsWith('/refunds')
      ? (['refund', refundId] as const)
      : (['request', depositId] as const)
    return { kind, reference: referenceOfUuid(textOf(id)) ?? '' }
  },
  askedAbout: ({ method, path }) =>
    method === 'GET' ? referenceOfUuid(path.split('/').at(-1) ?? '') : undefined,
  aboutNothing: (call) => ({ ...call, path: call.path.replace(/[^/]+$/, UNUSED_UUID) }),
  denies: ({ body }) => fieldsOf(body).status === 'NOT_FOUND',
  calledBackAbout: ({ body }) => referenceOfUuid(textOf(fieldsOf(body).depositId)),
  waiting: ['ACCEPTED', 'PROCESSING', 'SUBMITTED', 'IN_RECONCILIATION'],
  failed: ['FAILED'],
  rechecked: [],
}

// Chooses the real networks of a simulated world and the operators that each serves. Half of the
// worlds have none.

export interface DrawnNetwork {
  networkKind: NetworkKind
  /** The operators whose customers it prompts in this world. */
  operators: string[]
  /** Which merchant of the world has this connection; undefined for one of the installation. */
  merchant?: number
}

/** Networks with a fixed credential in each call, which identifies the wallet. */
const OWNED_WAYS: readonly { networkKind: NetworkKind; operators: readonly string[] }[] = [
  { networkKind: MTN_MOMO, operators: ['mtn_bj'] },
  { networkKind: PAWAPAY, operators: ['mtn_bj', 'moov_bj'] },
  { networkKind: FEDAPAY, operators: ['moov_bj', 'celtiis_bj'] },
  { networkKind: FEDAPAY, operators: ['mtn_bj', 'airtel_ne'] },
]

/**
 * Connections of the first merchants; a third of the worlds have none. The last merchant never has
 * one.
 */
export function drawOwned(random: SeededRandom, merchants: number): DrawnNetwork[] {
  if (random.percent(33)) return []
  return Array.from({ length: merchants - 1 }, (_, merchant) => {
    const count = random.pick([1, 1, 2])
    return Array.from({ length: count }, () => {
      const { networkKind, operators } = random.pick(OWNED_WAYS)
      return { networkKind, operators: [...operators], merchant }
    })
  }).flat()
}

/** The real networks that can reach each operator. */
const WAYS: Readonly<Record<string, readonly NetworkKind[]>> = {
  mtn_bj: [MTN_MOMO, MTN_MOMO, MTN_MOMO, FEDAPAY, PAWAPAY],
  moov_bj: [FEDAPAY, PAWAPAY, PAWAPAY],
  celtiis_bj: [FEDAPAY],
  airtel_ne: [AIRTEL_MONEY, AIRTEL_MONEY, FEDAPAY],
}
/** One of these is always included, so that each network gets its share of worlds. */
const FIRST = ['mtn_bj', 'mtn_bj', 'moov_bj', 'airtel_ne']

/** The other operators stay on the simulated network. */
export function drawNetworks(random: SeededRandom): DrawnNetwork[] {
  if (random.percent(50)) return []
  const drawn = new Map<NetworkKind, string[]>()
  const first = random.pick(FIRST)
  for (const [operator, ways] of Object.entries(WAYS)) {
    if (operator !== first && random.percent(65)) continue
    const networkKind = random.pick(ways)
    drawn.set(networkKind, [...(drawn.get(networkKind) ?? []), operator])
  }
  return [...drawn].map(([networkKind, operators]) => ({ networkKind, operators }))
}
