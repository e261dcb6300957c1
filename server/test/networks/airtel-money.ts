// A connection to the simulated Airtel without sockets, on a clock that the test moves.
import {
  AIRTEL_CREDENTIALS,
  type AirtelNetworkOptions,
  airtelMoneyNetwork,
} from '../../../simulators/src/airtel-money/network.ts'
import type { AirtelFault } from '../../../simulators/src/airtel-money/numbers-and-faults.ts'
import type { ConformanceNetwork, NetworkDeps, WireCallback } from '../../../simulators/src/network.ts'
import type { CheckLine } from '../../src/operators/connector.ts'
import { airtelMoney } from '../../src/operators/connectors/airtel-money/connector.ts'
import type { AirtelOptions } from '../../src/operators/connectors/airtel-money/options.ts'
import type { Call, Send } from '../../src/operators/http-call.ts'
import type { Collection, Operator, Reversal } from '../../src/operators/operator.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { directSend, FIRST_TRY } from './harness.ts'

export const REFERENCE = '0123456789abcdefghjkmnpq'
export const DEADLINE_MS = 10_000
export const DECIDE_AFTER_MS = 3_000

export interface OpenAirtelOptions {
  options?: Partial<AirtelOptions>
  network?: AirtelNetworkOptions
  /** In the place of the simulated network. */
  send?: Send
  callbackUrl?: string | undefined
}

export interface OpenAirtel {
  clock: VirtualClock
  network: ConformanceNetwork
  operator: Operator
  check(): Promise<CheckLine[]>
  /** What the connector has sent. */
  calls: Call[]
  /** What the network has called back with. */
  callbacks: WireCallback[]
  on(fault: AirtelFault, times?: number): void
}

export function openAirtel(given: OpenAirtelOptions = {}): OpenAirtel {
  const clock = virtualClock()
  const random = seededRandom(7)
  const callbacks: WireCallback[] = []
  const calls: Call[] = []
  const sendCallback = async (callback: WireCallback): Promise<number> => {
    callbacks.push(callback)
    return 200
  }
  const deps = { clock, random: random.fork(), decideAfterMs: DECIDE_AFTER_MS, sendCallback }
  const network = airtelMoneyNetwork(deps, { callbackUrl: AIRTEL_CALLBACK_URL, ...given.network })
  const send = given.send ?? directSend(network, { clock, timeoutMs: DEADLINE_MS })
  const callbackUrl = 'callbackUrl' in given ? given.callbackUrl : `${AIRTEL_CALLBACK_URL}/`
  const { operator, check } = airtelMoney.connect(
    {
      name: 'airtel',
      environment: 'sandbox',
      send: (call) => {
        calls.push(call)
        return send(call)
      },
      clock,
      random,
      callbackUrl: (reference) => callbackUrl && callbackUrl + reference,
      deadlineMs: DEADLINE_MS,
    },
    { ...AIRTEL_UNDER_TEST.options(network), ...given.options },
  )
  const on = (fault: AirtelFault, times?: number): void => void network.faults.on(fault, times)
  return { clock, network, operator, check, calls, callbacks, on }
}

export const collection = (changed: Partial<Collection> = {}): Collection => ({
  reference: REFERENCE,
  operator: 'airtel_ne',
  msisdn: '22797000000',
  amountXof: 1_500,
  publicReference: 'KB-7F3K-22',
  ...FIRST_TRY,
  ...changed,
})

export const reversal = (operatorReference: string): Reversal => ({
  refundReference: 'zyxwvtsrqpnmkjhgfedcba98',
  reference: REFERENCE,
  operatorReference,
  networkId: null,
  operator: 'airtel_ne',
  amountXof: 1_500,
})

/** The paths that were called, with how often. */
export function countOf(calls: readonly Call[], path: string): number {
  return calls.filter((call) => call.path === path).length
}

/** Lets the clock run until the work is done. */
export const settled = <T>({ clock }: Pick<OpenAirtel, 'clock'>, work: Promise<T>): Promise<T> =>
  clock.advanceUntil('answer', work)

/** A payment that was made and paid; Airtel's own id of it. */
export async function paid(airtel: OpenAirtel): Promise<string> {
  await settled(airtel, airtel.operator.request(collection()))
  await airtel.clock.advance(DECIDE_AFTER_MS)
  const answer = await settled(airtel, airtel.operator.status(REFERENCE))
  if (answer.is !== 'succeeded') throw new Error(`the payment is ${answer.is}`)
  return answer.operatorReference
}

/** The address that the portal of the simulated Airtel has: one for all payments, so its path names none. */
export const AIRTEL_CALLBACK_URL = 'https://karba.example/operators/sandbox/airtel-money-test/callback'

export const AIRTEL_UNDER_TEST = {
  connector: airtelMoney,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    airtelMoneyNetwork(deps, { callbackUrl: AIRTEL_CALLBACK_URL }),
  options: ({ credentials }: ConformanceNetwork): AirtelOptions => ({
    clientId: credentials.clientId ?? AIRTEL_CREDENTIALS.clientId,
    clientSecret: credentials.clientSecret ?? AIRTEL_CREDENTIALS.clientSecret,
    callbackKey: credentials.callbackKey ?? AIRTEL_CREDENTIALS.callbackKey,
    version: 1,
    padding: 'pkcs1',
    country: 'NE',
    currency: 'XOF',
    callingCode: '227',
    userAgent: 'Karba/1.0',
  }),
  operator: 'airtel_ne',
  country: 'NE',
  msisdn: '97000000',
}
