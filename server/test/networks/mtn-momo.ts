// A connection to the simulated MTN MoMo without a socket, on a virtual clock.
import { z } from 'zod'
import { type MtnMomoNetworkOptions, mtnMomoNetwork } from '../../../simulators/src/mtn-momo/network.ts'
import type { ConformanceNetwork, NetworkDeps, WireCallback } from '../../../simulators/src/network.ts'
import type { Environment } from '../../src/domain/environment.ts'
import { makeReference, REFERENCE_BYTES } from '../../src/domain/reference.ts'
import type { Connection } from '../../src/operators/connector.ts'
import { mtnMomo } from '../../src/operators/connectors/mtn-momo/connector.ts'
import type { MtnMomoOptions } from '../../src/operators/connectors/mtn-momo/options.ts'
import type { Call } from '../../src/operators/http-call.ts'
import type { Collection, Operator, Reversal } from '../../src/operators/operator.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { directSend, FIRST_TRY } from './harness.ts'

export const DEADLINE_MS = 10_000
/** How long payers take. */
export const DECIDED_AFTER_MS = 2_000
export const CALLBACK_ADDRESS = 'https://pay.example.bj/operators/live/mtn/callback'

/** As the operators file would be read; `wanted` in the place of what the simulator's credentials say. */
function optionsFor(network: ConformanceNetwork, wanted: Partial<MtnMomoOptions> = {}): MtnMomoOptions {
  const { credentials } = network
  return mtnMomo.options(z.string()).parse({
    subscriptionKey: credentials.subscriptionKey,
    apiUser: credentials.apiUser,
    apiKey: credentials.apiKey,
    disbursement: {
      subscriptionKey: credentials.disbursementSubscriptionKey,
      apiUser: credentials.disbursementApiUser,
      apiKey: credentials.disbursementApiKey,
    },
    ...wanted,
  })
}

/** The options for the network's own test environment, with its euros. */
export const inTestEnvironment = ({ credentials }: ConformanceNetwork): Partial<MtnMomoOptions> => ({
  targetEnvironment: 'sandbox',
  currency: 'EUR',
  apiUser: credentials.sandboxApiUser as string,
  apiKey: credentials.sandboxApiKey as string,
  disbursement: {
    subscriptionKey: credentials.disbursementSubscriptionKey as string,
    apiUser: credentials.sandboxDisbursementApiUser as string,
    apiKey: credentials.sandboxDisbursementApiKey as string,
  },
})

export interface Opened {
  clock: VirtualClock
  network: ConformanceNetwork
  connection: Connection
  operator: Operator
  /** What the connector sent. */
  sent: Call[]
  /** What the network sent to us. */
  callbacks: WireCallback[]
  /** Lets the clock run until a verb has answered. */
  answer<T>(verb: Promise<T>): Promise<T>
}

export interface Wanted {
  network?: MtnMomoNetworkOptions
  options?: (network: ConformanceNetwork) => Partial<MtnMomoOptions>
  environment?: Environment
  callbackUrl?: (reference: string) => string | undefined
  /** What our side answers to a callback. */
  callbackAnswer?: () => number | undefined
}

export function openMtn({
  network: shape,
  options,
  environment = 'live',
  callbackUrl,
  callbackAnswer,
}: Wanted = {}): Opened {
  const clock = virtualClock()
  const random = seededRandom(7)
  const callbacks: WireCallback[] = []
  const sendCallback = async (callback: WireCallback): Promise<number | undefined> => {
    callbacks.push(callback)
    return callbackAnswer ? callbackAnswer() : 200
  }
  const network = mtnMomoNetwork(
    { clock, random, decideAfterMs: DECIDED_AFTER_MS, sendCallback },
    { platform: 'new', ...shape },
  )
  const sent: Call[] = []
  const send = directSend(network, { clock, timeoutMs: DEADLINE_MS })
  const connection = mtnMomo.connect(
    {
      name: 'mtn',
      environment,
      send: (call) => {
        sent.push(call)
        return send(call)
      },
      clock,
      random,
      callbackUrl: callbackUrl ?? ((reference) => `${CALLBACK_ADDRESS}/${reference}`),
      deadlineMs: DEADLINE_MS,
    },
    optionsFor(network, { platform: shape?.platform ?? 'new', ...options?.(network) }),
  )
  const answer = <T>(verb: Promise<T>): Promise<T> => clock.advanceUntil('answer', verb)
  return { clock, network, connection, operator: connection.operator, sent, callbacks, answer }
}

const references = seededRandom(11)

/** With a new reference, and to a number that succeeds. */
export const order = (wanted: Partial<Collection> = {}): Collection => ({
  reference: makeReference(references.bytes(REFERENCE_BYTES)),
  operator: 'mtn_bj',
  msisdn: '2290197000000',
  amountXof: 1_500,
  publicReference: 'KRB-2026-0001',
  ...FIRST_TRY,
  ...wanted,
})

export const reversalOf = ({ reference, amountXof }: Collection, wanted: Partial<Reversal> = {}): Reversal => ({
  refundReference: makeReference(references.bytes(REFERENCE_BYTES)),
  reference,
  operatorReference: '',
  networkId: null,
  operator: 'mtn_bj',
  amountXof,
  ...wanted,
})

export const MTN_UNDER_TEST = {
  connector: mtnMomo,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork => mtnMomoNetwork(deps, { platform: 'new' }),
  options: (network: ConformanceNetwork): object => optionsFor(network),
  operator: 'mtn_bj',
  country: 'BJ',
  msisdn: '97000000',
} as const
