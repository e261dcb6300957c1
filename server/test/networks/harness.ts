// A connector with its network's conformance simulator, without sockets on a virtual clock: alone,
// or in a whole service.

import assert from 'node:assert/strict'
import type {
  BookedPayment,
  ConformanceNetwork,
  NetworkDeps,
  WireCallback,
  WireReaction,
} from '../../../simulators/src/network.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import { countryOfOperator } from '../../src/domain/countries/country.ts'
import type { Environment } from '../../src/domain/environment.ts'
import type { OperatorAnswer, RefundAnswer } from '../../src/domain/payments/operator-report.ts'
import { uuidOfReference } from '../../src/domain/payments/reference.ts'
import type { Connection, Connector } from '../../src/operators/connector.ts'
import type { Call, CallResult, Send } from '../../src/operators/http-call.ts'
import type {
  CallbackRequest,
  Collection,
  HostedMethod,
  Reversal,
  Session,
} from '../../src/operators/operator.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { listStory, type StoryEntry } from '../../src/store/payments/payment-moves.ts'
import { listFeed } from '../../src/store/webhooks/events.ts'
import { paymentOf } from '../kit/pending-payments.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { openTestService, order, type TestOverrides, type TestService } from '../kit/service.ts'
import { openWatchedStore, type StoreKind } from '../kit/stores.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'

export interface NetworkUnderTest {
  // biome-ignore lint/suspicious/noExplicitAny: the type of the options belongs to the connector
  connector: Connector<any>
  /** `more`: options of the simulator, added to the usual ones. */
  makeNetwork(deps: NetworkDeps, more?: object): ConformanceNetwork
  /** As the connector's schema reads them; `more` replaces the usual ones. */
  options(network: ConformanceNetwork, more?: object): object
  operator: string
  /** An ordinary number that succeeds, in a merchant's notation, and with its country code. */
  msisdn: string
  payer: string
}

export const DEADLINE_MS = 10_000
/** How long payers take. */
export const DECIDE_AFTER_MS = 4_000
/** The service's public address. */
const PUBLIC_URL = 'https://karba.example'

export const callbackUrlOf = ({ connector }: NetworkUnderTest): string =>
  `${PUBLIC_URL}/operators/sandbox/${connector.name}-test/callback`

export const referenceOf = (number: number): string => String(number).padStart(24, '0')
export const refundReferenceOf = (number: number): string => referenceOf(900_000 + number)

/** A first request, which has no id of the network yet; its id can be stored. */
export const FIRST_TRY = {
  networkId: null,
  keepNetworkId: async (): Promise<boolean> => true,
} as const

export const sessionOf = (number = 1): Session => ({
  reference: referenceOf(number),
  amountXof: 2_500,
  publicReference: 'KB-1043',
  merchantName: 'Boutique Awa',
  title: 'Commande 12',
  returnUrl: 'https://karba.test/pay/abc',
  keepNetworkId: FIRST_TRY.keepNetworkId,
})

export interface Setting {
  environment?: Environment
  options?: object | ((network: ConformanceNetwork) => object)
  simulator?: object
  /** Faults from the start; `name*2` strikes twice. */
  faults?: readonly string[]
  /** Our callback address without the reference, or complete; null for none. */
  callbackUrl?: string | null | ((reference: string) => string | undefined)
  /** The answers to callbacks. */
  answerCallback?: () => number | undefined
  /** Answers instead of the network. */
  instead?: (call: Call) => CallResult | Promise<CallResult> | undefined
  /** What a proxy makes of the network's answer. */
  hears?: (call: Call, result: CallResult) => CallResult
  clock?: VirtualClock
}

export type Opened = ReturnType<typeof openConnection>

/**
 * A connection, with short forms of its calls: for payment 1, unless another number is given. Time
 * passes until they are answered.
 */
export function openConnection(underTest: NetworkUnderTest, setting: Setting = {}) {
  const {
    environment = 'sandbox',
    callbackUrl = callbackUrlOf(underTest),
    clock = virtualClock(),
  } = setting
  const callbacks: WireCallback[] = []
  /** The calls that the connector made. */
  const calls: Call[] = []
  const network = underTest.makeNetwork(
    {
      clock,
      random: seededRandom(7),
      decideAfterMs: DECIDE_AFTER_MS,
      sendCallback: async (callback) => {
        callbacks.push(callback)
        return setting.answerCallback ? setting.answerCallback() : 200
      },
    },
    setting.simulator,
  )
  const toNetwork = directSend(network, { clock, timeoutMs: DEADLINE_MS })
  const { options = {} } = setting
  const connection = underTest.connector.connect(
    {
      name: 'under-test',
      environment,
      clock,
      random: seededRandom(1),
      deadlineMs: DEADLINE_MS,
      send: async (call) => {
        calls.push(call)
        const result = (await setting.instead?.(call)) ?? (await toNetwork(call))
        return setting.hears?.(call, result) ?? result
      },
      callbackUrl: (reference) => {
        if (callbackUrl === null) return undefined
        return typeof callbackUrl === 'string'
          ? `${callbackUrl}/${reference}`
          : callbackUrl(reference)
      },
    },
    underTest.options(network, typeof options === 'function' ? options(network) : options),
  )
  switchOn(network, setting.faults ?? [])
  return {
    ...shortForms(underTest, connection, clock),
    clock,
    network,
    calls,
    callbacks,
    on: (...names: string[]): void => switchOn(network, names),
  }
}

