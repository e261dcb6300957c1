// A connection to the simulated FedaPay without a socket, on a virtual clock.
import { z } from 'zod'
import { type FedapaySimulatorOptions, fedapayNetwork } from '../../../simulators/src/fedapay/network.ts'
import type { ConformanceNetwork, NetworkDeps, WireCallback } from '../../../simulators/src/network.ts'
import type { Environment } from '../../src/domain/environment.ts'
import type { Connection } from '../../src/operators/connector.ts'
import { fedapayConnector } from '../../src/operators/connectors/fedapay/connector.ts'
import type { Call, CallResult, Send } from '../../src/operators/http-call.ts'
import type { Collection, HostedMethod, Session } from '../../src/operators/operator.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { directSend, FIRST_TRY } from './harness.ts'

const CALLBACK_URL = 'https://karba.test/operators/live/fedapay/callback'
export const DEADLINE_MS = 10_000
export const DECIDE_AFTER_MS = 8_000

export interface OpenedFedapay {
  clock: VirtualClock
  network: ConformanceNetwork
  connection: Connection
  hosted: HostedMethod
  callbacks: WireCallback[]
  /** The calls that were made, in order. */
  calls: Call[]
  /** Time passes until the work is done. */
  run<T>(work: Promise<T>): Promise<T>
}

export interface FedapaySetting {
  environment?: Environment
  options?: Record<string, unknown>
  simulator?: FedapaySimulatorOptions
  callbackUrl?: string | null
  /** How webhooks are answered. */
  answerCallback?: () => number | undefined
  /** Answers in the network's place. */
  instead?: (call: Call) => CallResult | undefined
  /** Calls that are carried out, and whose answer does not arrive. */
  lost?: (call: Call) => boolean
}

const readOptions = (options: Record<string, unknown>) => fedapayConnector.options(z.string()).parse(options)

export function openFedapay(setting: FedapaySetting = {}): OpenedFedapay {
  const { environment = 'live', callbackUrl = CALLBACK_URL, answerCallback = () => 200 } = setting
  const clock = virtualClock()
  const callbacks: WireCallback[] = []
  const calls: Call[] = []
  const network = fedapayNetwork(
    {
      clock,
      random: seededRandom(7),
      decideAfterMs: DECIDE_AFTER_MS,
      sendCallback: async (callback) => {
        callbacks.push(callback)
        return answerCallback()
      },
    },
    { webhookUrl: CALLBACK_URL, ...setting.simulator },
  )
  const toNetwork = directSend(network, { clock, timeoutMs: DEADLINE_MS })
  const send: Send = async (call) => {
    calls.push(call)
    const result = setting.instead?.(call) ?? (await toNetwork(call))
    return setting.lost?.(call) ? { failed: 'no answer' } : result
  }
  const { secretKey, webhookSecret } = network.credentials
  const connection = fedapayConnector.connect(
    {
      name: 'fedapay',
      environment,
      send,
      clock,
      random: seededRandom(8),
      callbackUrl: (reference) => (callbackUrl === null ? undefined : `${callbackUrl}/${reference}`),
      deadlineMs: DEADLINE_MS,
    },
    readOptions({ secretKey, webhookSecret, ...setting.options }),
  )
  const hosted = connection.hosted as HostedMethod
  const run = <T>(work: Promise<T>): Promise<T> => clock.advanceUntil('answer', work)
  return { clock, network, connection, hosted, callbacks, calls, run }
}

export const REFERENCE = '0123456789abcdefghjkmnpq'

export const collection = (changes: Partial<Collection> = {}): Collection => ({
  reference: REFERENCE,
  operator: 'mtn_bj',
  msisdn: '2290166000001',
  amountXof: 1_500,
  publicReference: 'KB-1042',
  ...FIRST_TRY,
  ...changes,
})

export const session = (changes: Partial<Session> = {}): Session => ({
  reference: REFERENCE,
  amountXof: 2_500,
  publicReference: 'KB-1043',
  merchantName: 'Boutique Awa',
  title: 'Commande 12',
  returnUrl: 'https://karba.test/pay/abc',
  keepNetworkId: FIRST_TRY.keepNetworkId,
  ...changes,
})

export const FEDAPAY_UNDER_TEST = {
  connector: fedapayConnector,
  // Made in the dashboard of the real one, and not told with each request: whatever comes to it is for this connection.
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    fedapayNetwork(deps, { webhookUrl: 'https://karba.example/operators/sandbox/fedapay-test/callback' }),
  options: ({ credentials: { secretKey, webhookSecret } }: ConformanceNetwork) =>
    fedapayConnector.options(z.string()).parse({ secretKey, webhookSecret }),
  operator: 'mtn_bj',
  country: 'BJ',
  msisdn: '66000001',
} as const
