// A connection to the simulated pawaPay on a virtual clock, without a socket; and one to answers that a test has written down.
import { z } from 'zod'
import type { ConformanceNetwork, NetworkDeps, WireCallback, WireReaction } from '../../../simulators/src/network.ts'
import { type PawapayNetworkOptions, pawapayNetwork } from '../../../simulators/src/pawapay/network.ts'
import { uuidOfReference } from '../../src/domain/reference.ts'
import type { Connection, ConnectionDeps } from '../../src/operators/connector.ts'
import { pawapay } from '../../src/operators/connectors/pawapay/connector.ts'
import type { Call, CallResult } from '../../src/operators/http-call.ts'
import type { CallbackRequest } from '../../src/operators/operator.ts'
import { seededRandom } from '../kit/seeded-random.ts'
import { type VirtualClock, virtualClock } from '../kit/virtual-clock.ts'
import { directSend, FIRST_TRY } from './harness.ts'

const TOKEN = 'simulated-pawapay-token'
export const CALLBACK_URL = 'https://karba.example/operators/sandbox/pawapay/callback'
export const DEADLINE_MS = 10_000
export const DECIDED_AFTER_MS = 4_000

/** References of payments, as many as a test needs. */
export const reference = (number: number): string => number.toString().padStart(24, '0')
export const depositIdOf = (number: number): string => uuidOfReference(reference(number))

export const collection = (number: number, changes: object = {}) => ({
  reference: reference(number),
  operator: 'mtn_bj',
  msisdn: '2290151345789',
  amountXof: 1_000,
  publicReference: '7K3M-PQ2X-4',
  ...FIRST_TRY,
  ...changes,
})

export const reversal = (number: number, changes: object = {}) => ({
  refundReference: reference(900_000 + number),
  reference: reference(number),
  operatorReference: 'at the provider',
  networkId: null,
  operator: 'mtn_bj',
  amountXof: 1_000,
  ...changes,
})

const readOptions = (options: object = {}) => pawapay.options(z.string()).parse({ apiToken: TOKEN, ...options })

export interface OpenPawapay extends Connection {
  clock: VirtualClock
  network: ConformanceNetwork
  calls: Call[]
  callbacks: WireCallback[]
  /** What the next callbacks are answered with; 200 at first. */
  answerCallbacks(code: number | undefined): void
  /** Time passes until the work is done, if it has to. */
  done<T>(work: Promise<T>): Promise<T>
  /** A request, and the answer of a status call once its payer has decided. */
  paid(number: number, changes?: object): Promise<unknown>
}

export interface OpenOptions {
  options?: object
  network?: PawapayNetworkOptions
  deps?: Partial<ConnectionDeps>
}

export function openPawapay({ options = {}, network: networkOptions = {}, deps = {} }: OpenOptions = {}): OpenPawapay {
  const clock = virtualClock()
  const callbacks: WireCallback[] = []
  let callbackCode: number | undefined = 200
  const network = pawapayNetwork(
    {
      clock,
      random: seededRandom(7),
      decideAfterMs: DECIDED_AFTER_MS,
      sendCallback: async (callback) => {
        callbacks.push(callback)
        return callbackCode
      },
    },
    { callbackUrls: { DEPOSIT: CALLBACK_URL }, ...networkOptions },
  )
  const calls: Call[] = []
  const send = directSend(network, { clock, timeoutMs: DEADLINE_MS })
  const connection = pawapay.connect(
    {
      name: 'pawapay',
      environment: 'sandbox',
      send: (call) => {
        calls.push(call)
        return send(call)
      },
      clock,
      random: seededRandom(1),
      callbackUrl: (each) => `${CALLBACK_URL}/${each}`,
      deadlineMs: DEADLINE_MS,
      ...deps,
    },
    readOptions(options),
  )
  async function done<T>(work: Promise<T>): Promise<T> {
    // Most calls need no time at all; those that hang need the clock to move.
    const isOver = await Promise.race([work.then(() => true), clock.settle().then(() => false)])
    return isOver ? work : clock.advanceUntil('answer', work)
  }
  return {
    ...connection,
    clock,
    network,
    calls,
    callbacks,
    answerCallbacks: (code) => {
      callbackCode = code
    },
    done,
    paid: async (number, changes) => {
      await done(connection.operator.request(collection(number, changes)))
      await clock.advance(DECIDED_AFTER_MS)
      return done(connection.operator.status(reference(number)))
    },
  }
}

/** A connection whose network says what the test has written: one answer for each call, by its path. */
export function scriptedPawapay(answers: Record<string, CallResult | readonly CallResult[]>, options: object = {}) {
  const clock = virtualClock()
  const calls: Call[] = []
  const left = new Map(Object.entries(answers).map(([path, each]) => [path, [each].flat() as CallResult[]]))
  const connection = pawapay.connect(
    {
      name: 'pawapay',
      environment: 'sandbox',
      send: async (call) => {
        calls.push(call)
        const queue = left.get(`${call.method} ${call.path.split('?')[0]}`) ?? left.get(`${call.method} *`)
        return (queue && (queue.length > 1 ? queue.shift() : queue[0])) ?? { failed: 'no answer: not scripted' }
      },
      clock,
      random: seededRandom(1),
      callbackUrl: () => undefined,
      deadlineMs: DEADLINE_MS,
    },
    readOptions(options),
  )
  return { ...connection, clock, calls }
}

export const answer = (code: number, body: unknown): CallResult => ({ code, headers: {}, body })

/** As the service's own door gives a callback to a connector. */
export const received = ({ method, headers, body, url }: WireCallback, changes: object = {}): CallbackRequest => ({
  method,
  path: '',
  headers: { host: new URL(url).host, ...headers },
  body: Buffer.from(body),
  ...changes,
})

/** A call of any client, with the headers that the network wants. */
export function ask(
  network: ConformanceNetwork,
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string | undefined> } = {},
): Extract<WireReaction, { code: number }> {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const reaction = network.handle({
    method,
    path: pathname,
    query: searchParams,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
  })
  if (!('code' in reaction)) throw new Error('the network did not answer')
  return reaction
}

/** Where the service under test takes callbacks; pawaPay is given one address for all deposits. */
const SERVICE_CALLBACK_URL = 'https://karba.example/operators/sandbox/pawapay-test/callback'

export const PAWAPAY_UNDER_TEST = {
  connector: pawapay,
  makeNetwork: (deps: NetworkDeps): ConformanceNetwork =>
    pawapayNetwork(deps, { callbackUrls: { DEPOSIT: SERVICE_CALLBACK_URL } }),
  options: ({ credentials }: ConformanceNetwork): object =>
    pawapay.options(z.string()).parse({ apiToken: credentials.apiToken, callbacks: 'signed' }),
  operator: 'mtn_bj',
  msisdn: '97000000',
}
