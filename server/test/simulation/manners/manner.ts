// The properties of one real network in a simulated world: its connector, its conformance simulator, and the operators
// it can prompt. It reads the wire format without the connector, so that the checks do not depend on the connector.

import type {
  BookedPayment,
  ConformanceNetwork,
  NetworkDeps,
  WireCallback,
} from '../../../../simulators/src/network.ts'
import type { Country } from '../../../src/domain/country.ts'
import type { Connector } from '../../../src/operators/connector.ts'
import type { Call } from '../../../src/operators/http-call.ts'
import type { SeededRandom } from '../../kit/seeded-random.ts'

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

export interface Manner {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the options' type is the connector's own business
  connector: Connector<any>
  /** The numbers of each operator that it can prompt; those that succeed are repeated. */
  phones: Readonly<Record<string, readonly Phone[]>>
  /** One variant of the network, with the matching options of the connector. */
  open(deps: NetworkDeps, callbackUrl: string, random: SeededRandom): { network: ConformanceNetwork; options: object }
  /** Faults after which the money's state is hardest to know: half of all that are switched on. */
  worst: readonly string[]
  /**
   * Answers after which the connector repeats the request, though the network may have accepted it: it reads the status
   * of a duplicate.
   */
  repeatsAfter: readonly number[]
  /** Whether the body of an answer refused a request or a refund, so that nothing was accepted. */
  rejects?(answer: { code: number; body?: object | string }): boolean
  referenceOf(booked: BookedPayment): string
  /** Whether the payer was prompted, by the books: from then on another request may debit again. */
  isTaken(booked: BookedPayment): boolean
  moneyCallOf(call: Call, network: ConformanceNetwork): MoneyCall | undefined
  /** Whether a call makes the network store something for a payment before the call that can move its money. */
  prepares?(call: Call): boolean
  /**
   * Our reference in a look-up: of a payment, or of a refund where the network has look-ups of refunds.
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
   * Failures after which the service checks again by itself: it must find money that moves later without a callback.
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
