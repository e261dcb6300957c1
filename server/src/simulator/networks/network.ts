// What every conformance simulator is: a network that speaks its real wire form, checks what it is sent as strictly as the network does, keeps
// books, and can be told to fail in the ways that the network fails in the field. No sockets here: network-server.ts has them, and tests on
// a virtual clock call `handle` directly.
import type { Clock, Random } from '../../domain/clock-and-random.ts'
import type { FaultBoard } from './faults.ts'

export interface WireRequest {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  body: string
}

/** How the network reacts to a request. Delays are counted from its arrival; what it decides, it has decided at once. */
export type WireReaction =
  | { code: number; headers?: Record<string, string>; body?: object | string; afterMs?: number }
  /** The connection ends without an answer. */
  | { cut: true; afterMs?: number }
  /** The connection stays open, and nothing is ever said on it. */
  | { silent: true }

export interface WireCallback {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: string
}

export interface NetworkDeps {
  clock: Clock
  random: Random
  /** How long a payer takes to decide, where the number does not say otherwise. */
  decideAfterMs: number
  /** Sends a callback; the answer's code, or undefined when there was none. Never throws. */
  sendCallback(callback: WireCallback): Promise<number | undefined>
}

/** One payment in the network's books. */
export interface BookedPayment {
  /** Under which the network was asked for it. */
  id: string
  /** What the client calls it, where the wire form has a place for that. */
  clientReference: string
  msisdn: string
  amountXof: number
  /** In the network's own words. */
  status: string
  /** How often the payer's account was debited: more than once is somebody's mistake. */
  debits: number
  /** How often the whole amount went back. */
  refunds: number
  /** How often it was asked for, the refused ones included. */
  requests: number
}

/** What a person, or a test, can do to a payment in the place of its payer. */
export type PayerDecision = 'approve' | 'decline' | 'ignore' | 'no_funds'

export interface ConformanceNetwork {
  /** As its connector: mtn-momo, airtel-money, fedapay, pawapay. */
  name: string
  /** Credentials and settings that clients of this simulator use, for its page and its start text. */
  credentials: Readonly<Record<string, string>>
  /** Numbers with a fixed outcome, with what happens. */
  numbers: Readonly<Record<string, string>>
  faults: FaultBoard
  handle(request: WireRequest): WireReaction
  books(): BookedPayment[]
  /** False when there is no such payment, or it is decided. */
  decide(id: string, decision: PayerDecision): boolean
  /** Forgets all payments, refunds, tokens and faults. */
  reset(): void
}
