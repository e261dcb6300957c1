// The manners of one real network in a simulated world: its connector, its conformance simulator, whom it can prompt,
// and how to read its wire form without the connector, so that the checks do not believe what the connector made of it.

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
  /** As a merchant writes it. */
  msisdn: string
}

/** A call that can move money, and the reference of ours that it is about. */
export interface MoneyCall {
  kind: 'request' | 'refund'
  reference: string
}

export interface Manner {
  name: string
  // biome-ignore lint/suspicious/noExplicitAny: the options' type is the connector's own business
  connector: Connector<any>
  /** The numbers of each operator that it can prompt; those that succeed stand there several times. */
  phones: Readonly<Record<string, readonly Phone[]>>
  /** One of the forms that the network has, with what the connector must be told about it. */
  open(deps: NetworkDeps, callbackUrl: string, random: SeededRandom): { network: ConformanceNetwork; options: object }
  /** Faults that are never switched on, each with its reason. */
  leftOut: Readonly<Record<string, string>>
  /** Those after which it is hardest to know what became of the money: half of all that are switched on. */
  worst: readonly string[]
  /**
   * Answers after which the connector sends the same request again, though the network may have taken it: it reads the
   * status of a duplicate.
   */
  repeatsAfter: readonly number[]
  /** Whether a request or a refund was refused in the body of an answer, so that nothing was taken. */
  rejects?(answer: { code: number; body?: object | string }): boolean
  referenceOf(booked: BookedPayment): string
  /** Whether the payer has been asked, by the books: from then on another request may debit again. */
  isTaken(booked: BookedPayment): boolean
  moneyCallOf(call: Call, network: ConformanceNetwork): MoneyCall | undefined
  /** Whether a call makes the network keep something for a payment before the call that can move its money. */
  prepares?(call: Call): boolean
  /**
   * The reference of ours that a question is about: of a payment, or of a refund where the network can be asked about
   * one.
   */
  askedAbout(call: Call, network: ConformanceNetwork): string | undefined
  /** The same question about something that the network has never had: what it is answered with while look-ups lag. */
  aboutNothing(call: Call): Call
  /** Whether the answer to a question is that there is no such payment. */
  denies(answer: { code: number; body?: object | string }): boolean
  calledBackAbout(callback: WireCallback): string | undefined
  /** Words of the books for a payment that is under way, and for one that has failed. */
  waiting: readonly string[]
  failed: readonly string[]
  /**
   * Failures after which the service looks again by itself: money that moves later must be found without a callback.
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
