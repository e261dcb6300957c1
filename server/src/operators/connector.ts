// A connector implements one network's API. A connection is a connector with an address and
// credentials.
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  type FetchFailure,
  type FetchPeriod,
  fetchFailure,
} from '../domain/books/statement-fetch.ts'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import { getOrMake } from '../domain/limits/get-or-make.ts'
import type { CredentialTest } from '../domain/merchants/merchant-connection.ts'
import type { HostedMethodName } from '../domain/methods/methods.ts'
import { maskCardNumbers } from '../domain/texts/free-text.ts'
import { asObject, type CallResult, type Send } from './http-call.ts'
import type { HostedMethod, Operator, Unknown } from './operator.ts'

export interface ConnectionDeps {
  /** The connection's name. Permanent: payments refer to it. */
  name: string
  environment: Environment
  /** Calls the network under the connection's base address, within the usual deadline. */
  send: Send
  clock: Clock
  random: Random
  /**
   * Where the network may call back about a request; undefined while the service has no public
   * address.
   */
  callbackUrl(reference: string): string | undefined
  /**
   * The time limit of one call of the interface, token included. After it another process may claim
   * the payment.
   */
  deadlineMs: number
  /** Gets a file that the network has made. Without it, no such file is asked for. */
  download?: Download
}

/**
 * One line of `karba operators check`: the check, and how to repair a failure. Never holds a
 * secret.
 */
export type CheckLine = { is: 'right' | 'wrong' | 'not_known'; about: string; remedy?: string }

export const right = (about: string): CheckLine => ({ is: 'right', about })
export const wrong = (about: string, remedy: string): CheckLine => ({ is: 'wrong', about, remedy })
export const notKnown = (about: string, remedy?: string): CheckLine => ({
  is: 'not_known',
  about,
  ...(remedy && { remedy }),
})

const LARGEST_SKEW_MS = 60_000

/** Compares this machine's clock with the date of an answer: signatures and tokens depend on it. */
export function clockLines(result: CallResult, now: number): CheckLine[] {
  if ('failed' in result) return []
  const about = 'this machine’s clock'
  const date = Date.parse(String(result.headers.date))
  if (Number.isNaN(date))
    return [notKnown(about, 'the network’s answer has no date to compare with')]
  const seconds = Math.round((now - date) / 1_000)
  if (Math.abs(seconds) * 1_000 <= LARGEST_SKEW_MS) return [right(about)]
  return [wrong(about, `it differs from the network’s by ${seconds} s: set it by a time server`)]
}

/** In the form of our references; no payment has it. */
export const ANY_REFERENCE = '0'.repeat(24)

/**
 * Our callback address without a reference, for networks that are given one address for all
 * payments.
 */
export const plainCallbackUrl = ({
  callbackUrl,
}: Pick<ConnectionDeps, 'callbackUrl'>): string | undefined =>
  callbackUrl(ANY_REFERENCE)?.replace(new RegExp(`/?${ANY_REFERENCE}$`), '')

/** An option of connections to networks of Benin. */
export const msisdnDigits = z
  .union([z.literal(10), z.literal(8)])
  .default(10)
  .describe(
    'Digits after the calling code: 10 with the leading 01, or the 8 of before November 2024.',
  )

/** An answer to a call that needs nothing but the credentials. */
export const credentialTest = (unanswered: Unknown | undefined): CredentialTest =>
  unanswered === undefined
    ? { is: 'accepted' }
    : {
        is: unanswered.misconfigured ? 'refused' : 'not_reached',
        why: maskCardNumbers(unanswered.why),
      }

export type GivenNames = ReturnType<typeof givenNames>

const MOST_NAMES = 10_000

/**
 * Notices a name, such as a token, that a network gives to two of our references: then its answers
 * are mixed up. For answers that do not say which payment they are about. In memory: an answer from
 * before a restart is not noticed.
 */
export function givenNames() {
  const references = new LRUCache<string, string>({ max: MOST_NAMES })
  return {
    isOfAnother: (name: string, reference: string): boolean =>
      getOrMake(references, name, () => reference) !== reference,
  }
}

export interface Connection {
  operator: Operator
  /** For a network with a payment page of its own. */
  hosted?: HostedMethod
  /** For a network that gives statements by its API. */
  statements?: NetworkStatements | undefined
  /** Talks to the network: token, balance or configuration. Never throws. */
  check(): Promise<CheckLine[]>
  /**
   * Whether the network takes the credentials: a token, a balance or the configuration. Never
   * throws.
   */
  test(): Promise<CredentialTest>
}

/**
 * A field in which a merchant enters an option: a secret, or one of the choices. A dot leads into
 * an object.
 */
export type EnteredField = { name: string; isOptional?: true; choices?: readonly string[] }

export interface Connector<Options = unknown> {
  /** As in the operators file: mtn-momo, airtel-money … */
  name: string
  /** The network's address in live and in its own test environment, where these are known. */
  addresses: { readonly live?: string; readonly sandbox?: string }
  /** Whose customers it can prompt for a payment. */
  prompts: readonly string[]
  /** The methods that payers pay with on its page. */
  pages: readonly HostedMethodName[]
  /**
   * The network gives back whole payments only: a refund in part is refused before it is recorded
   * (D-154).
   */
  refundsWholeOnly?: true
  /** The options of a connection; `secret` reads a credential from the environment or a file. */
  options(secret: z.ZodType<string>): z.ZodType<Options>
  /**
   * What a merchant enters for a connection of their own; the other options have their defaults.
   */
  fields: readonly EnteredField[]
  /**
   * Options of every merchant's connection in our sandbox, which is the network's test environment.
   */
  sandboxOptions?: Readonly<Record<string, unknown>>
  /** The address of a merchant's connection, where an option decides it. */
  addressOf?(environment: Environment, options: Options): string
  connect(deps: ConnectionDeps, options: Options): Connection
}

/** Keeps the type of the options between the schema and `connect`. */
export const defineConnector = <Options>(connector: Connector<Options>): Connector<Options> =>
  connector

// Statements that a network gives by its API: asked for, made by the network in its own time, then
// read.

export interface NetworkStatements {
  /** How many days before the period its files repeat; none by default. */
  repeatedDays?: number
  /** Asks for one. The id is kept, so that a later process goes on with it. Never throws. */
  request(period: FetchPeriod): Promise<{ is: 'requested'; requestId: string } | FetchFailure>
  /**
   * The file of a statement that was asked for. Never throws; reading the content may throw
   * `StatementBrokeOff`.
   */
  open(
    requestId: string,
    period: FetchPeriod,
  ): Promise<OpenedStatement | { is: 'not_ready' } | FetchFailure>
}

/** The bytes of a CSV file, or of one in GZIP. They can be read once. */
export type OpenedStatement = { is: 'ready'; content: AsyncIterable<Uint8Array> }

/**
 * Gets a file from an address that a network has named. Guarded: the address is not trusted. Never
 * throws.
 */
export type Download = (address: string) => Promise<OpenedStatement | FetchFailure>

/** For an answer without the expected content. */
export function failureOf(result: CallResult): FetchFailure {
  if ('failed' in result) return fetchFailure('not_reached', result.failed)
  const { code, body } = result
  const why = `HTTP ${code}`
  if (code === 401 || code === 403) return fetchFailure('credentials_refused', why)
  if (code === 408 || code === 429 || code >= 500) return fetchFailure('not_reached', why)
  return fetchFailure(
    'answer_not_valid',
    asObject(body) === undefined ? `${why} without JSON` : why,
  )
}
