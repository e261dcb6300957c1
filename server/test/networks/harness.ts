// A connector with the conformance simulator of its network behind it, in a whole service on a virtual clock: calls and
// callbacks are functions.
import type { ConformanceNetwork, NetworkDeps, WireCallback, WireReaction } from '../../../simulators/src/network.ts'
import type { Clock } from '../../src/domain/clock-and-random.ts'
import type { RefundAnswer } from '../../src/domain/operator-report.ts'
import type { Connection, Connector } from '../../src/operators/connector.ts'
import type { Call, CallResult, Send } from '../../src/operators/http-call.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { openTestService, type TestOverrides, type TestService } from '../kit/service.ts'
import { openWatchedStore, type StoreKind } from '../kit/stores.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'

export interface NetworkUnderTest {
  // biome-ignore lint/suspicious/noExplicitAny: the options' type is the connector's own business
  connector: Connector<any>
  makeNetwork(deps: NetworkDeps): ConformanceNetwork
  /** As the connector's schema would give them. */
  options(network: ConformanceNetwork): object
  operator: string
  /** An ordinary number that succeeds, as a merchant writes it. */
  msisdn: string
}

/** What lies between the service and the network; without it, calls and callbacks go straight through. */
export interface WireBetween {
  /** What the caller hears of a call. */
  hear(call: Call, network: ConformanceNetwork): WireReaction
  /** Undefined when the callback does not arrive; the code of its answer otherwise. */
  callBack(callback: WireCallback, deliver: () => Promise<number>): Promise<number | undefined>
}

/** Where the service is reached, as far as the networks know. */
const PUBLIC_URL = 'https://karba.example'

export interface ServiceOnNetwork extends TestService {
  clock: VirtualClock
  network: ConformanceNetwork
  connection: string
}

const DECIDE_AFTER_MS = 2_000

export async function openServiceOnNetwork(
  { connector, makeNetwork, options, operator }: NetworkUnderTest,
  store?: StoreKind,
  overrides: TestOverrides = {},
  between?: WireBetween,
): Promise<ServiceOnNetwork> {
  const clock = virtualClock()
  const connection = `${connector.name}-test`
  const random = { bytes: (count: number): Uint8Array => Buffer.alloc(count, 7) }
  const deliver = (callback: WireCallback) => deliverByInject(service, callback)
  const sendCallback = (callback: WireCallback) =>
    between === undefined ? deliver(callback) : between.callBack(callback, () => deliver(callback))
  const network = makeNetwork({ clock, random, decideAfterMs: DECIDE_AFTER_MS, sendCallback })

  async function connect({ config, random, isPaused = () => false, refusals }: ConnectDeps): Promise<Connected> {
    const { operatorTimeoutMs: timeoutMs } = config
    const made: Connection = connector.connect(
      {
        ...{ name: connection, environment: 'sandbox', clock, random, deadlineMs: timeoutMs },
        send:
          between === undefined
            ? directSend(network, { clock, timeoutMs })
            : (call) => heard(between.hear(call, network), { clock, timeoutMs: call.timeoutMs ?? timeoutMs }),
        callbackUrl: (reference) => callbackUrlOf(connection, reference),
      },
      options(network),
    )
    const connected = { environment: 'sandbox', operator: made.operator, hosted: made.hosted } as const
    const networks = [{ ...connected, prompts: [operator], pages: connector.pages }]
    const operators = operatorRegistry(networks, [], (key) => !isPaused(key), refusals)
    return { operators, close: async () => {} }
  }

  const onClock = { clock, openStore: (config: TestService['config']) => openWatchedStore(config, clock) }
  const service = await openTestService(store, {}, { connect, ...overrides, ...onClock })
  return {
    ...service,
    clock,
    network,
    connection,
    remove: () => clock.advanceUntil('end of the service', service.remove()),
  }
}

const callbackUrlOf = (connection: string, reference: string): string =>
  `${PUBLIC_URL}/operators/sandbox/${connection}/callback/${reference}`

/** A callback comes in by the service's own door. */
export async function deliverByInject({ app }: Service, { method, url, headers, body }: WireCallback): Promise<number> {
  const { statusCode } = await app.inject({ method, url: new URL(url).pathname, headers, payload: body })
  return statusCode
}

// Calls a conformance simulator without a socket, on whatever clock the test has: what the wire would do to its
// reactions is done here.

/** Of a request without an id of the network's own yet, which can be kept. */
export const FIRST_TRY = { networkId: null, keepNetworkId: async (): Promise<boolean> => true } as const

export interface DirectSendOptions {
  clock: Clock
  /** The deadline of a call that has none of its own. */
  timeoutMs: number
}

export function directSend(network: ConformanceNetwork, { clock, timeoutMs: usualMs }: DirectSendOptions): Send {
  return (call) => heard(reactionTo(network, call), { clock, timeoutMs: call.timeoutMs ?? usualMs })
}

/** What the network makes of a call that reaches it. */
export function reactionTo(network: ConformanceNetwork, { method, path, headers, body = '' }: Call): WireReaction {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return network.handle({ method, path: pathname, query: searchParams, headers: lowered, body })
}

/** What the caller hears of a reaction, and when. */
export function heard(reaction: WireReaction, { clock, timeoutMs }: DirectSendOptions): Promise<CallResult> {
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

// An answer as tables of expected answers write it: of a misconfiguration only its kind, since the sentence about it
// may change.

export function withBlamedKind(answer: RefundAnswer | string | { is: string }): unknown {
  if (typeof answer === 'string' || !('misconfigured' in answer) || typeof answer.misconfigured !== 'object')
    return answer
  const { kind, mend } = answer.misconfigured
  return mend === '' ? answer : { ...answer, misconfigured: kind }
}
