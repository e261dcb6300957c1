// A connector: the code that speaks one network's API. A connection is a connector with an address and credentials, by the operators file.
import type { z } from 'zod'
import type { Clock, Random } from '../domain/clock-and-random.ts'
import type { Environment } from '../domain/environment.ts'
import type { HostedMethodName } from '../domain/payment-link.ts'
import type { Send } from './http-call.ts'
import type { HostedMethod, Operator } from './operator.ts'

export interface ConnectionDeps {
  /** The connection's own name, for ever. */
  name: string
  environment: Environment
  /** Calls the network under the connection's base address, within the usual deadline. */
  send: Send
  clock: Clock
  random: Random
  /** Where the network may call back about a request; undefined while the service has no public address. */
  callbackUrl(reference: string): string | undefined
  /** How long one verb may take in all, its token included: after that its claim may be another's. */
  deadlineMs: number
}

/** One line of `karba operators check`: what was looked at, and what to mend where it is not right. No secret in either. */
export interface CheckLine {
  is: 'right' | 'wrong' | 'not_known'
  about: string
  mend?: string
}

export interface Connection {
  operator: Operator
  /** For a network with a payment page of its own. */
  hosted?: HostedMethod
  /** Talks to the network: token, balance or configuration. Never throws. */
  check(): Promise<CheckLine[]>
}

export interface Connector<Options = unknown> {
  /** As in the operators file: mtn-momo, airtel-money … */
  name: string
  /** The network's address in live and in its own test environment, where these are known. */
  addresses: { readonly live?: string; readonly sandbox?: string }
  /** Whose customers it can prompt for a payment. */
  prompts: readonly string[]
  /** The methods that payers pay with on its page. */
  pages: readonly HostedMethodName[]
  /** What one connection needs beside its address; `secret` reads a credential from the environment or a file. */
  options(secret: z.ZodType<string>): z.ZodType<Options>
  connect(deps: ConnectionDeps, options: Options): Connection
}

/** Keeps the type of the options between the schema and `connect`. */
export const defineConnector = <Options>(connector: Connector<Options>): Connector<Options> => connector