function shortForms(
  { operator: name, payer }: NetworkUnderTest,
  connection: Connection,
  clock: VirtualClock,
) {
  const { operator, hosted } = connection
  async function run<T>(work: Promise<T>): Promise<T> {
    const isOver = await Promise.race([work.then(() => true), clock.settle().then(() => false)])
    return isOver ? work : clock.advanceUntil('answer', work)
  }
  const request = (changes?: Partial<Collection>, number = 1): Promise<OperatorAnswer> =>
    run(operator.request({ ...collectionOf(name, payer, number), ...changes }))
  const status = (number = 1, networkId?: string): Promise<OperatorAnswer> =>
    run(operator.status(referenceOf(number), networkId))
  return {
    ...connection,
    hosted: hosted as HostedMethod,
    run,
    request,
    status,
    /** A request, and the status after the payer's decision. */
    paid: async (changes?: Partial<Collection>, number?: number): Promise<OperatorAnswer> => {
      await request(changes, number)
      await clock.advance(DECIDE_AFTER_MS)
      return status(number)
    },
    refund: (changes?: Partial<Reversal>, number = 1): Promise<RefundAnswer> =>
      run(operator.refund({ ...reversalOf(name, number), ...changes })),
    refundStatus: (changes?: Partial<Reversal>, number = 1): Promise<RefundAnswer> =>
      run(operator.refundStatus({ ...reversalOf(name, number), ...changes })),
  }
}

const collectionOf = (operator: string, msisdn: string, number: number): Collection => ({
  reference: referenceOf(number),
  operator,
  msisdn,
  amountXof: 1_500,
  publicReference: 'KB-1042',
  ...FIRST_TRY,
})

const reversalOf = (operator: string, number: number): Reversal => ({
  refundReference: refundReferenceOf(number),
  reference: referenceOf(number),
  operator,
  amountXof: 1_500,
  operatorReference: '',
  networkId: null,
})

export function switchOn({ faults }: ConformanceNetwork, names: readonly string[]): void {
  for (const each of names) {
    const [name = '', times] = each.split('*')
    assert.ok(
      faults.on(name, times === undefined ? undefined : Number(times)),
      `there is no fault ${name}`,
    )
  }
}

/** As the service's own route passes a callback to a connector. */
export function received(
  { method, url, headers, body }: WireCallback,
  changes: object = {},
): CallbackRequest {
  const { host, pathname } = new URL(url)
  const path = pathname.split('/callback/')[1] ?? ''
  return { method, path, headers: { host, ...headers }, body: Buffer.from(body), ...changes }
}

// The wire between a connector and a simulator, on the clock of the test.

/**
 * The line between the service and the network; without it, calls and callbacks go straight
 * through.
 */
export interface WireBetween {
  /** The caller's result of a call. */
  hear(call: Call, network: ConformanceNetwork): WireReaction
  /** Undefined when the callback does not arrive; otherwise the status code of its answer. */
  callBack(callback: WireCallback, deliver: () => Promise<number>): Promise<number | undefined>
}

export interface DirectSendOptions {
  clock: Clock
  /** The deadline of a call without its own. */
  timeoutMs: number
}

export function directSend(
  network: ConformanceNetwork,
  { clock, timeoutMs: usualMs }: DirectSendOptions,
): Send {
  return (call) => heard(reactionTo(network, call), { clock, timeoutMs: call.timeoutMs ?? usualMs })
}

/** The network's reaction to a call that reaches it. */
export function reactionTo(
  network: ConformanceNetwork,
  { method, path, headers, body = '' }: Call,
): WireReaction {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const lowered = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return network.handle({ method, path: pathname, query: searchParams, headers: lowered, body })
}

/** The caller's result of a reaction, and its time. */
export function heard(
  reaction: WireReaction,
  { clock, timeoutMs }: DirectSendOptions,
): Promise<CallResult> {
  return new Promise((resolve) => {
    const silence = (): void => resolve({ failed: `no answer within ${timeoutMs} ms` })
    const { afterMs = 0 } = 'silent' in reaction ? { afterMs: Number.POSITIVE_INFINITY } : reaction
    if (afterMs >= timeoutMs) clock.after(timeoutMs, silence)
    else if (afterMs > 0) clock.after(afterMs, () => resolve(resultOf(reaction, clock)))
    else resolve(resultOf(reaction, clock))
  })
}

