// A connector with the conformance simulator of its network behind it, in a whole service on a virtual clock: calls and callbacks are functions.

import type { ConformanceNetwork, NetworkDeps, WireCallback, WireReaction } from '../../../simulators/src/network.ts'
import type { Connection, Connector } from '../../src/operators/connector.ts'
import type { Call } from '../../src/operators/http-call.ts'
import { operatorRegistry } from '../../src/operators/registry.ts'
import type { Service } from '../../src/service/compose.ts'
import type { ConnectDeps, Connected } from '../../src/service/connect-operators.ts'
import { openTestService, type TestOverrides, type TestService } from '../kit/service.ts'
import type { StoreKind } from '../kit/stores.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { openWatchedStore } from '../kit/watched-store.ts'
import { directSend, heard } from './direct-send.ts'

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