function resultOf(reaction: WireReaction, clock: Clock): CallResult {
  if (!('code' in reaction)) return { failed: 'no answer: UND_ERR_SOCKET' }
  const { code, headers = {}, body = '' } = reaction
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  const date = new Date(clock.now()).toUTCString()
  const lowered = Object.fromEntries(
    Object.entries({ date, ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return { code, headers: lowered, body: parsed(text) }
}

/** As the HTTP client does: a body that is not JSON is text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// A whole service with one network.

export interface ServiceOnNetwork extends TestService {
  clock: VirtualClock
  network: ConformanceNetwork
  connection: string
}

export async function openServiceOnNetwork(
  underTest: NetworkUnderTest,
  store?: StoreKind,
  overrides: TestOverrides = {},
  between?: WireBetween,
): Promise<ServiceOnNetwork> {
  const { connector, makeNetwork, options, operator } = underTest
  const clock = virtualClock()
  const connection = `${connector.name}-test`
  const random = { bytes: (count: number): Uint8Array => Buffer.alloc(count, 7) }
  const deliver = (callback: WireCallback) => deliverByInject(service, callback)
  const sendCallback = (callback: WireCallback) =>
    between === undefined ? deliver(callback) : between.callBack(callback, () => deliver(callback))
  const network = makeNetwork({ clock, random, decideAfterMs: 2_000, sendCallback })

  async function connect({
    config,
    random,
    isPaused = () => false,
    refusals,
  }: ConnectDeps): Promise<Connected> {
    const { operatorTimeoutMs: timeoutMs } = config
    const made: Connection = connector.connect(
      {
        name: connection,
        environment: 'sandbox',
        clock,
        random,
        deadlineMs: timeoutMs,
        send:
          between === undefined
            ? directSend(network, { clock, timeoutMs })
            : (call) =>
                heard(between.hear(call, network), {
                  clock,
                  timeoutMs: call.timeoutMs ?? timeoutMs,
                }),
        callbackUrl: (reference) => `${callbackUrlOf(underTest)}/${reference}`,
      },
      options(network),
    )
    const connected = {
      environment: 'sandbox',
      operator: made.operator,
      hosted: made.hosted,
    } as const
    const { pages, refundsWholeOnly } = connector
    const networks = [{ ...connected, prompts: [operator], pages, refundsWholeOnly }]
    const operators = operatorRegistry(networks, [], (key) => !isPaused(key), refusals)
    return { operators, close: async () => {} }
  }

  const onClock = {
    clock,
    openStore: (config: TestService['config']) => openWatchedStore(config, clock),
  }
  const service = await openTestService(store, {}, { connect, ...overrides, ...onClock })
  return {
    ...service,
    clock,
    network,
    connection,
    remove: () => clock.advanceUntil('end of the service', service.remove()),
  }
}

export async function deliverByInject(
  { app }: Service,
  { method, url, headers, body }: WireCallback,
): Promise<number> {
  const { statusCode } = await app.inject({
    method,
    url: new URL(url).pathname,
    headers,
    payload: body,
  })
  return statusCode
}

/** The body of a payment by a payer of the network. */
export const orderOn = (
  { operator, msisdn }: NetworkUnderTest,
  number = msisdn,
): Record<string, unknown> => order({ msisdn: number, country: countryOfOperator(operator) })

/** Rows of a table that belong to a payment: `select kind from payment_anomalies`. */
export const rowsOf = <Row extends object>(
  { db }: Service,
  select: string,
  reference: string,
  rest = '',
): Promise<Row[]> =>
  db.read<Row>(
    `${select} where (account_id, number) in (select account_id, number from payments where reference = :reference) ${rest}`,
    { reference },
  )

/** The payment's history as one text. */
export const storyOf = async (service: Service, reference: string): Promise<string> =>
  (await storyEntriesOf(service, reference))
    .map(({ kind, detail }) => `${kind} ${JSON.stringify(detail)}`)
    .join('\n')

export async function storyEntriesOf({ db }: Service, reference: string): Promise<StoryEntry[]> {
  const { accountId, number } = await paymentOf({ db }, reference)
  return listStory(db, accountId, number)
}

/** The payment's events with the text that a webhook carries, in order. */
export async function eventsOf({ db }: Pick<Service, 'db'>, reference: string) {
  const { accountId, number } = await paymentOf({ db }, reference)
  const feed = await listFeed(db, accountId, 0, 1_000)
  return feed
    .filter((stored) => stored.number === number)
    .map((stored) => ({ event: stored.event, payload: stored.payload }))
}

export const anomaliesOf = async (service: Service, reference: string): Promise<string[]> =>
  (
    await rowsOf<{ kind: string }>(
      service,
      'select kind from payment_anomalies',
      reference,
      'order by kind',
    )
  ).map(({ kind }) => kind)

/** Networks know a payment by its reference, or by the UUID derived from it. */
export const bookedUnder = ({ network }: ServiceOnNetwork, reference: string): BookedPayment[] =>
  network
    .books()
    .filter(({ id, clientReference }) =>
      [reference, uuidOfReference(reference)].some(
        (name) => name === id || name === clientReference,
      ),
    )
